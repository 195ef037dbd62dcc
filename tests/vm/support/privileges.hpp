// SPDX-License-Identifier: Apache-2.0
//
// Becoming somebody else, for good: only in a child.
#ifndef NDTEL_TESTS_VM_SUPPORT_PRIVILEGES_HPP
#define NDTEL_TESTS_VM_SUPPORT_PRIVILEGES_HPP

#include <sys/types.h>

namespace ndtel::vm {

/// Takes a uid and gid for real, effective and saved, without supplementary groups. All
/// capabilities go when the uid is not 0. Throws when refused.
void drop_privileges(uid_t uid, gid_t gid);

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_PRIVILEGES_HPP
