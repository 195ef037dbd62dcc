// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_TRACE_SEQUENCE_HPP
#define NDTEL_CLI_TRACE_SEQUENCE_HPP

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ndtel::cli {

/// Follows the event numbers of each device. Buffers of different CPUs are read one after the
/// other, so a number may come late; one that does not come within the patience is lost.
class SequenceTracker {
 public:
  struct Gap {
    std::string space;
    std::uint32_t device = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  explicit SequenceTracker(std::uint64_t patience_ns) : patience_ns_(patience_ns) {}

  /// Take a number in. The first of a device is where its count begins. Returns false for one that
  /// was seen before.
  bool note(const std::string& space, std::uint32_t device, std::uint64_t seq,
            std::uint64_t now_ns);

  /// Gaps that have been open longer than the patience; each is returned once.
  std::vector<Gap> take_overdue(std::uint64_t now_ns);

  /// All gaps still open, at the end of a recording.
  std::vector<Gap> take_all();

 private:
  struct Stream {
    std::uint64_t next = 0;
    struct Hole {
      std::uint64_t end = 0;  ///< first number after the hole
      std::uint64_t since_ns = 0;
    };
    std::map<std::uint64_t, Hole> holes;  ///< by first missing number
  };
  std::vector<Gap> take(std::uint64_t now_ns, std::uint64_t patience_ns);

  std::uint64_t patience_ns_;
  std::map<std::pair<std::string, std::uint32_t>, Stream> streams_;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_TRACE_SEQUENCE_HPP
