// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include "log.hpp"

namespace ndtel::systrace {

std::uint64_t emit_slowly(EventTag tag, const nrt_sys_trace_event_data_t* data,
                          std::uint64_t tracking_id, std::uint32_t nc,
                          std::uint64_t nrta_seq_id) noexcept {
  if (nc >= kMaxCores) {
    if (gate.admission.epoch() == 0) return 0;
    log::write(log::Level::kWarn, "an event for core {}, which cannot be, counts as core 0's", nc);
    nc = 0;
  }
  Thread* const thread =
      current_thread != nullptr ? current_thread : Engine::get().threads().join();
  if (thread == nullptr) {
    log::write(log::Level::kWarn, "no memory for a thread that emits: its events are lost");
    return 0;
  }
  return Engine::get().emit(*thread, {tag, data, tracking_id, nc, nrta_seq_id});
}

void write_nrta_seq(const Slot& slot, std::uint32_t nc, std::uint64_t nrta_seq_id) noexcept {
  Engine::get().inside_core(nc).nrta_seq_id(slot) = nrta_seq_id;
}

std::uint64_t anchor_after(std::uint64_t tracking_id) noexcept {
  Engine::get().take_anchor();
  return tracking_id;
}

std::uint64_t Engine::emit(Thread& thread, const Emission& event) noexcept {
  std::uint64_t tracking_id = event.tracking_id;
  std::uint64_t now = 0;
  std::uint64_t last = 0;  // sequence of the event, or of the last one of its block
  for (unsigned step = 0;; ++step) {
    thread.line.enter();
    const std::uint64_t epoch = gate.admission.epoch();
    // Whoever is inside an epoch keeps its capture from going.
    Capture* const capture = epoch == 0 ? nullptr : current_.load(std::memory_order_relaxed);
    Core* const core = capture == nullptr ? nullptr : capture->core(event.nc);
    if (core == nullptr || (capture->types >> event.tag.type() & 1) == 0) {
      thread.line.leave();
      return 0;
    }
    BlockEngineRing* const ring = core->blocks();
    if (ring == nullptr) {
      nrt_sys_trace_event_t record{};
      record.trace_type = event.tag.type();
      record.thread_id = thread.tag.thread_id();
      record.tracking_id = event.tracking_id;
      if (event.data != nullptr) record.data = *event.data;
      record.phase = event.tag.phase();
      record.nc_idx = event.nc;
      record.nrta_seq_id = event.nrta_seq_id;
      record.has_nrta_seq_id = event.tag.has_nrta_seq() ? 1 : 0;
      tracking_id = core->push_classic(record);
      now = record.timestamp_ns;
      last = record.nc_local_id;
      thread.line.leave();
      break;
    }
    Cursor& cursor = thread.cursors[event.nc];
    // The quick way takes asymmetric fences and the processor's ticks for granted. Elsewhere it has
    // to find a cursor that does not match.
    const bool quick = NativePolicy::asymmetric_fences && detail::hardware_ticks;
    const std::uint64_t mark = quick ? epoch : ~epoch;
    if (cursor.epoch != mark) {
      cursor = Cursor{};
      cursor.epoch = mark;
    }
    if (BlockEngineRing::ready(cursor) || ring->turn(cursor, thread.line)) {
      now = ticks();
      BlockEngineRing::write(cursor, [&](Slot& slot, std::uint64_t sequence) {
        if (tracking_id == 0) tracking_id = event_id(sequence, event.nc);
        write_slot(slot, event, thread.tag, now, tracking_id);
      });
      last = cursor.sequence + static_cast<std::uint64_t>(cursor.end - cursor.next);
      thread.line.leave();
      break;
    }
    // Every block is another thread's, or being read.
    thread.line.leave();
    NativePolicy::pause(step);
  }
  if (last > kSequenceMask && !sequences_warned_[event.nc].exchange(true))
    log::write(log::Level::kWarn, "core {} is past 2^{} events: ids begin again", event.nc,
               NRT_SYS_TRACE_ID_BITS);
  if (now >= gate.next_anchor.load(std::memory_order_relaxed)) take_anchor();
  return tracking_id;
}

}  // namespace ndtel::systrace
