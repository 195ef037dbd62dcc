// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include <new>

#include "engine.hpp"
#include "log.hpp"

namespace ndtel::trace::detail {

using namespace systrace;

constinit Gate emit1::gate;

std::uint64_t emit1::emit_slowly(EventTag tag, const nrt_sys_trace_event_data_t* data,
                                 std::uint64_t tracking_id, std::uint32_t nc,
                                 std::uint64_t nrta_seq_id) noexcept {
  if (nc >= kMaxCores) {
    if (entrance.epoch() == 0) return 0;
    log::write(log::Level::kWarn, "an event for core {}, which cannot be, counts as core 0's", nc);
    nc = 0;
  }
  Thread* thread = current_thread;
  const void* const engine = gate.engine.load(std::memory_order_relaxed);
  if ((engine != nullptr && engine != &entrance) ||
      (thread != nullptr && thread->engine != nullptr && thread->engine != &entrance)) {
    log::write(log::Level::kError, "{}", kTwoEngines);
    return 0;
  }
  // A child that was not forked by fork() finds its place zeroed: it belongs to its parent's
  // capture.
  if (thread == nullptr || thread->engine == nullptr) thread = Engine::get().threads().join();
  if (thread == nullptr) {
    log::write(log::Level::kWarn, "no memory for a thread that emits: its events are lost");
    return 0;
  }
  return Engine::get().emit(*thread, {tag, data, tracking_id, nc, nrta_seq_id});
}

std::uint64_t emit1::emit_words_slowly(EventTag tag, std::uint64_t tracking_id, std::uint32_t nc,
                                       std::uint64_t word0, std::uint64_t word1,
                                       std::uint64_t word2, std::uint64_t word3,
                                       std::uint64_t word4) noexcept {
  const nrt_sys_trace_event_data_t data{.words = {word0, word1, word2, word3, word4}};
  return emit_slowly(tag, &data, tracking_id, nc, 0);
}

std::uint64_t emit1::anchor_after(std::uint64_t tracking_id) noexcept {
  Engine::get().take_anchor();
  return tracking_id;
}

}  // namespace ndtel::trace::detail

namespace ndtel::systrace {

constinit Entrance entrance;

void write_nrta_seq(const Slot& slot, std::uint32_t nc, std::uint64_t nrta_seq_id) noexcept {
  Engine::get().inside_core(nc).nrta_seq_id(slot) = nrta_seq_id;
}

std::uint64_t Engine::emit(Thread& thread, const Emission& event) noexcept {
  std::uint64_t tracking_id = event.tracking_id;
  std::uint64_t now = 0;
  bool wrapped = false;
  for (unsigned step = 0;; ++step) {
    thread.line.enter<NativePolicy>();
    const std::uint64_t epoch = entrance.epoch();
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
      wrapped = record.nc_local_id > kSequenceMask;
      thread.line.leave();
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
      tracking_id =
          trace::detail::write_event(thread, cursor, cursor.next, event.tag, now, tracking_id,
                                     [&](Slot& slot) { write_payload(slot, event); });
      thread.line.leave();
      break;
    }
    // Every block is another thread's, or being read.
    thread.line.leave();
    NativePolicy::pause(step);
  }
  if (wrapped && !sequences_warned_[event.nc].exchange(true))
    log::write(log::Level::kWarn, "core {} is past 2^{} events: ids begin again", event.nc,
               NRT_SYS_TRACE_ID_BITS);
  if (now >= gate.next_anchor.load(std::memory_order_relaxed)) take_anchor();
  return tracking_id;
}

}  // namespace ndtel::systrace
