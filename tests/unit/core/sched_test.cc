// SPDX-License-Identifier: Apache-2.0
//
// The posting schedule, with time as a number.

#include "plane.hpp"

namespace ndtel::test {
namespace {

class Schedule : public testing::Test {
 protected:
  Schedule() { nmetric_sched_init(&sched, kStart, kPeriod); }

  unsigned DueAt(u64 ns, bool ready = true) {
    return nmetric_sched_due(&sched, kStart + ns, ready);
  }
  u64 WaitAt(u64 ns) { return nmetric_sched_wait_ns(&sched, kStart + ns); }

  static constexpr u64 kStart = 12345;
  nmetric_sched sched;
};

TEST_F(Schedule, FirstPostAfterOnePeriod) {
  EXPECT_EQ(DueAt(0), 0u);
  EXPECT_EQ(DueAt(kPeriod - 1), 0u);
  EXPECT_EQ(DueAt(kPeriod), 1u);
  EXPECT_EQ(DueAt(kPeriod), 0u) << "an interval is posted once";
}

TEST_F(Schedule, LateWakeDoesNotShiftTheGrid) {
  EXPECT_EQ(DueAt(kPeriod + kPeriod / 2), 1u);
  EXPECT_EQ(WaitAt(kPeriod + kPeriod / 2), kPeriod / 2);
  EXPECT_EQ(DueAt(2 * kPeriod - 1), 0u);
  EXPECT_EQ(DueAt(2 * kPeriod), 1u);
}

TEST_F(Schedule, ATimeBeforeTheStartIsNothing) {
  EXPECT_EQ(nmetric_sched_due(&sched, kStart - 5, true), 0u);
  EXPECT_EQ(nmetric_sched_wait_ns(&sched, kStart - 5), kPeriod + 5);
}

TEST_F(Schedule, IntervalsMissedWhileRunningAreNotMadeUp) {
  EXPECT_EQ(DueAt(7 * kPeriod), 1u);
  EXPECT_EQ(DueAt(7 * kPeriod + 1), 0u);
}

TEST_F(Schedule, NotReadyPostsOnceWhenReadyReturns) {
  EXPECT_EQ(DueAt(kPeriod, false), 0u);
  EXPECT_EQ(DueAt(3 * kPeriod, false), 0u);
  EXPECT_EQ(DueAt(3 * kPeriod + 1), 1u);
}

TEST_F(Schedule, ALongPostIsFollowedByTheNextAtOnce) {
  EXPECT_EQ(DueAt(kPeriod), 1u);
  EXPECT_EQ(WaitAt(2 * kPeriod + 1), 0u) << "the post took more than an interval";
  EXPECT_EQ(DueAt(2 * kPeriod + 1), 1u);
}

TEST_F(Schedule, K24TicksAlternatePerPostNotPerInterval) {
  EXPECT_EQ(nmetric_sched_take_tick(&sched), NMETRIC_TICK_0);
  EXPECT_EQ(DueAt(7 * kPeriod), 1u);
  EXPECT_EQ(nmetric_sched_take_tick(&sched), NMETRIC_TICK_1);
  EXPECT_EQ(nmetric_sched_take_tick(&sched), NMETRIC_TICK_0);
}

TEST_F(Schedule, PausedPostsNothing) {
  nmetric_sched_pause(&sched);
  EXPECT_EQ(DueAt(5 * kPeriod), 0u);
  EXPECT_EQ(WaitAt(5 * kPeriod), U64_MAX);
}

TEST_F(Schedule, FivePausedIntervalsGiveTwoTicksAtOnceAndKeepTheGrid) {
  EXPECT_EQ(DueAt(kPeriod), 1u);
  nmetric_sched_pause(&sched);
  EXPECT_EQ(DueAt(6 * kPeriod + 100), 0u);
  nmetric_sched_resume(&sched);
  EXPECT_EQ(WaitAt(6 * kPeriod + 100), 0u);
  EXPECT_EQ(DueAt(6 * kPeriod + 100), 2u);
  EXPECT_EQ(WaitAt(6 * kPeriod + 100), kPeriod - 100);
  EXPECT_EQ(DueAt(7 * kPeriod), 1u);
}

TEST_F(Schedule, AFlushIsMadeOnce) {
  nmetric_sched_pause(&sched);
  nmetric_sched_resume(&sched);
  EXPECT_EQ(DueAt(3 * kPeriod), 2u);
  EXPECT_EQ(DueAt(6 * kPeriod), 1u) << "these were missed while running";
}

TEST_F(Schedule, OnePausedIntervalGivesOneTick) {
  nmetric_sched_pause(&sched);
  nmetric_sched_resume(&sched);
  EXPECT_EQ(DueAt(kPeriod), 1u);
}

TEST_F(Schedule, NothingMissedMeansNothingToFlush) {
  nmetric_sched_pause(&sched);
  nmetric_sched_resume(&sched);
  EXPECT_EQ(DueAt(10), 0u);
  EXPECT_FALSE(sched.flush);
  EXPECT_EQ(DueAt(3 * kPeriod, false), 0u);
  EXPECT_EQ(DueAt(3 * kPeriod), 1u) << "intervals missed while not ready are not the pause's";
}

TEST_F(Schedule, FlushWaitsForTheDevice) {
  nmetric_sched_pause(&sched);
  EXPECT_EQ(DueAt(3 * kPeriod), 0u);
  nmetric_sched_resume(&sched);
  EXPECT_EQ(DueAt(3 * kPeriod, false), 0u);
  EXPECT_EQ(DueAt(3 * kPeriod), 2u);
}

// 256 intervals are 10 h 40 min: the reference's 8-bit count then posts nothing.
TEST_F(Schedule, K12APauseOf256IntervalsIsFlushed) {
  for (u64 missed : {u64{256}, u64{512}, u64{65536}, u64{1} << 26}) {
    nmetric_sched_init(&sched, kStart, kPeriod);
    nmetric_sched_pause(&sched);
    nmetric_sched_resume(&sched);
    EXPECT_EQ(DueAt(missed * kPeriod), 2u) << missed;
  }
}

TEST_F(Schedule, K13ResumeNeverMakesTheThreadSpin) {
  EXPECT_EQ(DueAt(kPeriod), 1u);
  nmetric_sched_pause(&sched);
  nmetric_sched_resume(&sched);
  EXPECT_EQ(DueAt(kPeriod + 1000), 0u);
  EXPECT_EQ(WaitAt(kPeriod + 1000), kPeriod - 1000) << "sleeps to the next boundary";
}

TEST_F(Schedule, K13ResumeOfARunningScheduleIsNothing) {
  nmetric_sched_resume(&sched);
  EXPECT_FALSE(sched.flush);
  EXPECT_EQ(DueAt(5 * kPeriod), 1u);
}

TEST_F(Schedule, K11PeriodOfZeroDoesNotDivideByZero) {
  nmetric_sched_init(&sched, kStart, 0);
  EXPECT_EQ(DueAt(0), 0u);
  EXPECT_EQ(DueAt(10), 1u);
  EXPECT_EQ(WaitAt(10), 1u);
  nmetric_sched_set_period(&sched, kStart, 0);
  EXPECT_EQ(sched.period_ns, 1u);
}

TEST_F(Schedule, K11PeriodChangesLive) {
  EXPECT_EQ(DueAt(kPeriod), 1u);
  EXPECT_EQ(nmetric_sched_take_tick(&sched), NMETRIC_TICK_0);
  nmetric_sched_set_period(&sched, kStart + kPeriod + 7, kSecond);
  EXPECT_EQ(WaitAt(kPeriod + 7), kSecond);
  EXPECT_EQ(DueAt(kPeriod + 7 + kSecond - 1), 0u);
  EXPECT_EQ(DueAt(kPeriod + 7 + kSecond), 1u);
  EXPECT_EQ(nmetric_sched_take_tick(&sched), NMETRIC_TICK_1) << "the turn of the ticks stays";
}

TEST_F(Schedule, WaitAlwaysEndsAtADuePost) {
  u64 at = 0;
  for (int post = 1; post <= 100; post++) {
    at += WaitAt(at);
    EXPECT_EQ(at, post * kPeriod);
    EXPECT_EQ(DueAt(at), 1u);
    at += 17;
    EXPECT_EQ(DueAt(at), 0u);
  }
}

}  // namespace
}  // namespace ndtel::test
