// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_TESTS_UNIT_WORKLOAD_SHARED_SLAB_HPP
#define NDTEL_TESTS_UNIT_WORKLOAD_SHARED_SLAB_HPP

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "ndtel/nds.hpp"

namespace ndtel::workload {

/// Slab memory that forked children share.
class SharedSlab {
 public:
  SharedSlab() {
    memory_ =
        mmap(nullptr, NDS_SLAB_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~SharedSlab() { munmap(memory_, NDS_SLAB_SIZE); }
  SharedSlab(const SharedSlab&) = delete;
  SharedSlab& operator=(const SharedSlab&) = delete;

  std::span<std::byte> bytes() { return {static_cast<std::byte*>(memory_), NDS_SLAB_SIZE}; }
  Instance instance() { return std::move(*Instance::over_memory(bytes())); }
  std::uint64_t nc(std::uint32_t core, std::uint32_t counter) {
    return static_cast<std::uint64_t*>(memory_)[nds_nc_word(core, counter)];
  }

 private:
  void* memory_;
};

}  // namespace ndtel::workload

#endif  // NDTEL_TESTS_UNIT_WORKLOAD_SHARED_SLAB_HPP
