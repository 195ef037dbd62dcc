// SPDX-License-Identifier: Apache-2.0
#include "span_table.hpp"

#include <utility>

namespace ndtel::ntff::read {

/// Where the search for an end or its other one begins.
std::size_t SpanTable::Half::place(const SpanEnd& end) const noexcept {
  // Ids are counted up, with the core in their upper bits.
  const std::uint64_t key =
      (end.tracking_id ^ reinterpret_cast<std::uintptr_t>(end.stats) << 20) * 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(key >> 32) & (slots_.size() - 1);
}

std::optional<SpanEnd> SpanTable::Half::take(const SpanEnd& end) noexcept {
  if (used_ == 0) return std::nullopt;
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = place(end);
  for (;; at = (at + 1) & mask) {
    const SpanEnd& slot = slots_[at];
    if (slot.stats == nullptr) return std::nullopt;
    if (slot.tracking_id == end.tracking_id && slot.stats == end.stats && slot.stop != end.stop)
      break;
  }
  const SpanEnd found = slots_[at];
  --used_;
  // Closes the gap: what lies behind it and was to lie before moves up.
  for (std::size_t next = (at + 1) & mask; slots_[next].stats != nullptr;
       next = (next + 1) & mask) {
    if (((next - place(slots_[next])) & mask) >= ((next - at) & mask)) {
      slots_[at] = slots_[next];
      at = next;
    }
  }
  slots_[at] = SpanEnd();
  return found;
}

std::optional<SpanEnd> SpanTable::Half::put(const SpanEnd& end) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = place(end);; at = (at + 1) & mask) {
    SpanEnd& slot = slots_[at];
    if (slot.stats == nullptr) {
      slot = end;
      ++used_;
      return std::nullopt;
    }
    if (slot.tracking_id == end.tracking_id && slot.stats == end.stats && slot.stop == end.stop)
      return std::exchange(slot, end);
  }
}

void SpanTable::Half::grow() {
  constexpr std::size_t kFirst = 1024;
  std::vector<SpanEnd> before(slots_.empty() ? kFirst : 2 * slots_.size());
  before.swap(slots_);
  used_ = 0;
  for (const SpanEnd& slot : before)
    if (slot.stats != nullptr) put(slot);
}

}  // namespace ndtel::ntff::read
