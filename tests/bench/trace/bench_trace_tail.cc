// SPDX-License-Identifier: Apache-2.0
//
// The slowest of a thousand: how long single events take when the ring has been full once and
// somebody reads it out all the time. Each one is timed between two fenced reads of the counter;
// the cost of these, the same for all, is taken off.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "clock_ticks.hpp"
#include "core_capture.hpp"
#include "crossbeam_peer.hpp"
#include "lttng_peer.hpp"
#include "measure.hpp"

namespace {

using namespace ndtel::bench;

constexpr int kRounds = 7;
constexpr std::uint64_t kEvents = 1 << 18;
// How often a reader comes: it takes all there is, and rests.
constexpr std::chrono::milliseconds kRest{10};

double ns_per_tick() {
  const std::uint64_t from = ndtel::systrace::ordered_ticks();
  const std::int64_t start = ndtel::systrace::realtime_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::uint64_t to = ndtel::systrace::ordered_ticks();
  return static_cast<double>(ndtel::systrace::realtime_ns() - start) /
         static_cast<double>(to - from);
}

// Ticks that each of kEvents calls takes, smallest first.
template <typename Emit>
std::vector<std::uint32_t> sorted_latencies(Emit emit) {
  std::vector<std::uint32_t> ticks(kEvents);
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    const std::uint64_t before = ndtel::systrace::ordered_ticks();
    emit(i);
    ticks[i] = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(ndtel::systrace::ordered_ticks() - before, UINT32_MAX));
  }
  std::sort(ticks.begin(), ticks.end());
  return ticks;
}

// A thread that takes everything out, again and again, as long as it lives.
template <typename Drain>
class Drainer {
 public:
  explicit Drainer(Drain drain)
      : thread_([this, drain] {
          while (!done_.load(std::memory_order_relaxed)) {
            drained_ += drain();
            std::this_thread::sleep_for(kRest);
          }
        }) {}
  ~Drainer() {
    done_.store(true);
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::uint64_t drained_ = 0;
  std::thread thread_;
};

struct Tail {
  std::vector<double> median_ns, p999_ns;
};

}  // namespace

int main() {
  Report report;
  ndtel::systrace::use_tick_source(ndtel::systrace::best_tick_source());
  const Capture capture;
  if (!capture.running()) {
    fmt::print(stderr, "bench_trace_tail: the capture does not start\n");
    return 2;
  }
  CrossbeamPeer crossbeam(kSlots);
  LttngPeer lttng;
  const bool with_lttng = lttng.problem().empty() && lttng.enable();
  std::vector<nrt_sys_trace_event_t> out(kSlots);

  // One lap.
  emit_through_c(kType, 0, kSlots + 1);
  crossbeam.push(0, kSlots + 1);
  if (with_lttng) lttng.emit(0, 2 * kSlots);

  const double scale = ns_per_tick();
  const auto nothing = sorted_latencies([](std::uint64_t) {});
  const std::uint32_t cost = nothing[kEvents / 2];
  report.ns("timing_itself", cost * scale);
  const auto measure = [&](Tail& tail, auto emit) {
    const auto ticks = sorted_latencies(emit);
    const auto above = [&](std::uint32_t t) { return t > cost ? (t - cost) * scale : 0.0; };
    tail.median_ns.push_back(above(ticks[kEvents / 2]));
    tail.p999_ns.push_back(above(ticks[kEvents - kEvents / 1000]));
  };

  Tail ours, bare, ust;
  for (int round = 0; round < kRounds; ++round) {
    {
      const Drainer drainer([&] {
        std::uint64_t count = 0;
        nrt_sys_trace_capture_drain_events(0, out.data(), out.size(), &count);
        return count;
      });
      measure(ours, [](std::uint64_t i) { emit_through_c(kType, i, 1); });
    }
    if (CrossbeamPeer::kBuilt) {
      const Drainer drainer([&] { return crossbeam.pop(out.data(), out.size()); });
      measure(bare, [&](std::uint64_t i) { crossbeam.push(i, 1); });
    }
    // Buffers that are overwritten have no reader but snapshots, whose copying would only slow
    // LTTng down: it is measured at its best.
    if (with_lttng) measure(ust, [&](std::uint64_t i) { lttng.emit(i, 1); });
  }

  const auto print = [&](std::string name, const Tail& tail) {
    report.ns(name + "_median", median(tail.median_ns));
    report.ns(name + "_p999", median(tail.p999_ns));
  };
  print("emit", ours);
  if (CrossbeamPeer::kBuilt) {
    print("crossbeam", bare);
    report.ratio("trace_p999_vs_crossbeam", median_ratio(ours.p999_ns, bare.p999_ns), 1);
  } else {
    report.missing("trace_p999_vs_crossbeam", "librust-crossbeam-queue-dev is not installed");
  }
  if (with_lttng) {
    print("lttng", ust);
    report.ratio("trace_p999_vs_lttng", median_ratio(ours.p999_ns, ust.p999_ns), 1);
  } else {
    report.missing("trace_p999_vs_lttng", lttng.problem());
  }
  return report.exit_status();
}
