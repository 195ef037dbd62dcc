// SPDX-License-Identifier: Apache-2.0
//
// Repairable and unrepairable HBM errors: every row of both rules, and words that are no value.

#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <vector>

#include "kmod/core/necc.h"

namespace ndtel::test {
namespace {

constexpr u32 kUntouched = 0xA5A5A5A5;

struct Result {
  int error;
  u32 unrepairable;
  u32 repairable;
  friend bool operator==(const Result&, const Result&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Result& r) {
    return out << r.error << " unrepairable " << r.unrepairable << " repairable " << r.repairable;
  }
};

constexpr Result Tally(u32 unrepairable, u32 repairable) { return {0, unrepairable, repairable}; }
constexpr Result Fails(int error) { return {error, kUntouched, kUntouched}; }

necc_registers Registers(u32 api, u32 repair, const std::vector<u32>& hbm, bool has_repair = true) {
  necc_registers regs{};
  regs.api = api;
  regs.channels = static_cast<u32>(hbm.size());
  for (std::size_t i = 0; i < hbm.size() && i < NECC_CHANNELS_MAX; i++) regs.hbm[i] = hbm[i];
  regs.repair = repair;
  regs.has_repair = has_repair;
  return regs;
}

Result Ask(const necc_registers& regs) {
  struct necc_hbm tally = {kUntouched, kUntouched};
  int error = necc_hbm(&regs, &tally);
  return {error, tally.unrepairable, tally.repairable};
}

Result Ask(u32 api, u32 repair, const std::vector<u32>& hbm, bool has_repair = true) {
  return Ask(Registers(api, repair, hbm, has_repair));
}

constexpr u32 Split(u32 unrepairable, u32 repairable) { return unrepairable << 12 | repairable; }

TEST(EccSplit, BitsOfBothKindsAreSummedOverTheChannels) {
  EXPECT_EQ(Ask(6, 0, {Split(1, 2), Split(3, 4), Split(5, 6), Split(7, 8)}), Tally(16, 20));
  EXPECT_EQ(Ask(6, 0, {Split(15, 4095), Split(15, 4095), Split(15, 4095), Split(15, 4095)}),
            Tally(60, 16380));
  EXPECT_EQ(Ask(7, 0, {0, 0, 0, 0}), Tally(0, 0));
  EXPECT_EQ(Ask(~0U - 1, 0, {Split(1, 2)}), Tally(1, 2)) << "every later API";
}

TEST(EccSplit, CorrectedErrorsAreLeftOut) {
  EXPECT_EQ(Ask(6, 0, {0x7FFF0000 | Split(1, 2), 0x12340000, 0, 0}), Tally(1, 2));
}

struct StateCase {
  u32 state;
  u32 unrepairable;
  u32 repairable;
  Result want;
};

TEST(EccSplit, EveryStateWithEveryPair) {
  const StateCase cases[] = {
      {0, 0, 0, Tally(0, 0)}, {0, 2, 0, Tally(2, 0)},    {0, 0, 3, Tally(0, 3)},
      {0, 2, 3, Tally(2, 3)}, {1, 0, 0, Fails(-EAGAIN)}, {1, 2, 0, Fails(-EAGAIN)},
      {1, 0, 3, Tally(0, 3)}, {1, 2, 3, Tally(2, 3)},    {2, 0, 0, Fails(-EAGAIN)},
      {2, 2, 0, Tally(2, 0)}, {2, 0, 3, Fails(-EAGAIN)}, {2, 2, 3, Tally(2, 3)},
      {3, 0, 0, Fails(-EIO)}, {3, 2, 3, Fails(-EIO)},
  };
  for (const StateCase& c : cases)
    EXPECT_EQ(Ask(6, c.state, {Split(c.unrepairable, c.repairable), 0, 0, 0}), c.want)
        << "state " << c.state << " unrepairable " << c.unrepairable << " repairable "
        << c.repairable;
}

TEST(EccWhole, BitsAreOneTally) {
  for (u32 api : {0u, 3u, 5u}) {
    EXPECT_EQ(Ask(api, 0, {0xFFFF, 1, 2, 3}), Tally(65541, 0)) << "API " << api;
    EXPECT_EQ(Ask(api, 0, {0x7FFF0001, 0, 0, 0}), Tally(1, 0)) << "corrected ones left out";
  }
  EXPECT_EQ(Ask(5, 0, {0x1001}), Tally(0x1001, 0));
  EXPECT_EQ(Ask(6, 0, {0x1001}), Tally(1, 1)) << "the API level decides";
}

TEST(EccWhole, EveryRowOfTheTable) {
  const StateCase cases[] = {
      {0, 0, 0, Tally(0, 0)}, {0, 9, 0, Tally(9, 0)},    {1, 0, 0, Fails(-EAGAIN)},
      {1, 9, 0, Tally(0, 9)}, {2, 0, 0, Fails(-EAGAIN)}, {2, 9, 0, Tally(9, 0)},
      {3, 0, 0, Fails(-EIO)}, {3, 9, 0, Fails(-EIO)},
  };
  for (const StateCase& c : cases)
    EXPECT_EQ(Ask(5, c.state, {c.unrepairable / 2, c.unrepairable - c.unrepairable / 2}), c.want)
        << "state " << c.state << " sum " << c.unrepairable;
}

TEST(Ecc, OnlyTheLowBitsAreTheRepairState) {
  EXPECT_EQ(Ask(5, 0xFFFFFFFC, {9}), Tally(9, 0));
  EXPECT_EQ(Ask(5, 0x80000001, {9}), Tally(0, 9));
}

TEST(Ecc, WithoutRepairNothingIsRepairableAndTheStateDoesNotMatter) {
  for (u32 repair : {0u, 1u, 2u, 3u, ND_MISCRAM_BUSY, ND_MISCRAM_GONE}) {
    EXPECT_EQ(Ask(5, repair, {7, 0x10005}, false), Tally(12, 0));
    EXPECT_EQ(Ask(6, repair, {Split(1, 100), Split(2, 0)}, false), Tally(3, 0));
    EXPECT_EQ(Ask(6, repair, {0, 0}, false), Tally(0, 0));
  }
}

// The reference prints 0 for a register that reads as busy, which no one can tell from "no errors".
TEST(Ecc, Sysfs3AWordThatIsNoValueIsAnErrorInAnyRegister) {
  struct {
    u32 word;
    int error;
  } words[] = {{ND_MISCRAM_BUSY, -EAGAIN}, {ND_MISCRAM_GONE, -EIO}};
  for (auto [word, error] : words) {
    for (u32 api : {5u, 6u}) {
      for (bool has_repair : {false, true}) {
        for (u32 channel = 0; channel < NECC_CHANNELS_MAX; channel++) {
          necc_registers regs = Registers(api, 0, {1, 1, 1, 1}, has_repair);
          regs.hbm[channel] = word;
          EXPECT_EQ(Ask(regs), Fails(error)) << "channel " << channel;
        }
      }
      EXPECT_EQ(Ask(api, word, {1, 1, 1, 1}), Fails(error)) << "repair state";
    }
    EXPECT_EQ(Ask(word, 0, {1, 1, 1, 1}), Fails(error)) << "API version";
    EXPECT_EQ(Ask(word, 0, {1, 1}, false), Fails(error)) << "API version";
  }
}

TEST(Ecc, GoneIsToldBeforeBusy) {
  EXPECT_EQ(Ask(6, 0, {ND_MISCRAM_BUSY, ND_MISCRAM_GONE}), Fails(-EIO));
  EXPECT_EQ(Ask(6, ND_MISCRAM_GONE, {ND_MISCRAM_BUSY}), Fails(-EIO));
}

TEST(Ecc, ChannelsTheDeviceDoesNotHaveAreNotLookedAt) {
  necc_registers regs = Registers(6, 0, {Split(1, 1), Split(1, 1)});
  regs.hbm[2] = ND_MISCRAM_BUSY;
  regs.hbm[3] = Split(9, 9);
  EXPECT_EQ(Ask(regs), Tally(2, 2));
}

TEST(Ecc, WrongNumberOfChannels) {
  for (u32 channels : {0u, 5u, ~0u}) {
    necc_registers regs = Registers(6, 0, {1, 1, 1, 1});
    regs.channels = channels;
    EXPECT_EQ(Ask(regs), Fails(-EINVAL)) << channels;
  }
}

// K17, Sysfs 3: whatever the registers hold, a zero is given out only when the words say zero.
TEST(Ecc, K17NoFalseZeroFromRandomRegisters) {
  std::mt19937 random(17);
  unsigned told = 0, refused = 0;
  for (unsigned i = 0; i < 200'000; i++) {
    std::vector<u32> hbm(1 + random() % NECC_CHANNELS_MAX);
    u32 low = 0, split_low = 0, split_high = 0;
    bool busy = false;
    for (u32& word : hbm) {
      word = random() % 4 ? random() & 0xFFFF0000 : random();
      if (random() % 50 == 0) word = random() % 2 ? ND_MISCRAM_BUSY : ND_MISCRAM_GONE;
      busy |= word == ND_MISCRAM_BUSY || word == ND_MISCRAM_GONE;
      low += word & 0xFFFF;
      split_high += word >> 12 & 0xF;
      split_low += word & 0xFFF;
    }
    u32 api = 4 + random() % 4, repair = random() % 4;
    Result got = Ask(api, repair, hbm);
    if (got.error) {
      refused++;
      EXPECT_EQ(got, Fails(got.error));
      continue;
    }
    told++;
    ASSERT_FALSE(busy);
    if (api >= 6) {
      EXPECT_EQ(got, Tally(split_high, split_low));
    } else {
      EXPECT_EQ(got.unrepairable + got.repairable, low);
    }
  }
  EXPECT_GT(told, 10'000u);
  EXPECT_GT(refused, 10'000u);
}

}  // namespace
}  // namespace ndtel::test
