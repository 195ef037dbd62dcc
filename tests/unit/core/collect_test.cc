// SPDX-License-Identifier: Apache-2.0
//
// Gathering: what words, deaths and the device's own events add to the books.

#include "plane.hpp"

namespace ndtel::test {
namespace {

constexpr unsigned kOk = 6;          // row of NC_INFER_COMPLETED
constexpr unsigned kTimeInUse = 33;  // row of NC_TIME_IN_USE

void Collect(Plane& plane, Slab& slab) { nmetric_collect(&plane.engine, &slab.books); }

TEST(Collect, EveryFollowedWordOfEveryCoreFeedsItsRow) {
  Plane plane(8);
  Slab& slab = plane.Birth();
  std::map<unsigned, u64> want;
  u64 amount = 1;
  for (u32 nc = 0; nc < 8; nc++) {
    for (u32 counter = 0; counter < NDS_NC_COUNTER_COUNT; counter++) {
      slab.Nc(nc, counter) =
          amount;  // each word its own amount, so that none can stand for another
      for (unsigned row = 0; row < NMETRIC_ROWS; row++) {
        const nmetric_def& def = nmetric_defs[row];
        bool counts = def.type == NMETRIC_COUNTER || def.type == NMETRIC_UTILIZATION;
        if (counts && def.ds_id == counter) want[row] += amount;
      }
      amount = amount * 3 % 1'000'003 + 1;
    }
  }
  Collect(plane, slab);
  ASSERT_EQ(want.size(), 27u);
  for (unsigned row = 0; row < NMETRIC_ROWS; row++) {
    EXPECT_EQ(plane.engine.incremented[row], want.count(row) ? want[row] : 0) << "row " << row;
    for (nmetric_sink sink : {NMETRIC_SINK_FWIO, NMETRIC_SINK_TRACE})
      EXPECT_EQ(plane.Outstanding(row, sink), plane.engine.incremented[row]);
  }
  Collect(plane, slab);
  for (auto [row, sum] : want)
    EXPECT_EQ(plane.engine.incremented[row], sum) << "second look, row " << row;
}

TEST(Collect, OnlyEnabledCores) {
  for (u32 map : {0x01U, 0x0FU, 0x10U, 0x55U, 0xF0U, 0xFEU, 0xFFU, 0x00U}) {
    Plane plane(8, map);
    Slab& slab = plane.Birth();
    u64 want = 0;
    for (u32 nc = 0; nc < 8; nc++) {
      slab.Nc(nc, NDS_NC_COUNTER_INFER_COMPLETED) = u64{1} << nc;
      slab.Nc(nc, NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT) = u64{1} << nc;
      if (map & (1U << nc)) want += u64{1} << nc;
    }
    Collect(plane, slab);
    EXPECT_EQ(plane.engine.incremented[kOk], want) << "map " << map;
    EXPECT_EQ(plane.engine.incremented[27], want) << "map " << map;
  }
}

TEST(Collect, CoresTheDeviceDoesNotHaveAreLeftOut) {
  Plane plane(2, ~0U);
  Slab& slab = plane.Birth();
  for (u32 nc = 0; nc < 16; nc++) slab.Nc(nc, NDS_NC_COUNTER_INFER_COMPLETED) = 1;
  Collect(plane, slab);
  EXPECT_EQ(plane.engine.incremented[kOk], 2u);
}

TEST(Collect, AWordThatGoesDownAddsNothingAndIsRebased) {
  Plane plane;
  Slab& slab = plane.Birth();
  u64& word = slab.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED);
  word = 100;
  Collect(plane, slab);
  word = 40;
  Collect(plane, slab);
  EXPECT_EQ(plane.engine.incremented[kOk], 100u);
  EXPECT_EQ(plane.engine.words_down, 1u);
  word = 45;
  Collect(plane, slab);
  EXPECT_EQ(plane.engine.incremented[kOk], 105u);
  EXPECT_EQ(plane.engine.words_down, 1u);
  plane.ExpectBooksBalance();
}

TEST(Collect, AWordThatWrapsIsAWordThatWentDown) {
  Plane plane;
  Slab& slab = plane.Birth();
  u64& word = slab.Nc(1, NDS_NC_COUNTER_OOB);
  word = U64_MAX;
  Collect(plane, slab);
  word = 3;
  Collect(plane, slab);
  EXPECT_EQ(plane.engine.words_down, 1u);
  EXPECT_EQ(plane.Outstanding(24), 0u);
  plane.ExpectBooksBalance();
}

TEST(Collect, K21AnImplausibleJumpIsBookedButNeverPosted) {
  Plane plane;
  Slab& slab = plane.Birth();
  u64& word = slab.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED);
  word = NMETRIC_DELTA_MAX;
  Collect(plane, slab);
  EXPECT_EQ(plane.Outstanding(kOk), NMETRIC_DELTA_MAX) << "the limit itself still counts";
  word += NMETRIC_DELTA_MAX + 1;
  Collect(plane, slab);
  EXPECT_EQ(plane.Outstanding(kOk), NMETRIC_DELTA_MAX);
  for (const nmetric_sink_books& books : plane.engine.sink)
    EXPECT_EQ(books.discarded[NMETRIC_DISCARD_IMPLAUSIBLE][kOk], NMETRIC_DELTA_MAX + 1);
  word += 5;
  Collect(plane, slab);
  EXPECT_EQ(plane.Outstanding(kOk), NMETRIC_DELTA_MAX + 5) << "re-based: small growth counts again";
  plane.ExpectBooksBalance();
}

TEST(Collect, K21PendingSaturatesAndTheExcessIsBooked) {
  Plane plane(8);
  std::vector<Slab*> slabs;
  for (int i = 0; i < 3; i++) slabs.push_back(&plane.Birth());
  for (Slab* slab : slabs)
    for (u32 nc = 0; nc < 8; nc++) slab->Nc(nc, NDS_NC_COUNTER_INFER_COMPLETED) = NMETRIC_DELTA_MAX;
  std::vector<nmetric_slab*> live = plane.Live();
  nmetric_collect_all(&plane.engine, live.data(), live.size());  // 3 * 2^63
  EXPECT_EQ(plane.engine.incremented[kOk], u64{1} << 63) << "modulo 2^64";
  for (const nmetric_sink_books& books : plane.engine.sink) {
    EXPECT_EQ(books.pending.amount[kOk], U64_MAX);
    EXPECT_EQ(books.discarded[NMETRIC_DISCARD_OVERFLOW][kOk], (u64{1} << 63) + 1);
  }
  plane.ExpectBooksBalance();
}

TEST(Collect, K21WhatIsInFlightLeavesRoomToComeBack) {
  Plane plane(8);
  Slab& slab = plane.Birth();
  for (u32 nc = 0; nc < 8; nc++) slab.Nc(nc, NDS_NC_COUNTER_INFER_COMPLETED) = NMETRIC_DELTA_MAX;
  EXPECT_EQ(Text(plane.Begin(NMETRIC_TICK_0), 200), std::to_string(u64{1} << 63));
  for (int i = 0; i < 2; i++) {
    for (u32 nc = 0; nc < 8; nc++) slab.Nc(nc, NDS_NC_COUNTER_INFER_COMPLETED) += NMETRIC_DELTA_MAX;
    Collect(plane, slab);
  }
  plane.ExpectBooksBalance();
  nmetric_end(&plane.engine, NMETRIC_SINK_TRACE, NMETRIC_REFUSED);
  EXPECT_EQ(plane.engine.sink[NMETRIC_SINK_TRACE].pending.amount[kOk], U64_MAX);
  plane.ExpectBooksBalance();
}

TEST(Collect, LookingAtManySlabsIsLookingAtEach) {
  Plane one(8), many(8);
  std::vector<nmetric_slab*> live;
  for (u64 i = 1; i <= 16; i++) {
    for (Plane* plane : {&one, &many}) {
      Slab& slab = plane->Birth();
      for (u32 nc = 0; nc < 8; nc++)
        for (u32 counter = 0; counter < 41; counter++)
          slab.Nc(nc, counter) = i * 1000 + nc * 50 + counter;
      slab.Nd(NDS_ND_COUNTER_DEVICE_CLUSTER_ID) = i;
    }
  }
  for (nmetric_slab* slab : one.Live()) nmetric_collect(&one.engine, slab);
  live = many.Live();
  nmetric_collect_all(&many.engine, live.data(), live.size());
  for (unsigned row = 0; row < NMETRIC_ROWS; row++)
    EXPECT_EQ(one.engine.incremented[row], many.engine.incremented[row]) << "row " << row;
  EXPECT_EQ(one.engine.stamp, many.engine.stamp);
}

// The reference keeps one baseline per device: a slab that vanishes uncaptured takes its past from
// everybody.
TEST(Collect, K6ASlabThatVanishesTakesNothingFromOthers) {
  Plane plane;
  Slab& p = plane.Birth();
  Slab& q = plane.Birth();
  p.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED) = 1000;
  q.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED) = 10;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "1010");
  plane.Drop(p);
  q.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED) = 60;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "50");
}

TEST(Collect, K20WordsWrittenAfterTheReleaseAreCollectedOnceMore) {
  Plane plane;
  Slab late;
  late.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED) = 7;
  nmetric_slab_gone(&plane.engine, &late.books);
  late.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED) = 9;
  nmetric_collect(&plane.engine, &late.books);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "9");
}

TEST(Collect, ABI9AReusedPlaceStartsFromZero) {
  Plane plane;
  Slab& first = plane.Birth();
  first.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED) = 7;
  plane.Death(first);
  Slab& second = plane.Birth();
  second.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED) = 2;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "9");
  plane.Death(second);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "-");
}

TEST(Collect, AddIgnoresRowsThatDoNotCount) {
  Plane plane;
  for (unsigned row = 0; row < NMETRIC_ROWS + 5; row++) nmetric_add(&plane.engine, row, 3);
  for (unsigned row = 0; row < NMETRIC_ROWS; row++) {
    int type = nmetric_defs[row].type;
    bool counts = type == NMETRIC_COUNTER || type == NMETRIC_FW_IO_ERR ||
                  type == NMETRIC_UTILIZATION || type == NMETRIC_ECC ||
                  (type == NMETRIC_DRIVER_RESET && nmetric_defs[row].index >= 4);
    EXPECT_EQ(plane.Outstanding(row), counts ? 3u : 0u) << "row " << row;
  }
  plane.ExpectBooksBalance();
}

TEST(Collect, ConstantsRememberWhenTheyChanged) {
  Plane plane;
  Slab& slab = plane.Birth();
  slab.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 5;
  Collect(plane, slab);
  u64 stamp = slab.books.stamp[1];
  EXPECT_GT(stamp, 0u);
  Collect(plane, slab);
  EXPECT_EQ(slab.books.stamp[1], stamp) << "unchanged";
  EXPECT_EQ(slab.books.stamp[0], 0u) << "never set";
  slab.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 0;
  Collect(plane, slab);
  EXPECT_EQ(slab.books.constant[1], 0u) << "the model was unloaded";
}

TEST(Collect, ASlabWithoutVersionLeavesNoneBehind) {
  Plane plane;
  plane.Death(plane.Birth());
  for (const nmetric_sink_books& books : plane.engine.sink)
    for (const nmetric_history& history : books.pending.dead)
      EXPECT_EQ(nmetric_history_top(&history), -1);
}

TEST(Collect, FeatureBitsOfSeveralDeadAreOred) {
  Plane plane;
  for (u64 bits : {u64{1}, u64{4}, u64{0}}) {
    Slab& slab = plane.Birth();
    slab.Nd(NDS_ND_COUNTER_FEATURE_BITMAP) = bits;
    plane.Death(slab);
  }
  EXPECT_EQ(plane.engine.sink[NMETRIC_SINK_FWIO].pending.dead_bits, 5u);
}

TEST(Collect, MoreCoresThanSupportedAreCut) {
  Plane plane(64, ~0U);
  EXPECT_EQ(plane.engine.nc_count, unsigned{ND_MAX_NC_PER_DEVICE});
  EXPECT_EQ(plane.engine.nc_map, 0xFFu);
}

TEST(Collect, RemovalBooksWhatNobodyWillGet) {
  Plane plane;
  Slab& slab = plane.Birth();
  slab.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED) = 11;
  plane.Begin(NMETRIC_TICK_0);
  slab.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED) += 4;
  slab.Nc(0, NDS_NC_COUNTER_TIME_IN_USE) = 50;
  slab.Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = Version(1, 2, 3);
  plane.Death(slab);
  nmetric_discard_pending(&plane.engine, NMETRIC_DISCARD_REMOVED);
  for (nmetric_sink sink : {NMETRIC_SINK_FWIO, NMETRIC_SINK_TRACE}) {
    const nmetric_sink_books& books = plane.engine.sink[sink];
    EXPECT_EQ(books.discarded[NMETRIC_DISCARD_REMOVED][kOk], 15u);
    EXPECT_EQ(books.discarded[NMETRIC_DISCARD_REMOVED][kTimeInUse], 50u);
    EXPECT_EQ(plane.Outstanding(kOk, sink), 0u);
    EXPECT_EQ(nmetric_history_top(&books.pending.dead[0]), -1);
    EXPECT_FALSE(books.busy);
  }
  nmetric_end(&plane.engine, NMETRIC_SINK_TRACE, NMETRIC_ACCEPTED);
  EXPECT_EQ(plane.engine.sink[NMETRIC_SINK_TRACE].confirmed[kOk], 0u) << "given up before it ended";
  plane.ExpectBooksBalance();
}

}  // namespace
}  // namespace ndtel::test
