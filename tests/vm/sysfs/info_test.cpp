// SPDX-License-Identifier: Apache-2.0
//
// What a device is, and the switch of notifications.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "expected.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

const char kDelay[] = "info/notify_delay";

class SysfsInfo : public SysfsTest {};

// Sysfs23: the arch_type of two products is the same, as it always was; other files differ.
TEST_F(SysfsInfo, Sysfs23ProductsAreToldApart) {
  ASSERT_EQ(module().new_device("inf2"), 0);
  const Attributes inf2(1);
  const std::string directory = "info/architecture/";
  EXPECT_EQ(inf2.text(directory + "arch_type"), attributes_.text(directory + "arch_type"));
  EXPECT_NE(inf2.text(directory + "device_name"), attributes_.text(directory + "device_name"));
  EXPECT_NE(inf2.text(directory + "instance_type"), attributes_.text(directory + "instance_type"));
}

// Sysfs17: programs know the number without a newline.
TEST_F(SysfsInfo, Sysfs17CoreCountHasNoNewline) { EXPECT_EQ(attributes_.text("core_count"), "8"); }

// Sysfs14: other values were accepted without effect, and the switch was one for all devices.
TEST_F(SysfsInfo, Sysfs14NotifyDelayIsCheckedAndPerDevice) {
  ASSERT_EQ(module().new_device("v3"), 0);
  const Attributes other(1);
  EXPECT_EQ(attributes_.text(kDelay), "-1\n");
  EXPECT_EQ(attributes_.write(kDelay, "0\n"), 0);
  EXPECT_EQ(attributes_.text(kDelay), "0\n");
  EXPECT_EQ(other.text(kDelay), "-1\n");
  for (const char* text : {"1", "-2", "on", "0x0", "0 0", "\n", "99999999999999999999"}) {
    EXPECT_LT(attributes_.write(kDelay, text), 0) << text;
    EXPECT_EQ(attributes_.text(kDelay), "0\n") << text;
  }
  EXPECT_EQ(attributes_.write(kDelay, "1"), -EINVAL);
  EXPECT_EQ(attributes_.write(kDelay, "on"), -EINVAL);
  EXPECT_EQ(attributes_.write(kDelay, "-1"), 0);
  EXPECT_EQ(attributes_.text(kDelay), "-1\n");
}

}  // namespace
}  // namespace ndtel::vm
