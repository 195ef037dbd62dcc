// SPDX-License-Identifier: Apache-2.0
//
// The device goes while its agent is at work.
#include <poll.h>

#include <cerrno>

#include "agent.hpp"
#include "support/child.hpp"

namespace ndtel::vm {
namespace {

using RelayRemoval = RelayTest;

void expect_gone(const Agent& agent, std::uint64_t seq) {
  nd_relay_post post{};
  EXPECT_TRUE(agent.poll() & POLLHUP);
  EXPECT_EQ(agent.read(&post), -ENODEV);
  EXPECT_EQ(agent.ack(seq), -ENODEV);
  EXPECT_EQ(agent.attach(), -ENODEV);
}

TEST_F(RelayRemoval, WithAPostThatWaits) {
  const Agent agent;
  ASSERT_EQ(agent.attach(), 0);
  period(kShortPeriod);
  ASSERT_EQ(agent.poll(), POLLIN);
  ASSERT_EQ(module().del_device(kIndex), 0);
  expect_gone(agent, 1);
}

TEST_F(RelayRemoval, WithAPostThatWasRead) {
  const Agent agent;
  ASSERT_EQ(agent.attach(), 0);
  period(kShortPeriod);
  nd_relay_post post{};
  ASSERT_EQ(agent.read(&post), static_cast<int>(sizeof post));
  ASSERT_EQ(module().del_device(kIndex), 0);
  expect_gone(agent, post.seq);
}

TEST_F(RelayRemoval, WakesWhoWaits) {
  Child reader([](Channel& channel) {
    const Agent agent;
    CHILD_CHECK(agent.attach() == 0);
    channel.send();
    nd_relay_post post{};
    return agent.read(&post) == -ENODEV ? 0 : 1;
  });
  Child poller([](Channel& channel) {
    const Agent agent;
    channel.send();
    return agent.poll() & POLLHUP ? 0 : 1;
  });
  ASSERT_TRUE(reader.receive());
  ASSERT_TRUE(poller.receive());
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ASSERT_EQ(module().del_device(kIndex), 0);
  EXPECT_EQ(reader.wait(), 0);
  EXPECT_EQ(poller.wait(), 0);
}

TEST_F(RelayRemoval, ANewCompanionOfTheSameIndexStartsAnew) {
  Agent agent;
  ASSERT_EQ(agent.attach(), 0);
  count(kCompleted, 7);
  ASSERT_EQ(module().del_device(kIndex), 0);
  agent.close();
  ASSERT_TRUE(eventually([&] { return module().write_new_device("companion 4 v3") == 0; }));
  ASSERT_TRUE(eventually([] { return exists(node_path(kIndex)); }));
  EXPECT_EQ(books(kOk).incremented, 0u);
  const Agent next;
  ASSERT_EQ(next.attach(), 0);
  period(kShortPeriod);
  nd_relay_post post{};
  ASSERT_EQ(next.read(&post), static_cast<int>(sizeof post));
  EXPECT_EQ(post.seq, 1u);
}

}  // namespace
}  // namespace ndtel::vm
