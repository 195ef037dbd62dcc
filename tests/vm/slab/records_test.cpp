// SPDX-License-Identifier: Apache-2.0
//
// Hashed records seen from a second process, whole and torn.
#include <chrono>
#include <cstring>
#include <thread>

#include "ndtel/nds.hpp"
#include "slab/layout.hpp"
#include "support/child.hpp"
#include "support/eventually.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"

namespace ndtel::vm {
namespace {

constexpr std::size_t kInfoOffset = 1248;
constexpr std::size_t kBitmapOffset = 1312;
constexpr std::size_t kModelOffset = 1320;
constexpr std::size_t kModelSize = 672;
constexpr std::size_t kExtOffset = 44328;

class SlabRecords : public ModuleTest {
 protected:
  static Device open_device(Lane lane) {
    auto device = Device::open(node_path(0), lane);
    if (!device) throw std::runtime_error(device.error().message);
    return *device;
  }
  static Reader open_reader(pid_t pid) {
    auto reader = Reader::open(open_device(Lane::kReadOnly), pid);
    if (!reader) throw std::runtime_error(reader.error().message);
    return std::move(*reader);
  }
};

std::uint32_t u32_at(const Mapping& slab, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, slab.bytes() + offset, sizeof value);
  return value;
}

const unsigned char* bytes_at(const Mapping& slab, std::size_t offset) {
  return reinterpret_cast<const unsigned char*>(slab.bytes()) + offset;
}

nds_model_record model(std::uint32_t id) {
  nds_model_record record{};
  record.model_id = id;
  record.model_node_id = id * 10;
  copy_text(record.name, "model " + std::to_string(id));
  for (int i = 0; i < 16; ++i) record.uuid[i] = static_cast<std::uint8_t>(id + i);
  record.nc_index = static_cast<std::uint8_t>(id % 8);
  record.mem[1][2] = {.total_size = id * 1000ULL, .chunk_count = id, .pad = 0};
  return record;
}

TEST_F(SlabRecords, PublishedRecordsAreReadableByAnotherProcessAndLieWhereTheContractSays) {
  Child producer([](Channel& channel) -> int {
    auto instance = Instance::open(open_device(Lane::kReadWrite));
    CHILD_CHECK(instance.ok());
    nds_process_info_record info{};
    info.framework_type = 3;
    copy_text(info.tag, "job 17");
    info.runtime = {.major = 2, .minor = 31, .pad = {}, .build = 24};
    nds_process_info_ext_record ext{};
    copy_text(ext.tag, std::string(255, 'x'));
    CHILD_CHECK(instance->publish(info) == 0);
    CHILD_CHECK(instance->publish(ext) == 0);
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(producer.receive());
  const Reader reader = open_reader(producer.pid());
  const auto info = reader.process_info();
  ASSERT_TRUE(info);
  EXPECT_EQ(info->framework_type, 3);
  EXPECT_EQ(field_text(info->tag), "job 17");
  EXPECT_EQ(info->runtime.build, 24U);
  const auto ext = reader.process_info_ext();
  ASSERT_TRUE(ext);
  EXPECT_EQ(field_text(ext->tag), std::string(255, 'x'));

  const Mapping slab = Node(0, O_RDONLY).map_slab(producer.pid());
  ASSERT_TRUE(slab.valid());
  EXPECT_EQ(u32_at(slab, kInfoOffset), record_hash(bytes_at(slab, kInfoOffset), 64));
  EXPECT_EQ(bytes_at(slab, kInfoOffset)[4], 3);
  EXPECT_EQ(std::memcmp(bytes_at(slab, kInfoOffset + 5), "job 17", 7), 0);
  const unsigned char runtime[] = {2, 31, 0, 0, 24, 0, 0, 0};
  EXPECT_EQ(std::memcmp(bytes_at(slab, kInfoOffset + 56), runtime, sizeof runtime), 0);
  EXPECT_EQ(u32_at(slab, kExtOffset), record_hash(bytes_at(slab, kExtOffset), 260));
  EXPECT_EQ(bytes_at(slab, kExtOffset)[4], 'x');
}

TEST_F(SlabRecords, SixtyFourModelsComeAndGo) {
  Child producer([](Channel& channel) -> int {
    auto instance = Instance::open(open_device(Lane::kReadWrite));
    CHILD_CHECK(instance.ok());
    int slot = -1;
    for (std::uint32_t id = 0; id < 64; ++id) {
      slot = -1;
      CHILD_CHECK(instance->publish(model(id + 1), &slot) == 0);
      CHILD_CHECK(slot == static_cast<int>(id));
    }
    slot = -1;
    CHILD_CHECK(instance->publish(model(65), &slot) == kNoModelSlot);
    channel.send();
    channel.receive();
    CHILD_CHECK(instance->remove_model(5) == 0);
    CHILD_CHECK(instance->remove_model(63) == 0);
    channel.send();
    channel.receive();
    slot = -1;
    CHILD_CHECK(instance->publish(model(99), &slot) == 0);
    CHILD_CHECK(slot == 5);
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(producer.receive());
  const Reader reader = open_reader(producer.pid());
  const Mapping slab = Node(0, O_RDONLY).map_slab(producer.pid());
  ASSERT_TRUE(slab.valid());
  EXPECT_EQ(slab.words()[kBitmapOffset / 8], ~0ULL);
  EXPECT_EQ(reader.models().size(), 64U);
  for (const auto& published : reader.models()) {
    const auto expected = model(static_cast<std::uint32_t>(published.slot) + 1);
    EXPECT_EQ(std::memcmp(&published.record.model_id, &expected.model_id, kModelSize - 4), 0);
    const std::size_t at = kModelOffset + kModelSize * static_cast<std::size_t>(published.slot);
    EXPECT_EQ(u32_at(slab, at), record_hash(bytes_at(slab, at), kModelSize));
    EXPECT_EQ(u32_at(slab, at + 4), expected.model_id);
  }
  producer.send();
  ASSERT_TRUE(producer.receive());
  EXPECT_EQ(slab.words()[kBitmapOffset / 8], ~0ULL >> 1 & ~(1ULL << 5));
  EXPECT_EQ(reader.models().size(), 62U);
  EXPECT_FALSE(reader.model(5));
  for (std::size_t i = 0; i < kModelSize; ++i) {
    ASSERT_EQ(bytes_at(slab, kModelOffset + 5 * kModelSize)[i], 0) << i;
  }
  producer.send();
  ASSERT_TRUE(producer.receive());
  ASSERT_TRUE(reader.model(5));
  EXPECT_EQ(reader.model(5)->model_id, 99U);
}

/// An ext record that is all one letter, sealed.
nds_process_info_ext_record letters(char letter) {
  nds_process_info_ext_record record{};
  copy_text(record.tag, std::string(255, letter));
  record.hash = record_hash(reinterpret_cast<const unsigned char*>(&record), sizeof record);
  return record;
}

void copy_in(const Mapping& slab, const nds_process_info_ext_record& record, std::size_t from,
             std::size_t to) {
  std::memcpy(slab.bytes() + kExtOffset + from, reinterpret_cast<const char*>(&record) + from,
              to - from);
}

TEST_F(SlabRecords, ARecordThatStaysTornIsNotRead) {
  Child producer([](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    slab.words()[0] = NDS_HEADER_WORD;
    channel.send();
    channel.receive();
    copy_in(slab, letters('a'), 0, 100);  // the writer stops half way
    channel.send();
    channel.receive();
    copy_in(slab, letters('a'), 100, 260);
    channel.send();
    channel.receive();
    copy_in(slab, letters('b'), 100, 101);  // one byte of another record
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(producer.receive());
  const Reader reader = open_reader(producer.pid());
  EXPECT_FALSE(reader.process_info_ext()) << "never published";
  producer.send();
  ASSERT_TRUE(producer.receive());
  EXPECT_FALSE(reader.process_info_ext());
  producer.send();
  ASSERT_TRUE(producer.receive());
  ASSERT_TRUE(reader.process_info_ext());
  EXPECT_EQ(reader.process_info_ext()->tag[200], 'a');
  producer.send();
  ASSERT_TRUE(producer.receive());
  EXPECT_FALSE(reader.process_info_ext());
}

// A writer that is never done for long. Whatever is read is whole, and the second look finds what
// the first one missed.
TEST_F(SlabRecords, TornWritesAreReadAgainAndNeverMixed) {
  using Clock = std::chrono::steady_clock;
  Child producer([](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    slab.words()[0] = NDS_HEADER_WORD;
    const auto spin = [](std::chrono::microseconds time) {
      const auto end = Clock::now() + time;
      while (Clock::now() < end) {
      }
    };
    channel.send();
    for (unsigned i = 0;; ++i) {
      const auto record = letters(i % 2 == 0 ? 'a' : 'b');
      copy_in(slab, record, 0, 130);
      spin(std::chrono::microseconds(60));
      copy_in(slab, record, 130, 260);
      spin(std::chrono::microseconds(100));
    }
  });
  ASSERT_TRUE(producer.receive());
  const Reader reader = open_reader(producer.pid());
  const Mapping raw = Node(0, O_RDONLY).map_slab(producer.pid());
  ASSERT_TRUE(raw.valid());

  int torn = 0, whole = 0, healed = 0;
  const auto limit = Clock::now() + kPatience;
  while ((whole < 50 || healed < 10) && torn < 400 && Clock::now() < limit) {
    unsigned char before[260];
    std::memcpy(before, bytes_at(raw, kExtOffset), sizeof before);
    std::uint32_t hash = 0;
    std::memcpy(&hash, before, sizeof hash);
    const bool was_torn = hash != record_hash(before, sizeof before);
    const auto start = Clock::now();
    const auto record = reader.process_info_ext();
    const bool looked_twice = Clock::now() - start >= std::chrono::microseconds(200);
    torn += was_torn ? 1 : 0;
    if (!record) continue;
    ++whole;
    healed += was_torn && looked_twice ? 1 : 0;
    const auto text = field_text(record->tag);
    ASSERT_TRUE(text == std::string(255, 'a') || text == std::string(255, 'b'))
        << "two records mixed: " << text;
  }
  EXPECT_GE(torn, 10) << "the writer was not caught in the act: this proves nothing";
  EXPECT_GE(whole, 50);
  EXPECT_GE(healed, 10) << "torn records were not looked at again";
}

}  // namespace
}  // namespace ndtel::vm
