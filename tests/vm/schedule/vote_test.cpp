// SPDX-License-Identifier: Apache-2.0
//
// Who may pause a device, and for how long: a vote belongs to an open file and goes with it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>

#include "schedule_test.hpp"
#include "support/privileges.hpp"

namespace ndtel::vm {
namespace {

constexpr std::uint32_t kOn = ND_METRICS_PERIODIC_ENABLE;
constexpr std::uint32_t kOff = ND_METRICS_PERIODIC_DISABLE;

class ScheduleVote : public ScheduleTest {
 protected:
  void SetUp() override {
    ScheduleTest::SetUp();
    posting().start();
  }
  void TearDown() override {
    posting().stop();
    ScheduleTest::TearDown();
  }

  /// Posts come.
  ::testing::AssertionResult posts_come() {
    trace().clear();
    if (wait_for_posts(2)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "the device does not post";
  }
  /// No posts come in several intervals.
  ::testing::AssertionResult is_paused() {
    // What was on its way has arrived when the thread sleeps.
    const MetricsThread thread(0);
    if (!eventually([&] { return thread.asleep(); })) {
      return ::testing::AssertionFailure() << "the thread does not sleep";
    }
    trace().clear();
    let_pass(3 * kShortPeriod);
    const auto made = posts().size();
    if (made == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << made << " posts came";
  }
};

TEST_F(ScheduleVote, EachOfTwoVotesPauses) {
  const Node first(0);
  const Node second(0);
  ASSERT_TRUE(posts_come());
  ASSERT_EQ(first.metrics_ctrl(kOff), 0);
  ASSERT_EQ(second.metrics_ctrl(kOff), 0);
  EXPECT_TRUE(is_paused());
  ASSERT_EQ(first.metrics_ctrl(kOn), 0);
  EXPECT_TRUE(is_paused());
  ASSERT_EQ(second.metrics_ctrl(kOn), 0);
  EXPECT_TRUE(posts_come());
}

TEST_F(ScheduleVote, VotingTwiceIsOneVote) {
  const Node node(0);
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  ASSERT_EQ(node.metrics_ctrl(kOn), 0);
  EXPECT_TRUE(posts_come());
}

TEST_F(ScheduleVote, EnableOfAFileThatDidNotVoteDoesNotEndAnothersPause) {
  const Node voter(0);
  const Node other(0);
  ASSERT_EQ(voter.metrics_ctrl(kOff), 0);
  ASSERT_EQ(other.metrics_ctrl(kOn), 0);
  EXPECT_TRUE(is_paused());
  ASSERT_EQ(voter.metrics_ctrl(kOn), 0);
}

TEST_F(ScheduleVote, VoteGoesWithTheLastDescriptorOfItsFile) {
  Node node(0);
  Fd copy(::dup(node.fd()));
  ASSERT_TRUE(copy.valid());
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  node.close();
  EXPECT_TRUE(is_paused());
  copy.reset();
  EXPECT_TRUE(posts_come());
}

TEST_F(ScheduleVote, VoteOfAKilledProcessGoes) {
  Child voter([](Channel& channel) {
    const Node node(0);
    CHILD_CHECK(node.metrics_ctrl(kOff) == 0);
    channel.send();
    sleep_for_ever();
    return 0;
  });
  ASSERT_TRUE(voter.receive());
  EXPECT_TRUE(is_paused());
  EXPECT_EQ(voter.kill(), -SIGKILL);
  EXPECT_TRUE(posts_come());
}

TEST_F(ScheduleVote, UnknownModesAreRefusedAndChangeNothing) {
  const Node node(0);
  for (const std::uint32_t mode : {2u, 3u, 0x100u, 0x80000000u, 0xFFFFFFFFu}) {
    EXPECT_EQ(node.metrics_ctrl(mode), -EINVAL) << mode;
  }
  EXPECT_TRUE(posts_come());
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  EXPECT_EQ(node.metrics_ctrl(2), -EINVAL);
  EXPECT_TRUE(is_paused());
  ASSERT_EQ(node.metrics_ctrl(kOn), 0);
}

TEST_F(ScheduleVote, ReadOnlyDescriptorNeedsCapSysAdmin) {
  Node::allow_everybody(0);
  Child nobody([](Channel&) {
    drop_privileges(12345, 12345);
    const Node reader(0, O_RDONLY);
    CHILD_CHECK(reader.metrics_ctrl(kOff) == -EACCES);
    CHILD_CHECK(reader.metrics_ctrl(kOn) == -EACCES);
    CHILD_CHECK(reader.metrics_ctrl(77) == -EACCES);
    const Node writer(0, O_RDWR);
    CHILD_CHECK(writer.metrics_ctrl(kOff) == 0);
    CHILD_CHECK(writer.metrics_ctrl(kOn) == 0);
    return 0;
  });
  EXPECT_EQ(nobody.wait(), 0);
  EXPECT_TRUE(posts_come());
  const Node root(0, O_RDONLY);
  EXPECT_EQ(root.metrics_ctrl(kOff), 0);
  EXPECT_TRUE(is_paused());
  EXPECT_EQ(root.metrics_ctrl(kOn), 0);
}

TEST_F(ScheduleVote, FreeLaneHasNoVote) {
  const Node free(0, O_WRONLY);
  EXPECT_EQ(free.metrics_ctrl(kOff), -EINVAL);
  EXPECT_EQ(free.metrics_ctrl(kOn), -EINVAL);
  EXPECT_TRUE(posts_come());
}

}  // namespace
}  // namespace ndtel::vm
