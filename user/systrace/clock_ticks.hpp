// SPDX-License-Identifier: Apache-2.0
//
// Ticks: the cheapest clock that all threads agree on. They mean nothing by themselves; a timeline
// (clock_timeline.hpp) converts them.
#ifndef NDTEL_SYSTRACE_CLOCK_TICKS_HPP
#define NDTEL_SYSTRACE_CLOCK_TICKS_HPP

#include <cstdint>

#include "ndtel/trace_emit.hpp"

namespace ndtel::systrace {

/// Where ticks come from. The numbers are part of the shared memory's layout.
enum class TickSource : std::uint32_t {
  kMonotonic = 1,  ///< clock_gettime(CLOCK_MONOTONIC), nanoseconds
  kTsc = 2,        ///< x86-64's time-stamp counter
  kCntvct = 3,     ///< aarch64's virtual counter
};

namespace detail {
// Hidden, so that the hot path reads it without a detour through the global offset table.
[[gnu::visibility("hidden")]] inline bool hardware_ticks = false;
std::uint64_t monotonic_ns() noexcept;
}  // namespace detail

/// The best source this machine offers: the processor's counter when it is invariant, readable, and
/// trusted by the kernel for its own clock; else the kernel's clock.
TickSource best_tick_source() noexcept;

/// Sets the source of the process; false, and nothing changed, when it is another machine's
/// counter. To be called before the first ticks(): ticks of two sources must not be mixed.
bool use_tick_source(TickSource source) noexcept;

/// The source in use.
TickSource tick_source() noexcept;

/// The time in ticks. May be read a few nanoseconds earlier or later than program order says.
inline std::uint64_t ticks() noexcept {
  if (detail::hardware_ticks) [[likely]]
    return hardware_ticks();
  return detail::monotonic_ns();
}

/// The time in ticks, read exactly here: after everything before it, before everything after it.
inline std::uint64_t ordered_ticks() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
  const std::uint64_t value = ticks();
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
  const std::uint64_t value = ticks();
  asm volatile("isb" ::: "memory");
#else
  const std::uint64_t value = ticks();
#endif
  return value;
}

/// CLOCK_REALTIME in nanoseconds since the epoch; negative before it.
std::int64_t realtime_ns() noexcept;

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_CLOCK_TICKS_HPP
