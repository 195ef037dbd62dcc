// SPDX-License-Identifier: Apache-2.0
//
// The C functions of the bridge, over a real slab layout.
#include <gtest/gtest.h>

#include <vector>

#include "capi.hpp"
#include "nrt/kmetric.h"

namespace ndtel::test {
namespace {

class CKmetric : public ::testing::Test {
 protected:
  void SetUp() override {
    auto own = Instance::over_memory(std::as_writable_bytes(std::span(words)));
    ASSERT_TRUE(own);
    nds = new nds_instance(std::move(*own));
    auto monitor = Reader::over_memory(std::as_writable_bytes(std::span(words)));
    ASSERT_TRUE(monitor);
    reader = new nds_instance(std::move(*monitor));
  }
  void TearDown() override {
    EXPECT_EQ(nds_close(nds), 0);
    EXPECT_EQ(nds_close(reader), 0);
  }
  std::uint64_t nc(int core, std::uint32_t counter) {
    std::uint64_t value = ~0ULL;
    EXPECT_EQ(nds_get_nc_counter(nds, core, counter, &value), 0);
    return value;
  }
  std::uint64_t nd(std::uint32_t counter) {
    std::uint64_t value = ~0ULL;
    EXPECT_EQ(nds_get_nd_counter(nds, counter, &value), 0);
    return value;
  }
  std::uint64_t sum_of_words() {
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < words.size(); ++i) sum += words[i];
    return sum;
  }

  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(NDS_SLAB_SIZE / 8);
  nds_instance_t* nds = nullptr;
  nds_instance_t* reader = nullptr;
};

TEST_F(CKmetric, GenericStatusWritesForExactlyFiveCodes) {
  for (int status = -1; status <= 16; ++status)
    kmetric_update_nds_generic_status(nds, 0, static_cast<NRT_STATUS>(status));
  EXPECT_EQ(sum_of_words(), 5u);
  for (std::uint32_t counter : {16u, 17u, 18u, 19u, 20u}) EXPECT_EQ(nc(0, counter), 1u) << counter;
}

TEST_F(CKmetric, ErrorFlagsLandInTheExtendedBandAndTheWideOne) {
  bool flags[KMETRIC_ERROR_FLAGS] = {};
  flags[5] = true;
  kmetric_update_nds_error_stats(nds, 5, flags);
  kmetric_update_nds_error_stats(nds, 3, flags);
  EXPECT_EQ(words[7248 + 96 + 36], 1u);
  EXPECT_EQ(words[6992 + 192 + 5], 1u);
  EXPECT_EQ(sum_of_words(), 2u);
}

TEST_F(CKmetric, LatenciesHoldTheLastExecution) {
  kmetric_update_nds_exec_latencies(nds, 1, 100, 90, 80, 70);
  kmetric_update_nds_exec_latencies(nds, 1, 10.9, 9, 8, -7);
  EXPECT_EQ(nc(1, NDS_NC_COUNTER_LATENCY_TOTAL), 10u);
  EXPECT_EQ(nc(1, NDS_NC_COUNTER_LATENCY_DEVICE), 9u);
  EXPECT_EQ(nc(1, NDS_NC_COUNTER_NC_TIME), 8u);
  EXPECT_EQ(nc(1, NDS_NC_COUNTER_CC_TIME), 0u);
}

TEST_F(CKmetric, AnExecutionIsCounted) {
  kmetric_update_nds_exec_stats(nds, 2, NRT_SUCCESS);
  kmetric_finalise_exec(nds, 2, NRT_SUCCESS, 1'500'000, 1000);
  kmetric_count_model_load(nds, 2);
  EXPECT_EQ(nc(2, NDS_NC_COUNTER_INFER_COMPLETED), 1u);
  EXPECT_EQ(nc(2, NDS_NC_COUNTER_INFERENCE_COUNT), 1u);
  EXPECT_EQ(nc(2, NDS_NC_COUNTER_TIME_IN_USE), 1'500'000u);
  EXPECT_EQ(nc(2, NDS_NC_COUNTER_MAC_COUNT), 1000u);
  EXPECT_EQ(nc(2, NDS_NC_COUNTER_MODEL_LOAD_COUNT), 1u);
}

TEST_F(CKmetric, AggregateNeffIdReturnsToItsStart) {
  const std::uint64_t start = 0x1122334455667788;
  std::uint64_t value = start;
  ASSERT_EQ(nds_set_nd_counter(nds, NDS_ND_COUNTER_AGG_NEFF_ID, &value), 0);
  const std::uint64_t a = 0xFFFFFFFFFFFFFFF0, b = 0x8000000000000001;
  kmetric_load_model_update_agg_neff_id(nds, a);
  kmetric_load_model_update_agg_neff_id(nds, b);
  EXPECT_EQ(nd(NDS_ND_COUNTER_AGG_NEFF_ID), start + a + b);
  kmetric_unload_model_update_agg_neff_id(nds, a);
  kmetric_unload_model_update_agg_neff_id(nds, b);
  EXPECT_EQ(nd(NDS_ND_COUNTER_AGG_NEFF_ID), start);
}

TEST_F(CKmetric, MemoryIsRegisteredAndFreed) {
  EXPECT_EQ(
      tdrv_nds_register_mem_alloc(nds, 1, TDRV_MEM_USAGE_WEIGHT, TDRV_MEM_LOCATION_DEVICE, 512),
      NRT_SUCCESS);
  EXPECT_EQ(
      tdrv_nds_register_mem_alloc(nds, 1, TDRV_MEM_USAGE_DMA_RING, TDRV_MEM_LOCATION_HOST, 64),
      NRT_SUCCESS);
  EXPECT_EQ(nc(1, NDS_NC_COUNTER_MEM_USAGE_CONSTANTS_DEVICE), 512u);
  EXPECT_EQ(nd(NDS_ND_COUNTER_MEM_USAGE_MISC_HOST), 64u);
  EXPECT_EQ(
      tdrv_nds_register_mem_free(nds, 1, TDRV_MEM_USAGE_WEIGHT, TDRV_MEM_LOCATION_DEVICE, 512),
      NRT_SUCCESS);
  EXPECT_EQ(tdrv_nds_register_mem_free(nds, 1, TDRV_MEM_USAGE_DMA_RING, TDRV_MEM_LOCATION_HOST, 64),
            NRT_SUCCESS);
  EXPECT_EQ(sum_of_words(), 0u);
  EXPECT_EQ(tdrv_nds_register_mem_alloc(nds, 1, TDRV_MEM_USAGE_SCRATCHPAD_NOT_SHARED,
                                        TDRV_MEM_LOCATION_HOST, 1),
            NRT_INVALID);
  EXPECT_EQ(
      tdrv_nds_register_mem_alloc(nds, -1, TDRV_MEM_USAGE_WEIGHT, TDRV_MEM_LOCATION_DEVICE, 1),
      NRT_INVALID);
  EXPECT_EQ(
      tdrv_nds_register_mem_alloc(reader, 1, TDRV_MEM_USAGE_WEIGHT, TDRV_MEM_LOCATION_DEVICE, 1),
      NRT_FAILURE);
}

TEST_F(CKmetric, NullsReadersAndBadCoresDisturbNothing) {
  const bool flags[KMETRIC_ERROR_FLAGS] = {true, true, true, true, true, true, true, true, true};
  for (nds_instance_t* instance : {static_cast<nds_instance_t*>(nullptr), reader}) {
    kmetric_update_nds_generic_status(instance, 0, NRT_FAILURE);
    kmetric_update_nds_exec_stats(instance, 0, NRT_SUCCESS);
    kmetric_update_nds_error_stats(instance, 0, flags);
    kmetric_update_nds_exec_latencies(instance, 0, 1, 1, 1, 1);
    kmetric_finalise_exec(instance, 0, NRT_SUCCESS, 1, 1);
    kmetric_count_model_load(instance, 0);
    kmetric_load_model_update_agg_neff_id(instance, 1);
  }
  for (int core : {-1, 16, -2147483647}) {
    kmetric_update_nds_exec_stats(nds, core, NRT_SUCCESS);
    kmetric_update_nds_exec_latencies(nds, core, 1, 1, 1, 1);
    kmetric_finalise_exec(nds, core, NRT_SUCCESS, 1, 1);
  }
  kmetric_update_nds_error_stats(nds, 0, nullptr);
  EXPECT_EQ(tdrv_nds_register_mem_alloc(nullptr, 0, 0, 1, 1), NRT_INVALID);
  EXPECT_EQ(tdrv_nds_register_mem_free(nullptr, 0, 0, 1, 1), NRT_INVALID);
  EXPECT_EQ(sum_of_words(), 0u);
}

TEST_F(CKmetric, ProcessInfoIsSaved) {
  const kmetric_process_versions_t versions{
      .framework_type = 0, .framework = {}, .fal = {}, .runtime = "2.31.24"};
  EXPECT_EQ(kmetric_save_process_info(nullptr, &versions), NRT_INVALID);
  EXPECT_EQ(kmetric_save_process_info(nds, nullptr), NRT_INVALID);
  EXPECT_EQ(kmetric_save_process_info(reader, &versions), NRT_FAILURE);
  EXPECT_EQ(kmetric_save_process_info(nds, &versions), NRT_SUCCESS);
  nds_obj_handle_t info = nds_read_process_info(reader);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(nds_obj_handle_to_process_info(info)->runtime.minor, 31);
  EXPECT_EQ(nds_obj_delete(info), 0);
}

}  // namespace
}  // namespace ndtel::test
