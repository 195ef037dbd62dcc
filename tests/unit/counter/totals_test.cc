// SPDX-License-Identifier: Apache-2.0
//
// Live totals: which words feed them, births and deaths, resets, and words that cannot be true.

#include "totals.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace ndtel::test {
namespace {

constexpr u32 kOk = NCOUNTER_SUCCESS;

TEST(CounterDefs, FilesAndTheirCounters) {
  const std::pair<const char*, unsigned> want[] = {
      {"success", 1},
      {"failure", 16},
      {"timeout", 4},
      {"exec_bad_input", 5},
      {"hw_error", 11},
      {"execute_completed_with_error", 2},
      {"execute_completed_with_num_error", 3},
      {"generic_error", 7},
      {"resource_error", 17},
      {"resource_nc_error", 18},
      {"execute_failed_to_queue", 6},
      {"invalid_error", 19},
      {"unsupported_neff_version", 20},
      {"oob_error", 30},
      {"hw_collectives_error", 31},
      {"hw_hbm_ue_error", 32},
      {"hw_nc_ue_error", 33},
      {"hw_dma_abort_error", 34},
      {"execute_sw_nq_overflow", 35},
      {"execute_sw_semaphore_error", 36},
      {"execute_sw_event_error", 37},
      {"execute_sw_psum_collision", 38},
      {"execute_sw_sequencer_fatal", 39},
      {"hw_repairable_hbm_ue_error", 40},
      {"model_load_count", 27},
      {"inference_count", 28},
      {"flop_count", 29},
      {"nc_time_in_use", 0},
      {"new_metric_8", 8},
      {"new_metric_9", 9},
      {"new_metric_10", 10},
      {"new_metric_12", 12},
      {"new_metric_13", 13},
      {"new_metric_14", 14},
      {"new_metric_15", 15},
      {"new_metric_21", 21},
      {"new_metric_22", 22},
      {"new_metric_23", 23},
      {"new_metric_24", 24},
      {"new_metric_25", 25},
      {"new_metric_26", 26},
  };
  ASSERT_EQ(std::size(want), std::size_t{NCOUNTER_COUNT});
  for (unsigned i = 0; i < NCOUNTER_COUNT; i++) {
    EXPECT_STREQ(ncounter_defs[i].dir, want[i].first);
    EXPECT_EQ(ncounter_defs[i].id, want[i].second) << want[i].first;
    EXPECT_EQ(ncounter_defs[i].times, std::string(want[i].first) == "flop_count" ? 2 : 1);
  }
}

TEST(Counter, EveryWordOfEveryCoreAndBandFeedsItsFileOnly) {
  Totals totals;
  Slab slab;
  std::map<std::pair<u32, u32>, u64> want;
  u64 amount = 1;
  for (u32 nc = 0; nc < ND_MAX_NC_PER_DEVICE; nc++) {
    for (u32 index = 0; index < NCOUNTER_COUNT; index++) {
      slab.Word(nc, index) = amount;  // each its own, so that none can stand for another
      want[{nc, index}] = amount * ncounter_defs[index].times;
      amount = amount * 3 % 1'000'003 + 1;
    }
  }
  EXPECT_EQ(totals.LookAll(slab), want.size());
  for (auto [at, value] : want) {
    EXPECT_EQ(totals.Total(at.first, at.second), value) << at.first << ' ' << at.second;
    EXPECT_EQ(totals.Present(at.first, at.second), value) << at.first << ' ' << at.second;
  }
  EXPECT_EQ(totals.LookAll(slab), 0u) << "nothing grew since";
}

TEST(Counter, WordsWithoutAFileFeedNothing) {
  Totals totals;
  Slab slab;
  std::set<std::size_t> followed;
  for (u32 nc = 0; nc < ND_MAX_NC_PER_DEVICE; nc++)
    for (u32 index = 0; index < NCOUNTER_COUNT; index++)
      followed.insert(nds_nc_word(nc, ncounter_defs[index].id));
  EXPECT_EQ(followed.size(), std::size_t{NCOUNTER_COUNT * ND_MAX_NC_PER_DEVICE});
  for (std::size_t word = 0; word < slab.words().size(); word++)
    if (!followed.count(word)) slab.words()[word] = 1000 + word;
  EXPECT_EQ(totals.LookAll(slab), 0u);
  EXPECT_EQ(totals.set.odd, 0u);
}

// The reference shows a process's counts only after its death.
TEST(Counter, Sysfs1TotalsAreLive) {
  Totals totals;
  Slab slab;
  for (u64 n = 1; n <= 10; n++) {
    slab.Word(3, kOk)++;
    EXPECT_TRUE(totals.Look(slab, 3, kOk));
    EXPECT_EQ(totals.Total(3, kOk), n);
  }
}

TEST(Counter, Sysfs1OwnersAddUpAndTheDeadStay) {
  Totals totals;
  std::list<Slab> slabs(3);
  u64 n = 10;
  for (Slab& slab : slabs) {
    slab.Word(0, kOk) = n;
    totals.Look(slab, 0, kOk);
    n *= 10;
  }
  EXPECT_EQ(totals.Total(0, kOk), 1110u);
  slabs.front().Word(0, kOk) += 5;  // counts just before it dies
  totals.LookAll(slabs.front());
  slabs.pop_front();
  EXPECT_EQ(totals.Total(0, kOk), 1115u);
  slabs.back().Word(0, kOk)++;
  totals.Look(slabs.back(), 0, kOk);
  EXPECT_EQ(totals.Total(0, kOk), 1116u);
}

// Later drops of the reference count the residue in a reused slab again.
TEST(Counter, ABI9AReusedSlabStartsFromZero) {
  Totals totals;
  Slab slab;
  slab.Word(5, kOk) = 100;
  totals.LookAll(slab);
  slab.Reuse();
  EXPECT_EQ(totals.LookAll(slab), 0u);
  EXPECT_EQ(totals.Total(5, kOk), 100u);
  slab.Word(5, kOk) = 7;
  totals.LookAll(slab);
  EXPECT_EQ(totals.Total(5, kOk), 107u);
  EXPECT_EQ(totals.set.odd, 0u);
}

TEST(Counter, Sysfs2PresentIsTheLastGrowthOfAnySlab) {
  Totals totals;
  Slab a, b;
  a.Word(0, kOk) = 30;
  totals.Look(a, 0, kOk);
  b.Word(0, kOk) = 4;
  totals.Look(b, 0, kOk);
  EXPECT_EQ(totals.Present(0, kOk), 4u);
  EXPECT_FALSE(totals.Look(a, 0, kOk));
  EXPECT_EQ(totals.Present(0, kOk), 4u) << "no growth, no change";
  a.Word(0, kOk) += 1;
  totals.Look(a, 0, kOk);
  EXPECT_EQ(totals.Present(0, kOk), 1u);
  EXPECT_EQ(totals.Total(0, kOk), 35u);
}

TEST(Counter, Sysfs11WritingTotalSetsABaseAndTouchesNoProcess) {
  Totals totals;
  Slab slab;
  slab.Word(1, kOk) = 50;
  totals.LookAll(slab);
  totals.ResetTotal(1, kOk);
  EXPECT_EQ(totals.Total(1, kOk), 0u);
  EXPECT_EQ(totals.Present(1, kOk), 50u) << "the other field stays";
  EXPECT_EQ(slab.Word(1, kOk), 50u);
  slab.Word(1, kOk) += 3;
  totals.LookAll(slab);
  EXPECT_EQ(totals.Total(1, kOk), 3u) << "no growth is lost and none is counted twice";
}

TEST(Counter, Sysfs11WritingPresentLeavesTotal) {
  Totals totals;
  Slab slab;
  slab.Word(1, kOk) = 50;
  totals.LookAll(slab);
  totals.ResetPresent(1, kOk);
  EXPECT_EQ(totals.Present(1, kOk), 0u);
  EXPECT_EQ(totals.Total(1, kOk), 50u);
}

TEST(Counter, ResetsAreOfOneCellOnly) {
  Totals totals;
  Slab slab;
  for (u32 nc = 0; nc < 8; nc++)
    for (u32 index = 0; index < NCOUNTER_COUNT; index++) slab.Word(nc, index) = 10;
  totals.LookAll(slab);
  totals.ResetTotal(2, NCOUNTER_TIMEOUT);
  totals.ResetPresent(6, NCOUNTER_FAILURE);
  for (u32 nc = 0; nc < 8; nc++) {
    for (u32 index = 0; index < NCOUNTER_COUNT; index++) {
      u64 all = 10 * ncounter_defs[index].times;
      EXPECT_EQ(totals.Total(nc, index), nc == 2 && index == NCOUNTER_TIMEOUT ? 0 : all);
      EXPECT_EQ(totals.Present(nc, index), nc == 6 && index == NCOUNTER_FAILURE ? 0 : all);
    }
  }
}

TEST(Counter, FlopsAreTwiceTheMultiplyAccumulates) {
  Totals totals;
  Slab slab;
  slab.Word(4, NCOUNTER_FLOP_COUNT) = 21;
  totals.LookAll(slab);
  EXPECT_EQ(totals.Total(4, NCOUNTER_FLOP_COUNT), 42u);
  EXPECT_EQ(totals.Present(4, NCOUNTER_FLOP_COUNT), 42u);
  totals.ResetTotal(4, NCOUNTER_FLOP_COUNT);
  slab.Word(4, NCOUNTER_FLOP_COUNT) += 1;
  totals.LookAll(slab);
  EXPECT_EQ(totals.Total(4, NCOUNTER_FLOP_COUNT), 2u);
}

TEST(Counter, AWordThatFellAddsNothingAndIsTheNewBase) {
  Totals totals;
  Slab slab;
  slab.Word(0, kOk) = 100;
  totals.Look(slab, 0, kOk);
  slab.Word(0, kOk) = 40;
  EXPECT_FALSE(totals.Look(slab, 0, kOk));
  EXPECT_EQ(totals.Total(0, kOk), 100u);
  EXPECT_EQ(totals.Present(0, kOk), 100u);
  EXPECT_EQ(totals.set.odd, 1u);
  slab.Word(0, kOk) = 41;
  EXPECT_TRUE(totals.Look(slab, 0, kOk));
  EXPECT_EQ(totals.Total(0, kOk), 101u);
  EXPECT_EQ(totals.set.odd, 1u);
}

TEST(Counter, K21ALeapAddsNothingAndIsTheNewBase) {
  Totals totals;
  Slab slab;
  slab.Word(0, kOk) = NMETRIC_DELTA_MAX;  // the most that is believed
  EXPECT_TRUE(totals.Look(slab, 0, kOk));
  slab.Word(0, kOk) += NMETRIC_DELTA_MAX + 1;
  EXPECT_FALSE(totals.Look(slab, 0, kOk));
  EXPECT_EQ(totals.Total(0, kOk), NMETRIC_DELTA_MAX);
  EXPECT_EQ(totals.set.odd, 1u);
  slab.Word(0, kOk) += 2;
  EXPECT_TRUE(totals.Look(slab, 0, kOk));
  EXPECT_EQ(totals.Total(0, kOk), NMETRIC_DELTA_MAX + 2);
}

TEST(Counter, K21ATotalNeverWraps) {
  Totals totals;
  Slab slab;
  u64 before = 0;
  for (unsigned i = 0; i < 40; i++) {
    slab.Word(0, NCOUNTER_FLOP_COUNT) += NMETRIC_DELTA_MAX;
    slab.Word(0, kOk) += NMETRIC_DELTA_MAX;
    if (!totals.Look(slab, 0, kOk)) continue;  // the word itself wrapped
    totals.Look(slab, 0, NCOUNTER_FLOP_COUNT);
    EXPECT_GE(totals.Total(0, kOk), before) << i;
    before = totals.Total(0, kOk);
  }
  EXPECT_EQ(before, U64_MAX);
  EXPECT_EQ(totals.Total(0, NCOUNTER_FLOP_COUNT), U64_MAX);
  totals.ResetTotal(0, kOk);
  EXPECT_EQ(totals.Total(0, kOk), 0u);
  slab.Word(0, kOk) = 0;
  totals.Look(slab, 0, kOk);
  slab.Word(0, kOk) = 9;
  totals.Look(slab, 0, kOk);
  EXPECT_EQ(totals.Total(0, kOk), 9u) << "usable again after a reset";
}

TEST(Counter, GarbageInAllWordsIsHarmless) {
  Totals totals;
  Slab slab;
  for (u64 pattern : {~u64{0}, u64{0xDEADBEEFDEADBEEF}, u64{1} << 63, u64{0}}) {
    slab.words().assign(slab.words().size(), pattern);
    EXPECT_EQ(totals.LookAll(slab), 0u) << std::hex << pattern;
  }
  EXPECT_EQ(totals.set.odd, 4u * 8 * NCOUNTER_COUNT);
  for (u32 nc = 0; nc < 8; nc++)
    for (u32 index = 0; index < NCOUNTER_COUNT; index++) EXPECT_EQ(totals.Total(nc, index), 0u);
}

TEST(Counter, CoresAndCountersThatAreNone) {
  for (u32 nc_count : {0u, 2u, 8u}) {
    Totals totals(nc_count);
    Slab slab;
    slab.words().assign(slab.words().size(), 5);
    for (u32 nc : {nc_count, nc_count + 1, 16u, ~0u}) {
      EXPECT_FALSE(totals.Look(slab, nc, kOk));
      totals.ResetTotal(nc, kOk);
      totals.ResetPresent(nc, kOk);
      EXPECT_EQ(totals.Total(nc, kOk), 0u);
      EXPECT_EQ(totals.Present(nc, kOk), 0u);
    }
    for (u32 index : {u32{NCOUNTER_COUNT}, ~0u}) {
      EXPECT_FALSE(totals.Look(slab, 0, index));
      totals.ResetTotal(0, index);
      totals.ResetPresent(0, index);
      EXPECT_EQ(totals.Total(0, index), 0u);
      EXPECT_EQ(totals.Present(0, index), 0u);
    }
    EXPECT_EQ(totals.LookAll(slab), nc_count * NCOUNTER_COUNT);
  }
}

TEST(Counter, MoreCoresThanADeviceHasAreNotFollowed) {
  EXPECT_EQ(Totals(9).set.nc_count, unsigned{ND_MAX_NC_PER_DEVICE});
  EXPECT_EQ(Totals(~0U).set.nc_count, unsigned{ND_MAX_NC_PER_DEVICE});
}

}  // namespace
}  // namespace ndtel::test
