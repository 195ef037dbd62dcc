// SPDX-License-Identifier: Apache-2.0
//
// crossbeam-queue's bounded queue of 112-byte records, if this build has it.
#ifndef NDTEL_TESTS_BENCH_PEERS_CROSSBEAM_PEER_HPP
#define NDTEL_TESTS_BENCH_PEERS_CROSSBEAM_PEER_HPP

#include <cstddef>
#include <cstdint>

#include "nrt/nrt_sys_trace_internal.h"

#ifdef NDTEL_PEER_CROSSBEAM
extern "C" {
void* peer_crossbeam_new(std::size_t slots);
void peer_crossbeam_free(void* queue);
std::uint64_t peer_crossbeam_push(const void* queue, std::uint64_t first, std::uint64_t count);
std::uint64_t peer_crossbeam_pop(const void* queue, void* out, std::uint64_t limit);
}
#endif

namespace ndtel::bench {

class CrossbeamPeer {
 public:
#ifdef NDTEL_PEER_CROSSBEAM
  static constexpr bool kBuilt = true;
  explicit CrossbeamPeer(std::size_t slots) : queue_(peer_crossbeam_new(slots)) {}
  ~CrossbeamPeer() { peer_crossbeam_free(queue_); }
  /// Pushes `count` records, overwriting the oldest; returns how many that were.
  std::uint64_t push(std::uint64_t first, std::uint64_t count) {
    return peer_crossbeam_push(queue_, first, count);
  }
  std::uint64_t pop(nrt_sys_trace_event_t* out, std::uint64_t limit) {
    return peer_crossbeam_pop(queue_, out, limit);
  }

 private:
  void* queue_;
#else
  static constexpr bool kBuilt = false;
  explicit CrossbeamPeer(std::size_t) {}
  std::uint64_t push(std::uint64_t, std::uint64_t) { return 0; }
  std::uint64_t pop(nrt_sys_trace_event_t*, std::uint64_t) { return 0; }
#endif

 public:
  CrossbeamPeer(const CrossbeamPeer&) = delete;
  CrossbeamPeer& operator=(const CrossbeamPeer&) = delete;
};

}  // namespace ndtel::bench

#endif  // NDTEL_TESTS_BENCH_PEERS_CROSSBEAM_PEER_HPP
