// SPDX-License-Identifier: Apache-2.0
//
// What events of a process add up to, in bounded memory.
#ifndef NDTEL_NTFF_READ_EVENT_SUMMARY_HPP
#define NDTEL_NTFF_READ_EVENT_SUMMARY_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "records.hpp"
#include "span_table.hpp"

namespace ndtel::ntff::read {

/// From the earliest to the latest time; nothing has been seen while `first_ns` > `last_ns`.
struct TimeRange {
  std::uint64_t first_ns = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_ns = 0;

  bool empty() const noexcept { return first_ns > last_ns; }
  void add(std::uint64_t ns) noexcept {
    if (ns < first_ns) first_ns = ns;
    if (ns > last_ns) last_ns = ns;
  }
  void add(const TimeRange& other) noexcept {
    if (other.empty()) return;
    add(other.first_ns);
    add(other.last_ns);
  }
};

/// Events of one type.
struct TypeStats {
  std::uint64_t starts = 0, stops = 0, instants = 0;
  std::uint64_t others = 0;    ///< of a phase that is none of these
  std::uint64_t spans = 0;     ///< of which start and stop were found
  std::uint64_t backward = 0;  ///< whose stop is before their start: without a duration
  std::uint64_t unpaired_starts = 0, unpaired_stops = 0;
  std::uint64_t total_ns = 0;  ///< of all spans that have a duration; saturates
  std::uint64_t min_ns = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_ns = 0;
  TimeRange range;

  std::uint64_t events() const noexcept { return starts + stops + instants + others; }
  std::uint64_t durations() const noexcept { return spans - backward; }
  double mean_ns() const noexcept {
    return durations() == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(durations());
  }
  void add(const TypeStats& other) noexcept;
};

/// Two number spaces of types.
enum class Ring : std::uint8_t { kSysTrace, kNtrace };

struct CoreKey {
  std::uint32_t nd = 0, nc = 0;
  auto operator<=>(const CoreKey&) const = default;
};

struct TypeKey {
  Ring ring = Ring::kSysTrace;
  std::uint32_t type = 0;
  auto operator<=>(const TypeKey&) const = default;
};

/// The type of an event, of the ring it comes from.
TypeKey type_of(const EventView& event) noexcept;

/// Adds up events; those of all parts of a process belong into one, in their order.
class EventSummary {
 public:
  /// Of more pairs of core and type, which no real capture has, the others are counted together.
  static constexpr std::size_t kMostPairs = std::size_t{1} << 14;

  using Key = std::pair<CoreKey, TypeKey>;

  EventSummary();
  EventSummary(const EventSummary&) = delete;
  EventSummary& operator=(const EventSummary&) = delete;

  void add(const EventView& event);

  /// Ends of spans that still wait for their other one are unpaired. Then no more events come.
  void finish();

  const std::map<Key, TypeStats>& pairs() const noexcept { return pairs_; }
  /// What did not fit into pairs().
  const TypeStats& rest() const noexcept { return rest_; }

 private:
  static constexpr std::uint32_t kQuickCores = 256, kQuickTypes = 64;

  TypeStats& stats_of(const EventView& event);
  void end_of_span(const EventView& event, TypeStats& stats, bool stop);

  std::map<Key, TypeStats> pairs_;
  TypeStats rest_;
  SpanTable open_;
  /// Where the map has what most events need, and the device of which core that is.
  struct Quick {
    TypeStats* stats = nullptr;
    std::uint32_t nd = 0;
  };
  std::unique_ptr<std::array<Quick, kQuickCores * kQuickTypes>> quick_;
};

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_EVENT_SUMMARY_HPP
