// SPDX-License-Identifier: Apache-2.0
//
// nmetric_log_posts and listeners: what nobody takes stays pending, what somebody takes is taken
// once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>

#include "sinks_test.hpp"

namespace ndtel::vm {
namespace {

using SinksDelivery = SinksTest;

// Expects an amount of both bands to be pending, and then to be posted once.
void expect_pending(std::uint64_t ok, std::uint64_t aborts) {
  EXPECT_EQ(Debugfs().books_of(kOk).pending, ok);
  EXPECT_EQ(Debugfs().books_of(kDmaAbort).pending, aborts);
  EXPECT_EQ(Debugfs().anomalies().at("sink1 posts"), 0u);
}

void expect_posted_once(Trace& trace, std::uint64_t ok, std::uint64_t aborts) {
  EXPECT_TRUE(trace.read_until([&](const auto& events) { return posts_of(events).size() >= 5; }));
  EXPECT_EQ(trace.posts(0, kOk).size(), 1u);
  EXPECT_EQ(trace.posts(0, kDmaAbort).size(), 1u);
  EXPECT_EQ(trace.sum(0, kOk), ok);
  EXPECT_EQ(trace.sum(0, kDmaAbort), aborts);
}

TEST_F(SinksDelivery, WithoutASinkCountsStayPendingAndAreDeliveredWhenOneIsSwitchedOn) {
  sinks("0");
  Trace trace;
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  period(kShortPeriod);
  for (int i = 0; i < 5; ++i) {
    slab.add_nc(0, kCompleted, 2);
    slab.add_nc(0, kAborts, 3);
    std::this_thread::sleep_for(kShortPeriod);
  }
  EXPECT_TRUE(trace.read().empty());
  expect_pending(10, 15);
  sinks("2");
  expect_posted_once(trace, 10, 15);
  period(kLongPeriod);
}

TEST_F(SinksDelivery, DeadProcessesCountsWaitForASinkToo) {
  sinks("0");
  Trace trace;
  period(kShortPeriod);
  for (int i = 0; i < 3; ++i) {
    Child child([](Channel&) {
      const Node node(0);
      const auto slab = node.map_slab();
      CHILD_CHECK(slab.valid());
      slab.add_nc(0, kCompleted, 4);
      slab.add_nc(1, kAborts, 5);
      return 0;
    });
    ASSERT_EQ(child.wait(), 0);
  }
  let_intervals_pass();
  EXPECT_TRUE(trace.read().empty());
  expect_pending(12, 15);
  sinks("2");
  expect_posted_once(trace, 12, 15);
  period(kLongPeriod);
}

// Bit 0 is the way to firmware, bit 1 are trace events: neither takes from the other.
TEST_F(SinksDelivery, EachBitSwitchesItsSinkAndNoOther) {
  sinks("1");
  Trace trace(Events::kPost);
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, kCompleted, 6);
  slab.add_nc(0, kAborts, 7);
  period(kShortPeriod);
  EXPECT_TRUE(eventually([] {
    return Debugfs().books_of(kOk, "fwio").confirmed == 6 &&
           Debugfs().books_of(kDmaAbort, "fwio").confirmed == 7;
  }));
  EXPECT_TRUE(trace.read().empty());
  expect_pending(6, 7);
  trace.enable(Events::kPostNd);
  sinks("2");
  expect_posted_once(trace, 6, 7);
  period(kLongPeriod);
}

TEST_F(SinksDelivery, SinkSwitchedOffStopsPostsAtOnce) {
  Trace trace;
  Posting posting(module(), trace);
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  posting.run(2);
  sinks("0");
  trace.clear();
  slab.add_nc(0, kCompleted, 8);
  period(kShortPeriod);
  let_intervals_pass();
  EXPECT_TRUE(trace.read().empty());
  sinks("2");
  EXPECT_EQ(sum_of(posting.run(4), kOk), 8u);
}

TEST_F(SinksDelivery, WithoutAListenerCountsStayPendingAndAreDeliveredWhenOneComes) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(3, kCompleted, 9);
  slab.add_nc(3, kAborts, 10);
  period(kShortPeriod);
  let_intervals_pass();
  expect_pending(9, 10);
  // One event only: between switching on two there could be a post that only the first one carries.
  Trace trace(Events::kPostNd);
  expect_posted_once(trace, 9, 10);
  // It goes, and comes again.
  trace.enable(Events::kNone);
  std::this_thread::sleep_for(2 * kShortPeriod);
  trace.clear();
  slab.add_nc(3, kCompleted, 11);
  let_intervals_pass();
  EXPECT_TRUE(trace.read().empty());
  EXPECT_EQ(Debugfs().books_of(kOk).pending, 11u);
  trace.enable(Events::kPostNd);
  EXPECT_TRUE(trace.read_until([&](const auto&) { return trace.sum(0, kOk) >= 11; }));
  EXPECT_EQ(trace.sum(0, kOk), 11u);
  period(kLongPeriod);
}

TEST_F(SinksDelivery, ListeningToEitherEventIsEnough) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (const auto events : {Events::kPost, Events::kPostNd}) {
    Trace trace(events);
    slab.add_nc(0, kCompleted, 12);
    period(kShortPeriod);
    const auto posted = [](const PostEvent& event) { return event.id == kOk; };
    EXPECT_TRUE(trace.read_until(
        [&](const auto& all) { return std::any_of(all.begin(), all.end(), posted); }));
    period(kLongPeriod);
    for (const auto& event : trace.read()) {
      EXPECT_EQ(event.located, events == Events::kPostNd);
      if (posted(event)) {
        EXPECT_EQ(event.value, "12");
      }
    }
  }
}

}  // namespace
}  // namespace ndtel::vm
