// SPDX-License-Identifier: Apache-2.0
//
// What a process left in the directory of its session before it ended.
#ifndef NDTEL_CLI_RUN_SESSION_FILES_HPP
#define NDTEL_CLI_RUN_SESSION_FILES_HPP

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../../ntff/host_trace.hpp"
#include "../../systrace/strings.hpp"
#include "ndtel/result.hpp"

namespace ndtel::cli {

/// What trace_info.pb says.
struct SessionInfo {
  ntff::TraceInfo info;
  systrace::StringShard names;
  std::optional<ntff::HostSeries> host;  ///< its scalars; `info` does not point to them

  /// Events of the files it lists.
  std::uint64_t events() const noexcept;
};

/// Reads DIRECTORY/trace_info.pb. Nothing when there is none; an error when it cannot be read or
/// makes no sense.
Result<std::optional<SessionInfo>> read_session_info(const std::string& directory);

/// The file of a part of the trace: ntrace.pb, ntrace_1.pb and so on.
std::string trace_part(std::uint32_t part);

/// A part that is whole: how many events it has. Nothing when there is no such file.
Result<std::optional<ntff::DataFile>> read_trace_part(const std::string& directory,
                                                      std::uint32_t part);

/// The directory of the newest session of a process, given that of the process: itself, or that
/// beneath it whose name is the latest time and which is none of `others`.
std::string newest_session(const std::string& process_directory,
                           const std::set<std::string>& others);

/// Removes what a process that is gone left of files it had not finished. Returns how many.
std::size_t remove_unfinished(const std::string& directory, std::uint32_t pid);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_RUN_SESSION_FILES_HPP
