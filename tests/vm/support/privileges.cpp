// SPDX-License-Identifier: Apache-2.0
#include "support/privileges.hpp"

#include <grp.h>
#include <unistd.h>

#include "support/file.hpp"

namespace ndtel::vm {

void drop_privileges(uid_t uid, gid_t gid) {
  if (::setgroups(0, nullptr) != 0) fail_errno("setgroups");
  if (::setresgid(gid, gid, gid) != 0) fail_errno("setresgid");
  if (::setresuid(uid, uid, uid) != 0) fail_errno("setresuid");
}

}  // namespace ndtel::vm
