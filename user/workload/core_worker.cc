// SPDX-License-Identifier: Apache-2.0
#include "core_worker.hpp"

#include "ndtel/trace.hpp"

namespace ndtel::workload {
namespace {

namespace event = trace::event;

/// A request reached a core only if it ran; what did not is counted by its status alone.
void count(CountingBridge& bridge, std::uint32_t core, const Outcome& outcome) {
  if (!outcome.ran) {  // refused before it reached the core: there are no times
    bridge.exec_stats(core, outcome.status);
    return;
  }
  bridge.finalise(core, outcome.status, outcome.busy_ns * 1000, outcome.macs);
  const double busy_us = static_cast<double>(outcome.busy_ns) / 1000;
  const double total_us = static_cast<double>(outcome.total_ns) / 1000;
  bridge.complete(core, outcome.status, outcome.flags,
                  {.total = total_us, .device = busy_us, .nc_time = busy_us, .cc_time = 0});
}

void report_numerical_error(const TraceIds& ids) {
  if (!trace::enabled(ids.core, event::NumErr::kType)) return;
  // The device is this processor: one clock for both.
  const std::uint64_t now = realtime_ns();
  trace::instant<event::NumErr>(ids.core,
                                {.device_core_idx = ids.core,
                                 .exec_id = static_cast<std::uint32_t>(ids.exec_id),
                                 .sync = {.nc_timestamp_ns = now, .cpu_timestamp_ns = now},
                                 .model_id = ids.model_id});
}

}  // namespace

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
  TraceIds ids{.core = setup_.core,
               .input_id = trace::intern("input", setup_.core),
               .output_id = trace::intern("output", setup_.core)};
  while (const auto request = queue_.pop()) {
    LoadedModel& model = *models[request->model % models.size()];
    ids.model_id = model.trace_id();
    ++ids.exec_id;
    const trace::Span<event::ExecuteApi> api(setup_.core, {.model_id = ids.model_id});
    const Outcome outcome = execute(model.block(), *request, buffer, ids);
    const trace::Span<event::ExecPost> post(setup_.core,
                                            {.exec_id = ids.exec_id, .model_id = ids.model_id});
    if (outcome.flags[static_cast<std::size_t>(ErrorSubtype::kNumerical)])
      report_numerical_error(ids);
    count(bridge_, setup_.core, outcome);
  }
  bridge_.register_free(setup_.core, TDRV_MEM_USAGE_TENSOR, TDRV_MEM_LOCATION_DEVICE, buffer_bytes);
}

}  // namespace ndtel::workload
