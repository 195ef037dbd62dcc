// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing the attributes of devices, with the error of each access.
#ifndef NDTEL_TESTS_VM_SYSFS_SYSFS_HPP
#define NDTEL_TESTS_VM_SYSFS_SYSFS_HPP

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "support/eventually.hpp"
#include "support/fixture.hpp"
#include "support/module.hpp"

namespace ndtel::vm {

/// "/sys/class/ndtel_device/".
std::string class_directory();
/// "/sys/class/ndtel_device/ndtel0/".
std::string device_directory(int device);

/// What one open, read to the end and close gave.
struct Reading {
  int error = 0;  ///< 0 or -errno, of open or read
  bool opened = false;
  std::string text;
};
Reading read_attribute(const std::string& path);

/// The attributes of one device, by their paths below its directory.
class Attributes {
 public:
  explicit Attributes(int device = 0) : directory_(device_directory(device)) {}

  std::string path(const std::string& name) const { return directory_ + name; }
  Reading read(const std::string& name) const { return read_attribute(path(name)); }
  /// Content; "error -N" when it cannot be read.
  std::string text(const std::string& name) const;
  /// Decimal number with a newline and nothing else. Throws when it is not one.
  std::uint64_t number(const std::string& name) const;
  /// 0 or -errno.
  int write(const std::string& name, const std::string& text) const;

 private:
  std::string directory_;
};

/// All regular files below a directory of sysfs with their modes, links not followed, without what
/// the kernel itself adds to a device.
std::map<std::string, mode_t> files_below(const std::string& directory);

/// "neuron_core3/stats/status/success/".
std::string status(unsigned core, const std::string& counter);
std::string other_info(unsigned core, const std::string& counter);

/// Waits until the first reset of a device is over.
::testing::AssertionResult ready(int device = 0);

/// A module with one device of a kind, its first reset over.
class SysfsTest : public ModuleTest {
 protected:
  explicit SysfsTest(const std::string& parameters = "sim_devices=1")
      : ModuleTest("nmetric_log_posts=2 nmetric_metric_post_delay=3600000 " + parameters) {}

  void SetUp() override {
    ModuleTest::SetUp();
    ASSERT_TRUE(ready());
  }

  const Attributes attributes_{0};
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SYSFS_SYSFS_HPP
