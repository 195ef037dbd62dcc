// SPDX-License-Identifier: Apache-2.0
//
// Resets that the firmware does not take or does not finish.
#include "reset_test.hpp"
#include "support/kernel_log.hpp"

namespace ndtel::vm {
namespace {

class ResetFailure : public ResetTest {
 protected:
  ResetFailure() : ResetTest("reset_timeout_ms=400") {}

  static std::uint64_t failed(int core) {
    const auto text = read_file("/sys/class/" + default_namespace() + "_device/" +
                                default_namespace() + "0/neuron_core" + std::to_string(core) +
                                "/stats/other_info/reset_fail_count/total");
    return std::stoull(text.value_or("99"));
  }

  void expect_failure_and_recovery(const Firmware& firmware) {
    KernelLog log;
    ASSERT_EQ(reset(), 0);
    EXPECT_TRUE(becomes(ND_STATE_INVALID));
    EXPECT_EQ(Node::try_open(0, O_RDWR), -EINVAL);
    EXPECT_EQ(failed(0), 1u);
    EXPECT_EQ(failed(7), 1u);
    log.read();
    EXPECT_EQ(log.count("reset 2 of the device failed"), 1);
    firmware.heal();
    ASSERT_EQ(reset(), 0);
    EXPECT_TRUE(becomes(ND_STATE_READY));
    const Node node(0);
    EXPECT_EQ(failed(0), 1u);
  }
};

TEST_F(ResetFailure, NeverAcceptedMakesTheDeviceInvalidUntilOneSucceeds) {
  const Firmware firmware;
  firmware.set("reset_ignored", kForEver);
  expect_failure_and_recovery(firmware);
}

TEST_F(ResetFailure, NeverCompletedMakesTheDeviceInvalidUntilOneSucceeds) {
  const Firmware firmware;
  firmware.set("reset_stuck", kForEver);
  expect_failure_and_recovery(firmware);
}

TEST_F(ResetFailure, LinkThatIsDownMakesTheDeviceInvalidUntilItIsUp) {
  const Firmware firmware;
  ASSERT_EQ(firmware.command("all gone"), 0);
  expect_failure_and_recovery(firmware);
}

// A request that got lost is repeated before the patience ends.
TEST_F(ResetFailure, IgnoredOnceIsAskedAgain) {
  const Firmware firmware;
  firmware.set("reset_ignored", 1);
  ASSERT_EQ(reset(), 0);
  EXPECT_TRUE(becomes(ND_STATE_READY));
}

}  // namespace
}  // namespace ndtel::vm
