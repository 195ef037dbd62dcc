// SPDX-License-Identifier: Apache-2.0
//
// A post on its way through the relay, and what its acknowledgment does to the books.
#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "agent.hpp"
#include "support/child.hpp"

namespace ndtel::vm {
namespace {

using RelayPost = RelayTest;

TEST_F(RelayPost, WithoutAnAgentEverythingStaysPending) {
  count(kCompleted, 7);
  period(kShortPeriod);
  std::this_thread::sleep_for(5 * kShortPeriod);
  EXPECT_EQ(tally("posts"), 0u);
  EXPECT_EQ(books(kOk).pending, 7u);
  EXPECT_TRUE(shows("agent 0"));
}

TEST_F(RelayPost, LeavesPendingOnTheAcknowledgment) {
  count(kCompleted, 7);
  const Agent agent;
  ASSERT_EQ(agent.attach(), 0);
  EXPECT_EQ(agent.poll(std::chrono::milliseconds(0)), 0);
  period(kShortPeriod);
  const auto post = agent.next_with(kOk);
  ASSERT_TRUE(post);
  EXPECT_EQ(value_in(*post, kOk), 7u);
  EXPECT_EQ(post->device, static_cast<std::uint32_t>(kIndex));
  EXPECT_EQ(post->tick, 0u);
  EXPECT_EQ(post->pad, 0u);
  ASSERT_LE(post->size, sizeof post->data);
  for (std::size_t i = post->size; i < sizeof post->data; ++i) EXPECT_EQ(post->data[i], 0);
  EXPECT_EQ(books(kOk).pending, 7u);
  EXPECT_EQ(books(kOk).confirmed, 0u);
  ASSERT_EQ(agent.ack(post->seq), 0);
  EXPECT_EQ(books(kOk).pending, 0u);
  EXPECT_EQ(books(kOk).confirmed, 7u);
}

TEST_F(RelayPost, OnlyOneIsInFlight) {
  const Agent agent;
  ASSERT_EQ(agent.attach(), 0);
  period(kShortPeriod);
  nd_relay_post first{};
  ASSERT_EQ(agent.read(&first), static_cast<int>(sizeof first));
  EXPECT_EQ(agent.poll(5 * kShortPeriod), 0);
  EXPECT_EQ(tally("posts"), first.seq);
  ASSERT_EQ(agent.ack(first.seq), 0);
  nd_relay_post second{};
  ASSERT_EQ(agent.read(&second), static_cast<int>(sizeof second));
  EXPECT_EQ(second.seq, first.seq + 1);
  EXPECT_NE(second.tick, first.tick);
}

TEST_F(RelayPost, RefusedAndUnknownArePostedAgain) {
  count(kCompleted, 7);
  const Agent agent;
  ASSERT_EQ(agent.attach(), 0);
  period(kShortPeriod);
  auto post = agent.next_with(kOk);
  ASSERT_TRUE(post);
  ASSERT_EQ(agent.ack(post->seq, NMETRIC_REFUSED), 0);
  EXPECT_EQ(books(kOk).pending, 7u);
  EXPECT_EQ(books(kOk).unknown, 0u);
  EXPECT_EQ(tally("refused"), 1u);
  count(kCompleted, 1);
  post = agent.next_with(kOk);
  ASSERT_TRUE(post);
  EXPECT_EQ(value_in(*post, kOk), 8u);
  ASSERT_EQ(agent.ack(post->seq, NMETRIC_UNKNOWN), 0);
  EXPECT_EQ(books(kOk).pending, 8u);
  EXPECT_EQ(books(kOk).unknown, 8u);
  EXPECT_EQ(tally("unknown"), 1u);
  post = agent.next_with(kOk);
  ASSERT_TRUE(post);
  EXPECT_EQ(value_in(*post, kOk), 8u);
  ASSERT_EQ(agent.ack(post->seq), 0);
  EXPECT_EQ(books(kOk).confirmed, 8u);
}

TEST_F(RelayPost, AWrongAcknowledgmentChangesNothing) {
  count(kCompleted, 7);
  const Agent agent;
  ASSERT_EQ(agent.attach(), 0);
  EXPECT_EQ(agent.ack(0), -ENOENT);
  EXPECT_EQ(agent.ack(1), -ENOENT);
  period(kShortPeriod);
  ASSERT_EQ(agent.poll(), POLLIN);
  EXPECT_EQ(agent.ack(1), -ENOENT) << "it was not read";
  const auto post = agent.next_with(kOk);
  ASSERT_TRUE(post);
  EXPECT_EQ(agent.ack(post->seq + 1), -ENOENT);
  EXPECT_EQ(agent.ack(post->seq - 1), -ENOENT);
  EXPECT_EQ(agent.ack(post->seq, NMETRIC_UNKNOWN + 1), -EINVAL);
  EXPECT_EQ(agent.ack(post->seq, UINT32_MAX), -EINVAL);
  EXPECT_EQ(agent.ack(post->seq, NMETRIC_ACCEPTED, 1), -EINVAL);
  EXPECT_EQ(agent.node().control(ND_IOC_RELAY_ACK, nullptr), -EFAULT);
  EXPECT_EQ(books(kOk).pending, 7u);
  EXPECT_EQ(books(kOk).confirmed, 0u);
  ASSERT_EQ(agent.ack(post->seq), 0);
  EXPECT_EQ(agent.ack(post->seq), -ENOENT) << "twice";
  EXPECT_EQ(agent.ack(post->seq, NMETRIC_REFUSED), -ENOENT);
  EXPECT_EQ(books(kOk).confirmed, 7u);
  EXPECT_EQ(tally("refused"), 0u);
}

TEST_F(RelayPost, AReadThatFailsTakesNothing) {
  const Agent agent;
  ASSERT_EQ(agent.attach(), 0);
  ASSERT_EQ(fcntl(agent.node().fd(), F_SETFL, O_NONBLOCK), 0);
  nd_relay_post post{};
  EXPECT_EQ(agent.read(&post), -EAGAIN);
  period(kShortPeriod);
  ASSERT_EQ(agent.poll(), POLLIN);
  EXPECT_EQ(agent.read(&post, sizeof post - 1), -EINVAL);
  EXPECT_EQ(agent.read(&post, 0), -EINVAL);
  EXPECT_EQ(agent.read(nullptr), -EFAULT);
  EXPECT_EQ(agent.poll(), POLLIN);
  EXPECT_TRUE(shows("post waiting"));
  // A larger buffer gets one post, whole.
  std::vector<std::byte> large(4 * sizeof post);
  EXPECT_EQ(agent.read(reinterpret_cast<nd_relay_post*>(large.data()), large.size()),
            static_cast<int>(sizeof post));
  EXPECT_EQ(agent.read(&post), -EAGAIN);
  std::memcpy(&post, large.data(), sizeof post);
  EXPECT_EQ(agent.ack(post.seq), 0);
}

TEST_F(RelayPost, AReaderWaitsAndASignalEndsTheWait) {
  Child reader([](Channel& channel) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, nullptr);
    const Agent agent;
    CHILD_CHECK(agent.attach() == 0);
    channel.send();
    nd_relay_post post{};
    CHILD_CHECK(agent.read(&post) == -EINTR);
    channel.send();
    CHILD_CHECK(agent.read(&post) == sizeof post);
    CHILD_CHECK(agent.ack(post.seq) == 0);
    return 0;
  });
  ASSERT_TRUE(reader.receive());
  // Until it really waits the signal could come too early.
  ASSERT_TRUE(eventually([&] {
    reader.signal(SIGUSR1);
    return reader.receive(std::chrono::milliseconds(100)).has_value();
  }));
  period(kShortPeriod);
  EXPECT_EQ(reader.wait(), 0);
}

}  // namespace
}  // namespace ndtel::vm
