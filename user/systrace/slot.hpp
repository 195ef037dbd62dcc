// SPDX-License-Identifier: Apache-2.0
//
// An event as a ring of blocks holds it: one line of the cache. What its block and its place in it
// tell, the sequence number and the core, is not stored. Few events belong to an asynchronous
// request; the ring has a second array for the sequence numbers of those.
#ifndef NDTEL_SYSTRACE_SLOT_HPP
#define NDTEL_SYSTRACE_SLOT_HPP

#include <cstdint>
#include <cstring>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::systrace {

inline constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << NRT_SYS_TRACE_ID_BITS) - 1;

/// The id of an event: its sequence number and, above it, its core.
constexpr std::uint64_t event_id(std::uint64_t sequence, std::uint32_t nc) noexcept {
  return (sequence & kSequenceMask) | std::uint64_t{nc} << NRT_SYS_TRACE_ID_BITS;
}

/// Type, whether there is an asynchronous sequence, and thread of an event, in one word: there are
/// fewer than 64 types, and ids of threads have 22 bits in Linux.
class EventTag {
 public:
  constexpr EventTag() = default;
  /// @param type below 64
  constexpr EventTag(std::uint32_t type, bool has_nrta_seq) noexcept
      : word_(type | std::uint32_t{has_nrta_seq} << 6) {}
  static constexpr EventTag of_thread(std::uint32_t thread_id) noexcept {
    EventTag tag;
    tag.word_ = thread_id << 7;
    return tag;
  }
  /// Both together: one tag has the thread, the other one the rest.
  friend constexpr EventTag operator|(EventTag a, EventTag b) noexcept {
    a.word_ |= b.word_;
    return a;
  }

  constexpr std::uint32_t type() const noexcept { return word_ & 0x3f; }
  constexpr bool has_nrta_seq() const noexcept { return (word_ & 0x40) != 0; }
  constexpr std::uint32_t thread_id() const noexcept { return word_ >> 7; }

 private:
  std::uint32_t word_ = 0;
};

struct alignas(64) Slot {
  std::uint64_t ticks;
  std::uint32_t phase;
  EventTag tag;
  std::uint64_t tracking_id;
  std::uint64_t data[5];

  /// The whole record; timestamp_ns holds ticks, nrta_seq_id 0.
  void record(std::uint64_t id, std::uint32_t nc, nrt_sys_trace_event_t& out) const noexcept {
    out.trace_type = tag.type();
    out.thread_id = tag.thread_id();
    out.id = id;
    out.nc_local_id = id & kSequenceMask;
    out.tracking_id = tracking_id;
    out.timestamp_ns = ticks;
    std::memcpy(&out.data, data, sizeof out.data);
    out.phase = phase;
    out.nc_idx = nc;
    out.nrta_seq_id = 0;
    out.has_nrta_seq_id = tag.has_nrta_seq() ? 1 : 0;
    std::memset(out.reserved, 0, sizeof out.reserved);
  }
};
static_assert(sizeof(Slot) == 64);

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_SLOT_HPP
