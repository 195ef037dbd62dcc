// SPDX-License-Identifier: Apache-2.0
//
// Which readings are taken: sample numbers by die, implausible values, words that are no value.

#include "kmod/uapi/ndtel/miscram.h"
#include "sampler.hpp"

namespace ndtel::test {
namespace {

TEST(PowerFreshness, TheFirstReadingIsTakenWhateverItsNumber) {
  for (u16 number : {0, 1, 0xFFFF}) {
    Sampler s;
    s.Set(0, number, 307);
    EXPECT_TRUE(s.Look(0)) << number;
    EXPECT_EQ(s.power.count, 1u);
  }
}

TEST(PowerFreshness, TheSameNumberIsTakenOnce) {
  Sampler s;
  s.Set(0, 7, 100);
  EXPECT_TRUE(s.Look(0));
  s.Set(0, 7, 200);  // another value under the old number is no sample
  EXPECT_FALSE(s.Look(1));
  EXPECT_FALSE(s.Look(2));
  EXPECT_EQ(s.power.total, 100u);
  EXPECT_EQ(s.tallies().accepted, 1u);
  EXPECT_EQ(s.tallies().stale, 2u);
}

TEST(PowerFreshness, NumbersWrapAndMayGoBackwards) {
  Sampler s;
  for (u16 number : {0xFFFE, 0xFFFF, 0, 1, 0}) {
    s.Set(0, number, 50);
    EXPECT_TRUE(s.Look(number)) << number;
  }
  EXPECT_EQ(s.tallies().accepted, 5u);
}

TEST(PowerFreshness, HighestOfTheDice) {
  Sampler s(2);
  s.Set(0, 1, 4000);
  s.Set(1, 1, 9000);
  EXPECT_TRUE(s.Look(0));
  EXPECT_EQ(s.power.total, 9000u);
  s.Set(0, 2, 5000);
  s.Set(1, 2, 100);
  EXPECT_TRUE(s.Look(1));
  EXPECT_EQ(s.power.total, 14000u);
}

// The reference drops a reading when any die repeats its number, so dice that never change together
// never give a sample.
TEST(PowerFreshness, K16DiceOutOfPhaseGiveASampleEachTimeBothHaveMoved) {
  Sampler s(2);
  s.Set(0, 0, 0);
  s.Set(1, 0, 0);
  EXPECT_TRUE(s.Look(0));
  for (u16 i = 1; i <= 50; i++) {
    s.Set(0, i, i);
    EXPECT_FALSE(s.Look(2 * i)) << "only die 0 has moved";
    s.Set(1, i, 1000 + i);
    EXPECT_TRUE(s.Look(2 * i + 1)) << "now die 1 has too";
  }
  EXPECT_EQ(s.tallies().accepted, 51u);
  EXPECT_EQ(s.tallies().stale, 50u);
  EXPECT_EQ(s.power.max, 1050u);
}

TEST(PowerFreshness, NewestValueOfEachDieCounts) {
  Sampler s(2);
  s.Set(0, 1, 0);
  s.Set(1, 1, 0);
  EXPECT_TRUE(s.Look(0));
  s.Set(0, 2, 9000);
  EXPECT_FALSE(s.Look(1));
  s.Set(0, 3, 10);  // die 0 moves twice before die 1 does
  EXPECT_FALSE(s.Look(2));
  s.Set(1, 2, 20);
  EXPECT_TRUE(s.Look(3));
  EXPECT_EQ(s.power.total, 20u) << "9000 was overtaken";
}

TEST(PowerFreshness, K16AFrozenDieMakesEverythingStale) {
  Sampler s(2);
  s.Set(1, 5, 100);
  for (u16 i = 0; i < 200; i++) {
    s.Set(0, i, 100);
    EXPECT_EQ(s.Look(i), i == 0);
  }
  EXPECT_EQ(s.tallies().stale, 199u);
  s.Set(1, 6, 100);
  EXPECT_TRUE(s.Look(200)) << "and it recovers at once";
}

TEST(PowerFreshness, OneDieIsNotHeldUpByTheOtherRegister) {
  Sampler s(1);
  s.Set(1, 9, 9999);
  for (u16 i = 0; i < 10; i++) {
    s.Set(0, i, 1);
    EXPECT_TRUE(s.Look(i));
  }
  EXPECT_EQ(s.power.max, 1u);
}

TEST(PowerFreshness, Above10000IsRejectedAndCounted) {
  Sampler s;
  s.Set(0, 1, 10000);
  EXPECT_TRUE(s.Look(0));
  s.Set(0, 2, 10001);
  EXPECT_FALSE(s.Look(1));
  EXPECT_EQ(s.tallies().implausible, 1u);
  EXPECT_FALSE(s.Look(2)) << "still the same sample";
  EXPECT_EQ(s.tallies().implausible, 1u) << "counted once";
  EXPECT_EQ(s.tallies().stale, 1u);
  s.Set(0, 3, 0xFFFF);
  EXPECT_FALSE(s.Look(3));
  EXPECT_EQ(s.tallies().implausible, 2u);
  s.Set(0, 4, 20);
  EXPECT_TRUE(s.Look(4));
  EXPECT_EQ(s.power.total, 10020u);
}

TEST(PowerFreshness, ImplausibleDieDoesNotHideBehindItsOlderValue) {
  Sampler s(2);
  s.Set(0, 1, 10);
  s.Set(1, 1, 10);
  EXPECT_TRUE(s.Look(0));
  s.Set(0, 2, 30);
  EXPECT_FALSE(s.Look(1));
  s.Set(0, 3, 20000);
  EXPECT_FALSE(s.Look(2));
  s.Set(1, 2, 10);
  EXPECT_FALSE(s.Look(3)) << "die 0 has no plausible value since the last accepted reading";
  s.Set(0, 4, 40);
  EXPECT_TRUE(s.Look(4));
  EXPECT_EQ(s.power.total, 50u);
}

TEST(PowerFreshness, WordsThatAreNoValueAreUnreadable) {
  for (u32 word : {ND_MISCRAM_BUSY, ND_MISCRAM_GONE}) {
    for (u32 die : {0u, 1u}) {
      Sampler s(2);
      s.Set(0, 1, 10);
      s.Set(1, 1, 10);
      s.registers[die] = word;
      EXPECT_FALSE(s.Look(0));
      EXPECT_EQ(s.tallies().failed, 1u);
      EXPECT_EQ(s.tallies().implausible, 0u);
      EXPECT_FALSE(s.power.open) << "nothing was accepted, so no window has begun";
      s.Set(die, 1, 10);
      EXPECT_TRUE(s.Look(1));
    }
  }
}

TEST(PowerFreshness, MoreDiceThanRegistersOrNoneAreBroughtIntoRange) {
  EXPECT_EQ(Sampler(0).power.dice, 1u);
  EXPECT_EQ(Sampler(3).power.dice, unsigned{NPOWER_DICE});
  EXPECT_EQ(Sampler(~0U).power.dice, unsigned{NPOWER_DICE});
}

}  // namespace
}  // namespace ndtel::test
