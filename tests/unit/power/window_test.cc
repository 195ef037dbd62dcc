// SPDX-License-Identifier: Apache-2.0
//
// Windows: when they begin and close, and what they report.

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "kmod/uapi/ndtel/miscram.h"
#include "sampler.hpp"

namespace ndtel::test {
namespace {

TEST(PowerWindow, K15BeforeTheFirstWindowThereIsNoData) {
  Sampler s;
  ExpectNoData(s.report());
  EXPECT_EQ(s.report().epoch_s, 0u);
  s.Next(5000);
  EXPECT_TRUE(s.Look(0));
  ExpectNoData(s.report());
  EXPECT_EQ(s.report().epoch_s, 0u) << "one sample closes nothing";
}

TEST(PowerWindow, SixtySamplesAreValid) {
  Sampler s;
  s.Fill(0, 60, 307);
  s.Unreadable(kWindow - 1);
  EXPECT_EQ(s.report().epoch_s, 0u) << "not closed yet";
  s.Unreadable(kWindow);
  EXPECT_EQ(s.report().status, u32{NPOWER_VALID});
  EXPECT_EQ(s.report().epoch_s, kEpoch + 60);
  EXPECT_EQ(s.report().min, 307u);
  EXPECT_EQ(s.report().max, 307u);
  EXPECT_EQ(s.report().avg, 307u);
}

TEST(PowerWindow, FiftyNineSamplesAreNoData) {
  Sampler s;
  s.Fill(0, 59, 307);
  s.Unreadable(kWindow);
  ExpectNoData(s.report());
  EXPECT_EQ(s.report().epoch_s, kEpoch + 60);
}

TEST(PowerWindow, DuplicatesDoNotMakeAWindowValid) {
  Sampler s;
  s.Fill(0, 59, 307);
  for (u64 i = 1; i <= 1000; i++) EXPECT_FALSE(s.Look(kWindow - 2000 + i));
  s.Unreadable(kWindow);
  ExpectNoData(s.report());
}

TEST(PowerWindow, K15MinimumStartsAboveEveryValue) {
  Sampler s;
  s.Fill(0, 60, NPOWER_UTIL_MAX);
  s.Unreadable(kWindow);
  EXPECT_EQ(s.report().min, unsigned{NPOWER_UTIL_MAX});
  EXPECT_EQ(s.report().max, unsigned{NPOWER_UTIL_MAX});
}

TEST(PowerWindow, AverageIsCutToAWholeNumber) {
  Sampler s;
  for (unsigned i = 0; i < 60; i++) {
    s.Next(i == 0 ? 59 : 0);  // 59 / 60
    EXPECT_TRUE(s.Look(i));
  }
  s.Unreadable(kWindow);
  EXPECT_EQ(s.report().avg, 0u);
  EXPECT_EQ(s.report().min, 0u);
  EXPECT_EQ(s.report().max, 59u);
}

TEST(PowerWindow, AReadingAtTheEndBelongsToTheNextWindow) {
  Sampler s;
  s.Fill(0, 60, 100);
  s.Next(9000);
  EXPECT_TRUE(s.Look(kWindow));
  EXPECT_EQ(s.report().max, 100u);
  EXPECT_EQ(s.power.count, 1u);
}

TEST(PowerWindow, EachWindowHasItsOwnExtremes) {
  Sampler s;
  s.Fill(0, 60, 9000);
  s.Fill(kWindow, 60, 100);
  s.Unreadable(2 * kWindow);
  EXPECT_EQ(s.report().status, u32{NPOWER_VALID});
  EXPECT_EQ(s.report().min, 100u);
  EXPECT_EQ(s.report().max, 100u);
  EXPECT_EQ(s.report().avg, 100u);
  EXPECT_EQ(s.report().epoch_s, kEpoch + 120);
}

// The reference closes an almost empty window with the first sample, at the next full minute.
TEST(PowerWindow, Sysfs20TheFirstWindowBeginsWithTheFirstAcceptedReading) {
  Sampler s;
  for (u64 minute = 0; minute < 5; minute++) s.Unreadable(minute * kWindow);
  EXPECT_EQ(s.report().epoch_s, 0u) << "no window without a sample before it";
  constexpr u64 kLate = 5 * kWindow + 12'345;
  s.Fill(kLate, 60, 100);
  s.Unreadable(kLate + kWindow - 1);
  EXPECT_EQ(s.report().epoch_s, 0u);
  s.Unreadable(kLate + kWindow);
  EXPECT_EQ(s.report().status, u32{NPOWER_VALID}) << "the first window is a whole one";
}

TEST(PowerWindow, Sysfs20StepsOfTheWallClockChangeNoWindow) {
  for (u64 epoch : {u64{0}, u64{1}, kEpoch - 86400, kEpoch + 86400, ~u64{0}}) {
    Sampler s;
    s.Fill(0, 30, 100);
    for (unsigned i = 0; i < 30; i++) {  // the second half on a clock that was set
      s.Next(200);
      ASSERT_TRUE(npower_reading(&s.power, s.registers.data(), kStart + kWindow / 2 + i, epoch));
    }
    EXPECT_EQ(s.report().epoch_s, 0u);
    npower_unreadable(&s.power, kStart + kWindow, epoch);
    EXPECT_EQ(s.report().status, u32{NPOWER_VALID});
    EXPECT_EQ(s.report().avg, 150u);
    EXPECT_EQ(s.report().epoch_s, epoch);
  }
}

TEST(PowerWindow, Sysfs20StateBelongsToOneDevice) {
  Sampler a, b;
  a.Fill(0, 60, 100);
  b.Fill(0, 60, 9000);
  a.Unreadable(kWindow);
  b.Unreadable(kWindow);
  EXPECT_EQ(a.report().max, 100u);
  EXPECT_EQ(b.report().min, 9000u);
}

TEST(PowerWindow, WindowsStayOnTheirGrid) {
  Sampler s;
  s.Fill(0, 60, 100);
  s.Unreadable(kWindow + kWindow / 2);  // noticed half a window late
  EXPECT_EQ(s.report().status, u32{NPOWER_VALID});
  s.Fill(kWindow + kWindow / 2, 130, 200);
  EXPECT_EQ(s.report().max, 200u) << "closed at two windows from the start, by a later sample";
  EXPECT_EQ(s.power.start_ns, kStart + 2 * kWindow);
}

TEST(PowerWindow, ClosesAlsoWhenOnlyFailuresCome) {
  Sampler s;
  s.Fill(0, 60, 100);
  s.Unreadable(kWindow);
  EXPECT_EQ(s.report().status, u32{NPOWER_VALID});
  s.Unreadable(2 * kWindow);
  ExpectNoData(s.report());
  EXPECT_EQ(s.report().epoch_s, kEpoch + 120);
  EXPECT_EQ(s.tallies().failed, 2u);
}

TEST(PowerWindow, ClosesAlsoWhenOnlyUselessReadingsCome) {
  for (u32 word : {ND_MISCRAM_BUSY, ND_MISCRAM_GONE, u32{0x0A0A'FFF0}, u32{0x00A0'0064}}) {
    Sampler s;
    s.Fill(0, 60, 100);
    s.registers[0] = word;
    s.Look(kWindow);
    EXPECT_EQ(s.report().status, u32{NPOWER_VALID});
    s.Look(2 * kWindow);
    ExpectNoData(s.report());
  }
}

TEST(PowerWindow, AFarJumpOfTheClockReportsTheLastWholeWindow) {
  for (u64 windows : {u64{2}, u64{3}, u64{1000}, u64{100'000'000}}) {
    Sampler s;
    s.Fill(0, 60, 100);
    s.Unreadable(windows * kWindow + 5);
    ExpectNoData(s.report());
    EXPECT_EQ(s.power.start_ns, kStart + windows * kWindow);
  }
}

TEST(PowerWindow, ExtremeTimesAreHarmless) {
  Sampler s;
  s.Fill(0, 60, 100);
  npower_unreadable(&s.power, ~u64{0}, ~u64{0});
  ExpectNoData(s.report());
  npower_unreadable(&s.power, 0, 0);  // before the window's start: nothing has passed
  EXPECT_EQ(s.report().epoch_s, ~u64{0});
  s.Next(1);
  EXPECT_TRUE(npower_reading(&s.power, s.registers.data(), 0, 0));
  EXPECT_EQ(s.power.count, 1u);
}

TEST(PowerWindow, LengthIsGivenAndZeroIsTheUsualOne) {
  Sampler s(1, 1000);
  s.Next(1);
  EXPECT_TRUE(s.Look(0));
  s.Unreadable(999);
  EXPECT_EQ(s.report().epoch_s, 0u);
  s.Unreadable(1000);
  EXPECT_EQ(s.report().epoch_s, kEpoch);
  EXPECT_EQ(Sampler(1, 0).power.window_ns, kWindow);
}

// Random devices against an oracle that keeps all accepted samples and sorts them into windows.
TEST(PowerWindow, RandomHistoriesAgreeWithTheirSamples) {
  std::mt19937_64 random(20261129);
  auto below = [&](u64 n) { return random() % n; };
  unsigned valid = 0, empty = 0;
  for (unsigned round = 0; round < 300; round++) {
    constexpr u64 kShort = 1000;
    u32 dice = 1 + below(2);
    Sampler s(dice, kShort);
    std::array<u16, NPOWER_DICE> number{}, util{};
    std::array<int, NPOWER_DICE> used;  // number of the last accepted reading
    used.fill(-1);
    std::vector<std::pair<u64, u16>> samples;
    u64 ns = below(5000);
    u64 step = 1 + below(40);
    for (unsigned look = 0; look < 400; look++) {
      ns += below(step);
      for (u32 die = 0; die < dice; die++) {
        if (below(3) == 0) continue;
        number[die]++;
        util[die] = below(10001);
        s.Set(die, number[die], util[die]);
      }
      bool fresh = true;
      for (u32 die = 0; die < dice; die++) fresh &= used[die] != number[die];
      if (look == 0) fresh = true;
      ASSERT_EQ(s.Look(ns), fresh);
      if (fresh) {
        samples.emplace_back(ns, *std::max_element(util.begin(), util.begin() + dice));
        for (u32 die = 0; die < dice; die++) used[die] = number[die];
      }
      u64 windows = (ns - samples.front().first) / kShort;
      if (!windows) {
        ASSERT_EQ(s.report().epoch_s, 0u);
        continue;
      }
      u64 from = samples.front().first + (windows - 1) * kShort;
      u64 sum = 0, n = 0;
      u32 min = ~0U, max = 0;
      for (auto [at, value] : samples) {
        if (at < from || at >= from + kShort) continue;
        sum += value, n++;
        min = std::min<u32>(min, value);
        max = std::max<u32>(max, value);
      }
      if (n < NPOWER_SAMPLES_MIN) {
        ExpectNoData(s.report());
        empty++;
        continue;
      }
      ASSERT_EQ(s.report().status, u32{NPOWER_VALID});
      ASSERT_EQ(s.report().min, min);
      ASSERT_EQ(s.report().max, max);
      ASSERT_EQ(s.report().avg, sum / n);
      valid++;
    }
  }
  EXPECT_GT(valid, 1000u) << "both outcomes must have been seen often";
  EXPECT_GT(empty, 1000u);
}

}  // namespace
}  // namespace ndtel::test
