// SPDX-License-Identifier: Apache-2.0
//
// The registry against the numbers of the specification, written down a second time.

#include "plane.hpp"

namespace ndtel::test {
namespace {

constexpr int kAlways = 0xF;
constexpr int kNone = 0xFF;

// index, type, count, tick, cw, ds, flags
constexpr int kRows[48][7] = {
    {0, 0, 1, kAlways, 12, kNone, 0}, {1, 0, 1, kAlways, 13, kNone, 0}, {2, 0, 1, 0, 56, kNone, 0},
    {0, 1, 2, kAlways, 180, 0, 0},    {1, 1, 2, 1, 190, 1, 1},          {2, 1, 2, 1, 195, 2, 0},
    {0, 2, 1, 0, 200, 1, 0},          {1, 2, 1, 0, 201, 16, 0},         {2, 2, 1, 0, 205, 4, 0},
    {3, 2, 1, 0, 212, 5, 0},          {4, 2, 1, 0, 215, 8, 0},          {5, 2, 1, 0, 216, 9, 0},
    {6, 2, 1, 0, 217, 10, 0},         {7, 2, 1, 0, 206, 11, 0},         {8, 2, 1, 0, 218, 12, 0},
    {9, 2, 1, 0, 214, 2, 0},          {10, 2, 1, 0, 213, 3, 0},         {11, 2, 1, 0, 219, 7, 0},
    {12, 2, 1, 0, 204, 17, 0},        {13, 2, 1, 0, 208, 18, 0},        {14, 2, 1, 0, 207, 6, 0},
    {15, 2, 1, 0, 202, 19, 0},        {16, 2, 1, 0, 209, 20, 0},        {17, 3, 1, 0, 11, kNone, 0},
    {18, 2, 1, 0, 220, 30, 0},        {19, 2, 1, 1, 221, 31, 0},        {21, 2, 1, 1, 223, 33, 0},
    {22, 2, 1, 1, 224, 34, 0},        {23, 2, 1, 1, 253, 35, 0},        {24, 2, 1, 1, 225, 36, 0},
    {25, 2, 1, 1, 226, 37, 0},        {26, 2, 1, 1, 227, 38, 0},        {27, 2, 1, 1, 228, 39, 0},
    {29, 8, 1, kAlways, 90, 0, 0},    {0, 9, 1, 1, 222, kNone, 0},      {1, 9, 1, 1, 229, kNone, 0},
    {0, 4, 1, 1, 250, 3, 0},          {0, 4, 1, 1, 0, 11, 0},           {0, 5, 1, 1, 252, 12, 1},
    {1, 5, 1, 1, 80, 13, 1},          {0, 6, 1, 1, 50, kNone, 0},       {1, 6, 1, 1, 51, kNone, 0},
    {2, 6, 1, 1, 52, kNone, 0},       {3, 6, 1, 1, 53, kNone, 0},       {4, 6, 1, 1, 54, kNone, 0},
    {5, 6, 1, 1, 55, kNone, 0},       {0, 7, 1, 0, 57, kNone, 0},       {1, 7, 1, 0, 58, kNone, 0},
};

constexpr std::pair<int, const char*> kNames[] = {
    {0, "UNUSED"},
    {11, "FW_IO_ERROR_COUNT"},
    {12, "INSTANCE_ID"},
    {13, "DRIVER_VERSION"},
    {50, "MAX_DEVICE_RESET_TIME_MS"},
    {51, "MAX_TPB_RESET_TIME_MS"},
    {52, "AVG_DEVICE_RESET_TIME_MS"},
    {53, "AVG_TPB_RESET_TIME_MS"},
    {54, "DEVICE_RESET_FAILURE_COUNT"},
    {55, "TPB_RESET_FAILURE_COUNT"},
    {56, "PERFORMANCE_PROFILE_ID"},
    {57, "ULTRASERVER_MODES_SUPPORTED"},
    {58, "ULTRASERVER_MODE"},
    {80, "AGG_NEFF_ID"},
    {90, "NC_UTILIZATION"},
    {180, "RT_VERSION_0"},
    {181, "RT_VERSION_1"},
    {190, "FW_VERSION_0"},
    {191, "FW_TYPE_0"},
    {192, "FW_VERSION_1"},
    {193, "FW_TYPE_1"},
    {195, "FAL_VERSION_0"},
    {196, "FAL_VERSION_1"},
    {200, "NERR_OK"},
    {201, "NERR_FAIL"},
    {202, "NERR_INVALID"},
    {204, "NERR_RESOURCE"},
    {205, "NERR_TIMEOUT"},
    {206, "NERR_HW_ERROR"},
    {207, "NERR_QUEUE_FULL"},
    {208, "NERR_RESOURCE_NC"},
    {209, "NERR_UNSUPPORTED_VERSION"},
    {212, "NERR_INFER_BAD_INPUT"},
    {213, "NERR_INFER_COMPLETED_WITH_NUM_ERR"},
    {214, "NERR_INFER_COMPLETED_WITH_ERR"},
    {215, "NERR_NUMERICAL_ERR"},
    {216, "NERR_MODEL_ERR"},
    {217, "NERR_TRANSIENT_ERR"},
    {218, "NERR_RT_ERR"},
    {219, "NERR_GENERIC_TPB_ERR"},
    {220, "NERR_OOB"},
    {221, "NERR_HW_ERR_COLLECTIVES"},
    {222, "NERR_HW_ERR_HBM_UE"},
    {223, "NERR_HW_ERR_NC_UE"},
    {224, "NERR_HW_ERR_DMA_ABORT"},
    {225, "NERR_SW_SEMAPHORE_ERROR"},
    {226, "NERR_SW_EVENT_ERROR"},
    {227, "NERR_SW_PSUM_COLLISION"},
    {228, "NERR_SW_SEQUENCER_FATAL"},
    {229, "NERR_HW_ERR_REPAIRABLE_HBM_UE"},
    {250, "FEATURE_BITMAP"},
    {251, "SYSFS_METRIC_BITMAP"},
    {252, "DEVICE_CLUSTER_ID"},
    {253, "NERR_SW_NQ_OVERFLOW"},
};

TEST(Registry, FortyEightRows) {
  ASSERT_EQ(NMETRIC_ROWS, 48);
  for (unsigned row = 0; row < NMETRIC_ROWS; row++) {
    const nmetric_def& def = nmetric_defs[row];
    const int have[7] = {def.index, def.type, def.count, def.tick, def.cw_id, def.ds_id, def.flags};
    for (int i = 0; i < 7; i++)
      EXPECT_EQ(have[i], kRows[row][i]) << "row " << row << " column " << i;
  }
}

TEST(Registry, SplitOverTicks) {
  int always = 0, tick0 = 0, tick1 = 0;
  for (const nmetric_def& def : nmetric_defs) {
    always += def.tick == NMETRIC_TICK_ALWAYS;
    tick0 += def.tick == NMETRIC_TICK_0;
    tick1 += def.tick == NMETRIC_TICK_1;
  }
  EXPECT_EQ(always, 4);
  EXPECT_EQ(tick0, 22);
  EXPECT_EQ(tick1, 22);
}

TEST(Registry, TickGating) {
  for (const nmetric_def& def : nmetric_defs) {
    EXPECT_TRUE(nmetric_gated(&def, NMETRIC_TICK_ALWAYS));
    EXPECT_EQ(nmetric_gated(&def, NMETRIC_TICK_0), def.tick != NMETRIC_TICK_1);
    EXPECT_EQ(nmetric_gated(&def, NMETRIC_TICK_1), def.tick != NMETRIC_TICK_0);
  }
}

TEST(Registry, FollowedCountersAgreeWithRows) {
  std::map<int, int> wanted;  // ds id to row, in order of ds ids
  for (unsigned row = 0; row < NMETRIC_ROWS; row++) {
    int type = nmetric_defs[row].type;
    if (type == NMETRIC_COUNTER || type == NMETRIC_UTILIZATION)
      wanted[nmetric_defs[row].ds_id] = static_cast<int>(row);
  }
  ASSERT_EQ(wanted.size(), std::size_t{NMETRIC_COUNTERS});
  unsigned i = 0;
  unsigned base = 0;
  for (auto [ds_id, row] : wanted) {
    EXPECT_EQ(nmetric_counters[i].ds_id, ds_id);
    EXPECT_EQ(nmetric_counters[i].row, row);
    base += ds_id < NDS_NC_COUNTER_BASE;
    i++;
  }
  EXPECT_EQ(base, unsigned{NMETRIC_COUNTERS_BASE});
}

TEST(Registry, NamesOfAllIds) {
  std::map<int, std::string> names(std::begin(kNames), std::end(kNames));
  ASSERT_EQ(names.size(), 54u);
  for (int id = 0; id < 256; id++) {
    const char* name = nmetric_cw_name(static_cast<u8>(id));
    if (names.count(id)) {
      ASSERT_NE(name, nullptr) << id;
      EXPECT_EQ(name, names[id]);
    } else {
      EXPECT_EQ(name, nullptr) << id;
    }
  }
}

TEST(Registry, RowOfId) {
  std::map<int, int> rows;
  for (int row = 0; row < 48; row++) rows[kRows[row][4]] = row;
  rows.erase(0);
  rows[181] = 3;
  for (int id : {191, 192, 193}) rows[id] = 4;
  rows[196] = 5;
  for (int id = 0; id < 256; id++)
    EXPECT_EQ(nmetric_row_of_cw(static_cast<u8>(id)), rows.count(id) ? rows[id] : -1) << id;
}

TEST(Registry, EveryPostedIdHasAName) {
  for (int id = 1; id < 256; id++) {
    if (nmetric_row_of_cw(static_cast<u8>(id)) >= 0) {
      EXPECT_NE(nmetric_cw_name(static_cast<u8>(id)), nullptr) << id;
    }
  }
}

TEST(Registry, K1RowsAreFoundByType) {
  EXPECT_EQ(nmetric_row_of(NMETRIC_FW_IO_ERR, 17), 23);
  EXPECT_EQ(nmetric_row_of(NMETRIC_COUNTER, 11), 17);
  EXPECT_EQ(nmetric_row_of(NMETRIC_ECC, 1), 35);
  EXPECT_EQ(nmetric_row_of(NMETRIC_COUNTER, 20), -1) << "index 20 is not used";
  EXPECT_EQ(nmetric_row_of(NMETRIC_ECC, 2), -1);
}

}  // namespace
}  // namespace ndtel::test
