// SPDX-License-Identifier: Apache-2.0
#include "event_summary.hpp"

#include <algorithm>

#include "neuron_trace.pb.h"

namespace ndtel::ntff::read {
namespace {

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
  return a + b < a ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

void lose(const SpanEnd& end) {
  ++(end.stop ? end.stats->unpaired_stops : end.stats->unpaired_starts);
}

}  // namespace

void TypeStats::add(const TypeStats& other) noexcept {
  starts += other.starts;
  stops += other.stops;
  instants += other.instants;
  others += other.others;
  spans += other.spans;
  backward += other.backward;
  unpaired_starts += other.unpaired_starts;
  unpaired_stops += other.unpaired_stops;
  total_ns = saturating_sum(total_ns, other.total_ns);
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
  range.add(other.range);
}

TypeKey type_of(const EventView& event) noexcept {
  if (!event.of_ntrace_ring()) return {Ring::kSysTrace, event.event_type};
  return {Ring::kNtrace, event.type != 0 ? event.type : event.event_type};
}

EventSummary::EventSummary()
    : quick_(std::make_unique<std::array<Quick, kQuickCores * kQuickTypes>>()) {}

TypeStats& EventSummary::stats_of(const EventView& event) {
  const bool ntrace = event.of_ntrace_ring();
  Quick* quick = nullptr;
  if (!ntrace && event.nc_idx < kQuickCores && event.event_type < kQuickTypes) {
    quick = &(*quick_)[event.nc_idx * kQuickTypes + event.event_type];
    if (quick->stats != nullptr && quick->nd == event.nd_idx) return *quick->stats;
  }
  const Key key{{event.nd_idx, event.nc_idx}, type_of(event)};
  auto found = pairs_.find(key);
  if (found == pairs_.end()) {
    if (pairs_.size() >= kMostPairs) return rest_;
    found = pairs_.try_emplace(key).first;
  }
  if (quick != nullptr) *quick = {&found->second, event.nd_idx};
  return found->second;
}

void EventSummary::end_of_span(const EventView& event, TypeStats& stats, bool stop) {
  // Without an id nothing says what belongs together, and events of the ntrace ring have none.
  if (event.tracking_id == 0) {
    if (!event.of_ntrace_ring()) ++(stop ? stats.unpaired_stops : stats.unpaired_starts);
    return;
  }
  const auto other = open_.match({event.tracking_id, event.timestamp, &stats, stop}, lose);
  if (!other) return;
  const std::uint64_t start_ns = stop ? other->timestamp : event.timestamp;
  const std::uint64_t stop_ns = stop ? event.timestamp : other->timestamp;
  ++stats.spans;
  if (stop_ns < start_ns) {
    ++stats.backward;
    return;
  }
  const std::uint64_t duration = stop_ns - start_ns;
  stats.total_ns = saturating_sum(stats.total_ns, duration);
  stats.min_ns = std::min(stats.min_ns, duration);
  stats.max_ns = std::max(stats.max_ns, duration);
}

void EventSummary::add(const EventView& event) {
  TypeStats& stats = stats_of(event);
  if (event.timestamp != 0) stats.range.add(event.timestamp);  // what is not known is no time
  switch (event.phase) {
    case ::ntff::NTRACE_EVENT_PHASE_TYPE_START:
      ++stats.starts;
      return end_of_span(event, stats, false);
    case ::ntff::NTRACE_EVENT_PHASE_TYPE_STOP:
      ++stats.stops;
      return end_of_span(event, stats, true);
    case ::ntff::NTRACE_EVENT_PHASE_TYPE_INSTANT:
      ++stats.instants;
      return;
    default:
      ++stats.others;
  }
}

void EventSummary::finish() { open_.clear(lose); }

}  // namespace ndtel::ntff::read
