// SPDX-License-Identifier: Apache-2.0
#include "inference.hpp"

#include <time.h>

#include <vector>

namespace ndtel::workload {

std::uint64_t monotonic_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

Outcome execute(TransformerBlock<float>& model, const Request& request, Tensor<float>& buffer) {
  Outcome outcome;
  if (!model.accepts(request.input)) {
    outcome.status = NRT_EXEC_BAD_INPUT;
    outcome.total_ns = monotonic_ns() - request.submitted_ns;
    return outcome;
  }
  buffer = request.input;
  const std::uint64_t start = monotonic_ns();
  model.run(buffer);
  const std::uint64_t end = monotonic_ns();
  outcome.ran = true;
  outcome.busy_ns = end - start;
  outcome.total_ns = end - request.submitted_ns;
  outcome.macs = mac_count(model.shape());

  std::vector<NRT_STATUS> found = {NRT_SUCCESS};
  if (has_non_finite(buffer)) {
    outcome.flags[static_cast<std::size_t>(ErrorSubtype::kNumerical)] = true;
    found.push_back(NRT_EXEC_COMPLETED_WITH_NUM_ERR);
  }
  if (outcome.total_ns > request.budget_ns) found.push_back(NRT_TIMEOUT);
  outcome.status = worst_status(found);
  return outcome;
}

}  // namespace ndtel::workload
