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

/// The calling thread's place; null until it emits for the first time. A plain word at a fixed
/// offset: no call to find it, and no constructor.
[[gnu::visibility("hidden"),
  gnu::tls_model("initial-exec")]] extern constinit thread_local Thread* current_thread;

/// What an event says, beside when and by whom.
struct Emission {
  std::uint32_t phase;
  std::uint32_t type;
  const nrt_sys_trace_event_data_t* data;  ///< null: zeroes
  std::uint64_t tracking_id;               ///< 0: a new one
  std::uint32_t nc;
  std::uint64_t nrta_seq_id;
  bool has_nrta_seq;
};

/// Emits although something is in the way: no block, a core that does not exist, the first event
/// of a thread, the classic engine.
[[gnu::cold, gnu::noinline]] std::uint64_t emit_slowly(const Emission& event) noexcept;

/// How far ahead of the next slot memory is fetched: far enough for its latency at full speed.
inline constexpr std::size_t kPrefetchBytes = 1536;

inline void write_slot(Slot& slot, const Emission& event, std::uint64_t ticks,
                       std::uint64_t tracking_id, std::uint32_t thread_id) noexcept {
  slot.ticks = ticks;
  slot.tag = EventTag(event.type, event.phase, thread_id, event.has_nrta_seq);
  slot.tracking_id = tracking_id;
  slot.nrta_seq_id = event.nrta_seq_id;
  if (event.data == nullptr) {
    for (std::uint64_t& word : slot.data) word = 0;
    return;
  }
  // Word by word, as the caller just stored them: a wider load would have to wait until all of
  // these stores have left the processor's store buffer.
  for (int i = 0; i < 5; ++i) {
    std::uint64_t word;
    std::memcpy(&word, &event.data->words[i], sizeof word);
    asm("" : "+r"(word));
    slot.data[i] = word;
  }
}

/// Records an event, if its core and type are captured. Returns its tracking id, else 0.
[[gnu::always_inline]] inline std::uint64_t emit(const Emission& event) noexcept {
  if (event.nc >= kMaxCores) [[unlikely]]
    return emit_slowly(event);
  const auto& mask = ndtel::trace::detail::masks.core[event.nc];
  if (event.type >= NRT_SYS_TRACE_EVENT_TYPE_COUNT ||
      (mask.load(std::memory_order_relaxed) >> event.type & 1) == 0)
    return 0;
  Thread* const thread = current_thread;
  if (thread == nullptr) [[unlikely]]
    return emit_slowly(event);

  thread->line.enter();
  Cursor& cursor = thread->cursors[event.nc];
  if (gate.admission.epoch() != cursor.epoch || !BlockEngineRing::ready(cursor)) [[unlikely]] {
    thread->line.leave();
    return emit_slowly(event);
  }
  std::uint64_t tracking_id = event.tracking_id;
  const std::uint64_t now = ticks();
  BlockEngineRing::write(cursor, [&](Slot& slot, std::uint64_t sequence) {
    __builtin_prefetch(reinterpret_cast<std::byte*>(&slot) + kPrefetchBytes, 1);
    __builtin_prefetch(reinterpret_cast<std::byte*>(&slot) + kPrefetchBytes + 64, 1);
    if (tracking_id == 0) tracking_id = event_id(sequence, event.nc);
    write_slot(slot, event, now, tracking_id, thread->id);
  });
  thread->line.leave();
  if (now >= gate.next_anchor.load(std::memory_order_relaxed)) [[unlikely]]
    Engine::get().take_anchor();
  return tracking_id;
}

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_EMIT_HPP
