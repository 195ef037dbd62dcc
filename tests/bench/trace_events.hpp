// SPDX-License-Identifier: Apache-2.0
//
// The events that benchmarks of formats write.
#ifndef NDTEL_TESTS_BENCH_TRACE_EVENTS_HPP
#define NDTEL_TESTS_BENCH_TRACE_EVENTS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "catalogue.hpp"

namespace ndtel::bench {

/// Models are 1 up to this one.
inline constexpr std::uint64_t kModels = 16;

/// Every type in every phase, on eight cores, with values as long as they are in life and none 0.
inline std::vector<nrt_sys_trace_event_t> make_events(std::size_t count) {
  using systrace::Rule;
  std::mt19937_64 random(1);
  std::vector<nrt_sys_trace_event_t> events(count);
  std::uint64_t now = 1'764'547'200'000'000'000;
  for (auto& event : events) {
    event.trace_type = random() % NRT_SYS_TRACE_EVENT_TYPE_COUNT;
    event.phase = random() % NRT_SYS_TRACE_EVENT_PHASE_COUNT;
    event.nc_idx = random() % 8;
    event.nc_local_id = random() % 1'000'000;
    event.id = event.nc_local_id | std::uint64_t{event.nc_idx} << NRT_SYS_TRACE_ID_BITS;
    event.tracking_id = event.id;
    event.thread_id = 4000 + random() % 64;
    event.timestamp_ns = now += random() % 2000;
    for (auto& word : event.data.words) word = 1 + (random() >> (24 + random() % 32));
    for (const auto& key : systrace::payload_keys(event.trace_type, event.phase)) {
      if (key.rule != Rule::kModel && key.rule != Rule::kKnownModel) continue;
      const std::uint64_t id = 1 + random() % kModels;
      std::memcpy(reinterpret_cast<char*>(&event.data) + key.offset, &id, sizeof id);
    }
  }
  return events;
}

}  // namespace ndtel::bench

#endif  // NDTEL_TESTS_BENCH_TRACE_EVENTS_HPP
