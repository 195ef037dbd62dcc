// SPDX-License-Identifier: Apache-2.0
//
// Range marks: first fit over the cores of all devices, owners, and ranges that make no sense.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include "kmod/core/crwl_mark.h"

namespace ndtel::test {
namespace {

constexpr u32 kWords = CRWL_MARK_UNITS / 64;
constexpr u32 kUntouched = 777;

const char kProcesses[4] = {};
const void* const kMe = &kProcesses[0];
const void* const kYou = &kProcesses[1];

using Map = std::array<u64, kWords>;

std::vector<u32> Cores(const Map& map) {
  std::vector<u32> cores;
  for (u32 n = 0; n < CRWL_MARK_UNITS; n++)
    if (map[n / 64] >> n % 64 & 1) cores.push_back(n);
  return cores;
}

Map MapOf(const std::vector<u32>& cores) {
  Map map{};
  for (u32 n : cores) map[n / 64] |= u64{1} << n % 64;
  return map;
}

std::vector<u32> Consecutive(u32 first, u32 count) {
  std::vector<u32> cores;
  for (u32 n = 0; n < count; n++) cores.push_back(first + n);
  return cores;
}

class Marks : public testing::Test {
 protected:
  Marks() { crwl_marks_init(&marks); }

  int Mark(const void* who, u32 count, const crwl_range& range, u32 words = kWords) {
    map.fill(~u64{0});
    available = kUntouched;
    return crwl_mark(&marks, who, &range, count, map.data(), words, &available);
  }
  u32 Unmark(const void* who, const std::vector<u32>& cores, u32 first = 0) {
    return crwl_unmark(&marks, who, first, MapOf(cores).data(), kWords);
  }

  crwl_marks marks;
  Map map;
  u32 available = kUntouched;
};

constexpr crwl_range kAll{0, CRWL_MARK_UNITS, 0, CRWL_MARK_UNITS - 1};

TEST_F(Marks, FirstFreeRun) {
  ASSERT_EQ(Mark(kMe, 4, kAll), 0);
  EXPECT_EQ(Cores(map), Consecutive(0, 4));
  EXPECT_EQ(available, 0u);
  ASSERT_EQ(Mark(kYou, 2, kAll), 0);
  EXPECT_EQ(Cores(map), Consecutive(4, 2));
  EXPECT_EQ(Unmark(kMe, {1, 2}), 2u);
  ASSERT_EQ(Mark(kYou, 3, kAll), 0);
  EXPECT_EQ(Cores(map), Consecutive(6, 3)) << "a hole of two does not hold three";
  ASSERT_EQ(Mark(kYou, 2, kAll), 0);
  EXPECT_EQ(Cores(map), Consecutive(1, 2)) << "but two";
  EXPECT_EQ(marks.marked, 9u);
}

TEST_F(Marks, OnlyInsideTheRangeBothEndsIncluded) {
  ASSERT_EQ(Mark(kMe, 3, {0, 512, 10, 12}), 0);
  EXPECT_EQ(Cores(map), Consecutive(10, 3));
  EXPECT_EQ(Mark(kMe, 1, {0, 512, 10, 12}), -EBUSY);
  EXPECT_EQ(available, 0u);
  ASSERT_EQ(Mark(kMe, 1, {0, 512, 9, 13}), 0);
  EXPECT_EQ(Cores(map), Consecutive(9, 1));
  ASSERT_EQ(Mark(kMe, 1, {0, 512, 9, 13}), 0);
  EXPECT_EQ(Cores(map), Consecutive(13, 1));
}

TEST_F(Marks, NoneLongEnoughTellsTheLongest) {
  ASSERT_EQ(Mark(kYou, 1, {0, 16, 3, 3}), 0);
  ASSERT_EQ(Mark(kYou, 1, {0, 16, 9, 9}), 0);
  EXPECT_EQ(Mark(kMe, 7, {0, 16, 0, 15}), -EBUSY);
  EXPECT_EQ(available, 6u) << "10 to 15";
  EXPECT_EQ(Mark(kMe, 7, {0, 16, 0, 12}), -EBUSY);
  EXPECT_EQ(available, 5u) << "4 to 8; only the range counts";
  EXPECT_EQ(Cores(map).size(), std::size_t{CRWL_MARK_UNITS}) << "the map is left alone";
  EXPECT_EQ(marks.marked, 2u);
}

TEST_F(Marks, MoreThanTheRangeHoldsIsBusyNotInvalid) {
  EXPECT_EQ(Mark(kMe, 17, {0, 16, 0, 15}), -EBUSY);
  EXPECT_EQ(available, 16u);
  EXPECT_EQ(Mark(kMe, ~0U, kAll), -EBUSY);
  EXPECT_EQ(available, unsigned{CRWL_MARK_UNITS});
}

TEST_F(Marks, WholeMachineAndItsLastCore) {
  ASSERT_EQ(Mark(kMe, CRWL_MARK_UNITS, kAll), 0);
  EXPECT_EQ(Cores(map), Consecutive(0, CRWL_MARK_UNITS));
  EXPECT_EQ(crwl_unmark_all(&marks, kMe), unsigned{CRWL_MARK_UNITS});
  ASSERT_EQ(Mark(kMe, 1, {0, 512, 511, 511}), 0);
  EXPECT_EQ(Cores(map), Consecutive(511, 1));
}

TEST_F(Marks, RelativeToTheDeviceThatWasOpened) {
  ASSERT_EQ(Mark(kYou, 1, {16, 32, 0, 15}), 0);
  EXPECT_EQ(Cores(map), Consecutive(0, 1));
  EXPECT_EQ(marks.owner[16], kYou);
  ASSERT_EQ(Mark(kMe, 2, {8, 32, 7, 23}), 0) << "the mark of the other device is seen";
  EXPECT_EQ(Cores(map), Consecutive(9, 2)) << "unit 16 is core 8 from here";
  EXPECT_EQ(marks.owner[17], kMe);
  EXPECT_EQ(Unmark(kMe, {9, 10}, 8), 2u);
  EXPECT_EQ(marks.owner[17], nullptr);
}

TEST_F(Marks, RangesThatMakeNoSense) {
  const crwl_range bad[] = {
      {0, 16, 1, 0},    {0, 16, 0, 16},   {0, 16, 16, 16},
      {8, 16, 0, 8},    {16, 16, 0, 0},   {~0U, 16, 0, 0},
      {0, 0, 0, 0},     {0, 513, 0, 512}, {0, ~0U, 0, ~0U},
      {1, 512, 0, 511}, {0, 16, 0, ~0U},  {8, 16, ~0U - 7, ~0U},
      {0, 512, ~0U, 0}, {511, 512, 1, 1}, {8, 16, ~0U - 8, ~0U - 7},
  };
  for (const crwl_range& range : bad) {
    EXPECT_EQ(Mark(kMe, 1, range), -EINVAL)
        << range.first << ' ' << range.units << ' ' << range.start << ' ' << range.end;
    EXPECT_EQ(available, kUntouched);
    EXPECT_EQ(Cores(map).size(), std::size_t{CRWL_MARK_UNITS}) << "the map is left alone";
  }
  EXPECT_EQ(Mark(kMe, 0, kAll), -EINVAL) << "no core at all";
  EXPECT_EQ(Mark(nullptr, 1, kAll), -EINVAL);
  EXPECT_EQ(marks.marked, 0u);
}

TEST_F(Marks, ShortMapHoldsOnlyItsOwnBits) {
  EXPECT_EQ(Mark(kMe, 1, {0, 512, 0, 64}, 1), -EINVAL) << "core 64 has no bit in one word";
  ASSERT_EQ(Mark(kMe, 64, {64, 512, 0, 63}, 1), 0) << "any device can use its own 64";
  EXPECT_EQ(map[0], ~u64{0});
  EXPECT_EQ(map[1], ~u64{0}) << "beyond the map nothing is written";
  EXPECT_EQ(crwl_unmark(&marks, kMe, 64, map.data(), 1), 64u);
  EXPECT_EQ(Mark(kMe, 1, {0, 512, 0, 0}, 0), -EINVAL);
}

TEST_F(Marks, OnlyOnesOwnMarksAreTakenBack) {
  ASSERT_EQ(Mark(kMe, 4, kAll), 0);
  ASSERT_EQ(Mark(kYou, 4, kAll), 0);
  EXPECT_EQ(Unmark(kYou, Consecutive(0, CRWL_MARK_UNITS)), 4u);
  EXPECT_EQ(Unmark(kYou, Consecutive(0, 8)), 0u) << "twice is harmless";
  EXPECT_EQ(Unmark(nullptr, Consecutive(0, 512)), 0u);
  EXPECT_EQ(marks.marked, 4u);
  ASSERT_EQ(Mark(kYou, 1, kAll), 0);
  EXPECT_EQ(Cores(map), Consecutive(4, 1));
}

TEST_F(Marks, UnmarkNeverRunsOffTheEnd) {
  ASSERT_EQ(Mark(kMe, 1, {511, 512, 0, 0}), 0);
  Map all;
  all.fill(~u64{0});
  EXPECT_EQ(crwl_unmark(&marks, kMe, 512, all.data(), kWords), 0u);
  EXPECT_EQ(crwl_unmark(&marks, kMe, ~0U, all.data(), kWords), 0u);
  EXPECT_EQ(crwl_unmark(&marks, kMe, ~0U - 10, all.data(), kWords), 0u);
  EXPECT_EQ(crwl_unmark(&marks, kMe, 511, all.data(), 0), 0u);
  EXPECT_EQ(crwl_unmark(&marks, kMe, 500, all.data(), kWords), 1u);
}

TEST_F(Marks, DeathGivesUpAllMarksOfOneProcess) {
  ASSERT_EQ(Mark(kMe, 3, kAll), 0);
  ASSERT_EQ(Mark(kYou, 3, kAll), 0);
  ASSERT_EQ(Mark(kMe, 3, kAll), 0);
  EXPECT_EQ(crwl_unmark_all(&marks, kMe), 6u);
  EXPECT_EQ(crwl_unmark_all(&marks, kMe), 0u);
  EXPECT_EQ(crwl_unmark_all(&marks, nullptr), 0u);
  EXPECT_EQ(marks.marked, 3u);
}

// Random processes against a map from unit to owner and the slowest search there is.
TEST_F(Marks, RandomHistoriesAgreeWithTheSlowSearch) {
  std::mt19937_64 random(85);
  auto below = [&](u64 n) { return static_cast<u32>(random() % n); };
  unsigned found = 0, busy = 0, freed = 0;
  for (unsigned round = 0; round < 40; round++) {
    crwl_marks_init(&marks);
    std::map<u32, const void*> want;
    u32 cores = below(2) ? 8 : 2;
    u32 devices = 1 + below(64);
    for (unsigned step = 0; step < 400; step++) {
      const void* who = &kProcesses[below(4)];
      u32 first = below(devices) * cores;
      if (below(3) == 0) {
        std::vector<u32> give;
        for (u32 n = first; n < devices * cores; n++)
          if (below(4) == 0) give.push_back(n - first);
        u32 mine = 0;
        for (u32 n : give) {
          auto it = want.find(first + n);
          if (it == want.end() || it->second != who) continue;
          want.erase(it);
          mine++;
        }
        ASSERT_EQ(Unmark(who, give, first), mine);
        freed += mine;
        continue;
      }
      u32 length = devices * cores - first;
      u32 start = below(length), end = start + below(length - start), count = 1 + below(10);
      u32 longest = 0, at = ~0U;
      for (u32 from = start; from <= end; from++) {
        u32 run = 0;
        while (from + run <= end && !want.count(first + from + run)) run++;
        longest = std::max(longest, run);
        if (run >= count && at == ~0U) at = from;
      }
      int result = Mark(who, count, {first, devices * cores, start, end});
      if (at == ~0U) {
        ASSERT_EQ(result, -EBUSY);
        ASSERT_EQ(available, longest);
        busy++;
        continue;
      }
      ASSERT_EQ(result, 0);
      ASSERT_EQ(Cores(map), Consecutive(at, count));
      for (u32 n : Consecutive(at, count)) want[first + n] = who;
      found++;
    }
    ASSERT_EQ(marks.marked, want.size());
    for (u32 unit = 0; unit < CRWL_MARK_UNITS; unit++)
      ASSERT_EQ(marks.owner[unit], want.count(unit) ? want[unit] : nullptr);
  }
  EXPECT_GT(found, 1000u);
  EXPECT_GT(busy, 1000u);
  EXPECT_GT(freed, 1000u);
}

}  // namespace
}  // namespace ndtel::test
