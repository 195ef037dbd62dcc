// SPDX-License-Identifier: Apache-2.0
//
// What decides on the hot path whether an event is recorded. The masks of ndtel/trace.hpp and this
// have pages of their own, which a forked child finds zeroed: it records nothing until it starts a
// capture itself.
#ifndef NDTEL_SYSTRACE_GATE_HPP
#define NDTEL_SYSTRACE_GATE_HPP

#include <atomic>
#include <cstdint>

#include "admission.hpp"
#include "ndtel/trace.hpp"
#include "policy.hpp"

namespace ndtel::systrace {

struct alignas(4096) Gate {
  Admission<NativePolicy> admission;
  /// When the clock is to be compared next, in ticks.
  alignas(128) std::atomic<std::uint64_t> next_anchor{0};
};

[[gnu::visibility("hidden")]] extern Gate gate;

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_GATE_HPP
