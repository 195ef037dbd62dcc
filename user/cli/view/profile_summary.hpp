// SPDX-License-Identifier: Apache-2.0
//
// What a device profile holds.
#ifndef NDTEL_CLI_VIEW_PROFILE_SUMMARY_HPP
#define NDTEL_CLI_VIEW_PROFILE_SUMMARY_HPP

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "event_summary.hpp"

namespace ndtel::ntff::read {
class ByteSource;
struct Container;
}  // namespace ndtel::ntff::read

namespace ndtel::cli {

namespace read = ntff::read;

/// Records of one kind of queue.
struct QueueTotals {
  std::uint64_t traces = 0, records = 0;
  std::uint64_t software_overflows = 0;  ///< records before which others are lost
  std::uint64_t hardware_overflows = 0;  ///< records behind which others are lost
  read::TimeRange device_ps;             ///< of the device's counter, in picoseconds
};

struct ProfileSummary {
  std::string name;  ///< of the file
  bool empty = false;
  std::uint64_t version = 0;
  std::string id;
  std::uint32_t arch = 0, pid = 0, start_nc = 0;
  std::string runtime_version, driver_version;
  std::vector<std::string> nodes;  ///< names
  std::uint64_t graphs = 0, executions = 0;
  std::uint64_t instruction_bytes = 0;
  /// By the names of trace_type and block_type.
  std::map<std::pair<std::string, std::string>, QueueTotals> queues;
};

/// Reads all records of the profile. Errors of the source stay with the source.
ProfileSummary summarise_profile(read::ByteSource& source, const read::Container& container);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_VIEW_PROFILE_SUMMARY_HPP
