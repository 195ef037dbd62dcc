// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_FAULT_MIX_HPP
#define NDTEL_WORKLOAD_FAULT_MIX_HPP

#include <array>
#include <random>
#include <string_view>

#include "ndtel/result.hpp"

namespace ndtel::workload {

/// What a client does wrong with a request. Each is a real cause; the status comes from what then
/// happens.
enum class Fault {
  kNone,
  kNan,       ///< the input holds a NaN
  kDeadline,  ///< the client allows almost no time
  kQueue,     ///< the client submits until the queue is full
  kShape,     ///< the input has a shape the model does not take
};

/// How often each fault is made, as a share of requests.
class FaultMix {
 public:
  FaultMix() = default;

  /// Parse "nan=0.02,deadline=0.01,queue=0.01,shape=0.01"; left out means never.
  static Result<FaultMix> parse(std::string_view text);

  Fault pick(std::mt19937_64& random) const;

  double share(Fault fault) const { return share_[static_cast<std::size_t>(fault)]; }

 private:
  std::array<double, 5> share_{};
};

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_FAULT_MIX_HPP
