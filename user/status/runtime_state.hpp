// SPDX-License-Identifier: Apache-2.0
//
// Where the process is between nrt_init() and nrt_close(), for functions that only work in between.
#ifndef NDTEL_STATUS_RUNTIME_STATE_HPP
#define NDTEL_STATUS_RUNTIME_STATE_HPP

#include <atomic>
#include <cstdint>

#include "nrt/nrt_status.h"

namespace ndtel::runtime {

enum class Phase {
  kBeforeInit,
  kOpen,
  kClosed,
};

namespace detail {
inline std::atomic<Phase> phase{Phase::kBeforeInit};
inline std::atomic<bool> implicit_async{false};
inline std::atomic<std::uint32_t> arch{0};
}  // namespace detail

inline Phase phase() noexcept { return detail::phase.load(std::memory_order_acquire); }

/// For nrt_init() and nrt_close() alone.
inline void set_phase(Phase phase) noexcept {
  detail::phase.store(phase, std::memory_order_release);
}

/// NRT_UNINITIALIZED before nrt_init(), NRT_CLOSED after nrt_close(), NRT_SUCCESS in between.
inline NRT_STATUS guard() noexcept {
  switch (phase()) {
    case Phase::kBeforeInit:
      return NRT_UNINITIALIZED;
    case Phase::kClosed:
      return NRT_CLOSED;
    case Phase::kOpen:
      break;
  }
  return NRT_SUCCESS;
}

/// Whether executions are queued behind the program's back, as the program that hosts us says. The
/// ntrace ring refuses to work then: what it records has no order.
inline bool implicit_async() noexcept {
  return detail::implicit_async.load(std::memory_order_acquire);
}
inline void set_implicit_async(bool on) noexcept {
  detail::implicit_async.store(on, std::memory_order_release);
}

/// Generation of the devices as files say it: 2, 3, 4; 0 while nobody knows.
inline std::uint32_t arch() noexcept { return detail::arch.load(std::memory_order_relaxed); }
inline void set_arch(std::uint32_t arch) noexcept {
  detail::arch.store(arch, std::memory_order_relaxed);
}

}  // namespace ndtel::runtime

#endif  // NDTEL_STATUS_RUNTIME_STATE_HPP
