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

/// Run a request on a model. `buffer` is the core's memory for the activations; it holds the output
/// afterwards.
Outcome execute(TransformerBlock<float>& model, const Request& request, Tensor<float>& buffer);

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_INFERENCE_HPP
