// SPDX-License-Identifier: Apache-2.0
//
// The classic trace ring: bounded, any number of producers and consumers, overwrites its oldest
// value when full. Every slot carries a stamp that says for which lap it is free or filled.
//
// An index word is a position (below the capacity) plus a lap (a multiple of `one_lap`, the
// smallest power of two above the capacity). A slot is free for the index T when its stamp is T,
// and holds a value for the index H when its stamp is H + 1. Words wrap at 2^64 and never do in
// practice.
//
// A producer that finds the ring full derives the index of the oldest value from its own tail and
// takes it from the head as a consumer would. It never loads the head: a head loaded later than the
// stamp could belong to another slot, and the producer would write under a consumer's hands.
#ifndef NDTEL_SYSTRACE_CLASSIC_RING_HPP
#define NDTEL_SYSTRACE_CLASSIC_RING_HPP

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ndtel::systrace {

/// Arithmetic of index words for one capacity.
class LapIndex {
 public:
  /// @param capacity slots, 1 to 2^32
  constexpr explicit LapIndex(std::uint64_t capacity) noexcept
      : capacity_(capacity), one_lap_(std::bit_ceil(capacity + 1)) {}

  constexpr std::uint64_t capacity() const noexcept { return capacity_; }
  constexpr std::uint64_t one_lap() const noexcept { return one_lap_; }
  constexpr std::uint64_t position(std::uint64_t index) const noexcept {
    return index & (one_lap_ - 1);
  }
  constexpr std::uint64_t lap(std::uint64_t index) const noexcept {
    return index & ~(one_lap_ - 1);
  }
  constexpr std::uint64_t next(std::uint64_t index) const noexcept {
    return position(index) + 1 < capacity_ ? index + 1 : lap(index) + one_lap_;
  }
  /// Values between two index words of a ring.
  constexpr std::uint64_t distance(std::uint64_t head, std::uint64_t tail) const noexcept {
    if (head == tail) return 0;
    const std::uint64_t from = position(head), to = position(tail);
    return from < to ? to - from : capacity_ - from + to;
  }

 private:
  std::uint64_t capacity_;
  std::uint64_t one_lap_;
};

/// One slot. The stamp is stored relative to the slot's position, so that zeroed memory is an empty
/// ring and no page is touched before its first value.
template <typename Policy, typename Value>
struct ClassicSlot {
  Value value;
  typename Policy::template Atomic<std::uint64_t> stamp;
};

/// Both index words, each on lines of its own; processors fetch lines in pairs.
template <typename Policy>
struct ClassicIndices {
  alignas(128) typename Policy::template Atomic<std::uint64_t> head;
  alignas(128) typename Policy::template Atomic<std::uint64_t> tail;
};

/// A ring over memory that someone else owns; any number of handles may share it.
///
/// All operations may be called from any thread. They allocate nothing. None is lock-free: a thread
/// stopped between taking an index and stamping the slot holds up those who need that slot.
template <typename Policy, typename Value>
class ClassicRing {
 public:
  using Slot = ClassicSlot<Policy, Value>;
  using Indices = ClassicIndices<Policy>;
  static_assert(std::is_trivially_copyable_v<Value>);

  /// @param slots    `capacity` slots, zeroed before the first use
  /// @param indices  zeroed before the first use
  /// @param capacity 1 to 2^32
  ClassicRing(Slot* slots, Indices* indices, std::uint64_t capacity) noexcept
      : slots_(slots), indices_(indices), index_(capacity) {}

  std::uint64_t capacity() const noexcept { return index_.capacity(); }

  /// Appends `value`; a full ring gives up its oldest value for it.
  ///
  /// @param displaced receives the value given up, unless null
  /// @return whether a value was given up
  bool force_push(const Value& value, Value* displaced = nullptr) noexcept {
    Backoff backoff;
    std::uint64_t tail = indices_->tail.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t next = index_.next(tail);
      const std::uint64_t position = index_.position(tail);
      Slot& slot = slots_[position];
      const std::uint64_t stamp = slot.stamp.load(std::memory_order_acquire) + position;
      if (stamp == tail) {
        if (indices_->tail.compare_exchange_weak(tail, next, std::memory_order_seq_cst,
                                                 std::memory_order_relaxed)) {
          Policy::copy(slot.value, value);
          slot.stamp.store(tail + 1 - position, std::memory_order_release);
          return false;
        }
        backoff.spin();
      } else if (stamp + index_.one_lap() == tail + 1) {
        // Whoever takes this index from the head owns the slot: no consumer reads it, and no
        // producer passes it until the stamp changes, so the tail stands still meanwhile.
        std::uint64_t head = tail - index_.one_lap();
        if (indices_->head.compare_exchange_weak(head, next - index_.one_lap(),
                                                 std::memory_order_seq_cst,
                                                 std::memory_order_relaxed)) {
          // Before the value is touched: a crash now leaves a slot in flight, never a torn value.
          indices_->tail.store(next, std::memory_order_seq_cst);
          if (displaced != nullptr) Policy::copy(*displaced, slot.value);
          Policy::copy(slot.value, value);
          slot.stamp.store(tail + 1 - position, std::memory_order_release);
          return true;
        }
        backoff.snooze();
        tail = indices_->tail.load(std::memory_order_relaxed);
      } else {
        // Someone is copying in this slot, or `tail` is out of date.
        backoff.snooze();
        tail = indices_->tail.load(std::memory_order_relaxed);
      }
    }
  }

  /// Takes the oldest value.
  ///
  /// Waits for a push that has taken the oldest slot and not yet filled it, so popping until
  /// nothing is left has no bound while others push.
  /// @return false when the ring is empty; `value` is then unchanged
  bool pop(Value& value) noexcept {
    Backoff backoff;
    std::uint64_t head = indices_->head.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t position = index_.position(head);
      Slot& slot = slots_[position];
      const std::uint64_t stamp = slot.stamp.load(std::memory_order_acquire) + position;
      if (stamp == head + 1) {
        if (indices_->head.compare_exchange_weak(head, index_.next(head), std::memory_order_seq_cst,
                                                 std::memory_order_relaxed)) {
          Policy::copy(value, slot.value);
          slot.stamp.store(head + index_.one_lap() - position, std::memory_order_release);
          return true;
        }
        backoff.spin();
      } else if (stamp == head) {
        if (indices_->tail.load(std::memory_order_seq_cst) == head) return false;
        backoff.spin();
        head = indices_->head.load(std::memory_order_relaxed);
      } else {
        backoff.snooze();
        head = indices_->head.load(std::memory_order_relaxed);
      }
    }
  }

  /// Values in the ring, those being copied included; at most the capacity.
  std::uint64_t len() const noexcept {
    for (;;) {
      const std::uint64_t tail = indices_->tail.load(std::memory_order_seq_cst);
      const std::uint64_t head = indices_->head.load(std::memory_order_seq_cst);
      // Whoever moved the head knew of a tail at least as far, so relaxed is enough here.
      if (indices_->tail.load(std::memory_order_relaxed) == tail) {
        return index_.distance(head, tail);
      }
    }
  }

 private:
  /// Waits within one call: spin() where another thread has just made progress, snooze() where one
  /// must make it first.
  class Backoff {
   public:
    void spin() noexcept { step_ = Policy::pause(std::min(step_, 6u)); }
    void snooze() noexcept { step_ = Policy::pause(step_); }

   private:
    unsigned step_ = 0;
  };

  Slot* slots_;
  Indices* indices_;
  LapIndex index_;
};

/// What a walk over the ring of a dead process found.
struct ClassicRemains {
  /// False when the index words or the sizes cannot be those of a ring; nothing was visited then.
  bool valid = false;
  std::uint64_t completed = 0;  ///< values visited
  std::uint64_t in_flight = 0;  ///< slots taken by a producer that did not finish
  std::uint64_t damaged = 0;    ///< slots whose stamp no producer or consumer leaves behind
};

/// Visits the completed values of a ring whose process is dead, oldest first, each as a copy.
///
/// A value that a consumer had taken and not finished copying is still whole in its slot and was
/// handed to nobody: it is visited too. So is one whose displacement had not got past the head.
/// Nothing in the memory is trusted: reads stay inside `bytes`, and each slot is looked at once.
///
/// @param slots    memory of the slots, aligned to 8
/// @param bytes    size of that memory
/// @param capacity slots, as the layout tells
/// @param head, tail index words, as the memory holds them
/// @param visit    called as visit(const Value&)
template <typename Value, typename Visit>
ClassicRemains walk_classic_ring(const void* slots, std::size_t bytes, std::uint64_t capacity,
                                 std::uint64_t head, std::uint64_t tail, Visit&& visit) {
  static_assert(std::is_trivially_copyable_v<Value>);
  constexpr std::size_t slot_bytes = sizeof(Value) + sizeof(std::uint64_t);
  ClassicRemains remains;
  if (slots == nullptr || capacity == 0 || capacity > std::uint64_t{1} << 32) return remains;
  if (bytes / slot_bytes < capacity) return remains;
  const LapIndex index(capacity);
  if (index.position(head) >= capacity || index.position(tail) >= capacity) return remains;
  const std::uint64_t laps = index.lap(tail) - index.lap(head);
  const bool ahead = index.position(head) < index.position(tail);
  const bool together = index.position(head) == index.position(tail);
  if (!(laps == 0 && (ahead || together)) && !(laps == index.one_lap() && !ahead)) return remains;
  remains.valid = true;

  const auto* memory = static_cast<const std::byte*>(slots);
  const auto visit_slot = [&](const std::byte* slot) {
    Value value;
    std::memcpy(static_cast<void*>(&value), slot, sizeof value);
    visit(static_cast<const Value&>(value));
    ++remains.completed;
  };
  const auto slot_at = [&](std::uint64_t at) { return memory + index.position(at) * slot_bytes; };
  const auto stamp_of = [&](std::uint64_t at) {
    std::uint64_t stored;
    std::memcpy(&stored, slot_at(at) + sizeof(Value), sizeof stored);
    return stored + index.position(at);
  };

  const std::uint64_t filled = index.distance(head, tail);
  // From the tail to one lap past the head: free slots, or values taken and not yet released.
  std::uint64_t at = tail;
  for (std::uint64_t left = capacity - filled; left > 0; --left, at = index.next(at)) {
    const std::uint64_t stamp = stamp_of(at);
    if (stamp == at - index.one_lap() + 1) {
      visit_slot(slot_at(at));
    } else if (stamp != at) {
      ++remains.damaged;
    }
  }
  at = head;
  for (std::uint64_t left = filled; left > 0; --left, at = index.next(at)) {
    const std::uint64_t stamp = stamp_of(at);
    if (stamp == at + 1) {
      visit_slot(slot_at(at));
    } else if (stamp == at || stamp == at - index.one_lap() + 1) {
      // Free when it was taken, or its former value was being displaced.
      ++remains.in_flight;
    } else {
      ++remains.damaged;
    }
  }
  return remains;
}

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_CLASSIC_RING_HPP
