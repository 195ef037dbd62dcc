// SPDX-License-Identifier: Apache-2.0
//
// The file reset, and the tallies of resets.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "support/file.hpp"
#include "support/firmware.hpp"
#include "support/node.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

constexpr unsigned kCores = 8;

class SysfsReset : public SysfsTest {
 protected:
  explicit SysfsReset(const std::string& parameters = "sim_devices=1") : SysfsTest(parameters) {}

  std::uint64_t requested(unsigned core, const std::string& file = "total") const {
    return attributes_.number(other_info(core, "reset_req_count") + file);
  }
  std::uint64_t failed(unsigned core, const std::string& file = "total") const {
    return attributes_.number(other_info(core, "reset_fail_count") + file);
  }
};

TEST_F(SysfsReset, TheFirstResetIsCountedOnEveryCore) {
  for (unsigned core = 0; core < kCores; ++core) {
    EXPECT_EQ(requested(core), 1u) << core;
    EXPECT_EQ(requested(core, "present"), 1u) << core;
    EXPECT_EQ(failed(core), 0u) << core;
    EXPECT_EQ(failed(core, "present"), 0u) << core;
  }
}

TEST_F(SysfsReset, WritingAnythingResetsTheWholeDevice) {
  EXPECT_EQ(attributes_.text("reset"), "1\n");
  const Firmware firmware;
  firmware.set("reset_complete_ms", 300);
  EXPECT_EQ(attributes_.write("reset", "x"), 0);
  EXPECT_EQ(attributes_.text("reset"), "0\n");
  EXPECT_EQ(attributes_.text("state"), "reset\n");
  ASSERT_TRUE(ready());
  EXPECT_EQ(attributes_.text("reset"), "1\n");
  for (unsigned core = 0; core < kCores; ++core) EXPECT_EQ(requested(core), 2u) << core;
}

// Sysfs19: the write was ignored without a word.
TEST_F(SysfsReset, Sysfs19WritingFailsWhileTheNodeIsOpen) {
  {
    const Node node(0);
    EXPECT_EQ(attributes_.write("reset", "1"), -EBUSY);
    EXPECT_EQ(requested(0), 1u);
    EXPECT_EQ(attributes_.text("state"), "ready\n");
  }
  {
    const Node looks(0, O_RDONLY);
    EXPECT_EQ(attributes_.write("reset", "1"), -EBUSY);
  }
  {
    // On the free lane nobody uses the device.
    const Node queries(0, O_WRONLY);
    EXPECT_EQ(attributes_.write("reset", "1"), 0);
  }
  ASSERT_TRUE(ready());
  EXPECT_EQ(requested(0), 2u);
}

TEST_F(SysfsReset, WhoOpensMeanwhileWaits) {
  const Firmware firmware;
  firmware.set("reset_complete_ms", 500);
  ASSERT_EQ(attributes_.write("reset", "1"), 0);
  EXPECT_EQ(Node::try_open(0, O_RDWR | O_NONBLOCK), -EAGAIN);
  const Node node(0);
  EXPECT_EQ(attributes_.text("state"), "ready\n");
}

TEST_F(SysfsReset, TalliesAreSetToZeroOneByOne) {
  EXPECT_EQ(attributes_.write(other_info(3, "reset_req_count") + "total", "0"), 0);
  EXPECT_EQ(requested(3), 0u);
  EXPECT_EQ(requested(3, "present"), 1u);
  EXPECT_EQ(requested(2), 1u);
  EXPECT_EQ(attributes_.write(other_info(3, "reset_req_count") + "present", "0"), 0);
  EXPECT_EQ(requested(3, "present"), 0u);
  ASSERT_EQ(attributes_.write("reset", "1"), 0);
  ASSERT_TRUE(ready());
  EXPECT_EQ(requested(3), 1u);
  EXPECT_EQ(requested(3, "present"), 1u);
  EXPECT_EQ(requested(2), 2u);
}

class SysfsResetFailure : public SysfsReset {
 protected:
  SysfsResetFailure() : SysfsReset("sim_devices=1 reset_timeout_ms=500") {}
};

// Sysfs22: a failed reset of one core was every core's.
TEST_F(SysfsResetFailure, Sysfs22OnlyTheCoresThatWereToBeReset) {
  const Firmware firmware;
  firmware.set("reset_ignored", kForEver);
  const Node node(0);
  nd_ioctl_nc_reset reset{};
  reset.nc_map = 1u << 2 | 1u << 5;
  // Only who uses the device may ask.
  ASSERT_EQ(node.acquire(), 0);
  ASSERT_EQ(node.control(ND_IOC_NC_RESET, &reset), 0);
  nd_ioctl_nc_reset_ready outcome{};
  outcome.request_id = reset.request_id;
  ASSERT_EQ(node.control(ND_IOC_NC_RESET_READY, &outcome), 0);
  EXPECT_EQ(outcome.result, 1);
  for (unsigned core = 0; core < kCores; ++core) {
    const bool asked = core == 2 || core == 5;
    EXPECT_EQ(requested(core), asked ? 2u : 1u) << core;
    EXPECT_EQ(failed(core), asked ? 1u : 0u) << core;
  }
}

// Sysfs22: a reset that was accepted and never ended is a failed one too.
TEST_F(SysfsResetFailure, Sysfs22EveryStepCounts) {
  const Firmware firmware;
  firmware.set("reset_stuck", kForEver);
  ASSERT_EQ(attributes_.write("reset", "1"), 0);
  ASSERT_TRUE(eventually([&] { return attributes_.text("state") == "invalid\n"; }));
  EXPECT_EQ(failed(0), 1u);
}

TEST_F(SysfsResetFailure, AFailureOfTheWholeDeviceIsEveryCores) {
  const Firmware firmware;
  firmware.set("reset_ignored", kForEver);
  ASSERT_EQ(attributes_.write("reset", "1"), 0);
  ASSERT_TRUE(eventually([&] { return attributes_.text("state") == "invalid\n"; }));
  EXPECT_EQ(attributes_.text("reset"), "2\n");
  for (unsigned core = 0; core < kCores; ++core) {
    EXPECT_EQ(requested(core), 2u) << core;
    EXPECT_EQ(failed(core), 1u) << core;
    EXPECT_EQ(failed(core, "present"), 1u) << core;
  }
  // The way back.
  firmware.heal();
  ASSERT_EQ(attributes_.write("reset", "1"), 0);
  ASSERT_TRUE(ready());
  EXPECT_EQ(failed(0), 1u);
}

}  // namespace
}  // namespace ndtel::vm
