// SPDX-License-Identifier: Apache-2.0
//
// What the trace rings need from the machine, so that the very same ring code runs on real atomics
// and under the model checker of tests/model. A policy has the members of NativePolicy.
#ifndef NDTEL_SYSTRACE_POLICY_HPP
#define NDTEL_SYSTRACE_POLICY_HPP

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "ndtel/trace_emit.hpp"

namespace ndtel::systrace {

/// Tells the processor that this is a spin loop.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Real atomics and locks.
///
/// The asymmetric pair: announce() is followed by a load of an emitter, heavy_fence() by loads on
/// the rare path. At least one of two threads that announce and fence sees the other. Where the
/// kernel offers membarrier, announce() is a plain store and heavy_fence() makes every running
/// thread of the process execute a barrier; elsewhere both sides are sequentially consistent.
struct NativePolicy {
  using Atomics = NativeAtomics;
  template <typename T>
  using Atomic = Atomics::Atomic<T>;
  using Mutex = std::mutex;

  /// Copies a value that only one thread may touch at this time. The model checker splits it, and
  /// reports a copy that another thread interferes with.
  template <typename T>
  static void copy(T& to, const T& from) noexcept {
    std::memcpy(static_cast<void*>(&to), &from, sizeof to);
  }

  /// Stores `value`, ordered before every later load of this thread as seen by heavy_fence().
  static void announce(std::atomic<std::uint64_t>& word, std::uint64_t value) noexcept {
    if (asymmetric_fences) {
      word.store(value, std::memory_order_release);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      word.exchange(value, std::memory_order_seq_cst);
    }
  }
  /// Loads a word after announce(). Sequentially consistent, which costs nothing on x86; where
  /// fences are symmetric the other side relies on it.
  template <typename T>
  static T look(const std::atomic<T>& word) noexcept {
    return word.load(std::memory_order_seq_cst);
  }

  /// Orders this thread's earlier stores before its later loads, and announcements of others
  /// likewise.
  static void heavy_fence() noexcept;

  /// Waits a little, from step 0 on longer and longer.
  /// @return the next step
  static unsigned pause(unsigned step) noexcept {
    if (step <= 6) {
      for (unsigned i = 0; i < (1u << step); ++i) cpu_relax();
    } else {
      ::sched_yield();
    }
    return step <= 10 ? step + 1 : step;
  }

  /// Asks the kernel for membarrier; before the first announcement.
  static void choose_fences() noexcept;

  static inline bool asymmetric_fences = false;
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_POLICY_HPP
