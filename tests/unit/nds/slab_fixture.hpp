// SPDX-License-Identifier: Apache-2.0
//
// A slab in plain memory, as big as the kernel's and as zeroed.
#ifndef NDTEL_TESTS_NDS_SLAB_FIXTURE_HPP
#define NDTEL_TESTS_NDS_SLAB_FIXTURE_HPP

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <span>

#include "ndtel/nds.hpp"

namespace ndtel::test {

/// Shared memory, so that a forked child sees the same slab.
class SlabMemory {
 public:
  SlabMemory()
      : base_(::mmap(nullptr, NDS_SLAB_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                     0)) {
    if (base_ == MAP_FAILED) std::abort();
  }
  SlabMemory(const SlabMemory&) = delete;
  SlabMemory& operator=(const SlabMemory&) = delete;
  ~SlabMemory() { ::munmap(base_, NDS_SLAB_SIZE); }

  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(base_), NDS_SLAB_SIZE}; }
  std::byte* at(std::size_t offset) const { return bytes().data() + offset; }

  /// The 64-bit word at a byte offset.
  std::uint64_t word(std::size_t offset) const {
    std::uint64_t value;
    std::memcpy(&value, at(offset), sizeof value);
    return value;
  }
  /// A record as it lies in the slab.
  template <typename Record>
  Record record(std::size_t offset) const {
    Record record;
    std::memcpy(&record, at(offset), sizeof record);
    return record;
  }

 private:
  void* base_;
};

/// A producer and a reader on one slab.
class SlabTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto producer = Instance::over_memory(memory.bytes());
    ASSERT_TRUE(producer) << producer.error().message;
    instance = std::move(*producer);
    auto monitor = Reader::over_memory(memory.bytes());
    ASSERT_TRUE(monitor) << monitor.error().message;
    reader = std::move(*monitor);
  }

  SlabMemory memory;
  Instance instance;
  Reader reader;
};

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_NDS_SLAB_FIXTURE_HPP
