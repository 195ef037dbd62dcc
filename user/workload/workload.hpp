// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_WORKLOAD_HPP
#define NDTEL_WORKLOAD_WORKLOAD_HPP

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker_process.hpp"

namespace ndtel::workload {

/// A node to run on and how many cores it has.
struct Target {
  std::string path;
  std::string space;
  std::uint32_t index = 0;
  std::uint32_t cores = 0;
};

struct WorkloadSetup {
  std::vector<Target> targets;
  unsigned processes = 1;
  unsigned cores = 1;  ///< each process owns
  std::string ledger;  ///< directory, or a file name for one process; empty: kept in memory
  WorkerSetup each;    ///< what all processes share; number, device and cores are filled in
};

/// A process of the workload and how it ended.
struct Worker {
  WorkerSetup setup;
  Target target;
  Ledger ledger;
  std::string ledger_path;  ///< empty when kept in memory
  pid_t pid = 0;
  int status = 0;  ///< of waitpid()

  bool killed() const;
  bool failed() const;  ///< it ended by itself, with an error
  /// "exited", "failed with status 1", "killed by SIGKILL".
  std::string end() const;
};

/// Divide processes and cores among the targets: process i goes to target i modulo their number, no
/// core is shared. An Error says when they do not fit.
Result<std::vector<WorkerSetup>> place(const WorkloadSetup& setup);

/// Fork the workers, wait until all have ended, and return how. SIGTERM and SIGINT to the caller
/// are passed on to the workers; a worker that is killed does not disturb the others. `started` and
/// `ended` are told of each.
Result<std::vector<std::unique_ptr<Worker>>> run_workload(
    const WorkloadSetup& setup, const std::function<void(const Worker&)>& started,
    const std::function<void(const Worker&)>& ended);

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_WORKLOAD_HPP
