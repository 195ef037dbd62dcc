// SPDX-License-Identifier: Apache-2.0
//
// connected_devices: the wiring of the known instances, and nothing where it is not known.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

class SysfsTopology : public ::testing::Test {
 protected:
  void load(const std::string& arch, int devices) {
    if (Module::loaded()) Module::try_unload();
    module_.emplace("no_reset=1 nmetric_metric_post_delay=3600000 nmetric_log_posts=2 sim_arch=" +
                    arch + " sim_devices=" + std::to_string(devices));
  }
  static std::string neighbours(int device) { return Attributes(device).text("connected_devices"); }
  static void expect(const std::vector<std::string>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(neighbours(static_cast<int>(i)), rows[i] + "\n") << i;
    }
  }

  std::optional<Module> module_;
};

const std::vector<std::string> kTrn1 = {
    "12, 3, 4, 1",  "13, 0, 5, 2",  "14, 1, 6, 3",   "15, 2, 7, 0",  "0, 7, 8, 5",   "1, 4, 9, 6",
    "2, 5, 10, 7",  "3, 6, 11, 4",  "4, 11, 12, 9",  "5, 8, 13, 10", "6, 9, 14, 11", "7, 10, 15, 8",
    "8, 15, 0, 13", "9, 12, 1, 14", "10, 13, 2, 15", "11, 14, 3, 12"};
const std::vector<std::string> kTrn2 = {
    "12, 1, 3, 4",  "0, 13, 5, 2",  "14, 3, 1, 6",   "2, 15, 7, 0",  "8, 5, 7, 0",   "4, 9, 1, 6",
    "10, 7, 5, 2",  "6, 11, 3, 4",  "4, 9, 11, 12",  "8, 5, 13, 10", "6, 11, 9, 14", "10, 7, 15, 8",
    "0, 13, 15, 8", "12, 1, 9, 14", "2, 15, 13, 10", "14, 3, 11, 12"};

TEST_F(SysfsTopology, Trn1) {
  load("v2", 16);
  expect(kTrn1);
}

TEST_F(SysfsTopology, Trn2AndWhatFollowsIt) {
  for (const char* arch : {"v3", "v4"}) {
    load(arch, 16);
    expect(kTrn2);
    module_.reset();
  }
}

// Sysfs16: twenty characters were the most, and from the third group on bits were lost.
TEST_F(SysfsTopology, Sysfs16AllGroupsOfAFullHost) {
  load("v2", 64);
  expect(kTrn1);
  EXPECT_EQ(neighbours(16), "28, 19, 20, 17\n");
  EXPECT_EQ(neighbours(32), "44, 35, 36, 33\n");
  EXPECT_EQ(neighbours(42), "38, 41, 46, 43\n");
  EXPECT_EQ(neighbours(63), "59, 62, 51, 60\n");
}

TEST_F(SysfsTopology, Inf2) {
  load("inf2", 12);
  expect({"11, 1", "0, 2", "1, 3", "2, 4", "3, 5", "4, 6", "5, 7", "6, 8", "7, 9", "8, 10", "9, 11",
          "10, 0"});
  module_.reset();
  load("inf2", 6);
  expect({"1", "0, 2", "1, 3", "2, 4", "3, 5", "4"});
}

TEST_F(SysfsTopology, AnythingElseHasNoKnownWiring) {
  for (const auto& [arch, devices] :
       {std::pair("v2", 1), std::pair("v3", 17), std::pair("inf2", 11)}) {
    load(arch, devices);
    for (int i = 0; i < devices; ++i) EXPECT_EQ(neighbours(i), "\n") << arch << " " << devices;
    module_.reset();
  }
}

// A device that is not there is never named.
TEST_F(SysfsTopology, AGapOrAnotherKindIsNoInstance) {
  load("v3", 17);
  ASSERT_EQ(module_->del_device(3), 0);
  EXPECT_EQ(neighbours(0), "\n");
  ASSERT_TRUE(eventually([&] { return module_->del_device(16) == 0; }));
  ASSERT_TRUE(eventually([&] { return module_->new_device("v2") == 0; }));
  EXPECT_EQ(neighbours(0), "\n");
  EXPECT_EQ(neighbours(3), "\n");
}

}  // namespace
}  // namespace ndtel::vm
