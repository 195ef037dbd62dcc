// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <limits>
#include <utility>

namespace ndtel::workload {
namespace {

constexpr std::size_t kInputs = 8;
constexpr std::uint64_t kHopelessBudgetNs = 1000;

}  // namespace

Client::Client(const Setup& setup) : setup_(setup), random_(setup.seed) {
  for (std::size_t i = 0; i < kInputs; ++i) {
    Tensor<float> input(setup_.shape.tokens, setup_.shape.width);
    for (float& x : input.data) x = TransformerBlock<float>::uniform(random_);
    inputs_.push_back(std::move(input));
  }
}

std::size_t Client::input_bytes() const {
  std::size_t bytes = 0;
  for (const auto& input : inputs_) bytes += input.bytes();
  return bytes;
}

Request Client::make(Fault fault) {
  Request request;
  request.input = inputs_[random_() % inputs_.size()];
  request.model = random_() % setup_.models;
  request.budget_ns = setup_.budget_ns;
  if (fault == Fault::kNan) {
    request.input.data[random_() % request.input.data.size()] =
        std::numeric_limits<float>::quiet_NaN();
  } else if (fault == Fault::kShape) {
    request.input = Tensor<float>(setup_.shape.tokens + 1, setup_.shape.width);
  } else if (fault == Fault::kDeadline) {
    request.budget_ns = kHopelessBudgetNs;
  }
  request.submitted_ns = monotonic_ns();
  return request;
}

void Client::turn(const Submit& submit, const Refused& refused) {
  const Fault fault = setup_.faults.pick(random_);
  if (fault == Fault::kQueue) {
    while (submit(make(Fault::kNone))) {
    }
    refused();
  } else if (!submit(make(fault))) {
    refused();
  }
}

}  // namespace ndtel::workload
