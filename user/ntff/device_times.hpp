// SPDX-License-Identifier: Apache-2.0
//
// Events of the device in host time. Some say it themselves; for the others a sync point of their
// execution and core does, which may come before them or after.
#ifndef NDTEL_NTFF_DEVICE_TIMES_HPP
#define NDTEL_NTFF_DEVICE_TIMES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::ntff {

/// A core and a number on it.
struct CoreKey {
  std::uint32_t nc_idx = 0;
  std::uint64_t number = 0;

  friend bool operator==(const CoreKey&, const CoreKey&) = default;
  std::uint64_t hash() const noexcept {
    // A multiplication mixes upward only: what is taken of it is the upper half.
    return ((number ^ std::uint64_t{nc_idx} << 40) * 0x9E3779B97F4A7C15u) >> 32;
  }
};

/// The values put last, a few for each place of a table of fixed size.
template <typename Value, std::size_t kPlaces>
class RecentValues {
 public:
  RecentValues() : places_(new Place[kPlaces]) {}

  const Value* find(const CoreKey& key) const noexcept {
    const Place& place = places_[key.hash() % kPlaces];
    for (std::size_t i = 0; i < place.used; ++i) {
      if (place.entry[i].key == key) return &place.entry[i].value;
    }
    return nullptr;
  }

  void put(const CoreKey& key, const Value& value) noexcept {
    Place& place = places_[key.hash() % kPlaces];
    // The newest comes first; it takes the place of its predecessor, or of the oldest.
    std::size_t i = 0;
    while (i < place.used && place.entry[i].key != key) ++i;
    if (i == place.used) {
      if (place.used < kWays) {
        ++place.used;
      } else {
        --i;
      }
    }
    for (; i > 0; --i) place.entry[i] = place.entry[i - 1];
    place.entry[0] = {key, value};
  }

 private:
  static constexpr std::size_t kWays = 4;
  struct Entry {
    CoreKey key;
    Value value{};
  };
  struct Place {
    std::size_t used = 0;
    std::array<Entry, kWays> entry{};
  };

  std::unique_ptr<Place[]> places_;
};

/// An event, and when it happened.
struct PlacedEvent {
  nrt_sys_trace_event_t event;
  std::uint64_t host_ns;  ///< when it was recorded, if that is all there is to know
  bool placed;            ///< false: of the device, and `host_ns` is when it was recorded
};

/// A queue in which events of the device wait for a sync point, and all behind them with them. At
/// most kWindow events wait. A sync point that came before an event places it; else the first
/// behind it does.
class DeviceTimes {
 public:
  static constexpr std::size_t kWindow = 16384;

  DeviceTimes();

  /// Whether an event can go by: nothing waits, and it has nothing to wait for.
  bool passes(const nrt_sys_trace_event_t& event) const noexcept {
    return size_ == 0 && !is_of_device(event);
  }

  bool full() const noexcept { return size_ == kWindow; }
  bool empty() const noexcept { return size_ == 0; }

  /// Appends an event. The queue is not full.
  void push(const nrt_sys_trace_event_t& event) noexcept;

  /// The first event, if it does not have to wait any longer.
  const PlacedEvent* ready() const noexcept {
    return size_ != 0 && !slots_[first_].waits ? &slots_[first_].event : nullptr;
  }

  /// The first event, whatever it waits for. The queue is not empty.
  const PlacedEvent& first() const noexcept { return slots_[first_].event; }

  /// Removes the first event. The queue is not empty.
  void pop() noexcept;

 private:
  struct SyncPoint {
    std::uint64_t nc_ns = 0, host_ns = 0;
  };
  struct Slot {
    PlacedEvent event;
    std::uint64_t nc_ns;  // of an event that waits
    CoreKey execution;    // of an event that waits
    std::uint32_t next;   // that waits in the same chain
    bool waits;
  };
  struct Chain {
    std::uint32_t head, tail;
  };

  static constexpr std::size_t kChains = kWindow;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  static bool is_of_device(const nrt_sys_trace_event_t& event) noexcept {
    return event.trace_type < NRT_SYS_TRACE_EVENT_TYPE_COUNT &&
           (std::uint64_t{NRT_SYS_TRACE_HARDWARE_TYPES} >> event.trace_type & 1) != 0;
  }
  static std::optional<std::uint64_t> host_time(const SyncPoint& sync,
                                                std::uint64_t nc_ns) noexcept;

  void place(std::uint32_t slot) noexcept;
  void wait(std::uint32_t slot) noexcept;
  void note(const CoreKey& execution, const SyncPoint& sync) noexcept;

  std::unique_ptr<Slot[]> slots_;
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
  // Slots that wait, by execution, oldest first.
  std::unique_ptr<Chain[]> chains_;
  RecentValues<SyncPoint, 4096> syncs_;
  // Executions by tracking id: the end of a span does not say its own.
  RecentValues<std::uint64_t, 8192> executions_;
};

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_DEVICE_TIMES_HPP
