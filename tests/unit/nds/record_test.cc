// SPDX-License-Identifier: Apache-2.0
//
// Hashed records: values, publication, torn reads, and the record whose true hash is zero.
#include "record.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "slab_fixture.hpp"

namespace ndtel::test {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

std::uint32_t fnv_of(std::string_view text) {
  return fnv1a({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

std::uint32_t fnv_of_zeros(std::size_t size) { return fnv1a(std::vector<unsigned char>(size)); }

TEST(Hash, MatchesTheTestValues) {
  EXPECT_EQ(fnv_of(""), 0x811C9DC5u);
  EXPECT_EQ(fnv_of("a"), 0xE40C292Cu);
  EXPECT_EQ(fnv_of("foobar"), 0xBF9CF968u);
  EXPECT_EQ(fnv_of_zeros(64), 0xDFDE6AC5u);
  EXPECT_EQ(fnv_of_zeros(260), 0xC13A6915u);
  EXPECT_EQ(fnv_of_zeros(672), 0x2516E645u);
  EXPECT_EQ(record::hash_of(nds_process_info_record{}), 0xDFDE6AC5u);
  EXPECT_EQ(record::hash_of(nds_process_info_ext_record{}), 0xC13A6915u);
  EXPECT_EQ(record::hash_of(nds_model_record{}), 0x2516E645u);
}

TEST(Hash, IgnoresTheHashWordItself) {
  nds_process_info_record record{};
  record.hash = 0x12345678;
  EXPECT_EQ(record::hash_of(record), 0xDFDE6AC5u);
}

// Records told apart in every word, so that a mixture of two never hashes right by accident.
nds_process_info_record info_of(int i) {
  nds_process_info_record record{};
  record.framework_type = static_cast<std::int8_t>(i & 0x7F);
  for (char& c : record.tag) c = static_cast<char>('a' + i % 26);
  record.framework = {
      .major = static_cast<std::uint8_t>(i), .minor = 1, .pad = {}, .build = 7u * i};
  record.fal = {.major = static_cast<std::uint8_t>(i), .minor = 2, .pad = {}, .build = 11u * i};
  record.runtime = {.major = static_cast<std::uint8_t>(i), .minor = 3, .pad = {}, .build = 13u * i};
  return record;
}

nds_process_info_ext_record ext_of(int i) {
  nds_process_info_ext_record record{};
  for (char& c : record.tag) c = static_cast<char>('a' + i % 26);
  return record;
}

using Records = SlabTest;

TEST_F(Records, ProcessInfoLiesWhereTheLayoutSaysAndReadsBack) {
  nds_process_info_record info{};
  info.framework_type = 3;
  copy_text(info.tag, "trainer");
  info.framework = {.major = 2, .minor = 1, .pad = {}, .build = 5};
  info.runtime = {.major = 2, .minor = 31, .pad = {}, .build = 24};
  ASSERT_EQ(instance.publish(info), 0);

  const auto stored = memory.record<nds_process_info_record>(NDS_PROCESS_INFO_OFFSET);
  EXPECT_EQ(stored.hash, record::hash_of(stored));
  EXPECT_EQ(static_cast<char>(*memory.at(NDS_PROCESS_INFO_OFFSET + 4)), 3);
  EXPECT_EQ(std::memcmp(memory.at(NDS_PROCESS_INFO_OFFSET + 5), "trainer", 8), 0);
  EXPECT_EQ(static_cast<unsigned>(*memory.at(NDS_PROCESS_INFO_OFFSET + 57)), 31u);

  const auto seen = reader.process_info();
  ASSERT_TRUE(seen);
  EXPECT_EQ(std::memcmp(&*seen, &stored, sizeof stored), 0);
  EXPECT_EQ(field_text(seen->tag), "trainer");
}

TEST_F(Records, ProcessInfoExtReadsBackAndTextIsTerminated) {
  nds_process_info_ext_record ext{};
  std::memset(ext.tag, 'x', sizeof ext.tag);
  ASSERT_EQ(instance.publish(ext), 0);
  const auto seen = reader.process_info_ext();
  ASSERT_TRUE(seen);
  EXPECT_EQ(field_text(seen->tag).size(), 255u);
  EXPECT_EQ(memory.record<nds_process_info_ext_record>(NDS_PROCESS_EXT_OFFSET).hash,
            record::hash_of(*seen));
}

TEST_F(Records, NeverPublishedReadsAsNothingAfterARetry) {
  const auto start = steady_clock::now();
  EXPECT_FALSE(reader.process_info());
  EXPECT_GE(steady_clock::now() - start, record::kRetryDelay);
  EXPECT_FALSE(reader.process_info_ext());
}

TEST_F(Records, AnyChangedBitMakesThemUnreadable) {
  ASSERT_EQ(instance.publish(info_of(5)), 0);
  for (std::size_t bit = 0; bit < sizeof(nds_process_info_record) * 8; ++bit) {
    std::byte* byte = memory.at(NDS_PROCESS_INFO_OFFSET + bit / 8);
    *byte ^= std::byte{1} << (bit % 8);
    ASSERT_FALSE(reader.process_info()) << "bit " << bit;
    *byte ^= std::byte{1} << (bit % 8);
  }
  EXPECT_TRUE(reader.process_info());
}

TEST_F(Records, TornWritesAreNeverSeen) {
  std::atomic<bool> stop = false;
  ASSERT_EQ(instance.publish(info_of(0)), 0);
  ASSERT_EQ(instance.publish(ext_of(0)), 0);
  std::thread writer([&] {
    for (int i = 1; !stop.load(std::memory_order_relaxed); ++i) {
      instance.publish(info_of(i % 100));
      instance.publish(ext_of(i % 100));
      if (i % 64 == 0) std::this_thread::yield();
    }
  });
  int seen = 0;
  const auto end = steady_clock::now() + std::chrono::milliseconds(300);
  while (steady_clock::now() < end) {
    if (const auto info = reader.process_info()) {
      ++seen;
      const auto expected = record::sealed(info_of(info->runtime.major));
      ASSERT_EQ(std::memcmp(&*info, &expected, sizeof expected), 0);
    }
    if (const auto ext = reader.process_info_ext()) {
      ++seen;
      const auto expected = record::sealed(ext_of(ext->tag[0] - 'a'));
      ASSERT_EQ(std::memcmp(&*ext, &expected, sizeof expected), 0);
    }
  }
  stop = true;
  writer.join();
  EXPECT_GT(seen, 0);
  EXPECT_TRUE(reader.process_info()) << "readable again once the writer rests";
}

TEST_F(Records, TheRetryFindsWhatTheFirstLookFoundTorn) {
  // The repair may be scheduled too late on a busy machine, so it gets many chances and needs one.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    ASSERT_EQ(instance.publish(info_of(9)), 0);
    auto* hash = reinterpret_cast<std::uint32_t*>(memory.at(NDS_PROCESS_INFO_OFFSET));
    std::atomic_ref<std::uint32_t>(*hash).store(0);
    std::atomic<bool> go = false;
    std::thread repair([&] {
      while (!go.load()) {
      }
      std::this_thread::sleep_for(microseconds(20));
      instance.publish(info_of(9));
    });
    go = true;
    const auto start = steady_clock::now();
    const bool found = reader.process_info().has_value();
    const auto spent = steady_clock::now() - start;
    repair.join();
    if (found && spent >= record::kRetryDelay) return;
  }
  FAIL() << "no snapshot succeeded at its second look";
}

// FNV-1a takes each byte by h = (h ^ b) * p with p odd, so it can be run backwards. Finds four
// bytes that lead from `from` to 0, by meeting in the middle.
std::optional<std::uint32_t> bytes_leading_to_zero(std::uint32_t from) {
  std::uint32_t inverse = 1;  // of the prime, by Newton's iteration
  for (int i = 0; i < 5; ++i) inverse *= 2 - NDS_FNV_PRIME * inverse;

  std::unordered_map<std::uint32_t, std::uint32_t> forward;
  for (std::uint32_t bytes = 0; bytes < 0x10000; ++bytes) {
    std::uint32_t h = (from ^ (bytes & 0xFF)) * NDS_FNV_PRIME;
    h = (h ^ (bytes >> 8)) * NDS_FNV_PRIME;
    forward.emplace(h, bytes);
  }
  for (std::uint32_t bytes = 0; bytes < 0x10000; ++bytes) {
    std::uint32_t h = 0 * inverse ^ (bytes >> 8);
    h = h * inverse ^ (bytes & 0xFF);
    if (const auto hit = forward.find(h); hit != forward.end()) return hit->second | bytes << 16;
  }
  return std::nullopt;
}

// A record whose hash is really zero: its last four bytes are chosen so.
template <typename Record, typename Vary>
Record with_hash_zero(Record record, Vary vary) {
  for (unsigned i = 0; i < 1000; ++i) {
    vary(record, i);
    unsigned char bytes[sizeof(Record)];
    std::memcpy(bytes, &record, sizeof record);
    const std::uint32_t before_last = fnv1a({bytes, sizeof(Record) - 4});
    if (const auto last = bytes_leading_to_zero(before_last)) {
      std::memcpy(bytes + sizeof(Record) - 4, &*last, 4);
      std::memcpy(&record, bytes, sizeof record);
      return record;
    }
  }
  ADD_FAILURE() << "no record with hash zero found";
  return record;
}

TEST_F(Records, OneWhoseTrueHashIsZeroIsPublishedReadably) {
  const auto info = with_hash_zero(nds_process_info_record{},
                                   [](auto& record, unsigned i) { record.fal.build = i; });
  ASSERT_EQ(record::hash_of(info), 0u);
  ASSERT_EQ(instance.publish(info), 0);
  const auto seen = reader.process_info();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->runtime.build, info.runtime.build);
  EXPECT_EQ(seen->fal.build, info.fal.build);

  const auto node =
      with_hash_zero(nds_model_record{}, [](auto& record, unsigned i) { record.model_id = i; });
  ASSERT_EQ(record::hash_of(node), 0u);
  int slot = -1;
  ASSERT_EQ(instance.publish(node, &slot), 0);
  const auto model = reader.model(slot);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->model_id, node.model_id);
}

// The tag's last byte is its terminator, and a NUL leads a hash of 0 to 0: so the four bytes before
// it are chosen.
nds_process_info_ext_record full_tag_with_hash_zero() {
  for (unsigned i = 0; i < 1000; ++i) {
    nds_process_info_ext_record record{};
    std::memset(record.tag, 'y', 255);
    std::memcpy(record.tag, std::to_string(100 + i).data(), 3);
    unsigned char bytes[sizeof record];
    std::memcpy(bytes, &record, sizeof record);
    const auto chosen = bytes_leading_to_zero(fnv1a({bytes, sizeof record - 5}));
    if (!chosen) continue;
    std::memcpy(record.tag + 251, &*chosen, 4);
    if (field_text(record.tag).size() == 255) return record;
  }
  ADD_FAILURE() << "no full tag with hash zero found";
  return {};
}

TEST_F(Records, AFullTagWhoseTrueHashIsZeroLosesItsLastCharacter) {
  const auto ext = full_tag_with_hash_zero();
  ASSERT_EQ(record::hash_of(ext), 0u);
  ASSERT_EQ(instance.publish(ext), 0);
  const auto seen = reader.process_info_ext();
  ASSERT_TRUE(seen);
  EXPECT_EQ(field_text(seen->tag), field_text(ext.tag).substr(0, 254));
}

TEST(Text, IsCutAndTerminated) {
  char field[4];
  copy_text(field, "abcdef");
  EXPECT_EQ(field_text(field), "abc");
  EXPECT_EQ(field[3], '\0');
  copy_text(field, "a");
  EXPECT_EQ(std::memcmp(field, "a\0\0\0", 4), 0);
  const char unterminated[3] = {'x', 'y', 'z'};
  EXPECT_EQ(field_text(unterminated), "xyz");
}

TEST(Version, PacksAsTheContractUnpacks) {
  const std::uint64_t word = pack_version(2, 31, 0xDEADBEEF, 3);
  EXPECT_EQ(NDS_VERSION_MAJOR(word), 2);
  EXPECT_EQ(NDS_VERSION_MINOR(word), 31);
  EXPECT_EQ(NDS_VERSION_BUILD(word), 0xDEADBEEF);
  EXPECT_EQ(NDS_VERSION_RESERVED(word), 3);
}

}  // namespace
}  // namespace ndtel::test
