// SPDX-License-Identifier: Apache-2.0
//
// Posts lie on a fixed grid; the period can be changed at any time.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <vector>

#include "schedule_test.hpp"

namespace ndtel::vm {
namespace {

using std::chrono::milliseconds;

using ScheduleGrid = ScheduleTest;

constexpr milliseconds kPeriod{300};
constexpr double kPeriodS = 0.3;
// Grids of the same posts differ by less, and by more after a few intervals that are too long.
constexpr double kSameGridS = 0.03;

Grid grid_of(const std::vector<Post>& posts, std::size_t from, std::size_t count) {
  const auto begin = posts.begin() + static_cast<std::ptrdiff_t>(from);
  return {{begin, begin + static_cast<std::ptrdiff_t>(count)}, kPeriodS};
}

// Sleeping one period after each post would shift the grid by a timer tick (4 ms at HZ=250) and the
// time of a post each time: by more than 60 ms between the first and the last posts here.
TEST_F(ScheduleGrid, PostsDoNotDriftOverManyIntervals) {
  constexpr std::size_t kPosts = 23;
  constexpr std::size_t kWindow = 7;
  posting().start(kPeriod);
  ASSERT_TRUE(wait_for_posts(kPosts));
  posting().stop();
  const auto all = posts();
  const auto begin = grid_of(all, 0, kWindow);
  const auto end = grid_of(all, kPosts - kWindow, kWindow);
  EXPECT_LT(begin.distance(end), kSameGridS);
}

// A post that comes late does not make the next one late, and what a busy machine misses is not
// made up: never more posts than intervals.
TEST_F(ScheduleGrid, AtMostOnePostPerInterval) {
  posting().start(kShortPeriod);
  ASSERT_TRUE(wait_for_posts(25));
  posting().stop();
  const auto all = posts();
  const double intervals = (all.back().time_s - all.front().time_s) / 0.1;
  // The first may have come at the end of its interval, and the last at the start of its own.
  EXPECT_LE(static_cast<double>(all.size()), intervals + 2);
  EXPECT_GE(static_cast<double>(all.size()), intervals / 3);
}

TEST_F(ScheduleGrid, FirstPostIsOnePeriodAfterLoading) {
  // Two devices, the second made with the period in force.
  ASSERT_EQ(module().set_parameter("nmetric_metric_post_delay", "700"), 0);
  trace().clear();
  const double before = monotonic_s();
  ASSERT_EQ(module().new_device("v2"), 0);
  ASSERT_TRUE(trace().read_until([](const auto& events) { return !posts_of(events, 1).empty(); }));
  const auto first = posts_of(trace().read(), 1).front();
  EXPECT_GE(first.time_s - before, 0.7);
  EXPECT_EQ(first.tick, 0u);
}

TEST_F(ScheduleGrid, ShorterPeriodTakesEffectAtOnce) {
  const double before = monotonic_s();
  posting().start(milliseconds(300));
  ASSERT_TRUE(wait_for_posts(2));
  posting().stop();
  const auto all = posts();
  // The grid begins anew with the change; an hour's sleep does not delay it.
  EXPECT_GE(all[0].time_s - before, 0.3);
  EXPECT_GE(all[1].time_s - before, 0.6);
}

TEST_F(ScheduleGrid, LongerPeriodTakesEffectAtOnce) {
  posting().start(kShortPeriod);
  ASSERT_TRUE(wait_for_posts(2));
  posting().stop();
  const auto made = posts().size();
  let_pass(5 * kShortPeriod);
  EXPECT_EQ(posts().size(), made);
}

TEST_F(ScheduleGrid, WritingTheSamePeriodDoesNotShiftTheGrid) {
  constexpr std::size_t kWindow = 5;
  posting().start(kPeriod);
  ASSERT_TRUE(wait_for_posts(kWindow));
  // At different distances from the grid.
  for (int i = 0; i < 12; ++i) {
    posting().start(kPeriod);
    let_pass(milliseconds(70));
  }
  const auto before = posts().size();
  ASSERT_TRUE(wait_for_posts(before + kWindow));
  posting().stop();
  const auto all = posts();
  EXPECT_LT(grid_of(all, 0, kWindow).distance(grid_of(all, before, kWindow)), kSameGridS);
}

// Changes of everything that wakes the thread neither make it post more nor keep it from posting.
TEST_F(ScheduleGrid, WakesBetweenIntervalsPostNothing) {
  const double before = monotonic_s();
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(module().set_parameter("nmetric_log_posts", "2"), 0);
    Node(0).metrics_ctrl(ND_METRICS_PERIODIC_ENABLE);
  }
  EXPECT_EQ(posts().size(), 0u);
  posting().start(kShortPeriod);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(module().set_parameter("nmetric_log_posts", "2"), 0);
  ASSERT_TRUE(wait_for_posts(2));
  posting().stop();
  const double elapsed = monotonic_s() - before;
  EXPECT_LE(static_cast<double>(posts().size()), elapsed / 0.1);
}

}  // namespace
}  // namespace ndtel::vm
