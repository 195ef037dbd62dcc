// SPDX-License-Identifier: Apache-2.0
//
// Model nodes: slots of the bitmap, records, re-publication, removal, exhaustion.
#include <set>
#include <thread>
#include <vector>

#include "slab_fixture.hpp"

namespace ndtel::test {
namespace {

nds_model_record model_of(std::uint32_t id) {
  nds_model_record record{};
  record.model_id = id;
  record.model_node_id = id + 1;
  copy_text(record.name, "bert");
  record.uuid[0] = 0xAB;
  record.nc_index = 2;
  record.sg_index = 1;
  record.mem[1][4].total_size = id * 4096ULL;
  record.mem[1][4].chunk_count = id;
  return record;
}

using Models = SlabTest;

TEST_F(Models, TakeTheLowestFreeSlotAndReadBack) {
  int first = -1, second = -1;
  ASSERT_EQ(instance.publish(model_of(10), &first), 0);
  ASSERT_EQ(instance.publish(model_of(20), &second), 0);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(memory.word(NDS_MODEL_BITMAP_OFFSET), 3u);
  EXPECT_EQ(memory.record<nds_model_record>(NDS_MODEL_OFFSET + sizeof(nds_model_record)).model_id,
            20u);

  const auto models = reader.models();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[1].slot, 1);
  EXPECT_EQ(models[1].record.model_node_id, 21u);
  EXPECT_EQ(field_text(models[1].record.name), "bert");
  EXPECT_EQ(models[1].record.mem[1][4].total_size, 20u * 4096);

  ASSERT_EQ(instance.remove_model(first), 0);
  EXPECT_FALSE(reader.model(first));
  int third = -1;
  ASSERT_EQ(instance.publish(model_of(30), &third), 0);
  EXPECT_EQ(third, 0);
}

TEST_F(Models, RepublishingRewritesTheSameSlot) {
  int slot = -1;
  ASSERT_EQ(instance.publish(model_of(1), &slot), 0);
  ASSERT_EQ(instance.publish(model_of(2), &slot), 0);
  EXPECT_EQ(slot, 0);
  const auto models = reader.models();
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].record.model_id, 2u);
}

TEST_F(Models, TheSixtyFifthAnswersTwentyEight) {
  for (int i = 0; i < NDS_MODEL_SLOTS; ++i) {
    int slot = -1;
    ASSERT_EQ(instance.publish(model_of(static_cast<std::uint32_t>(i)), &slot), 0);
    ASSERT_EQ(slot, i);
  }
  EXPECT_EQ(reader.models().size(), 64u);
  int slot = -1;
  EXPECT_EQ(instance.publish(model_of(99), &slot), 28);
  EXPECT_EQ(slot, -1);
  ASSERT_EQ(instance.remove_model(40), 0);
  EXPECT_EQ(instance.publish(model_of(99), &slot), 0);
  EXPECT_EQ(slot, 40);
}

TEST_F(Models, RemovalZeroesRecordAndBit) {
  int slot = -1;
  ASSERT_EQ(instance.publish(model_of(7), &slot), 0);
  ASSERT_EQ(instance.remove_model(slot), 0);
  EXPECT_EQ(memory.word(NDS_MODEL_BITMAP_OFFSET), 0u);
  const auto bytes = memory.bytes().subspan(NDS_MODEL_OFFSET, sizeof(nds_model_record));
  for (std::byte byte : bytes) ASSERT_EQ(byte, std::byte{0});
  EXPECT_EQ(instance.remove_model(slot), -EINVAL) << "twice";
}

TEST_F(Models, BadSlotsAreRefused) {
  int beyond = 64;
  EXPECT_EQ(instance.publish(model_of(1), &beyond), -EINVAL);
  int never_taken = 5;
  EXPECT_EQ(instance.publish(model_of(1), &never_taken), -EINVAL);
  EXPECT_EQ(instance.publish(model_of(1), nullptr), -EINVAL);
  for (int slot : {-1, 0, 63, 64, 1000}) EXPECT_EQ(instance.remove_model(slot), -EINVAL);
  EXPECT_FALSE(reader.model(-1));
  EXPECT_FALSE(reader.model(64));
}

TEST_F(Models, AFailedRecordIsLeftOutAndTheOthersAreFound) {
  int slots[3] = {-1, -1, -1};
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_EQ(instance.publish(model_of(i), &slots[i]), 0);
  *memory.at(NDS_MODEL_OFFSET + sizeof(nds_model_record) + 50) ^= std::byte{1};
  const auto models = reader.models();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].slot, 0);
  EXPECT_EQ(models[1].slot, 2);
}

TEST_F(Models, ThreadsNeverShareASlot) {
  constexpr int kThreads = 4;
  std::vector<std::vector<int>> taken(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < NDS_MODEL_SLOTS / kThreads; ++i) {
        int slot = -1;
        if (instance.publish(model_of(static_cast<std::uint32_t>(t)), &slot) == 0)
          taken[t].push_back(slot);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<int> all;
  for (const auto& slots : taken) all.insert(slots.begin(), slots.end());
  EXPECT_EQ(all.size(), 64u);
  EXPECT_EQ(reader.models().size(), 64u);
}

}  // namespace
}  // namespace ndtel::test
