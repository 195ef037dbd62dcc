// SPDX-License-Identifier: Apache-2.0
//
// The header: who writes it, and what a reader makes of it.
#include <array>
#include <chrono>
#include <thread>

#include "slab_fixture.hpp"

namespace ndtel::test {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

void store_header(const SlabMemory& memory, std::uint64_t value) {
  auto* word = reinterpret_cast<std::uint64_t*>(memory.at(0));
  std::atomic_ref<std::uint64_t>(*word).store(value, std::memory_order_release);
}

TEST(Header, ProducerWritesMagicAndVersion) {
  SlabMemory memory;
  auto instance = Instance::over_memory(memory.bytes());
  ASSERT_TRUE(instance);
  const std::array<unsigned char, 8> expected = {0x6E, 0x64, 0x73, 0x00, 0xA0, 0x86, 0x01, 0x00};
  EXPECT_EQ(std::memcmp(memory.at(0), expected.data(), expected.size()), 0);
}

TEST(Header, ReaderRefusesASlabWithoutOneAfterARetry) {
  SlabMemory memory;
  const auto start = steady_clock::now();
  auto reader = Reader::over_memory(memory.bytes());
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, EINVAL);
  EXPECT_GE(steady_clock::now() - start, microseconds(500));
  EXPECT_EQ(memory.word(0), 0u) << "a reader wrote";
}

TEST(Header, ReaderRefusesOtherMagicsAndVersions) {
  SlabMemory memory;
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    store_header(memory, NDS_HEADER_WORD ^ std::uint64_t{1} << bit);
    auto reader = Reader::over_memory(memory.bytes());
    ASSERT_FALSE(reader) << "bit " << bit;
    EXPECT_EQ(reader.error().code, EINVAL);
  }
}

TEST(Header, OneThatArrivesLateIsFoundByTheRetry) {
  // The writer may be scheduled too late on a busy machine, so it gets many chances and needs one.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    SlabMemory memory;
    std::atomic<bool> go = false;
    std::thread writer([&] {
      while (!go.load()) {
      }
      std::this_thread::sleep_for(microseconds(50));
      store_header(memory, NDS_HEADER_WORD);
    });
    go = true;
    const auto start = steady_clock::now();
    auto reader = Reader::over_memory(memory.bytes());
    const auto spent = steady_clock::now() - start;
    writer.join();
    if (reader && spent >= microseconds(500)) return;
  }
  FAIL() << "no reader succeeded at its second look";
}

TEST(Header, ZeroAfterwardsMeansTheOwnerHasLeft) {
  SlabMemory memory;
  store_header(memory, NDS_HEADER_WORD);
  auto reader = Reader::over_memory(memory.bytes());
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->header_valid());
  store_header(memory, 0);
  EXPECT_FALSE(reader->header_valid());
}

}  // namespace
}  // namespace ndtel::test
