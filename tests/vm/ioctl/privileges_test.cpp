// SPDX-License-Identifier: Apache-2.0
//
// Who may do what: a descriptor that can only look changes nothing, and some commands are for the
// process that opened the file.
#include "support/privileges.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "ioctl_test.hpp"
#include "support/child.hpp"

namespace ndtel::vm {
namespace {

using IoctlPrivileges = IoctlTest;

constexpr uid_t kNobody = 65534;

// In a child without privileges: each command's result through a descriptor opened that way.
int check_all(int flags, bool may_write) {
  drop_privileges(kNobody, kNobody);
  const Node node(0, flags);
  for (const auto& command : kCommands) {
    std::byte argument[kArgumentRoom] = {};
    int expected = command.of_zeros;
    if (flags == O_WRONLY && !command.free_lane()) {
      expected = -EINVAL;
    } else if ((command.gate & kWritable) && !may_write) {
      expected = -EACCES;
    }
    const int result = node.control(command.number, argument);
    if (result != expected) std::fprintf(stderr, "%s gave %d\n", command.name, result);
    CHILD_CHECK(result == expected);
  }
  return 0;
}

TEST_F(IoctlPrivileges, ReadOnlyDescriptorChangesNothing) {
  Node::allow_everybody(0);
  Child child([](Channel&) { return check_all(O_RDONLY, false); });
  EXPECT_EQ(child.wait(), 0);
}

TEST_F(IoctlPrivileges, WritableDescriptorNeedsNoPrivilege) {
  Node::allow_everybody(0);
  for (const int flags : {O_RDWR, O_WRONLY}) {
    Child child([flags](Channel&) { return check_all(flags, true); });
    EXPECT_EQ(child.wait(), 0);
  }
}

// What is owned would otherwise belong to a process that no file keeps track of.
TEST_F(IoctlPrivileges, InheritedDescriptorIsNotTheChildsOwn) {
  const Node node(0);
  const Node free(0, O_WRONLY);
  Child child([&](Channel&) -> int {
    for (const auto& command : kCommands) {
      std::byte argument[kArgumentRoom] = {};
      const int expected = command.gate & kOpener ? -EACCES : command.of_zeros;
      CHILD_CHECK(node.control(command.number, argument) == expected);
      CHILD_CHECK(!command.free_lane() || free.control(command.number, argument) == expected);
    }
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST_F(IoctlPrivileges, CapSysAdminMayThroughAReadOnlyDescriptor) {
  const Node node(0, O_RDONLY);
  for (const auto& command : kCommands) {
    std::byte argument[kArgumentRoom] = {};
    EXPECT_EQ(node.control(command.number, argument), command.of_zeros) << command.name;
  }
}

}  // namespace
}  // namespace ndtel::vm
