// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_INFERENCE_HPP
#define NDTEL_WORKLOAD_INFERENCE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "ndtel/status.hpp"
#include "tensor.hpp"
#include "transformer.hpp"

namespace ndtel::workload {

/// CLOCK_MONOTONIC, nanoseconds.
std::uint64_t monotonic_ns();
/// CLOCK_REALTIME, nanoseconds since 1970.
std::uint64_t realtime_ns();

/// An inference a client asks for.
struct Request {
  Tensor<float> input;
  std::size_t model = 0;           ///< which of the core's models
  std::uint64_t submitted_ns = 0;  ///< monotonic_ns() at submission
  std::uint64_t budget_ns = 0;     ///< time the client allows from submission to completion
};

/// What became of it; nothing here is assumed, all of it is measured or found in the output.
struct Outcome {
  NRT_STATUS status = NRT_SUCCESS;
  bool ran = false;                          ///< the model really computed
  std::uint64_t busy_ns = 0;                 ///< time the core computed
  std::uint64_t total_ns = 0;                ///< submission to completion
  std::uint64_t macs = 0;                    ///< multiply-accumulates of the computation
  std::array<bool, kErrorSubtypes> flags{};  ///< by ErrorSubtype
};

/// What an inference is called in the trace.
struct TraceIds {
  std::uint32_t core = 0;
  std::uint64_t exec_id = 0;  ///< rising on a core
  std::uint64_t model_id = 0;
  std::uint64_t input_id = 0, output_id = 0;  ///< of the tensors
};

/// Run a request on a model. `buffer` is the core's memory for the activations; it holds the output
/// afterwards. While a capture runs, each step is a span of the calling thread: before (with the
/// write of the input), the computation, and the wait for its result (with the read of the output).
Outcome execute(TransformerBlock<float>& model, const Request& request, Tensor<float>& buffer,
                const TraceIds& ids = {});

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_INFERENCE_HPP
