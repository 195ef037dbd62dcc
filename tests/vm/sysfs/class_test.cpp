// SPDX-License-Identifier: Apache-2.0
//
// Attributes of the class, by platform.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <set>
#include <string>

#include "support/file.hpp"
#include "support/firmware.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

class SysfsClass : public ::testing::Test {
 protected:
  void load(const std::string& parameters) {
    if (Module::loaded()) Module::try_unload();
    module_.emplace("nmetric_log_posts=2 nmetric_metric_post_delay=3600000 " + parameters);
    for (int device = 0; exists(device_directory(device)); ++device) ASSERT_TRUE(ready(device));
  }
  static std::string text(const std::string& name) {
    const auto reading = read_attribute(class_directory() + name);
    return reading.error == 0 ? reading.text : "error " + std::to_string(reading.error);
  }
  /// Regular files of the class.
  static std::set<std::string> names() {
    std::set<std::string> found;
    for (const auto& [path, mode] : files_below(class_directory())) {
      EXPECT_EQ(mode, 0444u) << path;
      found.insert(path);
    }
    return found;
  }

  std::optional<Module> module_;
};

TEST_F(SysfsClass, FilesByPlatform) {
  const std::set<std::string> standard = {"hbm_7200_capable", "current_perf_profile"};
  auto userver = standard;
  userver.insert({"node_id_2", "node_id_4", "server_id_2", "server_id_4", "ultraserver_mode"});
  auto pds = standard;
  pds.insert({"node_id", "node_cnt", "reservation_id", "ultraserver_mode"});
  // The machine of the tests is no product of that kind.
  for (const auto& [platform, files] :
       {std::pair("auto", standard), std::pair("standard", standard),
        std::pair("ultraserver", userver), std::pair("pds", pds)}) {
    load(std::string("sim_devices=1 platform=") + platform);
    EXPECT_EQ(names(), files) << platform;
    module_.reset();
  }
  EXPECT_EQ(Module::try_load("platform=other"), -EINVAL);
}

TEST_F(SysfsClass, WithoutDevicesNothingIsKnown) {
  load("platform=ultraserver");
  for (const auto& name : names()) EXPECT_EQ(text(name), "") << name;
  module_.reset();
  load("platform=pds");
  for (const auto& name : names()) EXPECT_EQ(text(name), "") << name;
}

TEST_F(SysfsClass, ProfileOfAllDevices) {
  load("sim_devices=2");
  EXPECT_EQ(text("current_perf_profile"), "0\n");
  EXPECT_EQ(text("hbm_7200_capable"), "0\n");
  Firmware(0).set("hbm_7200", 0x4);
  EXPECT_EQ(text("hbm_7200_capable"), "0\n");
  Firmware(1).set("hbm_7200", 0x1);
  EXPECT_EQ(text("hbm_7200_capable"), "1\n");
  // A bit beyond the profiles there are means nothing.
  Firmware(1).set("hbm_7200", 0x8);
  EXPECT_EQ(text("hbm_7200_capable"), "0\n");
}

TEST_F(SysfsClass, BusyWhileADeviceCannotBeAsked) {
  load("sim_devices=2 fwio_timeout_ms=500");
  const Firmware firmware(1);
  firmware.set("reset_complete_ms", 1000);
  ASSERT_EQ(Attributes(1).write("reset", "1"), 0);
  EXPECT_EQ(text("current_perf_profile"), "busy\n");
  EXPECT_EQ(text("hbm_7200_capable"), "busy\n");
  ASSERT_TRUE(ready(1));
  EXPECT_EQ(text("current_perf_profile"), "0\n");
  firmware.set("drop_replies", kForEver);
  EXPECT_EQ(text("current_perf_profile"), "busy\n");
  firmware.heal();
  EXPECT_EQ(text("current_perf_profile"), "0\n");
}

// Election word: status 3, links, node, nodes.
TEST_F(SysfsClass, NodesOfAnUltraserver) {
  load("sim_devices=1 platform=ultraserver");
  const Firmware firmware;
  EXPECT_EQ(text("node_id_4"), "busy\n");
  EXPECT_EQ(text("server_id_4"), "0000000000000000\n");
  EXPECT_EQ(text("ultraserver_mode"), "busy\n");
  ASSERT_EQ(firmware.command("0x194 0x01234567"), 0);
  ASSERT_EQ(firmware.command("0x198 0x89abcdef"), 0);
  ASSERT_EQ(firmware.command("0x190 0x04020303"), 0);
  EXPECT_EQ(text("node_id_4"), "2\n");
  EXPECT_EQ(text("node_id_2"), "-1\n");
  EXPECT_EQ(text("server_id_4"), "0123456789abcdef\n");
  EXPECT_EQ(text("server_id_2"), "0000000000000000\n");
  EXPECT_EQ(text("ultraserver_mode"), "1,3,4\n");
  ASSERT_EQ(firmware.command("0x190 0x02010303"), 0);
  EXPECT_EQ(text("node_id_2"), "1\n");
  EXPECT_EQ(text("node_id_4"), "-1\n");
  EXPECT_EQ(text("server_id_2"), "0123456789abcdef\n");
  EXPECT_EQ(text("ultraserver_mode"), "2,3,4\n");
  // There are no pods of three.
  ASSERT_EQ(firmware.command("0x190 0x03010303"), 0);
  for (const char* name : {"node_id_2", "node_id_4", "server_id_2", "server_id_4"}) {
    EXPECT_EQ(text(name), "invalid\n") << name;
  }
  // The election failed.
  ASSERT_EQ(firmware.command("0x190 0x00000002"), 0);
  EXPECT_EQ(text("node_id_4"), "-1\n");
  EXPECT_EQ(text("server_id_4"), "0000000000000000\n");
  EXPECT_EQ(text("ultraserver_mode"), "4\n");
}

// Sysfs21: the reservation was the server's id.
TEST_F(SysfsClass, Sysfs21ReservationIsNotTheServer) {
  load("sim_devices=1 platform=pds");
  const Firmware firmware;
  EXPECT_EQ(text("node_id"), "busy\n");
  EXPECT_EQ(text("node_cnt"), "busy\n");
  ASSERT_EQ(firmware.command("0x80 0x0badcafe"), 0);
  ASSERT_EQ(firmware.command("0x84 0x00000042"), 0);
  ASSERT_EQ(firmware.command("0x194 0x01234567"), 0);
  ASSERT_EQ(firmware.command("0x198 0x89abcdef"), 0);
  ASSERT_EQ(firmware.command("0x190 0x03020303"), 0);
  EXPECT_EQ(text("reservation_id"), "0badcafe00000042\n");
  EXPECT_EQ(text("node_id"), "2\n");
  EXPECT_EQ(text("node_cnt"), "3\n");
  EXPECT_EQ(text("ultraserver_mode"), "3,4\n");
  ASSERT_EQ(firmware.command("0x84 busy"), 0);
  EXPECT_EQ(text("reservation_id"), "busy\n");
  ASSERT_EQ(firmware.command("0x84 gone"), 0);
  EXPECT_EQ(text("reservation_id"), "error -5");
}

TEST_F(SysfsClass, OldDevicesAreInNoPod) {
  load("sim_devices=1 sim_arch=v2 platform=ultraserver");
  EXPECT_EQ(text("node_id_2"), "-1\n");
  EXPECT_EQ(text("server_id_4"), "0000000000000000\n");
  EXPECT_EQ(text("ultraserver_mode"), "\n");
  EXPECT_EQ(text("hbm_7200_capable"), "0\n");
  EXPECT_EQ(text("current_perf_profile"), "0\n");
}

}  // namespace
}  // namespace ndtel::vm
