// SPDX-License-Identifier: Apache-2.0
//
// A firmware that is out of order is in the log once, and again when it is back.
#include "firmware_test.hpp"
#include "support/kernel_log.hpp"

namespace ndtel::vm {
namespace {

using FirmwareLog = FirmwareTest;

TEST_F(FirmwareLog, SilenceIsToldOnceAndSoIsItsEnd) {
  const Firmware firmware;
  KernelLog log;
  firmware.set("ignore_requests", kForEver);
  period(kShortPeriod);
  EXPECT_TRUE(eventually([&] { return Debugfs().anomalies().at("sink0 unknown") >= 4; }));
  log.read();
  EXPECT_EQ(log.count("the firmware did not take a post (no valid answer"), 1);
  EXPECT_EQ(log.count("takes posts again"), 0);
  firmware.heal();
  EXPECT_TRUE(eventually([&] {
    log.read();
    return log.count("takes posts again") != 0;
  }));
  expect_recovery(firmware);
  log.read();
  EXPECT_EQ(log.count("takes posts again"), 1);
}

TEST_F(FirmwareLog, RefusalIsToldAsSuch) {
  const Firmware firmware;
  KernelLog log;
  firmware.set("unknown_command", kForEver);
  period(kShortPeriod);
  EXPECT_TRUE(eventually([&] { return Debugfs().anomalies().at("sink0 refused") >= 4; }));
  log.read();
  EXPECT_EQ(log.count("the firmware did not take a post (refused"), 1);
  expect_recovery(firmware);
}

}  // namespace
}  // namespace ndtel::vm
