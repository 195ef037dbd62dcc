// SPDX-License-Identifier: Apache-2.0
//
// Pause and resume: what was missed is made up by one post of each tick, at once, and nobody spins.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "schedule_test.hpp"

namespace ndtel::vm {
namespace {

using std::chrono::milliseconds;

using SchedulePause = ScheduleTest;

constexpr milliseconds kPeriod{400};
constexpr double kPeriodS = 0.4;
constexpr std::uint32_t kOn = ND_METRICS_PERIODIC_ENABLE;
constexpr std::uint32_t kOff = ND_METRICS_PERIODIC_DISABLE;

// Whether a flush that began at `resumed` and the four posts behind it came when they should. A
// busy machine may fail in this now and then.
bool in_time(const Post* flush, double resumed, const Grid& grid) {
  double least = kPeriodS;
  for (int i = 2; i < 6; ++i) least = std::min(least, std::abs(grid.lateness(flush[i].time_s)));
  // At once, not at the next interval; back to back; no third one; then one an interval where the
  // grid has always been.
  return flush[0].time_s - resumed < kPeriodS / 2 &&
         flush[1].time_s - flush[0].time_s < kPeriodS / 4 &&
         flush[2].time_s - flush[1].time_s > kPeriodS / 8 &&
         grid.nearest_point(flush[3].time_s) > grid.nearest_point(flush[2].time_s) &&
         least < kPeriodS / 10;
}

TEST_F(SchedulePause, FiveMissedIntervalsGiveTwoPostsBackToBackAndTheGridStays) {
  const Node node(0);
  bool good = false;
  for (int attempt = 0; attempt < 3 && !good; ++attempt) {
    trace().clear();
    posting().start(kPeriod);
    ASSERT_TRUE(wait_for_posts(4));
    ASSERT_EQ(node.metrics_ctrl(kOff), 0);
    // A post that was on its way when the vote came may still arrive.
    ASSERT_TRUE(eventually([thread = MetricsThread(0)] { return thread.asleep(); }));
    const auto before = posts();
    const Grid grid(before, kPeriodS);
    let_pass(6 * kPeriod);
    ASSERT_EQ(posts().size(), before.size()) << "posted while paused";

    // Half way between two grid points, so that the flush and the post of the grid cannot be
    // confused.
    const double resume_at = grid.middle_after(monotonic_s());
    let_pass(milliseconds(std::lround((resume_at - monotonic_s()) * 1e3)));
    const double resumed = monotonic_s();
    ASSERT_EQ(node.metrics_ctrl(kOn), 0);
    ASSERT_TRUE(wait_for_posts(before.size() + 6));
    posting().stop();
    const auto all = posts();
    const auto* flush = &all[before.size()];
    EXPECT_EQ(flush[0].tick, 1 - before.back().tick) << "ticks go on where they were";
    EXPECT_NE(flush[0].tick, flush[1].tick) << "both bands";
    good = in_time(flush, resumed, grid);
  }
  EXPECT_TRUE(good) << "not once in three attempts were the posts in time";
}

TEST_F(SchedulePause, NothingIsLostWhilePaused) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  posting().start();
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  for (std::uint32_t i = 0; i < 20; ++i) {
    slab.add_nc(i % 8, NDS_NC_COUNTER_INFER_COMPLETED, 1);
    slab.add_nc(i % 8, NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT, 2);
    let_pass(milliseconds(20));
  }
  ASSERT_EQ(node.metrics_ctrl(kOn), 0);
  EXPECT_TRUE(trace().read_until(
      [&](const auto&) { return trace().sum(0, 200) >= 20 && trace().sum(0, 224) >= 40; }));
  posting().stop();
  trace().read();
  EXPECT_EQ(trace().sum(0, 200), 20u);
  EXPECT_EQ(trace().sum(0, 224), 40u);
}

TEST_F(SchedulePause, PauseWithinAnIntervalMakesUpNothing) {
  const Node node(0);
  posting().start(kLongPeriod / 2);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(node.metrics_ctrl(kOff), 0);
    ASSERT_EQ(node.metrics_ctrl(kOn), 0);
  }
  let_pass(milliseconds(300));
  EXPECT_EQ(posts().size(), 0u);
}

// ENABLE out of the blue is how the reference began to spin: there is no pause to resume from.
TEST_F(SchedulePause, EnableWithoutAPauseChangesNothing) {
  const Node node(0);
  const MetricsThread thread(0);
  const auto time = thread.processor_time();
  const auto switches = thread.switches();
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; ++i) ASSERT_EQ(node.metrics_ctrl(kOn), 0);
  let_pass(milliseconds(1000));
  EXPECT_EQ(posts().size(), 0u);
  EXPECT_TRUE(thread.asleep());
  // A wake for each call is all there is to do; a second of spinning is a second of processor time.
  EXPECT_LT(thread.processor_time() - time, milliseconds(300));
  EXPECT_LE(thread.switches() - switches, 10u * kTimes);
}

// Power is sampled on.
constexpr unsigned kSamplesASecond = 20;

TEST_F(SchedulePause, ThreadSleepsWhilePaused) {
  const Node node(0);
  posting().start();
  ASSERT_TRUE(wait_for_posts(2));
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  const MetricsThread thread(0);
  ASSERT_TRUE(eventually([&] { return thread.asleep(); }));
  const auto time = thread.processor_time();
  const auto switches = thread.switches();
  let_pass(10 * kShortPeriod);
  EXPECT_LT(thread.processor_time() - time, milliseconds(300));
  EXPECT_LE(thread.switches() - switches, kSamplesASecond + 5u);
  posting().stop();
}

// Resumed within the same interval, with the next one far away.
TEST_F(SchedulePause, ThreadSleepsAfterResumingUntilTheNextInterval) {
  const Node node(0);
  posting().start(kLongPeriod / 2);
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  ASSERT_EQ(node.metrics_ctrl(kOn), 0);
  const MetricsThread thread(0);
  ASSERT_TRUE(eventually([&] { return thread.asleep(); }));
  const auto time = thread.processor_time();
  const auto switches = thread.switches();
  let_pass(milliseconds(1000));
  EXPECT_LT(thread.processor_time() - time, milliseconds(300));
  EXPECT_LE(thread.switches() - switches, kSamplesASecond + 5u);
}

// Changing the period while paused begins a new grid; the pause goes on.
TEST_F(SchedulePause, PeriodChangedWhilePausedIsUsedAfterResuming) {
  const Node node(0);
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  posting().start();
  let_pass(3 * kShortPeriod);
  EXPECT_EQ(posts().size(), 0u);
  ASSERT_EQ(node.metrics_ctrl(kOn), 0);
  EXPECT_TRUE(wait_for_posts(3));
  posting().stop();
}

TEST_F(SchedulePause, PauseOfOneDeviceDoesNotPauseAnother) {
  ASSERT_EQ(module().new_device("v3"), 0);
  const Node node(0);
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  posting().start();
  ASSERT_TRUE(
      trace().read_until([](const auto& events) { return posts_of(events, 1).size() >= 3; }));
  EXPECT_EQ(posts_of(trace().read(), 0).size(), 0u);
  ASSERT_EQ(node.metrics_ctrl(kOn), 0);
  EXPECT_TRUE(wait_for_posts(2));
  posting().stop();
}

TEST_F(SchedulePause, PausedDeviceCanBeRemovedAndUnloaded) {
  Node node(0);
  ASSERT_EQ(node.metrics_ctrl(kOff), 0);
  EXPECT_EQ(module().del_device(0), 0);
  EXPECT_EQ(node.metrics_ctrl(kOn), -ENODEV);
  EXPECT_TRUE(kernel_threads("nd0 metrics").empty());
}

}  // namespace
}  // namespace ndtel::vm
