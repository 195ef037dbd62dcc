// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_TRACE_POST_STREAM_HPP
#define NDTEL_CLI_TRACE_POST_STREAM_HPP

#include <string>
#include <vector>

#include "post_decoder.hpp"
#include "post_event.hpp"
#include "ring_page.hpp"
#include "sequence.hpp"
#include "trace_instance.hpp"

namespace ndtel::cli {

/// Every post the kernel traces, from the moment of construction on, for all modules of the family
/// that are loaded.
class PostStream {
 public:
  /// Follow these trace systems. Those whose module is not loaded are left out; throws Failure when
  /// none is.
  explicit PostStream(const std::vector<std::string>& systems);

  struct Batch {
    std::vector<PostEvent> posts;     ///< by time
    std::vector<std::string> losses;  ///< sentences: what was lost and where
    std::uint64_t lost = 0;           ///< events certainly lost
  };

  /// What has arrived; waits at most `timeout_ms` for something to arrive.
  Batch read(int timeout_ms);

  /// Stop the events and return all that is left.
  Batch finish();

  /// What is being followed: "ndtel:metrics_post_nd".
  const std::vector<std::string>& sources() const { return sources_; }

 private:
  Batch take();
  static void report(const std::vector<SequenceTracker::Gap>& gaps, Batch& into);

  TraceInstance instance_;
  PostDecoder decoder_;
  RingPage page_;
  SequenceTracker sequence_;
  std::vector<std::pair<std::string, std::string>> enabled_;
  std::vector<std::string> sources_;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_TRACE_POST_STREAM_HPP
