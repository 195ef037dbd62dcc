// SPDX-License-Identifier: Apache-2.0
//
// The agent's death at each point of a post's way, and what the next agent gets.
#include "agent.hpp"
#include "support/child.hpp"

namespace ndtel::vm {
namespace {

enum class Point { kAttached, kWaiting, kRead, kAcknowledged };

/// An agent that goes as far as a point and stays there.
int go_to(Point point, Channel& channel) {
  const Agent agent;
  CHILD_CHECK(agent.attach() == 0);
  if (point == Point::kAttached) {
    channel.send();
    sleep_for_ever();
  }
  channel.send();
  channel.receive();  // posts come now
  if (point == Point::kWaiting) {
    CHILD_CHECK(agent.poll() != 0);
  } else {
    const auto post = agent.next_with(kOk);
    CHILD_CHECK(post && value_in(*post, kOk) == 7);
    if (point == Point::kAcknowledged) CHILD_CHECK(agent.ack(post->seq) == 0);
  }
  channel.send();
  sleep_for_ever();
}

class RelayDeath : public RelayTest, public ::testing::WithParamInterface<Point> {};

TEST_P(RelayDeath, IsBookedByHowFarItGot) {
  const Point point = GetParam();
  count(kCompleted, 7);
  Child agent([point](Channel& channel) { return go_to(point, channel); });
  ASSERT_TRUE(agent.receive());
  if (point != Point::kAttached) {
    period(kShortPeriod);
    agent.send();
    ASSERT_TRUE(agent.receive());
    period(kLongPeriod);
  }
  agent.kill();
  ASSERT_TRUE(shows("agent 0"));
  ASSERT_TRUE(shows("post idle"));
  EXPECT_EQ(books(kOk).confirmed, point == Point::kAcknowledged ? 7u : 0u);
  EXPECT_EQ(books(kOk).unknown, point == Point::kRead ? 7u : 0u);
  EXPECT_EQ(tally("unknown"), point == Point::kRead ? 1u : 0u);
  // One that followed the acknowledged one may have been on its way.
  if (point != Point::kAcknowledged) {
    EXPECT_EQ(tally("refused"), point == Point::kWaiting ? 1u : 0u);
  }

  count(kCompleted, 1);
  const Agent next;
  ASSERT_EQ(next.attach(), 0);
  period(kShortPeriod);
  const auto post = next.next_with(kOk);
  ASSERT_TRUE(post);
  EXPECT_EQ(value_in(*post, kOk), point == Point::kAcknowledged ? 1u : 8u);
  EXPECT_EQ(next.ack(post->seq), 0);
  EXPECT_EQ(books(kOk).confirmed, 8u);
  EXPECT_EQ(books(kOk).pending, 0u);
}

INSTANTIATE_TEST_SUITE_P(Points, RelayDeath,
                         ::testing::Values(Point::kAttached, Point::kWaiting, Point::kRead,
                                           Point::kAcknowledged));

using RelayClose = RelayTest;

TEST_F(RelayClose, IsLikeDeath) {
  count(kCompleted, 7);
  period(kShortPeriod);
  for (const bool read : {false, true}) {
    Agent agent;
    ASSERT_EQ(agent.attach(), 0);
    if (read) {
      ASSERT_TRUE(agent.next_with(kOk));
    } else {
      ASSERT_TRUE(shows("post waiting"));
    }
    agent.close();
    EXPECT_TRUE(shows("agent 0"));
    EXPECT_EQ(books(kOk).confirmed, 0u);
    EXPECT_EQ(tally("refused"), 1u);
    EXPECT_EQ(tally("unknown"), read ? 1u : 0u);
    EXPECT_EQ(books(kOk).unknown, read ? 7u : 0u);
  }
}

// The file lives on in another process, but nobody there knows that it is an agent.
TEST_F(RelayClose, AFileThatAChildStillHoldsIsNoAgent) {
  Child agent([](Channel& channel) {
    const Agent held;
    CHILD_CHECK(held.attach() == 0);
    const Child child([](Channel&) -> int { sleep_for_ever(); }, true);
    channel.send(static_cast<std::uint64_t>(child.pid()));
    sleep_for_ever();
    return 0;
  });
  const auto grandchild = agent.receive();
  ASSERT_TRUE(grandchild);
  agent.kill();
  EXPECT_TRUE(shows("agent 0"));
  {
    const Agent next;
    EXPECT_EQ(next.attach(), 0);
  }
  ::kill(static_cast<pid_t>(*grandchild), SIGKILL);
  EXPECT_EQ(wait_for(static_cast<pid_t>(*grandchild)), -SIGKILL);
}

}  // namespace
}  // namespace ndtel::vm
