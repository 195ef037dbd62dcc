// SPDX-License-Identifier: Apache-2.0
//
// A ring that is wrong, to show that the models notice: when it is full, it loads the head and
// moves it, replaces the value where its tail points, and leaves the tail alone.
#ifndef NDTEL_TESTS_MODEL_BROKEN_RING_HPP
#define NDTEL_TESTS_MODEL_BROKEN_RING_HPP

#include "classic_ring.hpp"

namespace ndtel::model {

template <typename Policy, typename Value>
class BrokenRing {
 public:
  BrokenRing(systrace::ClassicSlot<Policy, Value>* slots, systrace::ClassicIndices<Policy>* indices,
             std::uint64_t capacity) noexcept
      : ring_(slots, indices, capacity), slots_(slots), indices_(indices), index_(capacity) {}

  bool force_push(const Value& value, Value* displaced = nullptr) noexcept {
    std::uint64_t tail = indices_->tail.load(std::memory_order_relaxed);
    for (;;) {
      auto& slot = slots_[index_.position(tail)];
      const std::uint64_t position = index_.position(tail);
      const std::uint64_t stamp = slot.stamp.load(std::memory_order_acquire) + position;
      if (stamp == tail) {
        if (indices_->tail.compare_exchange_weak(tail, index_.next(tail), std::memory_order_seq_cst,
                                                 std::memory_order_relaxed)) {
          Policy::copy(slot.value, value);
          slot.stamp.store(tail + 1 - position, std::memory_order_release);
          return false;
        }
        continue;
      }
      if (stamp + index_.one_lap() == tail + 1) {
        std::uint64_t head = indices_->head.load(std::memory_order_relaxed);
        const std::uint64_t taken = head;
        if (indices_->head.compare_exchange_weak(head, index_.next(head), std::memory_order_seq_cst,
                                                 std::memory_order_relaxed)) {
          if (displaced != nullptr) Policy::copy(*displaced, slot.value);
          Policy::copy(slot.value, value);
          slot.stamp.store(taken + index_.one_lap() - position, std::memory_order_release);
          return true;
        }
      }
      Policy::pause(0);
      tail = indices_->tail.load(std::memory_order_relaxed);
    }
  }

  bool pop(Value& value) noexcept { return ring_.pop(value); }
  std::uint64_t len() const noexcept { return ring_.len(); }

 private:
  systrace::ClassicRing<Policy, Value> ring_;
  systrace::ClassicSlot<Policy, Value>* slots_;
  systrace::ClassicIndices<Policy>* indices_;
  systrace::LapIndex index_;
};

}  // namespace ndtel::model

#endif  // NDTEL_TESTS_MODEL_BROKEN_RING_HPP
