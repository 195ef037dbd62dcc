// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_WORKER_PROCESS_HPP
#define NDTEL_WORKLOAD_WORKER_PROCESS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "fault_mix.hpp"
#include "ledger.hpp"
#include "transformer.hpp"

namespace ndtel::workload {

/// What one process of the workload does.
struct WorkerSetup {
  int number = 0;      ///< of the process within the workload
  std::string device;  ///< path of the node
  std::vector<std::uint32_t> cores;
  double seconds = 10;
  double rate = 50;  ///< inferences a second and core
  std::size_t models = 1;
  std::size_t queue = 16;
  std::uint64_t deadline_ms = 1000;
  FaultMix faults;
  BlockShape shape;
  std::uint64_t seed = 1;
};

/// Threads a worker counts with: the client and one for each core.
inline std::uint32_t ledger_threads(const WorkerSetup& setup) {
  return 1 + static_cast<std::uint32_t>(setup.cores.size());
}

/// The life of one worker process, single-threaded at the call: take a slab, load the models, run
/// until the time is over or SIGTERM or SIGINT asks to stop, unload, release. An Error when the
/// device cannot be used.
Result<void> run_worker(const WorkerSetup& setup, Ledger& ledger);

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_WORKER_PROCESS_HPP
