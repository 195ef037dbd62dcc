// SPDX-License-Identifier: Apache-2.0
//
// What tracing costs: a full emit against the bare push of crossbeam-queue and against LTTng-UST in
// overwrite mode, with one thread and two, on rings of 1 Mi events that are full; what it costs
// when it is off; and its memory.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "clock_ticks.hpp"
#include "core_capture.hpp"
#include "crossbeam_peer.hpp"
#include "lttng_peer.hpp"
#include "measure.hpp"
#include "slot.hpp"

namespace {

using namespace ndtel::bench;

constexpr int kRounds = 51;
constexpr std::uint64_t kEvents = 1 << 16;  // a round of one thread

std::uint64_t resident_bytes() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;) {
    std::uint64_t kib = 0;
    if (word == "Rss:" && rollup >> kib) return kib * 1024;
  }
  return 0;
}

// Both threads start together; the cost an event is the mean of what each of them saw. A round in
// which they hardly met, because one had no processor, says nothing.
template <typename Emit>
Round round_of_two_threads(Emit emit) {
  std::atomic<int> ready{0};
  std::array<Round, 2> rounds{};
  const auto run = [&](std::size_t index) {
    ready.fetch_add(1);
    while (ready.load() != 2) continue;
    rounds[index] = timed(kEvents, [&] { emit(kEvents); });
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  const auto both =
      std::min(rounds[0].end, rounds[1].end) - std::max(rounds[0].start, rounds[1].start);
  const auto either =
      std::max(rounds[0].end, rounds[1].end) - std::min(rounds[0].start, rounds[1].start);
  return {(rounds[0].ns_each + rounds[1].ns_each) / 2,
          rounds[0].disturbed || rounds[1].disturbed || both * 5 < either * 4, rounds[0].start,
          rounds[0].end};
}

struct Series {
  std::vector<double> one, two;
};

template <typename Emit>
void measure(Series& series, Emit emit) {
  series.one.push_back(nanoseconds_each(kEvents, [&] { emit(kEvents); }));
  series.two.push_back(undisturbed([&] { return round_of_two_threads(emit); }));
}

// A slot that somebody fills: nothing but what an event says, and when. Not inlined, as an emit
// through the C interface is not.
[[gnu::noinline]] void fill_slot(ndtel::systrace::Slot& slot, std::uint32_t type,
                                 const nrt_sys_trace_event_data_t& data) {
  slot.ticks = ndtel::systrace::hardware_ticks();
  slot.tag = ndtel::systrace::EventTag(NRT_SYS_TRACE_EVENT_PHASE_START, type, false);
  slot.tracking_id = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    slot.data[i] = data.words[i];
    asm volatile("" : : : "memory");
  }
}

// The least an event can cost here: its time, its bytes, and both in a function that does nothing
// else: no gate, no ring, no counts.
void measure_floor(Report& report) {
  std::vector<double> ticks_ns, bytes_ns, slot_ns;
  auto ring = std::make_unique<std::array<std::array<std::uint64_t, 14>, 4096>>();
  auto slots = std::make_unique<std::array<ndtel::systrace::Slot, 4096>>();
  for (int round = 0; round < kRounds; ++round) {
    std::uint64_t sum = 0;
    ticks_ns.push_back(nanoseconds_each(kEvents, [&] {
      for (std::uint64_t i = 0; i < kEvents; ++i) sum += ndtel::systrace::ticks();
    }));
    asm volatile("" : : "r"(sum));
    bytes_ns.push_back(nanoseconds_each(kEvents, [&] {
      for (std::uint64_t i = 0; i < kEvents; ++i) {
        auto& record = (*ring)[i % ring->size()];
        for (auto& word : record) word = i;
        asm volatile("" : : "r"(&record) : "memory");
      }
    }));
    slot_ns.push_back(nanoseconds_each(kEvents, [&] {
      nrt_sys_trace_event_data_t data{};
      for (std::uint64_t i = 0; i < kEvents; ++i) {
        data.words[0] = i;
        asm volatile("" : : : "memory");
        fill_slot((*slots)[i % slots->size()], kType, data);
      }
    }));
  }
  report.ns("floor_ticks", median(ticks_ns));
  report.ns("floor_112_bytes_cached", median(bytes_ns));
  report.ns("floor_ticks_and_slot_cached", median(slot_ns));
}

void measure_memory(Report& report) {
  const std::uint64_t before = resident_bytes();
  const Capture capture;
  emit_through_c(kType, 0, 2 * kSlots);
  const std::uint64_t after = resident_bytes();
  report.ratio("trace_bytes_per_slot", static_cast<double>(after - before) / kSlots, 128);
}

}  // namespace

int main() {
  Report report;
  ndtel::systrace::use_tick_source(ndtel::systrace::best_tick_source());
  measure_floor(report);
  measure_memory(report);

  const Capture capture;
  if (!capture.running()) {
    fmt::print(stderr, "bench_trace_emit: the capture does not start\n");
    return 2;
  }
  CrossbeamPeer crossbeam(kSlots);
  LttngPeer lttng;
  bool with_lttng = lttng.problem().empty();
  if (with_lttng) {
    std::vector<double> disabled;
    for (int round = 0; round < kRounds; ++round)
      disabled.push_back(nanoseconds_each(kEvents, [&] { lttng.emit(0, kEvents); }));
    report.ns("lttng_disabled", median(disabled));
    with_lttng = lttng.enable();
  }

  // Every ring is full, and every page of it was written, before anything counts.
  emit_through_c(kType, 0, 2 * kSlots);
  crossbeam.push(0, 2 * kSlots);
  if (with_lttng) {
    std::thread other([&] { lttng.emit(0, 3 * kSlots); });
    lttng.emit(0, 3 * kSlots);
    other.join();
  }

  Series ours, through_c, bare, ust;
  const std::uint64_t events_before = nrt_sys_trace_total_event_count();
  for (int round = 0; round < kRounds; ++round) {
    measure(ours, [](std::uint64_t count) { emit_inlined(0, 0, count); });
    measure(through_c, [](std::uint64_t count) { emit_through_c(kType, 0, count); });
    if (CrossbeamPeer::kBuilt)
      measure(bare, [&](std::uint64_t count) { crossbeam.push(0, count); });
    if (with_lttng) measure(ust, [&](std::uint64_t count) { lttng.emit(0, count); });
  }
  // Rounds that were disturbed come on top.
  const std::uint64_t recorded = nrt_sys_trace_total_event_count() - events_before;
  if (recorded < 6 * kRounds * kEvents || recorded % kEvents != 0) {
    fmt::print(stderr, "bench_trace_emit: recorded {} events\n", recorded);
    return 2;
  }

  report.ns("emit", median(ours.one));
  report.ns("emit_two_threads", median(ours.two));
  report.ns("emit_c", median(through_c.one));
  report.ns("emit_c_two_threads", median(through_c.two));
  report.ratio("trace_two_threads_vs_one", median_ratio(ours.two, ours.one), 1.3);
  report.ratio("trace_two_threads_vs_one_c", median_ratio(through_c.two, through_c.one), 1.3);
  if (CrossbeamPeer::kBuilt) {
    report.ns("crossbeam", median(bare.one));
    report.ns("crossbeam_two_threads", median(bare.two));
    report.ratio("trace_emit_vs_crossbeam", median_ratio(ours.one, bare.one), 0.5);
    report.fact("trace_emit_c_vs_crossbeam", median_ratio(through_c.one, bare.one));
  } else {
    report.missing("trace_emit_vs_crossbeam", "librust-crossbeam-queue-dev is not installed");
  }
  if (with_lttng) {
    report.ns("lttng", median(ust.one));
    report.ns("lttng_two_threads", median(ust.two));
    report.ratio("trace_emit_vs_lttng", median_ratio(ours.one, ust.one), 0.15);
    report.fact("trace_emit_c_vs_lttng", median_ratio(through_c.one, ust.one));
  } else {
    report.missing("trace_emit_vs_lttng", lttng.problem());
  }
  return report.exit_status();
}
