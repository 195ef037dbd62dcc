// SPDX-License-Identifier: Apache-2.0
#include "inference.hpp"

#include <time.h>

#include <vector>

#include "ndtel/trace.hpp"

namespace ndtel::workload {

namespace event = trace::event;

namespace {

std::uint64_t read_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

std::uint64_t monotonic_ns() { return read_ns(CLOCK_MONOTONIC); }

std::uint64_t realtime_ns() { return read_ns(CLOCK_REALTIME); }

Outcome execute(TransformerBlock<float>& model, const Request& request, Tensor<float>& buffer,
                const TraceIds& ids) {
  const trace::payload::Exec exec{.exec_id = ids.exec_id, .model_id = ids.model_id};
  Outcome outcome;
  {
    const trace::Span<event::ExecPre> span(ids.core, exec);
    if (!model.accepts(request.input)) {
      outcome.status = NRT_EXEC_BAD_INPUT;
      outcome.total_ns = monotonic_ns() - request.submitted_ns;
      return outcome;
    }
    const trace::Span<event::TensorWrite> write(
        ids.core, {.tensor_id = ids.input_id, .size = request.input.bytes()});
    buffer = request.input;
  }
  {
    const trace::Span<event::ExecCore> span(ids.core, exec);
    const std::uint64_t start = monotonic_ns();
    model.run(buffer);
    outcome.busy_ns = monotonic_ns() - start;
  }
  const trace::Span<event::ExecWait> span(ids.core, exec);
  outcome.ran = true;
  outcome.macs = mac_count(model.shape());
  std::vector<NRT_STATUS> found = {NRT_SUCCESS};
  {
    const trace::Span<event::TensorRead> read(ids.core,
                                              {.tensor_id = ids.output_id, .size = buffer.bytes()});
    outcome.total_ns = monotonic_ns() - request.submitted_ns;
    if (has_non_finite(buffer)) {
      outcome.flags[static_cast<std::size_t>(ErrorSubtype::kNumerical)] = true;
      found.push_back(NRT_EXEC_COMPLETED_WITH_NUM_ERR);
    }
  }
  if (outcome.total_ns > request.budget_ns) found.push_back(NRT_TIMEOUT);
  outcome.status = worst_status(found);
  return outcome;
}

}  // namespace ndtel::workload
