// SPDX-License-Identifier: Apache-2.0
//
// Turns the trace memory of a process that is gone into the files that it did not write.
#ifndef NDTEL_CLI_RUN_HARVEST_HPP
#define NDTEL_CLI_RUN_HARVEST_HPP

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ndtel/result.hpp"

namespace ndtel::cli {

/// A capture of a process that is gone.
struct DeadCapture {
  int memfd = -1;              ///< as it was received; the caller's
  std::uint32_t pid = 0;       ///< as the kernel said
  std::uint64_t begun_ns = 0;  ///< CLOCK_REALTIME, when it was received
  std::uint64_t ended_ns = 0;  ///< when the process was found to be gone
  bool newest = true;          ///< whether no later one of this process was received
  std::string end = "";        ///< how it ended, to be said after "the process"; empty: unknown
};

/// What became of it.
struct HarvestReport {
  std::string directory;
  enum class Done {
    kByProcess,  ///< the process wrote everything
    kHarvested,  ///< nothing was there
    kCompleted,  ///< some files were there, and the rest was added
  } done = Done::kHarvested;
  std::uint64_t events = 0;     ///< in files
  std::uint64_t displaced = 0;  ///< overwritten before anybody took them
  std::uint64_t in_flight = 0;  ///< begun and never completed
  std::uint64_t damaged = 0;
  std::size_t unfinished = 0;  ///< files in the making that were removed
  std::vector<std::string> warnings;
};

class Salvage {
 public:
  /// @param base absolute directory that the processes were told to write to
  explicit Salvage(std::string base) : base_(std::move(base)) {}

  /// Writes what is missing to BASE/<instance>_pid_<pid>/, or to the session's directory beneath
  /// it. No whole file of the process is replaced unless its events are in the memory, too; files
  /// appear whole or not at all. May be called again after an error.
  Result<HarvestReport> harvest(const DeadCapture& capture);

 private:
  const std::string base_;
  std::set<std::string> made_;  // directories of captures that had later ones
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_RUN_HARVEST_HPP
