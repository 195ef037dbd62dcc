// SPDX-License-Identifier: Apache-2.0
#include "core_worker.hpp"

namespace ndtel::workload {

CoreWorker::CoreWorker(const Setup& setup, Instance& instance, Ledger& ledger)
    : setup_(setup),
      instance_(instance),
      writer_(instance, ledger, setup.ledger_thread),
      bridge_(writer_),
      queue_(setup.queue),
      thread_([this] { run(); }) {}

CoreWorker::~CoreWorker() {
  queue_.close();
  thread_.join();
}

void CoreWorker::run() {
  std::vector<std::unique_ptr<LoadedModel>> models;
  for (std::size_t i = 0; i < setup_.models; ++i) {
    const LoadedModel::Place place{setup_.core,
                                   static_cast<std::uint32_t>(setup_.core * setup_.models + i)};
    models.push_back(
        std::make_unique<LoadedModel>(setup_.shape, setup_.seed + i, place, instance_, bridge_));
  }
  Tensor<float> buffer(setup_.shape.tokens, setup_.shape.width);
  const std::size_t buffer_bytes = buffer.bytes();
  bridge_.register_alloc(setup_.core, TDRV_MEM_USAGE_TENSOR, TDRV_MEM_LOCATION_DEVICE,
                         buffer_bytes);
  while (const auto request = queue_.pop()) {
    const Outcome outcome =
        execute(models[request->model % models.size()]->block(), *request, buffer);
    if (!outcome.ran) {  // refused before it reached the core: there are no times
      bridge_.exec_stats(setup_.core, outcome.status);
      continue;
    }
    bridge_.finalise(setup_.core, outcome.status, outcome.busy_ns * 1000, outcome.macs);
    const double busy_us = static_cast<double>(outcome.busy_ns) / 1000;
    const double total_us = static_cast<double>(outcome.total_ns) / 1000;
    bridge_.complete(setup_.core, outcome.status, outcome.flags,
                     {.total = total_us, .device = busy_us, .nc_time = busy_us, .cc_time = 0});
  }
  bridge_.register_free(setup_.core, TDRV_MEM_USAGE_TENSOR, TDRV_MEM_LOCATION_DEVICE, buffer_bytes);
}

}  // namespace ndtel::workload
