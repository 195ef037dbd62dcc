// SPDX-License-Identifier: Apache-2.0
//
// The policy of the rings (user/systrace/policy.hpp) on the machine of the models.
#ifndef NDTEL_TESTS_MODEL_MODEL_POLICY_HPP
#define NDTEL_TESTS_MODEL_MODEL_POLICY_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "machine.hpp"
#include "weakening.hpp"

namespace ndtel::model {

/// As std::atomic, as far as the rings use it. Zeroed memory is an object with the value 0.
template <typename T>
class ModelAtomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));

 public:
  ModelAtomic() = default;
  constexpr ModelAtomic(T value) noexcept : value_(value) {}
  ModelAtomic(const ModelAtomic&) = delete;
  ModelAtomic& operator=(const ModelAtomic&) = delete;

  T load(std::memory_order order, Where where = Where()) const noexcept {
    return from(machine.load(&value_, sizeof(T), weakened(where, Role::kLoad, order)));
  }

  void store(T value, std::memory_order order, Where where = Where()) noexcept {
    machine.store(&value_, sizeof(T), to(value), weakened(where, Role::kStore, order));
  }

  T exchange(T value, std::memory_order order, Where where = Where()) noexcept {
    return modify(order, where, [&](std::uint64_t) { return Update{to(value)}; });
  }

  T fetch_add(T value, std::memory_order order, Where where = Where()) noexcept {
    return modify(order, where,
                  [&](std::uint64_t old) { return Update{to(static_cast<T>(from(old) + value))}; });
  }

  T fetch_sub(T value, std::memory_order order, Where where = Where()) noexcept {
    return modify(order, where,
                  [&](std::uint64_t old) { return Update{to(static_cast<T>(from(old) - value))}; });
  }

  bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                             std::memory_order failure, Where where = Where()) noexcept {
    return compare_exchange(expected, value, success, failure, where, true);
  }

  bool compare_exchange_strong(T& expected, T value, std::memory_order success,
                               std::memory_order failure, Where where = Where()) noexcept {
    return compare_exchange(expected, value, success, failure, where, false);
  }

 private:
  static std::uint64_t to(T value) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
  }
  static T from(std::uint64_t word) noexcept {
    T value;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }

  template <typename Change>
  T modify(std::memory_order order, Where where, Change&& change) noexcept {
    order = weakened(where, Role::kUpdate, order);
    bool done = false;
    return from(machine.update(&value_, sizeof(T), order, order, false, change, done));
  }

  bool compare_exchange(T& expected, T value, std::memory_order success, std::memory_order failure,
                        const Where& where, bool weak) noexcept {
    success = weakened(where, Role::kUpdate, success);
    failure = weakened(where, Role::kFailure, failure);
    bool done = false;
    const std::uint64_t want = to(expected);
    expected = from(machine.update(
        &value_, sizeof(T), success, failure, weak,
        [&](std::uint64_t old) {
          return Update{to(value), old == want};
        },
        done));
    return done;
  }

  T value_;
};

/// As std::mutex.
class ModelMutex {
 public:
  void lock() noexcept { machine.lock(&word_); }
  bool try_lock() noexcept { return machine.try_lock(&word_); }
  void unlock() noexcept { machine.unlock(&word_); }

 private:
  std::uint64_t word_ = 0;
};

struct ModelAtomics {
  template <typename T>
  using Atomic = ModelAtomic<T>;
};

/// @tparam kSymmetric   both sides of announce() and heavy_fence() are sequentially consistent, as
///                      where the kernel offers no membarrier
/// @tparam kSplitCopies others may run in the middle of a copy, and nobody looks for data races:
///                      what was torn shows in the copy
template <bool kSymmetric, bool kSplitCopies = false>
struct ModelPolicy {
  using Atomics = ModelAtomics;
  template <typename T>
  using Atomic = ModelAtomic<T>;
  using Mutex = ModelMutex;

  template <typename T>
  static void copy(T& to, const T& from) noexcept {
    auto* target = reinterpret_cast<std::byte*>(&to);
    const auto* source = reinterpret_cast<const std::byte*>(&from);
    if constexpr (kSplitCopies) {
      std::memcpy(target, source, sizeof(T) / 2);
      machine.copy_point();
      std::memcpy(target + sizeof(T) / 2, source + sizeof(T) / 2, sizeof(T) - sizeof(T) / 2);
    } else {
      machine.plain_read(source);
      machine.plain_write(target);
      std::memcpy(target, source, sizeof(T));
    }
  }

  static void announce(ModelAtomic<std::uint64_t>& word, std::uint64_t value,
                       Where where = Where()) noexcept {
    if constexpr (kSymmetric) {
      word.exchange(value, std::memory_order_seq_cst, where);
    } else {
      word.store(value, std::memory_order_release, where);
    }
  }

  template <typename T>
  static T look(const ModelAtomic<T>& word, Where where = Where()) noexcept {
    return word.load(std::memory_order_seq_cst, where);
  }

  static void heavy_fence(Where where = Where()) noexcept {
    const bool present =
        weakened(where, Role::kFence, std::memory_order_seq_cst) != std::memory_order_relaxed;
    if (!present) return;
    if constexpr (kSymmetric) {
      machine.fence();
    } else {
      machine.heavy_fence();
    }
  }

  /// Every step looks the same, so that states do not differ by how long somebody waited. Going
  /// round in a loop leads to a state that was seen.
  static unsigned pause(unsigned) noexcept {
    machine.pause();
    return 0;
  }
};

}  // namespace ndtel::model

#endif  // NDTEL_TESTS_MODEL_MODEL_POLICY_HPP
