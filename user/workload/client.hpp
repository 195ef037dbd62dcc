// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_CLIENT_HPP
#define NDTEL_WORKLOAD_CLIENT_HPP

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "fault_mix.hpp"
#include "inference.hpp"

namespace ndtel::workload {

/// Makes the requests of a process from fixed seeds, faults included.
class Client {
 public:
  struct Setup {
    BlockShape shape;
    FaultMix faults;
    std::uint64_t budget_ns = 1'000'000'000;  ///< time allowed for an ordinary request
    std::size_t models = 1;                   ///< models a core offers
    std::uint64_t seed = 1;
  };

  /// Hands a request to a core; false when its queue is full.
  using Submit = std::function<bool(Request)>;
  /// Told of each request that was refused because the queue was full.
  using Refused = std::function<void()>;

  explicit Client(const Setup& setup);

  /// One turn: an ordinary request, or one with a fault. The queue fault submits until refused.
  void turn(const Submit& submit, const Refused& refused);

  /// Memory of the inputs it draws from.
  std::size_t input_bytes() const;

 private:
  Request make(Fault fault);

  Setup setup_;
  std::mt19937_64 random_;
  std::vector<Tensor<float>> inputs_;
};

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_CLIENT_HPP
