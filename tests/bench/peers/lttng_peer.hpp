// SPDX-License-Identifier: Apache-2.0
//
// LTTng-UST in overwrite mode: a session daemon and a session for the time of a benchmark.
#ifndef NDTEL_TESTS_BENCH_PEERS_LTTNG_PEER_HPP
#define NDTEL_TESTS_BENCH_PEERS_LTTNG_PEER_HPP

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ndtel::bench {

class LttngPeer {
 public:
  /// Starts a session daemon unless the machine runs one, and loads the tracepoint, disabled.
  LttngPeer();
  /// Ends what the constructor started, nothing else.
  ~LttngPeer();
  LttngPeer(const LttngPeer&) = delete;
  LttngPeer& operator=(const LttngPeer&) = delete;

  /// Why it cannot be measured; empty when it can.
  const std::string& problem() const { return problem_; }

  /// Creates a session in overwrite mode, whose buffers hold a lap of the rings it is compared with
  /// for each processor, and waits until the tracepoint is live.
  bool enable();

  void emit(std::uint64_t first, std::uint64_t count) { emit_(first, count); }

 private:
  bool lttng(std::vector<std::string> arguments) const;
  bool start_daemon();
  bool load();

  std::string problem_;
  std::string home_;     // of the daemon's files
  std::string session_;  // empty until created
  pid_t daemon_ = -1;    // -1: not ours
  void* module_ = nullptr;
  void (*emit_)(std::uint64_t, std::uint64_t) = nullptr;
  int (*enabled_)() = nullptr;
};

}  // namespace ndtel::bench

#endif  // NDTEL_TESTS_BENCH_PEERS_LTTNG_PEER_HPP
