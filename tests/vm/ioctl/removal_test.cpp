// SPDX-License-Identifier: Apache-2.0
//
// A device that is gone says so to every command, before it looks at anything else.
#include <gtest/gtest.h>

#include "ioctl_test.hpp"

namespace ndtel::vm {
namespace {

using IoctlRemoval = IoctlTest;

TEST_F(IoctlRemoval, EveryCommandSaysThatTheDeviceIsGone) {
  const Node normal(0);
  const Node free(0, O_WRONLY);
  ASSERT_EQ(module().del_device(0), 0);
  for (const auto& command : kCommands) {
    std::byte argument[kArgumentRoom] = {};
    for (const auto* node : {&normal, &free}) {
      EXPECT_EQ(node->control(command.number, argument), -ENODEV) << command.name;
      EXPECT_EQ(node->control(command.number, nullptr), -ENODEV) << command.name;
    }
    const std::byte untouched[kArgumentRoom] = {};
    EXPECT_EQ(std::memcmp(argument, untouched, sizeof argument), 0) << command.name;
  }
  EXPECT_EQ(normal.control(0x80084EFF, nullptr), -ENODEV);
}

}  // namespace
}  // namespace ndtel::vm
