// SPDX-License-Identifier: Apache-2.0
//
// A capture that runs while an object lives, and short ways to use the engine in tests.
#ifndef NDTEL_TESTS_UNIT_SYSTRACE_STARTED_HPP
#define NDTEL_TESTS_UNIT_SYSTRACE_STARTED_HPP

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "config.hpp"
#include "engine.hpp"
#include "host.hpp"
#include "stamp.hpp"

namespace ndtel::systrace::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kThreadSanitizer;
#endif

/// Whether there is time: `make test-long`.
inline bool long_run() { return std::getenv("NDTEL_TEST_LONG") != nullptr; }

struct Setup {
  EngineKind engine = EngineKind::kBlocks;
  std::uint64_t capacity = NRT_SYS_TRACE_MIN_EVENTS_PER_NC;
  std::uint32_t cores = 1;
  std::string socket = {};
};

inline NRT_STATUS start(const Setup& setup) {
  host::set_visible_cores(setup.cores);
  Config config = default_config();
  config.max_events_per_nc = setup.capacity;
  return Engine::get().start(config, {setup.engine, setup.socket});
}

/// Ends with the object.
class Started {
 public:
  explicit Started(const Setup& setup) { EXPECT_EQ(start(setup), NRT_SUCCESS); }
  ~Started() { Engine::get().close(); }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
};

inline std::uint64_t emit_stamp(Stamp stamp, std::uint32_t nc = 0) noexcept {
  const nrt_sys_trace_event_data_t data = payload_of(stamp);
  return nrt_sys_trace_new_event(NRT_SYS_TRACE_EVENT_PHASE_INSTANT,
                                 NRT_SYS_TRACE_EVENT_TYPE_GENERIC, &data, 0, nc);
}

/// Takes up to `max` of the oldest events.
inline std::vector<nrt_sys_trace_event_t> drain(std::uint64_t max, std::uint32_t nc = 0) {
  std::vector<nrt_sys_trace_event_t> events(max);
  std::uint64_t count = 0;
  EXPECT_EQ(nrt_sys_trace_capture_drain_events(nc, events.data(), max, &count), NRT_SUCCESS);
  events.resize(count);
  return events;
}

/// Takes everything there is, when nobody emits.
inline std::vector<nrt_sys_trace_event_t> drain_all(std::uint32_t nc = 0) {
  constexpr std::uint64_t kPortion = 1024;
  std::vector<nrt_sys_trace_event_t> events;
  for (std::uint64_t count = kPortion; count == kPortion;) {
    const std::size_t before = events.size();
    events.resize(before + kPortion);
    EXPECT_EQ(nrt_sys_trace_capture_drain_events(nc, events.data() + before, kPortion, &count),
              NRT_SUCCESS);
    events.resize(before + count);
  }
  return events;
}

/// The counts of a core while nobody emits or drains.
inline RingCounts counts_at_rest(std::uint32_t nc = 0) {
  const auto counts = Engine::get().counts(nc);
  EXPECT_TRUE(counts);
  if (!counts) return {};
  EXPECT_EQ(counts->created, counts->pushed);
  EXPECT_EQ(counts->pushed, counts->drained + counts->displaced + counts->left);
  return *counts;
}

inline const char* name_of(EngineKind engine) {
  return engine == EngineKind::kBlocks ? "Blocks" : "Classic";
}

}  // namespace ndtel::systrace::test

#endif  // NDTEL_TESTS_UNIT_SYSTRACE_STARTED_HPP
