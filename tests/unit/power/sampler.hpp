// SPDX-License-Identifier: Apache-2.0
//
// A device's power registers and the state machine that samples them, with time as a number.

#ifndef NDTEL_TESTS_UNIT_POWER_SAMPLER_HPP
#define NDTEL_TESTS_UNIT_POWER_SAMPLER_HPP

#include <gtest/gtest.h>

#include <array>

#include "kmod/core/npower.h"

namespace ndtel::test {

inline constexpr u64 kWindow = NPOWER_WINDOW_NS;
inline constexpr u64 kStart = 987'654'321;  // of the monotonic clock
inline constexpr u64 kEpoch = 1'767'225'600;

class Sampler {
 public:
  explicit Sampler(u32 dice = 1, u64 window_ns = kWindow) { npower_init(&power, dice, window_ns); }

  // What the firmware writes.
  void Set(u32 die, u16 number, u16 util) { registers.at(die) = u32{number} << 16 | util; }

  // A new sample on every die.
  void Next(u16 util) {
    number_++;
    for (u32 die = 0; die < power.dice; die++) Set(die, number_, util);
  }

  // One look at the registers, ns after the start.
  bool Look(u64 ns) {
    return npower_reading(&power, registers.data(), kStart + ns, kEpoch + ns / 1'000'000'000);
  }
  void Unreadable(u64 ns) { npower_unreadable(&power, kStart + ns, kEpoch + ns / 1'000'000'000); }

  // n accepted samples of one value, evenly over the window that begins at ns.
  void Fill(u64 ns, unsigned n, u16 util) {
    for (unsigned i = 0; i < n; i++) {
      Next(util);
      ASSERT_TRUE(Look(ns + i * (kWindow / (n + 1)))) << "sample " << i;
    }
  }

  const npower_report& report() const { return power.report; }
  const npower_tallies& tallies() const { return power.tallies; }

  npower power;
  std::array<u32, NPOWER_DICE> registers{};

 private:
  u16 number_ = 100;
};

inline void ExpectNoData(const npower_report& report) {
  EXPECT_EQ(report.status, u32{NPOWER_NO_DATA});
  EXPECT_EQ(report.min, 0u);
  EXPECT_EQ(report.max, 0u);
  EXPECT_EQ(report.avg, 0u);
}

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_UNIT_POWER_SAMPLER_HPP
