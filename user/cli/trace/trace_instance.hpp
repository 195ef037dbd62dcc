// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_TRACE_TRACE_INSTANCE_HPP
#define NDTEL_CLI_TRACE_TRACE_INSTANCE_HPP

#include <string>
#include <vector>

namespace ndtel::cli {

/// Where tracefs is mounted. Throws Failure when it is not, or may not be entered.
std::string find_tracefs();

/// A tracing instance of our own: its buffers, clock and enabled events do not touch what others
/// trace. Removed with this object; an instance left behind by a process that was killed is removed
/// by the next one.
class TraceInstance {
 public:
  explicit TraceInstance(const std::string& tracefs);
  ~TraceInstance();
  TraceInstance(const TraceInstance&) = delete;
  TraceInstance& operator=(const TraceInstance&) = delete;

  bool has_event(const std::string& system, const std::string& event) const;

  /// Text of the event's format file.
  std::string format(const std::string& system, const std::string& event) const;

  void enable(const std::string& system, const std::string& event);
  void disable(const std::string& system, const std::string& event);

  /// Raw buffers, one descriptor a CPU, opened for reading without waiting. They belong to the
  /// instance.
  const std::vector<int>& buffers() const { return buffers_; }

 private:
  std::string event_dir(const std::string& system, const std::string& event) const;
  void write(const std::string& file, const std::string& text) const;
  void open_buffers();

  std::string path_;
  std::vector<int> buffers_;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_TRACE_TRACE_INSTANCE_HPP
