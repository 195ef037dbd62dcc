// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_CORE_WORKER_HPP
#define NDTEL_WORKLOAD_CORE_WORKER_HPP

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "bounded_queue.hpp"
#include "inference.hpp"
#include "model.hpp"

namespace ndtel::workload {

/// One core: a thread that owns its models and runs what arrives in its queue, and counts it.
class CoreWorker {
 public:
  struct Setup {
    std::uint32_t core = 0;
    std::uint32_t ledger_thread = 0;  ///< the thread's place in the ledger
    std::size_t models = 1;
    std::size_t queue = 16;  ///< requests that may wait
    BlockShape shape;
    std::uint64_t seed = 1;  ///< of the first model
  };

  /// Starts the thread; models are loaded on it. `instance` and `ledger` must outlive the worker.
  CoreWorker(const Setup& setup, Instance& instance, Ledger& ledger);
  /// Finishes what is queued, unloads the models and ends the thread.
  ~CoreWorker();
  CoreWorker(const CoreWorker&) = delete;
  CoreWorker& operator=(const CoreWorker&) = delete;

  std::uint32_t core() const { return setup_.core; }

  /// Hand a request over, from any thread; false when the queue is full.
  bool submit(Request request) { return queue_.try_push(std::move(request)); }

 private:
  void run();

  const Setup setup_;
  Instance& instance_;
  LedgerWriter<Instance> writer_;
  CountingBridge bridge_;
  BoundedQueue<Request> queue_;
  std::thread thread_;
};

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_CORE_WORKER_HPP
