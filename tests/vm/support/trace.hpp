// SPDX-License-Identifier: Apache-2.0
//
// Posts as they arrive in ftrace, through a tracefs instance that nobody else listens to.
#ifndef NDTEL_TESTS_VM_SUPPORT_TRACE_HPP
#define NDTEL_TESTS_VM_SUPPORT_TRACE_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/module.hpp"

namespace ndtel::vm {

/// One metrics_post or metrics_post_nd event.
struct PostEvent {
  double time_s = 0;     ///< CLOCK_MONOTONIC, microseconds
  bool located = false;  ///< a metrics_post_nd, which has the four fields below
  unsigned device = 0;
  std::uint64_t seq = 0;
  unsigned tick = 0;
  unsigned sink = 0;
  unsigned result = 0;
  unsigned id = 0;      ///< CloudWatch id
  unsigned length = 0;  ///< bytes of the text
  std::string value;

  /// The text as a decimal number. Throws when it is none.
  std::uint64_t number() const;
};

/// Which events an instance switches on.
enum class Events { kBoth, kPost, kPostNd, kNone };

/// A tracefs instance that listens as long as the object lives. Empty at first.
class Trace {
 public:
  explicit Trace(Events events = Events::kBoth, const std::string& name = default_namespace());
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  /// Changes what is listened to.
  void enable(Events events);

  /// Takes in what has arrived and returns all events since the start or clear().
  const std::vector<PostEvent>& read();
  /// Reads until the condition on all events holds; false when it still does not after `timeout`.
  bool read_until(const std::function<bool(const std::vector<PostEvent>&)>& condition,
                  std::chrono::milliseconds timeout = kPatience);
  /// The metrics_post_nd events of a device with one id, from what has been read.
  std::vector<PostEvent> posts(unsigned device, unsigned id) const;
  /// Their values added up.
  std::uint64_t sum(unsigned device, unsigned id) const;
  /// Forgets what has arrived.
  void clear();
  /// Events that the ring lost; nothing may be concluded from sums when it is not 0.
  std::uint64_t lost() const noexcept { return lost_; }
  /// Raw lines of all events, for formats. Grows with read().
  const std::vector<std::string>& lines() const noexcept { return lines_; }
  /// Directory of the instance in tracefs.
  const std::string& directory() const noexcept { return directory_; }

 private:
  void take_line(const std::string& line);

  std::string name_;
  std::string directory_;
  Fd pipe_;
  std::string rest_;  // of a line that has not arrived whole
  std::vector<PostEvent> events_;
  std::vector<std::string> lines_;
  std::uint64_t lost_ = 0;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_TRACE_HPP
