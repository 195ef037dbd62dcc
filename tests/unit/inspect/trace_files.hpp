// SPDX-License-Identifier: Apache-2.0
//
// What a session left behind, read by the generated classes of the schema.
#ifndef NDTEL_TESTS_UNIT_INSPECT_TRACE_FILES_HPP
#define NDTEL_TESTS_UNIT_INSPECT_TRACE_FILES_HPP

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ndtel::inspect::test {

/// Events of a test say who emitted them, and which of its events they are.
struct Number {
  std::uint64_t thread = 0;
  std::uint64_t number = 0;

  bool operator==(const Number&) const = default;
  auto operator<=>(const Number&) const = default;
};

/// What a directory holds.
struct TraceFiles {
  std::vector<std::string> names;               ///< of all files in it, sorted
  std::string trouble;                          ///< what makes no sense; empty: nothing
  bool complete = false;                        ///< there is a trace_info.pb
  std::vector<Number> events;                   ///< of all parts, in order
  std::vector<std::uint64_t> starts, ends;      ///< tracking ids of those that are one, sorted
  std::map<std::string, std::string> strings;   ///< of trace_info.pb, by id in decimal
  std::vector<std::string> losses;              ///< texts of ndtel.loss
  std::vector<std::string> warnings;            ///< texts of ndtel.warning
  std::map<std::string, std::uint64_t> listed;  ///< files and messages, as trace_info.pb has them
  std::uint32_t pid = 0, session_id = 0;
  std::uint64_t start_ns = 0, stop_ns = 0;
  std::string instance_id, framework, hostname;
  int cpu_rows = 0, mem_rows = 0;
};

/// Reads all of a directory. Each file that trace_info.pb lists has to be there with the size and
/// the number of messages that it says.
TraceFiles read_files(const std::string& directory);

}  // namespace ndtel::inspect::test

#endif  // NDTEL_TESTS_UNIT_INSPECT_TRACE_FILES_HPP
