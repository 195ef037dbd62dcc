// SPDX-License-Identifier: Apache-2.0
#include "sequence.hpp"

#include <iterator>

namespace ndtel::cli {

bool SequenceTracker::note(const std::string& space, std::uint32_t device, std::uint64_t seq,
                           std::uint64_t now_ns) {
  const auto [found, is_new] = streams_.try_emplace({space, device});
  Stream& stream = found->second;
  if (is_new) stream.next = seq;
  if (seq >= stream.next) {
    if (seq > stream.next) stream.holes[stream.next] = {seq, now_ns};
    stream.next = seq + 1;
    return true;
  }
  auto hole = stream.holes.upper_bound(seq);
  if (hole == stream.holes.begin()) return false;
  --hole;
  const std::uint64_t first = hole->first;
  const Stream::Hole old = hole->second;
  if (seq >= old.end) return false;
  stream.holes.erase(hole);
  if (first < seq) stream.holes[first] = {seq, old.since_ns};
  if (seq + 1 < old.end) stream.holes[seq + 1] = {old.end, old.since_ns};
  return true;
}

std::vector<SequenceTracker::Gap> SequenceTracker::take_overdue(std::uint64_t now_ns) {
  return take(now_ns, patience_ns_);
}

std::vector<SequenceTracker::Gap> SequenceTracker::take_all() { return take(UINT64_MAX, 0); }

std::vector<SequenceTracker::Gap> SequenceTracker::take(std::uint64_t now_ns,
                                                        std::uint64_t patience_ns) {
  std::vector<Gap> gaps;
  for (auto& [key, stream] : streams_) {
    for (auto hole = stream.holes.begin(); hole != stream.holes.end();) {
      const auto next = std::next(hole);
      if (now_ns - hole->second.since_ns >= patience_ns) {
        gaps.push_back({key.first, key.second, hole->first, hole->second.end - hole->first});
        stream.holes.erase(hole);
      }
      hole = next;
    }
  }
  return gaps;
}

}  // namespace ndtel::cli
