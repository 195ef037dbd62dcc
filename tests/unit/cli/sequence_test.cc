// SPDX-License-Identifier: Apache-2.0
#include "trace/sequence.hpp"

#include <gtest/gtest.h>

namespace ndtel::cli {
namespace {

constexpr std::uint64_t kPatience = 100;

TEST(SequenceTracker, AcceptsAnUnbrokenRun) {
  SequenceTracker tracker(kPatience);
  for (std::uint64_t seq = 7; seq < 20; ++seq) EXPECT_TRUE(tracker.note("ndtel", 0, seq, 0));
  EXPECT_TRUE(tracker.take_overdue(1000).empty());
  EXPECT_TRUE(tracker.take_all().empty());
}

TEST(SequenceTracker, WaitsForLateNumbers) {
  SequenceTracker tracker(kPatience);
  for (const std::uint64_t seq : {1, 2, 6, 3, 5}) tracker.note("ndtel", 0, seq, 10);
  EXPECT_TRUE(tracker.take_overdue(50).empty());
  tracker.note("ndtel", 0, 4, 60);
  EXPECT_TRUE(tracker.take_overdue(1000).empty());
}

TEST(SequenceTracker, ReportsAGapOnceWithWhatIsMissing) {
  SequenceTracker tracker(kPatience);
  for (const std::uint64_t seq : {1, 10, 5}) tracker.note("ndtel", 3, seq, 0);
  const auto gaps = tracker.take_overdue(kPatience);
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].device, 3U);
  EXPECT_EQ(gaps[0].first, 2U);
  EXPECT_EQ(gaps[0].count, 3U);
  EXPECT_EQ(gaps[1].first, 6U);
  EXPECT_EQ(gaps[1].count, 4U);
  EXPECT_TRUE(tracker.take_overdue(10 * kPatience).empty());
}

TEST(SequenceTracker, KeepsDevicesAndNamespacesApart) {
  SequenceTracker tracker(kPatience);
  tracker.note("ndtel", 0, 1, 0);
  tracker.note("ndtel", 1, 50, 0);
  tracker.note("neuron", 0, 900, 0);
  tracker.note("ndtel", 0, 2, 0);
  EXPECT_TRUE(tracker.take_all().empty());
}

TEST(SequenceTracker, TellsNumbersSeenBefore) {
  SequenceTracker tracker(kPatience);
  tracker.note("ndtel", 0, 1, 0);
  tracker.note("ndtel", 0, 4, 0);
  EXPECT_FALSE(tracker.note("ndtel", 0, 4, 0));
  EXPECT_FALSE(tracker.note("ndtel", 0, 1, 0));
  EXPECT_TRUE(tracker.note("ndtel", 0, 2, 0));
  EXPECT_FALSE(tracker.note("ndtel", 0, 2, 0));
  const auto gaps = tracker.take_all();
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].first, 3U);
  EXPECT_EQ(gaps[0].count, 1U);
}

}  // namespace
}  // namespace ndtel::cli
