// SPDX-License-Identifier: Apache-2.0
//
// Counting: amounts, limits, threads, and instances without a mapping.
#include <limits>
#include <thread>
#include <vector>

#include "slab_fixture.hpp"

namespace ndtel::test {
namespace {

using Counters = SlabTest;

TEST_F(Counters, AddSubtractSetAndOr) {
  EXPECT_EQ(instance.increment(3, NDS_NC_COUNTER_MAC_COUNT, 40), 0);
  EXPECT_EQ(instance.decrement(3, NDS_NC_COUNTER_MAC_COUNT, 2), 0);
  EXPECT_EQ(reader.nc(3, NDS_NC_COUNTER_MAC_COUNT), 38u);
  EXPECT_EQ(instance.set(3, NDS_NC_COUNTER_LATENCY_TOTAL, 77), 0);
  EXPECT_EQ(instance.set(3, NDS_NC_COUNTER_LATENCY_TOTAL, 7), 0);
  EXPECT_EQ(reader.nc(3, NDS_NC_COUNTER_LATENCY_TOTAL), 7u);

  EXPECT_EQ(instance.increment_nd(NDS_ND_COUNTER_MEM_USAGE_CODE_HOST, 100), 0);
  EXPECT_EQ(instance.decrement_nd(NDS_ND_COUNTER_MEM_USAGE_CODE_HOST, 1), 0);
  EXPECT_EQ(reader.nd(NDS_ND_COUNTER_MEM_USAGE_CODE_HOST), 99u);
  EXPECT_EQ(instance.or_nd(NDS_ND_COUNTER_FEATURE_BITMAP, NDS_FEATURE_MULTICORE), 0);
  EXPECT_EQ(instance.or_nd(NDS_ND_COUNTER_FEATURE_BITMAP, 63), 0);
  EXPECT_EQ(reader.nd(NDS_ND_COUNTER_FEATURE_BITMAP), 1ULL << 63 | 2);
}

TEST_F(Counters, SubtractWrapsBelowZero) {
  EXPECT_EQ(instance.decrement(0, NDS_NC_COUNTER_MEM_USAGE_MISC_DEVICE, 1), 0);
  EXPECT_EQ(reader.nc(0, NDS_NC_COUNTER_MEM_USAGE_MISC_DEVICE),
            std::numeric_limits<std::uint64_t>::max());
}

TEST_F(Counters, RefusesEveryCoreAndCounterOutsideTheSlab) {
  constexpr std::uint32_t kHuge = 0xFFFFFFFF;
  for (std::uint32_t core : {0u, 3u, 4u, 15u}) {
    for (std::uint32_t counter : {95u, 96u, 127u, 1000u, 0x80000000u, kHuge}) {
      EXPECT_EQ(instance.increment(core, counter, 1), -EINVAL);
      EXPECT_EQ(instance.decrement(core, counter, 1), -EINVAL);
      EXPECT_EQ(instance.set(core, counter, 1), -EINVAL);
      EXPECT_FALSE(reader.nc(core, counter));
    }
  }
  for (std::uint32_t core : {16u, 17u, 0x80000000u, kHuge}) {
    for (std::uint32_t counter : {0u, 30u, 31u, 94u, 95u}) {
      EXPECT_EQ(instance.increment(core, counter, 1), -EINVAL);
      EXPECT_FALSE(reader.nc(core, counter));
    }
  }
  for (std::uint32_t counter : {31u, 32u, 0x80000000u, kHuge}) {
    EXPECT_EQ(instance.increment_nd(counter, 1), -EINVAL);
    EXPECT_EQ(instance.decrement_nd(counter, 1), -EINVAL);
    EXPECT_EQ(instance.set_nd(counter, 1), -EINVAL);
    EXPECT_EQ(instance.or_nd(counter, 1), -EINVAL);
    EXPECT_FALSE(reader.nd(counter));
  }
  EXPECT_EQ(instance.or_nd(NDS_ND_COUNTER_FEATURE_BITMAP, 64), -EINVAL);

  for (std::size_t offset = 8; offset < NDS_SLAB_SIZE; offset += 8)
    ASSERT_EQ(memory.word(offset), 0u) << "a refused call wrote at " << offset;
}

TEST_F(Counters, ThreadsLoseNoIncrement) {
  constexpr int kThreads = 4;
  constexpr int kEach = 20'000;
  std::atomic<int> running = kThreads;
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kEach; ++n) {
        instance.increment(9, NDS_NC_COUNTER_INFER_COMPLETED);
        instance.increment_nd(NDS_ND_COUNTER_MEM_USAGE_MISC_HOST, 3);
      }
      --running;
    });
  }
  std::uint64_t last = 0;
  while (running > 0) {
    const std::uint64_t seen = reader.nc(9, NDS_NC_COUNTER_INFER_COMPLETED).value();
    EXPECT_GE(seen, last) << "a counter went backwards";
    last = seen;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(reader.nc(9, NDS_NC_COUNTER_INFER_COMPLETED), std::uint64_t{kThreads} * kEach);
  EXPECT_EQ(reader.nd(NDS_ND_COUNTER_MEM_USAGE_MISC_HOST), std::uint64_t{kThreads} * kEach * 3);
}

void expect_no_mapping(Instance& instance) {
  EXPECT_FALSE(instance.mapped());
  EXPECT_FALSE(instance.header_valid());
  EXPECT_EQ(instance.increment(0, 0, 1), -EPERM);
  EXPECT_EQ(instance.increment(99, 99, 1), -EPERM);
  EXPECT_EQ(instance.decrement_nd(0, 1), -EPERM);
  EXPECT_EQ(instance.or_nd(0, 64), -EPERM);
  EXPECT_FALSE(instance.nc(0, 0));
  EXPECT_FALSE(instance.nd(0));
  EXPECT_EQ(instance.publish(nds_process_info_record{}), -EPERM);
  EXPECT_EQ(instance.publish(nds_process_info_ext_record{}), -EPERM);
  int slot = -1;
  EXPECT_EQ(instance.publish(nds_model_record{}, &slot), -EPERM);
  EXPECT_EQ(instance.remove_model(0), -EPERM);
  EXPECT_FALSE(instance.process_info());
  EXPECT_FALSE(instance.process_info_ext());
  EXPECT_TRUE(instance.models().empty());
  EXPECT_EQ(instance.model_slots(), 0u);
}

TEST_F(Counters, ClosedMovedFromAndEmptyInstancesAnswerEperm) {
  Instance empty;
  expect_no_mapping(empty);

  Instance moved = std::move(instance);
  expect_no_mapping(instance);  // NOLINT: the state after a move is part of the contract
  EXPECT_EQ(moved.increment(0, 0, 1), 0);

  moved.close();
  expect_no_mapping(moved);
  moved.close();
  EXPECT_EQ(reader.nc(0, 0), 1u);
}

TEST(SlabMemoryRules, TooSmallOrMisalignedMemoryIsRefused) {
  SlabMemory memory;
  const auto all = memory.bytes();
  auto small = Instance::over_memory(all.first(NDS_USED_SIZE - 1));
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, EINVAL);
  auto crooked = Instance::over_memory(all.subspan(4));
  ASSERT_FALSE(crooked);
  EXPECT_EQ(crooked.error().code, EINVAL);
  EXPECT_EQ(memory.word(0), 0u);
  EXPECT_TRUE(Instance::over_memory(all.first(NDS_USED_SIZE)));
}

}  // namespace
}  // namespace ndtel::test
