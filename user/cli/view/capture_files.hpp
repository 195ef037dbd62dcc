// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_VIEW_CAPTURE_FILES_HPP
#define NDTEL_CLI_VIEW_CAPTURE_FILES_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ndtel::cli {

/// The trace files of one process, or one file by itself.
struct CaptureFiles {
  std::string path;  ///< the directory, or the file
  bool directory = false;
  std::optional<std::uint64_t> pid;     ///< from a directory's name: INSTANCE_pid_PID
  std::string instance;                 ///< the same
  std::string trace_info;               ///< path; empty: there is none
  std::vector<std::string> pb;          ///< other .pb files, parts of a trace in their order
  std::vector<std::string> profiles;    ///< .ntff files
  std::vector<std::string> unfinished;  ///< what a writer left that was ended while it wrote
};

/// The captures that `path` holds: a file is one; a directory is one if it has trace files, and so
/// is each directory in it, down to the sessions of the processes of a base directory. Throws
/// Failure when there is none, or a directory cannot be read.
std::vector<CaptureFiles> find_captures(const std::string& path);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_VIEW_CAPTURE_FILES_HPP
