// SPDX-License-Identifier: Apache-2.0
//
// How an event gets into its ring. Everything here is inlined into the few functions that emit.
#ifndef NDTEL_SYSTRACE_EMIT_HPP
#define NDTEL_SYSTRACE_EMIT_HPP

#include <cstdint>

#include "clock_ticks.hpp"
#include "engine.hpp"
#include "gate.hpp"

namespace ndtel::systrace {

/// What an event says, beside when and by whom.
struct Emission {
  std::uint32_t phase;
  EventTag tag;                            ///< its type
  const nrt_sys_trace_event_data_t* data;  ///< null: zeroes
  std::uint64_t tracking_id;               ///< 0: a new one
  std::uint32_t nc;
  std::uint64_t nrta_seq_id;  ///< if the tag says so
};

// The cold functions take and return what is in registers anyway, so that the quick way ends in a
// jump to them and has nothing to save.

/// Emits although something is in the way: no block, a core that does not exist, the first event
/// of a thread, the classic engine, a machine without quick fences or ticks.
[[gnu::cold, gnu::noinline]] std::uint64_t emit_slowly(std::uint32_t phase, EventTag tag,
                                                       const nrt_sys_trace_event_data_t* data,
                                                       std::uint64_t tracking_id, std::uint32_t nc,
                                                       std::uint64_t nrta_seq_id) noexcept;

/// What happens after an event when the clock is to be compared. Returns `tracking_id`.
[[gnu::cold, gnu::noinline]] std::uint64_t anchor_after(std::uint64_t tracking_id) noexcept;

/// Where a ring of blocks keeps the asynchronous sequence of an event. Between enter() and leave().
[[gnu::cold, gnu::noinline]] void write_nrta_seq(const Slot& slot, std::uint32_t nc,
                                                 std::uint64_t nrta_seq_id) noexcept;

/// How far ahead of the next slot memory is fetched: far enough for its latency at full speed.
inline constexpr std::size_t kPrefetchBytes = 1536;

/// A word as the caller stored it. The compiler must not join such loads: a wider one would have to
/// wait until all of its stores have left the processor's store buffer.
[[gnu::always_inline]] inline std::uint64_t load_word(const std::uint64_t& from) noexcept {
  std::uint64_t word = from;
  asm("" : "+r"(word));
  return word;
}

[[gnu::always_inline]] inline void write_slot(Slot& slot, const Emission& event, EventTag thread,
                                              std::uint64_t ticks,
                                              std::uint64_t tracking_id) noexcept {
  slot.ticks = ticks;
  slot.phase = event.phase;
  slot.tag = thread | event.tag;
  slot.tracking_id = tracking_id;
  static constexpr nrt_sys_trace_event_data_t kNothing{};
  const std::uint64_t* const words = (event.data != nullptr ? event.data : &kNothing)->words;
  slot.data[0] = load_word(words[0]);
  slot.data[1] = load_word(words[1]);
  slot.data[2] = load_word(words[2]);
  slot.data[3] = load_word(words[3]);
  slot.data[4] = load_word(words[4]);
  if (event.tag.has_nrta_seq()) write_nrta_seq(slot, event.nc, event.nrta_seq_id);
}

/// Records an event, if its core and type are captured. Returns its tracking id, else 0.
[[gnu::always_inline]] inline std::uint64_t emit(std::uint32_t phase, std::uint32_t type,
                                                 const nrt_sys_trace_event_data_t* data,
                                                 std::uint64_t tracking_id, std::uint32_t nc,
                                                 bool has_nrta_seq,
                                                 std::uint64_t nrta_seq_id) noexcept {
  if (type >= NRT_SYS_TRACE_EVENT_TYPE_COUNT) return 0;
  const EventTag tag(type, has_nrta_seq);
  if (nc >= kMaxCores) [[unlikely]]
    return emit_slowly(phase, tag, data, tracking_id, nc, nrta_seq_id);
  const auto& mask = ndtel::trace::detail::masks.core[nc];
  if ((mask.load(std::memory_order_relaxed) >> type & 1) == 0) return 0;
  Thread* const thread = current_thread;
  if (thread == nullptr) [[unlikely]]
    return emit_slowly(phase, tag, data, tracking_id, nc, nrta_seq_id);

  const std::uint64_t visit = thread->line.enter_quickly();
  Cursor& cursor = thread->cursors[nc];
  if (!BlockEngineRing::ready_quickly(cursor)) [[unlikely]] {
    thread->line.leave(visit);
    return emit_slowly(phase, tag, data, tracking_id, nc, nrta_seq_id);
  }
  const std::uint64_t now = hardware_ticks();
  BlockEngineRing::write(cursor, [&](Slot& slot, std::uint64_t id) {
    __builtin_prefetch(reinterpret_cast<std::byte*>(&slot) + kPrefetchBytes, 1);
    if (tracking_id == 0) tracking_id = id;
    write_slot(slot, {phase, tag, data, 0, nc, nrta_seq_id}, thread->tag, now, tracking_id);
  });
  thread->line.leave(visit);
  if (now >= gate.next_anchor.load(std::memory_order_relaxed)) [[unlikely]]
    return anchor_after(tracking_id);
  return tracking_id;
}

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_EMIT_HPP
