// SPDX-License-Identifier: Apache-2.0
//
// A device that posts only when the test lets it, so that what lies between two posts is certain.
#ifndef NDTEL_TESTS_VM_SUPPORT_POSTING_HPP
#define NDTEL_TESTS_VM_SUPPORT_POSTING_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/debugfs.hpp"
#include "support/module.hpp"
#include "support/thread.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {

/// The shortest period the module takes.
inline constexpr std::chrono::milliseconds kShortPeriod{100};
/// A period in which no post comes while a test runs.
inline constexpr std::chrono::milliseconds kLongPeriod{3600000};

/// One post: the records a device emitted in one tick.
struct Post {
  unsigned tick = 0;
  double time_s = 0;  ///< of the first record, CLOCK_MONOTONIC
  std::vector<PostEvent> records;

  /// Texts under an id, in the order of the records.
  std::vector<std::string> texts(unsigned id) const;
  bool has(unsigned id) const { return !texts(id).empty(); }
  /// Length on the wire.
  std::size_t bytes() const;
};

/// A device's records as posts, oldest first. Two posts in a row never carry the same tick, so a
/// change of tick is where one ends.
std::vector<Post> posts_of(const std::vector<PostEvent>& events, unsigned device = 0);
/// Texts under an id over several posts.
std::vector<std::string> texts_of(const std::vector<Post>& posts, unsigned id);
/// Sum of the decimal texts under an id over several posts.
std::uint64_t sum_of(const std::vector<Post>& posts, unsigned id);

/// Now, on the clock of posts and schedule, in seconds.
double monotonic_s();

/// Runs the posting of one device in portions. The module must have been loaded with kLongPeriod.
class Posting {
 public:
  Posting(const Module& module, Trace& trace, int device = 0);

  /// Lets the device post until it has made at least `posts` posts, holds it again, and returns
  /// all it posted. Throws when the posts do not come.
  std::vector<Post> run(unsigned posts = 2);
  /// Starts with the period; does not wait.
  void start(std::chrono::milliseconds period = kShortPeriod) const;
  /// No further post comes when this returns, and none is on its way.
  void stop() const;
  /// Runs until the next post carries `tick`.
  void align(unsigned tick);

 private:
  const Module& module_;
  Trace& trace_;
  unsigned device_;
  Debugfs debugfs_;
  MetricsThread thread_;
  unsigned next_tick_ = 0;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_POSTING_HPP
