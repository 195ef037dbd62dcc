// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_STOP_FLAG_HPP
#define NDTEL_CLI_STOP_FLAG_HPP

#include <cstdint>
#include <optional>

namespace ndtel::cli {

/// From its construction on, SIGINT and SIGTERM ask the command to finish instead of ending it on
/// the spot.
class StopFlag {
 public:
  StopFlag();
  bool asked() const;
};

/// When a command that follows something ends by itself.
class Deadline {
 public:
  /// Never, without seconds.
  explicit Deadline(std::optional<double> seconds);
  bool passed() const;
  /// Milliseconds until it passes, at most `most`.
  int left_ms(int most) const;

 private:
  std::optional<std::uint64_t> when_ns_;
};

/// Sleep, but wake up for the stop flag or the deadline; true when it is time to end.
bool sleep_unless_done(double seconds, const StopFlag& stop, const Deadline& deadline);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_STOP_FLAG_HPP
