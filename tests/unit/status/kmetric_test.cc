// SPDX-License-Identifier: Apache-2.0
//
// What the bridge writes, for each event of a model's life.
#include "ndtel/kmetric.hpp"

#include <gtest/gtest.h>

#include <array>

#include "recording_writer.hpp"

namespace ndtel::test {
namespace {

class Kmetric : public ::testing::Test {
 protected:
  // What was written since the last call.
  std::vector<Write> taken() { return std::exchange(writer.writes, {}); }

  RecordingWriter writer;
  KmetricBridge<RecordingWriter> bridge{writer};
};

TEST_F(Kmetric, LoadStatusesCountOnce) {
  bridge.generic_status(2, NRT_LOAD_NOT_ENOUGH_NC);
  EXPECT_EQ(taken(), (std::vector<Write>{{"add", 2, 18, 1}}));
  for (std::uint32_t status : {0u, 3u, 5u, 6u, 7u, 8u, 11u, 16u, 1004u, 0xFFFFFFFFu})
    bridge.generic_status(2, status);
  EXPECT_TRUE(taken().empty());
}

TEST_F(Kmetric, ExecutionStatusesCountOnce) {
  bridge.exec_stats(1, NRT_EXEC_HW_ERR_NC_UE);
  EXPECT_EQ(taken(), (std::vector<Write>{{"add", 1, 33, 1}}));
  for (std::uint32_t status : {3u, 9u, 15u, 101u, 1005u, 1100u, 1206u, 4711u})
    bridge.exec_stats(1, status);
  EXPECT_TRUE(taken().empty());
}

TEST_F(Kmetric, SingleErrorFlagsWriteOnlyFiveToEight) {
  for (std::size_t i = 0; i < kErrorSubtypes; ++i) {
    std::array<bool, kErrorSubtypes> flags{};
    flags[i] = true;
    bridge.error_stats(3, flags);
    if (i < 5)
      EXPECT_TRUE(taken().empty()) << i;
    else
      EXPECT_EQ(taken(), (std::vector<Write>{{"add", 3, static_cast<std::uint32_t>(i + 31), 1}}));
  }
  std::array<bool, kErrorSubtypes> all{};
  all.fill(true);
  bridge.error_stats(3, all);
  EXPECT_EQ(taken(),
            (std::vector<Write>{
                {"add", 3, 36, 1}, {"add", 3, 37, 1}, {"add", 3, 38, 1}, {"add", 3, 39, 1}}));
}

TEST_F(Kmetric, LatenciesAreSetInMicroseconds) {
  bridge.exec_latencies(0, {.total = 100.9, .device = 50.1, .nc_time = -3, .cc_time = 7});
  EXPECT_EQ(taken(),
            (std::vector<Write>{
                {"set", 0, 14, 100}, {"set", 0, 13, 50}, {"set", 0, 15, 0}, {"set", 0, 21, 7}}));
}

TEST_F(Kmetric, FinaliseCountsInferencesOnlyOnSuccess) {
  bridge.finalise(4, NRT_SUCCESS, 1'000'000, 777);
  EXPECT_EQ(taken(),
            (std::vector<Write>{{"add", 4, 0, 1'000'000}, {"add", 4, 29, 777}, {"add", 4, 28, 1}}));
  bridge.finalise(4, NRT_EXEC_COMPLETED_WITH_NUM_ERR, 5, 6);
  EXPECT_EQ(taken(), (std::vector<Write>{{"add", 4, 0, 5}, {"add", 4, 29, 6}}));
}

TEST_F(Kmetric, CompletionWritesLatenciesThenFlagsThenStatus) {
  std::array<bool, kErrorSubtypes> flags{};
  flags[6] = true;
  bridge.complete(0, NRT_EXEC_COMPLETED_WITH_ERR, flags,
                  {.total = 1, .device = 2, .nc_time = 3, .cc_time = 4});
  const auto writes = taken();
  ASSERT_EQ(writes.size(), 6u);
  EXPECT_EQ(writes[3].counter, 21u);
  EXPECT_EQ(writes[4], (Write{"add", 0, 37, 1}));
  EXPECT_EQ(writes[5], (Write{"add", 0, 2, 1}));
}

TEST_F(Kmetric, LoadsCountPerCore) {
  bridge.model_loaded(6);
  EXPECT_EQ(taken(), (std::vector<Write>{{"add", 6, 27, 1}}));
}

TEST_F(Kmetric, MemoryGoesToHostOrDeviceCountersAndBack) {
  EXPECT_EQ(bridge.register_alloc(2, TDRV_MEM_USAGE_TENSOR, TDRV_MEM_LOCATION_DEVICE, 4096),
            NRT_SUCCESS);
  EXPECT_EQ(bridge.register_free(2, TDRV_MEM_USAGE_TENSOR, TDRV_MEM_LOCATION_DEVICE, 4096),
            NRT_SUCCESS);
  EXPECT_EQ(bridge.register_alloc(2, TDRV_MEM_USAGE_TENSOR, TDRV_MEM_LOCATION_HOST, 64),
            NRT_SUCCESS);
  EXPECT_EQ(bridge.register_free(2, TDRV_MEM_USAGE_TENSOR, TDRV_MEM_LOCATION_HOST, 64),
            NRT_SUCCESS);
  EXPECT_EQ(taken(), (std::vector<Write>{{"add", 2, 23, 4096},
                                         {"sub", 2, 23, 4096},
                                         {"add", kDevice, 7, 64},
                                         {"sub", kDevice, 7, 64}}));
}

TEST_F(Kmetric, MemoryThatCannotExistIsInvalidAndWritesNothing) {
  EXPECT_EQ(bridge.register_alloc(0, TDRV_MEM_USAGE_CC, TDRV_MEM_LOCATION_HOST, 1), NRT_INVALID);
  EXPECT_EQ(bridge.register_free(0, TDRV_MEM_USAGE_SCRATCHPAD, TDRV_MEM_LOCATION_HOST, 1),
            NRT_INVALID);
  EXPECT_EQ(bridge.register_alloc(0, TDRV_MEM_USAGE_MAX, TDRV_MEM_LOCATION_DEVICE, 1), NRT_INVALID);
  EXPECT_EQ(bridge.register_alloc(0, -1, TDRV_MEM_LOCATION_DEVICE, 1), NRT_INVALID);
  EXPECT_EQ(bridge.register_alloc(0, 0, 2, 1), NRT_INVALID);
  EXPECT_EQ(bridge.register_alloc(0, 0, -1, 1), NRT_INVALID);
  EXPECT_EQ(bridge.register_alloc(16, 0, TDRV_MEM_LOCATION_DEVICE, 1), NRT_INVALID);
  EXPECT_EQ(bridge.register_alloc(0xFFFFFFFF, 0, TDRV_MEM_LOCATION_DEVICE, 1), NRT_INVALID);
  EXPECT_TRUE(taken().empty());
  EXPECT_EQ(bridge.register_alloc(0xFFFFFFFF, 0, TDRV_MEM_LOCATION_HOST, 1), NRT_SUCCESS)
      << "no core is meant";
  writer.answer = -EPERM;
  EXPECT_EQ(bridge.register_alloc(0, 0, TDRV_MEM_LOCATION_DEVICE, 1), NRT_FAILURE);
}

}  // namespace
}  // namespace ndtel::test
