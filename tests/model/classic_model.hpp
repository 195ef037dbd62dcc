// SPDX-License-Identifier: Apache-2.0
//
// Producers and consumers of one small ring, with books of what became of every value.
#ifndef NDTEL_TESTS_MODEL_CLASSIC_MODEL_HPP
#define NDTEL_TESTS_MODEL_CLASSIC_MODEL_HPP

#include <array>
#include <cstdint>

#include "classic_ring.hpp"
#include "explorer.hpp"
#include "model_policy.hpp"

namespace ndtel::model {

using systrace::ClassicIndices;
using systrace::ClassicRing;
using systrace::ClassicSlot;

/// A value that shows when it is torn, or was never written.
struct Payload {
  std::uint64_t number = 0;
  std::uint64_t check = 0;

  static Payload of(std::uint64_t number) noexcept { return {number, ~number}; }
  bool whole() const noexcept { return check == ~number; }
};

/// What became of the values of a model, which are numbered from 1.
template <unsigned kThreads, unsigned kValues>
class Books {
 public:
  /// The value `number` of a producer; kThreads stands for those there from the start.
  Payload send(unsigned producer, unsigned number) noexcept {
    producer_of_[number] = static_cast<std::uint8_t>(producer);
    return Payload::of(number);
  }

  /// A thread got a value: popped, displaced, or left in the end (kThreads). Wipes it, because what
  /// lies in dead variables makes states differ.
  void received(unsigned thread, Payload& value) noexcept {
    const std::uint64_t number = value.number;
    machine.require(value.whole(), "a torn value");
    machine.require(number >= 1 && number <= kValues, "a value nobody sent");
    machine.require((seen_ >> number & 1) == 0, "a value came twice");
    seen_ |= std::uint64_t{1} << number;
    std::uint8_t& last = last_[thread][producer_of_[number]];
    machine.require(last < number, "values of one producer out of order");
    last = static_cast<std::uint8_t>(number);
    value = {};
    asm volatile("" : : "r"(&value) : "memory");
  }

  bool complete() const noexcept { return seen_ == (std::uint64_t{2} << kValues) - 2; }

 private:
  std::uint64_t seen_ = 0;
  std::array<std::uint8_t, kValues + 1> producer_of_{};
  std::array<std::array<std::uint8_t, kThreads + 1>, kThreads + 1> last_{};
};

/// Sizes of a model.
struct ClassicSizes {
  unsigned capacity;
  unsigned producers;
  unsigned pushes;  ///< of each producer
  unsigned consumers;
  unsigned pops;        ///< of each consumer
  unsigned filled = 0;  ///< values that are there from the start
};

/// Numbers of values: those from the start come first, then those of each producer.
template <template <typename, typename> typename Ring, typename Policy, ClassicSizes kSizes>
struct ClassicModel {
  static constexpr unsigned kThreads = kSizes.producers + kSizes.consumers;
  static constexpr unsigned kValues = kSizes.filled + kSizes.producers * kSizes.pushes;
  ClassicIndices<Policy> indices;
  std::array<ClassicSlot<Policy, Payload>, kSizes.capacity> slots;
  Books<kThreads, kValues> books;
  std::uint64_t evicting = 0;  // producers between their two index words, a bit each

  ClassicModel() {
    for (unsigned i = 1; i <= kSizes.filled; ++i) ring().force_push(books.send(kThreads, i));
  }

  Ring<Policy, Payload> ring() { return {slots.data(), &indices, kSizes.capacity}; }

  void thread(unsigned i) {
    Payload got;
    if (i < kSizes.producers) {
      for (unsigned k = 1; k <= kSizes.pushes; ++k) {
        const Payload sent = books.send(i, kSizes.filled + i * kSizes.pushes + k);
        if (ring().force_push(sent, &got)) books.received(i, got);
      }
    } else {
      for (unsigned k = 0; k < kSizes.pops; ++k) {
        if (ring().pop(got)) books.received(i, got);
      }
    }
  }

  void finish() {
    const std::uint64_t length = ring().len();
    const auto remains = systrace::walk_classic_ring<Payload>(
        slots.data(), sizeof slots, kSizes.capacity, indices.head.load(std::memory_order_relaxed),
        indices.tail.load(std::memory_order_relaxed), [](const Payload&) {});
    machine.require(remains.valid && remains.in_flight == 0 && remains.damaged == 0,
                    "a stamp is left that no finished thread leaves");
    machine.require(remains.completed == length && length <= kSizes.capacity,
                    "the length is wrong");
    Payload got;
    std::uint64_t left = 0;
    for (; left <= length && ring().pop(got); ++left) books.received(kThreads, got);
    machine.require(left == length, "the ring does not hold what its length says");
    machine.require(books.complete(), "a value is lost");
  }

  /// While a producer has taken the oldest value and not yet moved the tail, nobody else moves it.
  static void watch(void* world, unsigned thread, const void* address, std::uint64_t,
                    std::uint64_t) {
    auto& model = *static_cast<ClassicModel*>(world);
    const std::uint64_t bit = std::uint64_t{1} << thread;
    if (address == &model.indices.head && thread < kSizes.producers) model.evicting |= bit;
    if (address == &model.indices.tail) {
      machine.require((model.evicting & ~bit) == 0, "the tail moved during an eviction");
      model.evicting &= ~bit;
    }
  }
};

}  // namespace ndtel::model

#endif  // NDTEL_TESTS_MODEL_CLASSIC_MODEL_HPP
