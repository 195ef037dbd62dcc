// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_TRACE_POST_EVENT_HPP
#define NDTEL_CLI_TRACE_POST_EVENT_HPP

#include <cstdint>
#include <optional>
#include <string>

namespace ndtel::cli {

/// One posted metric as the kernel traced it. The reference's event carries only id and value; what
/// it lacks is absent, not zero.
struct PostEvent {
  std::string space;                 ///< module namespace: "ndtel", "neuron"
  std::uint64_t time_ns = 0;         ///< CLOCK_MONOTONIC
  std::optional<std::uint64_t> seq;  ///< per device, +1 with every event
  std::optional<std::uint32_t> device;
  std::optional<std::uint8_t> tick;
  std::optional<std::uint8_t> sink;    ///< enum nmetric_sink
  std::optional<std::uint8_t> result;  ///< enum nmetric_result
  std::uint32_t id = 0;                ///< CloudWatch id
  std::string value;

  bool operator==(const PostEvent&) const = default;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_TRACE_POST_EVENT_HPP
