// SPDX-License-Identifier: Apache-2.0
//
// Posts of our engine: what each type posts, when, in which words, and what becomes of it
// afterwards.

#include "plane.hpp"

namespace ndtel::test {
namespace {

constexpr nmetric_sink kTrace = NMETRIC_SINK_TRACE;
constexpr nmetric_sink kFwio = NMETRIC_SINK_FWIO;

u64& Completed(Slab& slab) { return slab.Nc(0, NDS_NC_COUNTER_INFER_COMPLETED); }
u64& TimeInUse(Slab& slab, u32 nc = 0) { return slab.Nc(nc, NDS_NC_COUNTER_TIME_IN_USE); }

unsigned Row(nmetric_type type, u8 index) {
  return static_cast<unsigned>(nmetric_row_of(type, index));
}

// Fills the post of TICK_0 to 126 of 128 bytes, so that no further record fits.
void FillConstants(Plane& plane) {
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, std::string(61, 'i').c_str());
  nmetric_set_constant(&plane.engine, NMETRIC_DRIVER_VERSION, std::string(61, 'd').c_str());
}

TEST(Pack, TheExampleStreamOf51Bytes) {
  Plane plane(2);
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, "i-0123456789abcdef0");
  nmetric_set_constant(&plane.engine, NMETRIC_DRIVER_VERSION, "2.27.4.0");
  nmetric_set_constant(&plane.engine, NMETRIC_PROFILE_ID, "0");
  Slab& slab = plane.Birth();
  slab.Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = Version(2, 31, 24);
  Completed(slab) = 25;
  TimeInUse(slab, 0) = TimeInUse(slab, 1) = kPeriod * 1000 / 100 * 37;
  plane.now = kPeriod;
  plane.Post(NMETRIC_TICK_0);
  const char hex[] =
      "0c13692d30313233343536373839616263646566300d08322e32372e342e30380130b407322e33312e3234c80232"
      "355a023337";
  std::string have;
  for (u8 byte : plane.raw) {
    char text[3];
    std::snprintf(text, sizeof(text), "%02x", byte);
    have += text;
  }
  EXPECT_EQ(plane.raw.size(), 51u);
  EXPECT_EQ(have, hex);
}

TEST(Pack, TheWorkedExamplePosts100Then25ThenNothingThen4) {
  Plane plane;
  Slab& a = plane.Birth();
  Completed(a) = 100;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "100");
  Slab& b = plane.Birth();
  Completed(a) = 120;
  plane.Death(a);
  Completed(b) = 5;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "25");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "-");
  Completed(b) = 9;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "4");
  plane.ExpectBooksBalance();
}

TEST(Pack, WireOrderOfTick0) {
  Plane plane;
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, "i");
  nmetric_set_constant(&plane.engine, NMETRIC_DRIVER_VERSION, "1");
  nmetric_set_constant(&plane.engine, NMETRIC_PROFILE_ID, "0");
  nmetric_userver pod = {.modes_supported = 1 << 4, .mode = 0};
  nmetric_set_userver(&plane.engine, &pod);
  for (unsigned build : {1u, 1u, 2u})
    plane.Birth().Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = Version(0, 0, build);
  for (unsigned row = 0; row < NMETRIC_ROWS; row++)
    if (nmetric_defs[row].tick == NMETRIC_TICK_0) nmetric_add(&plane.engine, row, 1);
  plane.now = kPeriod;
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_0)),
            (std::vector<int>{12,  13,  56,  180, 181, 200, 201, 205, 212, 215, 216, 217, 206, 218,
                              214, 213, 219, 204, 208, 207, 202, 209, 11,  220, 90,  57,  58}));
}

TEST(Pack, WireOrderOfTick1) {
  Plane plane;
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, "i");
  nmetric_set_constant(&plane.engine, NMETRIC_DRIVER_VERSION, "1");
  nmetric_set_constant(&plane.engine, NMETRIC_PROFILE_ID, "0");
  Slab& slab = plane.Birth();
  slab.Nd(NDS_ND_COUNTER_FRAMEWORK_VERSION) = Version(1, 0, 0, 1);
  slab.Nd(NDS_ND_COUNTER_FEATURE_BITMAP) = 1;
  slab.Nd(NDS_ND_COUNTER_DYNAMIC_SYSFS_METRIC_BITMAP) = 1;
  slab.Nd(NDS_ND_COUNTER_DEVICE_CLUSTER_ID) = 1;
  slab.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 1;
  for (unsigned row = 0; row < NMETRIC_ROWS; row++)
    if (nmetric_defs[row].tick == NMETRIC_TICK_1) nmetric_add(&plane.engine, row, 1);
  for (bool whole : {true, false}) nmetric_reset_done(&plane.engine, whole, 1);
  plane.now = kPeriod;
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_1)),
            (std::vector<int>{12, 13,  190, 191, 221, 223, 224, 253, 225, 226, 227, 228,
                              90, 222, 229, 250, 252, 80,  50,  51,  52,  53,  54,  55}));
}

TEST(Pack, ACounterIsPostedOnItsOwnTickOnly) {
  Plane plane;
  Slab& slab = plane.Birth();
  Completed(slab) = 1;
  slab.Nc(0, NDS_EXT_NC_COUNTER_HW_ERR_COLLECTIVES) = 2;
  Records tick1 = plane.Post(NMETRIC_TICK_1);
  EXPECT_EQ(Text(tick1, 200), "-");
  EXPECT_EQ(Text(tick1, 221), "2");
  Records tick0 = plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Text(tick0, 200), "1");
  EXPECT_EQ(Text(tick0, 221), "-");
}

TEST(Pack, TickAlwaysTakesEveryRow) {
  Plane plane;
  Slab& slab = plane.Birth();
  Completed(slab) = 1;
  slab.Nc(0, NDS_EXT_NC_COUNTER_HW_ERR_COLLECTIVES) = 2;
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_ALWAYS)), (std::vector<int>{200, 221}));
}

TEST(Pack, ADeathBetweenBandsIsPostedOnceInItsOwnBand) {
  Plane plane;
  Slab& slab = plane.Birth();
  Completed(slab) = 30;
  slab.Nc(0, NDS_EXT_NC_COUNTER_HW_ERR_NC_UE) = 2;
  plane.Death(slab);
  Records first = plane.Post(NMETRIC_TICK_1);
  EXPECT_EQ(Text(first, 200), "-");
  EXPECT_EQ(Text(first, 223), "2");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "30");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 223), "-");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "-");
}

// Constants.

TEST(Pack, ConstantsAreCutAt63BytesAndUnknownOnesLeftOut) {
  Plane plane;
  EXPECT_EQ(plane.Post(NMETRIC_TICK_0).size(), 0u);
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, std::string(80, 'x').c_str());
  Records records = plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Ids(records), std::vector<int>{12});
  EXPECT_EQ(Text(records, 12), std::string(63, 'x'));
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, "");
  EXPECT_EQ(plane.Post(NMETRIC_TICK_0).size(), 0u);
}

TEST(Pack, K14ProfileTextIsOfOneDevice) {
  Plane one, two;
  nmetric_set_constant(&one.engine, NMETRIC_PROFILE_ID, "3");
  nmetric_set_constant(&two.engine, NMETRIC_PROFILE_ID, "4");
  EXPECT_EQ(Text(one.Post(NMETRIC_TICK_0), 56), "3");
  EXPECT_EQ(Text(two.Post(NMETRIC_TICK_0), 56), "4");
  EXPECT_EQ(Text(one.Post(NMETRIC_TICK_1), 56), "-");
}

// Versions.

TEST(Pack, TwoMostUsedVersionsLiveAndDead) {
  Plane plane;
  u64 v1 = Version(1, 0, 0), v2 = Version(2, 0, 0), v3 = Version(3, 0, 0);
  plane.Birth().Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = v3;
  for (int i = 0; i < 3; i++) plane.Birth().Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = v1;
  plane.Birth().Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = v2;
  Slab& dead = plane.Birth();
  dead.Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = v2;
  plane.Death(dead);
  Records records = plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Text(records, 180), "1.0.0");
  EXPECT_EQ(Text(records, 181), "2.0.0");
  records = plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Text(records, 181), "3.0.0")
      << "the dead one counted once; now a tie, lower slot first";
}

TEST(Pack, VersionTieGoesToTheLowerSlot) {
  Plane plane;
  for (unsigned major : {7u, 5u, 6u})
    plane.Birth().Nd(NDS_ND_COUNTER_FAL_VERSION) = Version(major, 0, 0);
  Records records = plane.Post(NMETRIC_TICK_1);
  EXPECT_EQ(Text(records, 195), "7.0.0");
  EXPECT_EQ(Text(records, 196), "5.0.0");
}

TEST(Pack, FrameworkTypes) {
  const struct {
    u64 word;
    std::vector<std::pair<int, std::string>> want;
  } cases[] = {
      {Version(0, 0, 0, 1), {{191, "1"}}},
      {Version(2, 1, 9, 17), {{190, "2.1.9"}, {191, "7"}}},
      {Version(2, 1, 9, 20), {{190, "2.1.9"}}},
      {Version(2, 1, 9, 0), {{190, "2.1.9"}}},
      {Version(0, 0, 0, 10), {}},
      {0, {}},
  };
  for (const auto& each : cases) {
    Plane plane;
    plane.Birth().Nd(NDS_ND_COUNTER_FRAMEWORK_VERSION) = each.word;
    EXPECT_EQ(plane.Post(NMETRIC_TICK_1), each.want) << std::hex << each.word;
    EXPECT_EQ(plane.Post(NMETRIC_TICK_0), Records{});
  }
}

TEST(Pack, FrameworkVersionsStepByTwoIds) {
  Plane plane;
  for (int i = 0; i < 2; i++)
    plane.Birth().Nd(NDS_ND_COUNTER_FRAMEWORK_VERSION) = Version(1, 0, 0, 2);
  plane.Birth().Nd(NDS_ND_COUNTER_FRAMEWORK_VERSION) = Version(9, 0, 0, 3);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1),
            (Records{{190, "1.0.0"}, {191, "2"}, {192, "9.0.0"}, {193, "3"}}));
}

TEST(Pack, RuntimeVersionHasNoType) {
  Plane plane;
  plane.Birth().Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = Version(1, 0, 0, 5);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_0), (Records{{180, "1.0.0"}}));
}

TEST(Pack, VersionBuildIsUnsigned) {
  Plane plane;
  plane.Birth().Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = Version(1, 2, 0xFFFFFFFF);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 180), "1.2.4294967295");
}

TEST(Pack, DeadVersionsComeBackWhenThePostIsRefused) {
  Plane plane;
  Slab& dead = plane.Birth();
  dead.Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = Version(1, 0, 0);
  plane.Death(dead);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0, NMETRIC_REFUSED), 180), "1.0.0");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0, NMETRIC_UNKNOWN), 180), "1.0.0");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 180), "1.0.0");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 180), "-");
}

// The reference gives its second version the room the first had, and runs over the buffer.
TEST(Pack, K2TwoLongVersionsNeverPass128Bytes) {
  for (std::size_t id_len = 0; id_len <= 63; id_len++) {
    for (std::size_t driver_len = 40; driver_len <= 63; driver_len++) {
      Plane plane;
      nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, std::string(id_len, 'i').c_str());
      nmetric_set_constant(&plane.engine, NMETRIC_DRIVER_VERSION,
                           std::string(driver_len, 'd').c_str());
      for (unsigned i = 0; i < 3; i++)
        plane.Birth().Nd(NDS_ND_COUNTER_FRAMEWORK_VERSION) = Version(255, 255, 4294967290U + i, 9);
      plane.Post(NMETRIC_TICK_1);
      ASSERT_LE(plane.raw.size(), 128u);
    }
  }
}

TEST(Pack, WhenOnlyTheFirstVersionFitsTheRowComesFirstNextTime) {
  Plane plane;
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, std::string(63, 'i').c_str());
  nmetric_set_constant(&plane.engine, NMETRIC_DRIVER_VERSION, std::string(40, 'd').c_str());
  Slab& dead = plane.Birth();
  dead.Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = Version(255, 255, 4294967295U);
  plane.Death(dead);
  plane.Birth().Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = Version(255, 255, 4294967294U);
  Records records = plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Ids(records), (std::vector<int>{12, 13, 180}));
  records = plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(records[0].first, 180);
  EXPECT_EQ(Text(records, 180), "255.255.4294967295")
      << "the dead one is kept until both are posted";
  EXPECT_EQ(Text(records, 181), "255.255.4294967294");
  records = plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Text(records, 180), "255.255.4294967294");
}

// A version whose type does not fit is not posted without it.
TEST(Pack, AVersionAndItsTypeStayTogether) {
  Plane plane;
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, std::string(63, 'i').c_str());
  nmetric_set_constant(&plane.engine, NMETRIC_DRIVER_VERSION, std::string(52, 'd').c_str());
  plane.Birth().Nd(NDS_ND_COUNTER_FRAMEWORK_VERSION) =
      Version(1, 0, 0, 4);  // 7 bytes and 3, 9 left
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_1)), (std::vector<int>{12, 13}));
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_1))[0], 190);
}

// Feature bitmap.

TEST(Pack, FeatureBitsOfLiveAndDead) {
  Plane plane;
  plane.Birth().Nd(NDS_ND_COUNTER_FEATURE_BITMAP) = 1;
  plane.Birth().Nd(NDS_ND_COUNTER_FEATURE_BITMAP) = 4;
  Slab& dead = plane.Birth();
  dead.Nd(NDS_ND_COUNTER_FEATURE_BITMAP) = 8;
  plane.Death(dead);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 250), "13");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 250), "5");
}

TEST(Pack, K8FeatureBitsOfTheDeadWaitForTheirTick) {
  Plane plane;
  Slab& dead = plane.Birth();
  dead.Nd(NDS_ND_COUNTER_FEATURE_BITMAP) = 2;
  plane.Death(dead);
  plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1, NMETRIC_REFUSED), 250), "2");
  plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 250), "2");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 250), "-");
}

TEST(Pack, K9NoRecordUnderIdZero) {
  Plane plane;
  Slab& slab = plane.Birth();
  slab.Nd(NDS_ND_COUNTER_FEATURE_BITMAP) = 3;
  slab.Nd(NDS_ND_COUNTER_DYNAMIC_SYSFS_METRIC_BITMAP) = 5;
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), (Records{{250, "3"}}));
}

// Constants of processes.

TEST(Pack, ClusterIdIsDecimalAndNeffIdLowerCaseHex) {
  Plane plane;
  Slab& slab = plane.Birth();
  slab.Nd(NDS_ND_COUNTER_DEVICE_CLUSTER_ID) = 0xABCDEF;
  slab.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 0xABCDEF;
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), (Records{{252, "11259375"}, {80, "abcdef"}}));
}

TEST(Pack, K18ZeroMasksNothing) {
  Plane plane;
  plane.Birth().Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 7;
  plane.Birth();  // the last slab has none
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 80), "7");
  plane.Death(plane.Birth());
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 80), "7");
  EXPECT_EQ(plane.engine.const_conflicts, 0u);
}

TEST(Pack, K18ADyingZeroDoesNotEraseACapturedValue) {
  Plane plane;
  Slab& first = plane.Birth();
  Slab& second = plane.Birth();
  first.Nd(NDS_ND_COUNTER_DEVICE_CLUSTER_ID) = 42;
  plane.Death(first);
  plane.Death(second);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1, NMETRIC_REFUSED), 252), "42");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 252), "42");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 252), "-");
}

TEST(Pack, K18TheNewestOfConflictingValuesWins) {
  Plane plane;
  Slab& first = plane.Birth();
  Slab& second = plane.Birth();
  first.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 0x11;
  second.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 0x22;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 80), "22");
  EXPECT_EQ(plane.engine.const_conflicts, 1u);
  first.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 0x33;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 80), "33");
  EXPECT_EQ(plane.engine.const_conflicts, 2u);
  first.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 0x22;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 80), "22");
  EXPECT_EQ(plane.engine.const_conflicts, 2u) << "equal values are no conflict";
}

TEST(Pack, ALiveValueWinsOverADeadOneAndAnUnloadedModelIsNotPosted) {
  Plane plane;
  Slab& live = plane.Birth();
  Slab& dead = plane.Birth();
  live.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 1;
  dead.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 2;
  plane.Death(dead);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 80), "1");
  live.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 0;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 80), "-");
}

TEST(Pack, TheNewestDeadValueIsKept) {
  Plane plane;
  Slab& older = plane.Birth();
  Slab& newer = plane.Birth();
  older.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 1;
  plane.Post(NMETRIC_TICK_0);
  newer.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = 2;
  plane.Death(newer);
  plane.Death(older);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 80), "2") << "by when it was set, not by when it died";
}

// FW-IO errors and the row whose place they took.

TEST(Pack, K1FwIoErrorsArePostedUnderTheirOwnIdAsDifferences) {
  Plane plane;
  const unsigned row = Row(NMETRIC_FW_IO_ERR, 17);
  plane.Birth().Nc(0, NDS_NC_COUNTER_ERR_GENERIC) = 4;
  nmetric_add(&plane.engine, row, 3);
  Records records = plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Text(records, 11), "3");
  EXPECT_EQ(Text(records, 219), "4") << "live errors are not displaced";
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 11), "-");
  nmetric_add(&plane.engine, row, 2);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 11), "2") << "rebased, not the lifetime total";
}

// Resets.

TEST(Pack, K4ResetTimesAndFailuresOfThePeriod) {
  Plane plane;
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), Records{}) << "no reset, no record";
  for (u64 ms : {100, 300, 101}) nmetric_reset_done(&plane.engine, true, ms);
  nmetric_reset_done(&plane.engine, false, 7);
  nmetric_reset_failed(&plane.engine, true);
  nmetric_reset_failed(&plane.engine, true);
  nmetric_reset_failed(&plane.engine, false);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_0), Records{});
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1),
            (Records{{50, "300"}, {51, "7"}, {52, "167"}, {53, "7"}, {54, "2"}, {55, "1"}}));
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), Records{}) << "a new period";
  nmetric_reset_done(&plane.engine, true, 5);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), (Records{{50, "5"}, {52, "5"}})) << "no lifetime maximum";
}

TEST(Pack, K5TimeAndCountOfResetsStayTogether) {
  Plane plane;
  nmetric_reset_done(&plane.engine, true, 100);
  EXPECT_EQ(plane.Begin(NMETRIC_TICK_1), (Records{{50, "100"}, {52, "100"}}));
  nmetric_reset_done(&plane.engine, true, 200);  // while the post is in flight
  nmetric_end(&plane.engine, kTrace, NMETRIC_REFUSED);
  EXPECT_EQ(plane.Begin(NMETRIC_TICK_1), (Records{{50, "200"}, {52, "150"}}));
  nmetric_reset_done(&plane.engine, true, 10);
  nmetric_end(&plane.engine, kTrace, NMETRIC_ACCEPTED);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), (Records{{50, "10"}, {52, "10"}}));
}

TEST(Pack, AResetTimeOfZeroIsNoMeasurement) {
  Plane plane;
  nmetric_reset_done(&plane.engine, true, 0);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), Records{});
}

// ECC.

TEST(Pack, K17EccFirstReadingIsTheBase) {
  Plane plane;
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), Records{}) << "nothing was read";
  nmetric_ecc_reading(&plane.engine, false, 5, false);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), (Records{{222, "0"}}));
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), Records{}) << "not read again";
  nmetric_ecc_reading(&plane.engine, false, 8, false);
  nmetric_ecc_reading(&plane.engine, true, 1, false);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), (Records{{222, "3"}, {229, "0"}}));
}

TEST(Pack, K17EccTransientLowReadingChangesNothing) {
  Plane plane;
  nmetric_ecc_reading(&plane.engine, true, 5, false);
  plane.Post(NMETRIC_TICK_1);
  nmetric_ecc_reading(&plane.engine, true, 0, false);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_1), Records{});
  nmetric_ecc_reading(&plane.engine, true, 5, false);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 229), "0") << "not the lifetime tally again";
  nmetric_ecc_reading(&plane.engine, true, 6, false);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 229), "1");
}

TEST(Pack, K17EccCountsFromZeroAfterAReset) {
  Plane plane;
  nmetric_ecc_reading(&plane.engine, false, 50, false);
  nmetric_ecc_reading(&plane.engine, false, 2, true);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 222), "2");
  nmetric_ecc_reading(&plane.engine, false, 3, false);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 222), "1");
  plane.ExpectBooksBalance();
}

TEST(Pack, EccZeroOfARefusedPostIsStillAFact) {
  Plane plane;
  nmetric_ecc_reading(&plane.engine, false, 50, false);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1, NMETRIC_REFUSED), 222), "0");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 222), "0");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 222), "-");
}

// Ultraserver.

TEST(Pack, UltraserverModesOnlyInAPod) {
  Plane plane;
  EXPECT_EQ(plane.Post(NMETRIC_TICK_0), Records{});
  const struct {
    u32 supported, mode;
    const char *want57, *want58;
  } cases[] = {{1 << 4, 0, "4", "0"},
               {1 << 1 | 1 << 4, 1, "1", "1"},
               {1 << 3 | 1 << 2, 3, "2", "3"},
               {0, 0, "0", "0"},
               {1 << 0 | 1 << 5, 4, "0", "4"}};
  for (const auto& each : cases) {
    nmetric_userver pod = {.modes_supported = each.supported, .mode = each.mode};
    nmetric_set_userver(&plane.engine, &pod);
    EXPECT_EQ(plane.Post(NMETRIC_TICK_0), (Records{{57, each.want57}, {58, each.want58}}));
    EXPECT_EQ(plane.Post(NMETRIC_TICK_1), Records{});
  }
  nmetric_set_userver(&plane.engine, nullptr);
  EXPECT_EQ(plane.Post(NMETRIC_TICK_0), Records{});
}

// Utilisation.

TEST(Pack, UtilizationZeroIsPosted) {
  Plane plane;
  plane.now = kPeriod;
  EXPECT_EQ(plane.Post(NMETRIC_TICK_0), (Records{{90, "0"}}));
}

TEST(Pack, K10UtilizationDividesByEnabledCores) {
  Plane plane(8, 0x3);
  Slab& slab = plane.Birth();
  TimeInUse(slab, 0) = TimeInUse(slab, 1) = kPeriod * 1000 / 2;
  TimeInUse(slab, 2) = kPeriod * 1000;  // not enabled
  plane.now = kPeriod;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 90), "50");
}

TEST(Pack, K10UtilizationIsClamped) {
  Plane plane(1);
  TimeInUse(plane.Birth()) = kPeriod * 1000 * 3;
  plane.now = kPeriod;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 90), "100");
}

TEST(Pack, K10UtilizationGuards) {
  Plane none(2, 0);
  none.now = kPeriod;
  EXPECT_EQ(none.Post(NMETRIC_TICK_0), Records{}) << "no core enabled";
  Plane plane(8);
  for (u32 nc = 0; nc < 8; nc++) TimeInUse(plane.Birth(), nc) = NMETRIC_DELTA_MAX;
  for (u32 nc = 0; nc < 8; nc++) TimeInUse(plane.Birth(), nc) = NMETRIC_DELTA_MAX;
  EXPECT_EQ(plane.Post(NMETRIC_TICK_0), Records{}) << "no time has passed";
  EXPECT_EQ(plane.Outstanding(33), U64_MAX);
  plane.now = NMETRIC_WINDOW_MIN_NS;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 90), "100") << "2^64 - 1 ps in 10 ms";
}

TEST(Pack, K10LargeWindowsDoNotOverflow) {
  Plane plane(1);
  Slab& slab = plane.Birth();
  TimeInUse(slab) = NMETRIC_DELTA_MAX;  // 13.3 days
  plane.now = NMETRIC_DELTA_MAX / 1000 * 4;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 90), "25");
}

TEST(Pack, K10FirstWindowStartsWithTheEngine) {
  Plane plane(1);
  nmetric_init(&plane.engine, 1, 1, 1000 * kPeriod);
  TimeInUse(plane.Birth()) = kPeriod * 1000;
  plane.now = 1001 * kPeriod;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 90), "100");
}

TEST(Pack, K10EachRecordHasItsOwnWindow) {
  Plane plane(1);
  Slab& slab = plane.Birth();
  plane.now = 10 * kPeriod;
  TimeInUse(slab) = 5 * kPeriod * 1000;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 90), "50");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 90), "-")
      << "a flush: no time has passed since the first";
  plane.now += NMETRIC_WINDOW_MIN_NS - 1;
  TimeInUse(slab) += 1;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1), 90), "-") << "too short to say anything";
  EXPECT_EQ(plane.Outstanding(33), 1u) << "what was counted waits for the next record";
  plane.now = 11 * kPeriod;
  TimeInUse(slab) += kPeriod * 1000 - 1;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 90), "100");
}

TEST(Pack, TheUtilizationWindowGoesOnUntilAPostIsAccepted) {
  Plane plane(1);
  Slab& slab = plane.Birth();
  plane.now = kPeriod;
  TimeInUse(slab) = kPeriod * 1000;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0, NMETRIC_REFUSED), 90), "100");
  plane.now = 2 * kPeriod;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1, NMETRIC_UNKNOWN), 90), "50");
  plane.now = 4 * kPeriod;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 90), "25");
  EXPECT_EQ(plane.engine.sink[kTrace].confirmed[33], kPeriod * 1000);
  plane.now = 5 * kPeriod;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 90), "0");
}

// What does not fit.

TEST(Pack, K7ARecordThatDoesNotFitIsPostedFirstNextTime) {
  Plane plane;
  FillConstants(plane);
  Slab& slab = plane.Birth();
  Completed(slab) = 25;
  slab.Nc(0, NDS_NC_COUNTER_OOB) = 3;
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_0)), (std::vector<int>{12, 13}));
  EXPECT_EQ(plane.raw.size(), 126u);
  EXPECT_EQ(plane.Outstanding(6), 25u);
  EXPECT_EQ(plane.engine.sink[kTrace].deferred, 2u);
  EXPECT_EQ(plane.engine.sink[kTrace].age[6], 1);
  Completed(slab) += 5;
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_0)), (std::vector<int>{200, 220, 12}));
  EXPECT_EQ(plane.engine.sink[kTrace].confirmed[6], 30u);
  EXPECT_EQ(plane.engine.sink[kTrace].age[6], 0);
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_0))[0], 13) << "now the driver version has waited";
  plane.ExpectBooksBalance();
}

TEST(Pack, K7TheLongestWaitingRowGoesFirst) {
  Plane plane;
  FillConstants(plane);
  Slab& slab = plane.Birth();
  slab.Nc(0, NDS_NC_COUNTER_OOB) = 3;
  plane.Post(NMETRIC_TICK_0, NMETRIC_REFUSED);
  Completed(slab) = 25;
  nmetric_sink_books& books = plane.engine.sink[kTrace];
  EXPECT_EQ(books.age[24], 1);
  books.age[6] = 1;
  books.age[7] = 200;  // has nothing to say
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_0, NMETRIC_REFUSED)), (std::vector<int>{200, 220, 12}))
      << "same age: registry order";
  EXPECT_EQ(books.age[7], 0);
  books.age[24] = 9;
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_0))[0], 220);
}

TEST(Pack, K7AVeryLongWaitStaysTheLongest) {
  Plane plane;
  FillConstants(plane);
  nmetric_sink_books& books = plane.engine.sink[kTrace];
  books.age[0] = books.age[1] = 255;
  books.age[6] = 254;
  Completed(plane.Birth()) = 25;
  for (int i = 0; i < 3; i++) plane.Post(NMETRIC_TICK_0, NMETRIC_REFUSED);
  EXPECT_EQ(books.age[6], 255) << "saturates";
}

TEST(Pack, K7ARefusedPostLeavesItsRowsTheirPlace) {
  Plane plane;
  FillConstants(plane);
  Slab& slab = plane.Birth();
  Completed(slab) = 25;
  plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_0, NMETRIC_REFUSED))[0], 200);
  Records again = plane.Post(NMETRIC_TICK_0);
  EXPECT_EQ(Text(again, 200), "25");
}

TEST(Pack, LaterSmallerRowsStillFit) {
  Plane plane;
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, std::string(63, 'i').c_str());
  nmetric_set_constant(&plane.engine, NMETRIC_DRIVER_VERSION, std::string(57, 'd').c_str());
  Slab& slab = plane.Birth();
  Completed(slab) = 100;               // 5 bytes, 4 left
  slab.Nc(0, NDS_NC_COUNTER_OOB) = 7;  // 3 bytes
  EXPECT_EQ(Ids(plane.Post(NMETRIC_TICK_0)), (std::vector<int>{12, 13, 220}));
}

TEST(Pack, NoRecordStraddlesTheEndOfThePost) {
  for (u64 amount = 1; amount < 10'000'000'000'000'000'000U && amount; amount *= 10) {
    Plane plane(1);
    Slab& slab = plane.Birth();
    for (unsigned i = 0; i < NMETRIC_COUNTERS; i++) slab.Nc(0, nmetric_counters[i].ds_id) = amount;
    std::map<int, u64> posted;
    for (int i = 0; i < 20; i++) {
      for (const auto& [id, text] : plane.Post(i % 2 ? NMETRIC_TICK_1 : NMETRIC_TICK_0))
        posted[id] += std::stoull(text);
      ASSERT_LE(plane.raw.size(), 128u);
    }
    posted.erase(90);
    EXPECT_EQ(posted.size(), 26u);
    const u64 want = amount > NMETRIC_DELTA_MAX ? 0 : amount;
    for (auto [id, sum] : posted) EXPECT_EQ(sum, want) << id;
    plane.ExpectBooksBalance();
  }
}

// The reference's last three reset rows are dropped every time: here every row gets its turn.
TEST(Pack, K7NoRowOfTick1Starves) {
  Plane plane;
  nmetric_set_constant(&plane.engine, NMETRIC_INSTANCE_ID, std::string(63, 'i').c_str());
  nmetric_set_constant(&plane.engine, NMETRIC_DRIVER_VERSION, std::string(63, 'd').c_str());
  std::map<int, int> last;  // post in which an id was last seen
  for (int i = 0; i < 4; i++) {
    Slab& slab = plane.Birth();
    slab.Nd(NDS_ND_COUNTER_RUNTIME_VERSION) = Version(255, 255, 4000000000U + i);
    slab.Nd(NDS_ND_COUNTER_FRAMEWORK_VERSION) = Version(255, 255, 4000000000U + i, 9);
    slab.Nd(NDS_ND_COUNTER_FAL_VERSION) = Version(255, 255, 4000000000U + i);
    slab.Nd(NDS_ND_COUNTER_FEATURE_BITMAP) = U64_MAX;
    slab.Nd(NDS_ND_COUNTER_DEVICE_CLUSTER_ID) = U64_MAX;
    slab.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) = U64_MAX;
  }
  Slab& counting = plane.Birth();
  int longest = 0;
  for (int post = 1; post <= 200; post++) {
    for (u32 counter = 31; counter < 41; counter++)
      counting.Nc(0, counter) += 100'000'000'000'000'000;
    for (bool whole : {true, false}) {
      nmetric_reset_done(&plane.engine, whole, 1'000'000'000'000'000'000);
      nmetric_reset_failed(&plane.engine, whole);
      nmetric_ecc_reading(&plane.engine, whole, static_cast<u32>(post) * 20'000'000, false);
    }
    plane.now += kPeriod;
    for (const auto& [id, text] : plane.Post(NMETRIC_TICK_1)) {
      if (post > 20) longest = std::max(longest, post - last[id]);
      last[id] = post;
    }
  }
  for (int id : {12, 13,  180, 190, 195, 221, 223, 224, 253, 225, 226, 227, 228,
                 90, 222, 229, 250, 252, 80,  50,  51,  52,  53,  54,  55})
    EXPECT_GT(last[id], 180) << id;
  EXPECT_LE(longest, 9) << "posts between two records of an id, with five posts' worth of demand";
  plane.ExpectBooksBalance();
}

// Sinks.

TEST(Pack, EachSinkGetsEverythingOnce) {
  Plane plane;
  Slab& slab = plane.Birth();
  Completed(slab) = 25;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0, NMETRIC_ACCEPTED, kTrace), 200), "25");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0, NMETRIC_REFUSED, kFwio), 200), "25");
  Completed(slab) += 1;
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0, NMETRIC_ACCEPTED, kTrace), 200), "1");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0, NMETRIC_ACCEPTED, kFwio), 200), "26");
  plane.ExpectBooksBalance();
}

// nmetric_log_posts 0, 1, 2 and 3: a sink that is off is simply not asked.
TEST(Pack, ASinkThatIsOffGetsItAllWhenSwitchedOn) {
  Plane plane;
  Slab& slab = plane.Birth();
  Completed(slab) = 5;
  slab.Nd(NDS_ND_COUNTER_FEATURE_BITMAP) = 2;
  plane.Death(slab);
  for (nmetric_sink sink : {kTrace, kFwio})
    EXPECT_EQ(plane.Outstanding(6, sink), sink == kTrace ? 5u : 5u);
  plane.Post(NMETRIC_TICK_0, NMETRIC_ACCEPTED, kTrace);
  plane.Post(NMETRIC_TICK_1, NMETRIC_ACCEPTED, kTrace);
  EXPECT_EQ(plane.Outstanding(6, kTrace), 0u);
  EXPECT_EQ(plane.Outstanding(6, kFwio), 5u);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0, NMETRIC_ACCEPTED, kFwio), 200), "5");
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_1, NMETRIC_ACCEPTED, kFwio), 250), "2");
}

TEST(Pack, OnePostInFlightPerSink) {
  Plane plane;
  Slab& slab = plane.Birth();
  Completed(slab) = 5;
  EXPECT_EQ(Text(plane.Begin(NMETRIC_TICK_0, kTrace), 200), "5");
  EXPECT_EQ(plane.Begin(NMETRIC_TICK_0, kTrace), Records{});
  EXPECT_EQ(Text(plane.Begin(NMETRIC_TICK_0, kFwio), 200), "5") << "the other sink is not held up";
  nmetric_end(&plane.engine, kTrace, NMETRIC_ACCEPTED);
  EXPECT_EQ(plane.engine.sink[kTrace].confirmed[6], 5u);
  nmetric_end(&plane.engine, kTrace, NMETRIC_ACCEPTED);
  EXPECT_EQ(plane.engine.sink[kTrace].confirmed[6], 5u) << "ended twice";
  EXPECT_EQ(plane.engine.sink[kTrace].posts, 1u);
  plane.ExpectBooksBalance();
}

TEST(Pack, NothingToSayLeavesNothingToEnd) {
  Plane plane;
  EXPECT_EQ(plane.Begin(NMETRIC_TICK_0), Records{});
  EXPECT_FALSE(plane.engine.sink[kTrace].busy);
  EXPECT_EQ(plane.engine.sink[kTrace].posts, 0u);
}

// Delivery.

TEST(Pack, K7ARefusedPostIsPostedAgainWithWhatCameMeanwhile) {
  Plane plane;
  Slab& slab = plane.Birth();
  Completed(slab) = 25;
  plane.Begin(NMETRIC_TICK_0);
  Completed(slab) = 30;
  nmetric_collect(&plane.engine, &slab.books);
  nmetric_end(&plane.engine, kTrace, NMETRIC_REFUSED);
  EXPECT_EQ(plane.engine.sink[kTrace].refused, 1u);
  EXPECT_EQ(plane.engine.sink[kTrace].unknown[6], 0u);
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "30");
  plane.ExpectBooksBalance();
}

TEST(Pack, UnknownDeliveryIsTalliedBesideTheBooks) {
  Plane plane;
  Slab& slab = plane.Birth();
  Completed(slab) = 25;
  plane.Begin(NMETRIC_TICK_0);
  nmetric_note_unknown(&plane.engine, kTrace);  // two doorbells of one delivery without a reply,
  nmetric_note_unknown(&plane.engine, kTrace);
  nmetric_end(&plane.engine, kTrace, NMETRIC_ACCEPTED);  // the third was answered
  nmetric_sink_books& books = plane.engine.sink[kTrace];
  EXPECT_EQ(books.unknown[6], 50u);
  EXPECT_EQ(books.confirmed[6], 25u);
  EXPECT_EQ(books.unknown_posts, 0u);

  Completed(slab) += 4;
  plane.Begin(NMETRIC_TICK_0);
  nmetric_end(&plane.engine, kTrace, NMETRIC_UNKNOWN);
  EXPECT_EQ(books.unknown[6], 54u) << "the last doorbell is included";
  EXPECT_EQ(books.unknown_posts, 1u);
  EXPECT_EQ(plane.Outstanding(6), 4u);
  nmetric_note_unknown(&plane.engine, kTrace);
  EXPECT_EQ(books.unknown[6], 54u) << "nothing is in flight";
  EXPECT_EQ(Text(plane.Post(NMETRIC_TICK_0), 200), "4");
  plane.ExpectBooksBalance();
}

}  // namespace
}  // namespace ndtel::test
