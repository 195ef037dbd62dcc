// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_SAMPLE_HPP
#define NDTEL_CLI_SAMPLE_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nodes.hpp"

namespace ndtel::cli {

/// Values by counter id; a counter that could not be read is absent.
using Values = std::map<std::uint32_t, std::uint64_t>;

/// What one process had counted on one device at one moment.
struct ProcessSample {
  std::string space;
  std::uint32_t device = 0;
  pid_t pid = 0;
  std::optional<std::string> tag;
  std::uint64_t time_ns = 0;              ///< CLOCK_MONOTONIC of the reading
  Values device_counters;                 ///< named ND counters
  std::map<std::uint32_t, Values> cores;  ///< named core counters of the device's cores
};

/// Reads the counters of all owners of the nodes, by mappings of its own that are made anew each
/// time: what a process that is gone had counted is never shown as present. Throws Failure when a
/// node cannot be opened.
std::vector<ProcessSample> sample(const std::vector<Node>& nodes);

/// One sample as a table: a line for each process and core. `before` gives the busy share.
std::string sample_table(const std::vector<ProcessSample>& now,
                         const std::vector<ProcessSample>& before);

/// Every counter that is not zero, one a line.
std::string sample_list(const std::vector<ProcessSample>& now);

/// Everything, as one JSON object.
std::string sample_json(const std::vector<ProcessSample>& now);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_SAMPLE_HPP
