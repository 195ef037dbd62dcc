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

/// Type, phase, thread and whether there is an asynchronous sequence, in one word: phases are kept
/// whatever they are, thread ids of Linux have 22 bits.
class EventTag {
 public:
  constexpr EventTag() = default;
  constexpr explicit EventTag(std::uint32_t thread_id) noexcept
      : word_(std::uint64_t{thread_id} << 39) {}

  /// Type and phase of an event, without a thread.
  constexpr EventTag(std::uint32_t type, std::uint32_t phase, bool has_nrta_seq) noexcept
      : word_(phase | std::uint64_t{type} << 32 | std::uint64_t{has_nrta_seq} << 38) {}

  /// Both together: one tag has the thread, the other one the rest.
  friend constexpr EventTag operator|(EventTag a, EventTag b) noexcept {
    a.word_ |= b.word_;
    return a;
  }

  constexpr std::uint32_t phase() const noexcept { return static_cast<std::uint32_t>(word_); }
  constexpr std::uint32_t type() const noexcept { return (word_ >> 32) & 0x3f; }
  constexpr bool has_nrta_seq() const noexcept { return (word_ >> 38 & 1) != 0; }
  constexpr std::uint32_t thread_id() const noexcept {
    return static_cast<std::uint32_t>(word_ >> 39);
  }

 private:
  std::uint64_t word_ = 0;
};

struct alignas(64) Slot {
  std::uint64_t ticks;
  EventTag tag;
  std::uint64_t tracking_id;
  std::uint64_t data[5];

  /// The whole record; timestamp_ns holds ticks, nrta_seq_id 0.
  void record(std::uint64_t sequence, std::uint32_t nc, nrt_sys_trace_event_t& out) const noexcept {
    out.trace_type = tag.type();
    out.thread_id = tag.thread_id();
    out.id = event_id(sequence, nc);
    out.nc_local_id = sequence;
    out.tracking_id = tracking_id;
    out.timestamp_ns = ticks;
    std::memcpy(&out.data, data, sizeof out.data);
    out.phase = tag.phase();
    out.nc_idx = nc;
    out.nrta_seq_id = 0;
    out.has_nrta_seq_id = tag.has_nrta_seq() ? 1 : 0;
    std::memset(out.reserved, 0, sizeof out.reserved);
  }
};
static_assert(sizeof(Slot) == 64);

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_SLOT_HPP
