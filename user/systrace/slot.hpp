// SPDX-License-Identifier: Apache-2.0
//
// From an event as a ring of blocks holds it to the record that readers get.
#ifndef NDTEL_SYSTRACE_SLOT_HPP
#define NDTEL_SYSTRACE_SLOT_HPP

#include <cstdint>
#include <cstring>

#include "ndtel/trace_emit.hpp"

namespace ndtel::systrace {

inline constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << NRT_SYS_TRACE_ID_BITS) - 1;

/// The id of an event: its sequence number and, above it, its core.
constexpr std::uint64_t event_id(std::uint64_t sequence, std::uint32_t nc) noexcept {
  return (sequence & kSequenceMask) | std::uint64_t{nc} << NRT_SYS_TRACE_ID_BITS;
}

/// The whole record of a slot; timestamp_ns holds ticks, nrta_seq_id 0.
inline void to_record(const Slot& slot, std::uint64_t id, std::uint32_t nc,
                      nrt_sys_trace_event_t& out) noexcept {
  out.trace_type = slot.tag.type();
  out.thread_id = slot.tag.thread_id();
  out.id = id;
  out.nc_local_id = id & kSequenceMask;
  out.tracking_id = slot.tracking_id;
  out.timestamp_ns = slot.ticks;
  const std::size_t absent = slot.tag.absent_words();
  for (std::size_t i = 0; i < slot.data.size(); ++i)
    out.data.words[i] = i + absent < slot.data.size() ? slot.data[i] : 0;
  out.phase = slot.tag.phase();
  out.nc_idx = nc;
  out.nrta_seq_id = 0;
  out.has_nrta_seq_id = slot.tag.has_nrta_seq() ? 1 : 0;
  std::memset(out.reserved, 0, sizeof out.reserved);
}

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_SLOT_HPP
