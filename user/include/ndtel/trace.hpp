// SPDX-License-Identifier: Apache-2.0
//
// Tracing from C++: spans and instants of typed events, names, and captures.
#ifndef NDTEL_TRACE_HPP
#define NDTEL_TRACE_HPP

#include <atomic>
#include <cstdint>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::trace {

namespace detail {

/// For every core a bit a type that is captured.
struct alignas(4096) TypeMasks {
  std::atomic<std::uint64_t> core[NRT_SYS_TRACE_MAX_NC]{};
};
extern TypeMasks masks;

}  // namespace detail

/// Whether events of this type are recorded for a core now: a load and a test, where even the
/// preparation of a payload would cost too much.
[[gnu::always_inline]] inline bool enabled(std::uint32_t nc, std::uint32_t type) noexcept {
  return nc < NRT_SYS_TRACE_MAX_NC && type < NRT_SYS_TRACE_EVENT_TYPE_COUNT &&
         (detail::masks.core[nc].load(std::memory_order_relaxed) >> type & 1) != 0;
}

}  // namespace ndtel::trace

#endif  // NDTEL_TRACE_HPP
