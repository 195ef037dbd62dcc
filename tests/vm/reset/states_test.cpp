// SPDX-License-Identifier: Apache-2.0
//
// What a device does while it is in reset, and that the mailbox belongs to the reset alone.
#include "reset_test.hpp"
#include "support/child.hpp"

namespace ndtel::vm {
namespace {

using ResetStates = ResetTest;

TEST_F(ResetStates, OpensWaitForTheEndAndSleepMeanwhile) {
  const Firmware firmware;
  firmware.set("reset_complete_ms", 700);
  ASSERT_EQ(reset(), 0);
  EXPECT_EQ(state(), ND_STATE_RESET);
  EXPECT_EQ(Node::try_open(0, O_RDWR | O_NONBLOCK), -EAGAIN);
  const Node look(0, O_WRONLY);  // the free lane waits for nothing
  EXPECT_EQ(state(), ND_STATE_RESET);
  const Node node(0);
  EXPECT_EQ(state(), ND_STATE_READY);
}

// A signal ends the wait (the reference spins and hears only two of them).
TEST_F(ResetStates, WaitingOpenCanBeKilled) {
  const Firmware firmware;
  firmware.set("reset_stuck", kForEver);
  ASSERT_EQ(reset(), 0);
  Child child([](Channel& channel) {
    channel.send();
    const Node node(0);
    return 0;
  });
  ASSERT_TRUE(child.receive());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(child.kill(), -SIGKILL);
  EXPECT_EQ(state(), ND_STATE_RESET);
}

TEST_F(ResetStates, FileRefusesWhileTheDeviceIsOpen) {
  const Firmware firmware;
  {
    const Node node(0);
    EXPECT_EQ(reset(), -EBUSY);
    EXPECT_EQ(state(), ND_STATE_READY);
  }
  EXPECT_EQ(firmware.mailbox().at("resets"), 1u);
  const Node look(0, O_WRONLY);
  EXPECT_EQ(reset(), 0);
  EXPECT_TRUE(becomes(ND_STATE_READY));
  EXPECT_EQ(firmware.mailbox().at("resets"), 2u);
}

TEST_F(ResetStates, MailboxIsNotRungInsideAReset) {
  const Firmware firmware;
  period(kShortPeriod);
  EXPECT_TRUE(eventually([&] { return firmware.state().at("posts") >= 2; }));
  firmware.set("reset_complete_ms", 1500);
  ASSERT_EQ(reset(), 0);
  EXPECT_TRUE(eventually([&] { return firmware.mailbox().at("resets") == 2; }));
  const auto doorbells = firmware.mailbox().at("doorbells");
  const auto posts = firmware.state().at("posts");
  std::this_thread::sleep_for(5 * kShortPeriod);
  ASSERT_EQ(state(), ND_STATE_RESET);
  EXPECT_EQ(firmware.mailbox().at("doorbells"), doorbells);
  EXPECT_EQ(firmware.state().at("posts"), posts);
  EXPECT_TRUE(becomes(ND_STATE_READY));
  EXPECT_TRUE(eventually([&] { return firmware.state().at("posts") > posts; }));
  period(kLongPeriod);
}

// F8, F10: whoever is in the mailbox leaves it at once; what it carried stays pending.
TEST_F(ResetStates, ResetInterruptsAnExchangeWithASilentFirmware) {
  const Firmware firmware;
  firmware.set("ignore_requests", kForEver);
  period(kShortPeriod);
  EXPECT_TRUE(eventually([&] { return firmware.mailbox().at("doorbells") >= 1; }));
  const double begin = monotonic_s();
  ASSERT_EQ(reset(), 0);
  EXPECT_TRUE(becomes(ND_STATE_READY));
  EXPECT_LT(monotonic_s() - begin, 3.0) << "an exchange alone would take four seconds";
  firmware.heal();
  const auto posts = firmware.state().at("posts");
  EXPECT_TRUE(eventually([&] { return firmware.state().at("posts") > posts; }));
  period(kLongPeriod);
}

TEST_F(ResetStates, RegistersThatReadBusyMeanwhileDoNotMatter) {
  const Firmware firmware;
  firmware.set("reset_busy", 1);
  firmware.set("reset_accept_ms", 100);
  firmware.set("reset_complete_ms", 100);
  ASSERT_EQ(reset(), 0);
  EXPECT_TRUE(becomes(ND_STATE_READY));
}

TEST_F(ResetStates, DeviceInResetGoesSoon) {
  const Firmware firmware;
  firmware.set("reset_ignored", kForEver);
  ASSERT_EQ(reset(), 0);
  const double begin = monotonic_s();
  EXPECT_EQ(module().del_device(0), 0);
  EXPECT_LT(monotonic_s() - begin, 20.0) << "the reset itself would take minutes";
}

}  // namespace
}  // namespace ndtel::vm
