// SPDX-License-Identifier: Apache-2.0
//
// What code pays that could be traced and is not: in line, and through a shared library as programs
// with the C interface load it.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "core_capture.hpp"
#include "empty_call.h"
#include "measure.hpp"
#include "ndtel/trace.hpp"

namespace {

using namespace ndtel::bench;

constexpr int kRounds = 101;
constexpr std::uint64_t kEvents = 1 << 16;

// Loops this short cost more when they lie across two lines of the instruction cache; this file is
// compiled with loops aligned.
[[gnu::noinline]] void empty_loop() {
  for (std::uint64_t i = 0; i < kEvents; ++i) asm volatile("" : : "r"(i));
}

[[gnu::noinline]] void gate_loop(std::uint32_t nc) {
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    asm volatile("" : : "r"(i));
    ndtel::trace::start<ndtel::trace::event::ExecPre>(nc, {.exec_id = i, .model_id = 77});
  }
}

[[gnu::noinline]] void empty_call_loop(std::uint32_t type) {
  nrt_sys_trace_event_data_t data{};
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    data.exec_pre.exec_id = i;
    bench_empty_call(NRT_SYS_TRACE_EVENT_PHASE_START, type, &data, 0, 0);
  }
}

void measure_gate(Report& report, bool capturing) {
  std::vector<double> empty, gate, call, off;
  const std::uint32_t type = capturing ? kFilteredType : kType;
  // Known at run time only, as a caller's core is.
  volatile std::uint32_t any_core = 0;
  const std::uint32_t core = any_core;
  for (int round = 0; round < kRounds; ++round) {
    empty.push_back(nanoseconds_each(kEvents, [] { empty_loop(); }));
    gate.push_back(nanoseconds_each(kEvents, [core] { gate_loop(core); }));
    call.push_back(nanoseconds_each(kEvents, [&] { empty_call_loop(type); }));
    off.push_back(nanoseconds_each(kEvents, [&] { emit_through_c(type, 0, kEvents); }));
  }
  report.ns("empty_plt_call", median(call));
  if (capturing) {
    report.ns("filtered_type", median(off));
    report.ratio("trace_filtered_vs_empty_plt_call", median_ratio(off, call), 3);
    return;
  }
  std::vector<double> more;
  for (std::size_t i = 0; i < gate.size(); ++i) more.push_back(gate[i] - empty[i]);
  report.ns("empty_loop", median(empty));
  report.ns("gate_off_inline", median(gate));
  report.ns("gate_off_c", median(off));
  report.ratio("trace_gate_off_inline_ns_over_empty_loop", median(more), 0.5);
  report.ratio("trace_gate_off_c_vs_empty_plt_call", median_ratio(off, call), 1.5);
}

}  // namespace

int main() {
  Report report;
  measure_gate(report, false);

  const Capture capture;
  if (!capture.running()) {
    fmt::print(stderr, "bench_trace_gate: the capture does not start\n");
    return 2;
  }
  measure_gate(report, true);

  std::vector<double> emit;
  emit_through_c(kType, 0, 2 * kSlots);
  for (int round = 0; round < kRounds; ++round)
    emit.push_back(nanoseconds_each(kEvents, [] { emit_through_c(kType, 0, kEvents); }));
  report.ns("emit_through_plt", median(emit));
  return report.exit_status();
}
