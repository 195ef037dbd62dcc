// SPDX-License-Identifier: Apache-2.0
//
// Runs a command and keeps hold of the trace memory of every process in it.
#ifndef NDTEL_CLI_RUN_TRACED_COMMAND_HPP
#define NDTEL_CLI_RUN_TRACED_COMMAND_HPP

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace ndtel::cli {

struct RunOptions {
  std::vector<std::string> command;  ///< and its arguments
  std::string directory;             ///< absolute, for files
  /// Variables of the command's environment beyond NDTEL_TRACE_SOCKET and those of the session.
  std::vector<std::pair<std::string, std::string>> environment;
  std::chrono::milliseconds patience{5000};  ///< with processes that outlive the command
  bool progress = false;                     ///< show how it goes on `talk`
  std::FILE* talk = nullptr;                 ///< for everything that is said
};

/// Runs the command to its end and writes the trace files that its processes did not write. SIGINT,
/// SIGTERM, SIGHUP and SIGQUIT that are sent to this process go to the command; those of the
/// terminal reach it by themselves. Returns the exit code of `ndtel run`: that of the command, 128
/// and the signal that ended it, 127 and 126 as shells do when it cannot be run; 1 when it
/// succeeded and files could not be written. Throws Failure when nothing could be started.
int run_traced(const RunOptions& options);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_RUN_TRACED_COMMAND_HPP
