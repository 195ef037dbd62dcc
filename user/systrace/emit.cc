// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include <new>

#include "log.hpp"

namespace ndtel::systrace {

std::uint64_t emit_slowly(std::uint32_t phase, EventTag tag, const nrt_sys_trace_event_data_t* data,
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
  return Engine::get().emit(*thread, {phase, tag, data, tracking_id, nc, nrta_seq_id});
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
  bool wrapped = false;
  for (unsigned step = 0;; ++step) {
    const std::uint64_t visit = thread.line.enter();
    const std::uint64_t epoch = gate.admission.epoch();
    // Whoever is inside an epoch keeps its capture from going.
    Capture* const capture = epoch == 0 ? nullptr : current_.load(std::memory_order_relaxed);
    Core* const core = capture == nullptr ? nullptr : capture->core(event.nc);
    if (core == nullptr || (capture->types >> event.tag.type() & 1) == 0) {
      thread.line.leave(visit);
      return 0;
    }
    BlockEngineRing* const ring = core->blocks();
    if (ring == nullptr) {
      nrt_sys_trace_event_t record{};
      record.trace_type = event.tag.type();
      record.thread_id = thread.tag.thread_id();
      record.tracking_id = event.tracking_id;
      if (event.data != nullptr) record.data = *event.data;
      record.phase = event.phase;
      record.nc_idx = event.nc;
      record.nrta_seq_id = event.nrta_seq_id;
      record.has_nrta_seq_id = event.tag.has_nrta_seq() ? 1 : 0;
      tracking_id = core->push_classic(record);
      now = record.timestamp_ns;
      wrapped = record.nc_local_id > kSequenceMask;
      thread.line.leave(visit);
      break;
    }
    Cursor& cursor = thread.cursors[event.nc];
    if (cursor.epoch != epoch) {
      // What it points to went with the capture it belonged to, and nobody else knows it any more.
      new (&cursor) Cursor;
      cursor.epoch = epoch;
      cursor.quick = NativePolicy::asymmetric_fences && detail::hardware_ticks;
    }
    bool ready = ring->ready(cursor);
    if (!ready) {
      ready = ring->turn(cursor, thread.line);
      wrapped = ring->wrapped();
    }
    if (ready) {
      now = ticks();
      BlockEngineRing::write(cursor, [&](Slot& slot, std::uint64_t id) {
        if (tracking_id == 0) tracking_id = id;
        write_slot(slot, event, thread.tag, now, tracking_id);
      });
      thread.line.leave(visit);
      break;
    }
    // Every block is another thread's, or being read.
    thread.line.leave(visit);
    NativePolicy::pause(step);
  }
  if (wrapped && !sequences_warned_[event.nc].exchange(true))
    log::write(log::Level::kWarn, "core {} is past 2^{} events: ids begin again", event.nc,
               NRT_SYS_TRACE_ID_BITS);
  if (now >= gate.next_anchor.load(std::memory_order_relaxed)) take_anchor();
  return tracking_id;
}

}  // namespace ndtel::systrace
