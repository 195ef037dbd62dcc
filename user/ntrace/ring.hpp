// SPDX-License-Identifier: Apache-2.0
//
// The array of records that overwrites its oldest. It has no lock.
#ifndef NDTEL_NTRACE_RING_HPP
#define NDTEL_NTRACE_RING_HPP

#include <sys/mman.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

namespace ndtel::ntrace {

struct Slot {
  std::uint32_t type = 0;
  timespec when{};  ///< CLOCK_REALTIME
  std::uint64_t data = 0;
  std::uint32_t nd_idx = 0;
  std::uint32_t nc_idx = 0;
  char* hint = nullptr;  ///< from malloc(); the ring's
};
static_assert(sizeof(Slot) == 48);

/// Memory of slots is touched as they are used.
class Ring {
 public:
  /// Nothing when there is no room for it.
  static std::optional<Ring> make(std::size_t capacity) noexcept {
    if (capacity == 0 || capacity > SIZE_MAX / sizeof(Slot)) return std::nullopt;
    void* const base = ::mmap(nullptr, capacity * sizeof(Slot), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return std::nullopt;
    return Ring(static_cast<Slot*>(base), capacity);
  }

  Ring(Ring&& other) noexcept
      : slots_(std::exchange(other.slots_, nullptr)),
        capacity_(other.capacity_),
        recorded_(other.recorded_) {}
  Ring& operator=(Ring&&) = delete;
  ~Ring() {
    if (slots_ == nullptr) return;
    for (std::size_t i = 0; i < size(); ++i) std::free(slots_[i].hint);
    ::munmap(slots_, capacity_ * sizeof(Slot));
  }

  /// Appends a record, whose hint becomes the ring's. Returns the hint of the record that gave way,
  /// for the caller to free; null when there is none.
  char* push(const Slot& slot) noexcept {
    Slot& place = slots_[recorded_ % capacity_];
    char* const old = recorded_ < capacity_ ? nullptr : place.hint;
    place = slot;
    ++recorded_;
    return old;
  }

  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t size() const noexcept {
    return recorded_ < capacity_ ? static_cast<std::size_t>(recorded_) : capacity_;
  }
  /// Records that gave way to newer ones.
  std::uint64_t overwritten() const noexcept { return recorded_ - size(); }

  /// The record at a place from the oldest on.
  const Slot& operator[](std::size_t age) const noexcept {
    return slots_[(overwritten() + age) % capacity_];
  }

 private:
  Ring(Slot* slots, std::size_t capacity) noexcept : slots_(slots), capacity_(capacity) {}

  Slot* slots_;
  std::size_t capacity_;
  std::uint64_t recorded_ = 0;
};

}  // namespace ndtel::ntrace

#endif  // NDTEL_NTRACE_RING_HPP
