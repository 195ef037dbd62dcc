// SPDX-License-Identifier: Apache-2.0
//
// How an event gets into its ring when ndtel/trace_emit.hpp cannot do it quickly, and what the C
// functions add to that.
#ifndef NDTEL_SYSTRACE_EMIT_HPP
#define NDTEL_SYSTRACE_EMIT_HPP

#include <cstdint>

#include "admission.hpp"
#include "ndtel/trace_emit.hpp"
#include "policy.hpp"

namespace ndtel::systrace {

using trace::detail::gate;

/// Lets emitters into the running capture. On a page of its own, which a forked child finds zeroed.
struct alignas(4096) Entrance : Admission<NativePolicy> {};
[[gnu::visibility("hidden")]] extern Entrance entrance;

/// What a second engine says, and whoever emits into the first one's captures.
inline constexpr const char* kTwoEngines =
    "two copies of the trace engine are in this process, which can use one: link libndtel.so or "
    "the archives, not both";

/// What an event says, beside when and by whom.
struct Emission {
  EventTag tag;                            ///< its phase and type
  const nrt_sys_trace_event_data_t* data;  ///< null: zeroes
  std::uint64_t tracking_id;               ///< 0: a new one
  std::uint32_t nc;
  std::uint64_t nrta_seq_id;  ///< if the tag says so
};

/// Where a ring of blocks keeps the asynchronous sequence of an event. Between enter() and leave().
[[gnu::cold, gnu::noinline]] void write_nrta_seq(const Slot& slot, std::uint32_t nc,
                                                 std::uint64_t nrta_seq_id) noexcept;

/// Writes what the C interface says of an event beside its head.
[[gnu::always_inline]] inline void write_payload(Slot& slot, const Emission& event) noexcept {
  static constexpr nrt_sys_trace_event_data_t kNothing{};
  const std::uint64_t* const words = (event.data != nullptr ? event.data : &kNothing)->words;
  slot.data[0] = trace::detail::one_word(words[0]);
  slot.data[1] = trace::detail::one_word(words[1]);
  slot.data[2] = trace::detail::one_word(words[2]);
  slot.data[3] = trace::detail::one_word(words[3]);
  slot.data[4] = trace::detail::one_word(words[4]);
  if (event.tag.has_nrta_seq()) write_nrta_seq(slot, event.nc, event.nrta_seq_id);
}

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_EMIT_HPP
