// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_AUDIT_COUNTER_INFO_HPP
#define NDTEL_CLI_AUDIT_COUNTER_INFO_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ndtel::cli {

/// A core counter that only grows, and what becomes of it in posts.
struct CounterInfo {
  std::uint32_t counter = 0;        ///< NDS core counter
  std::string name;                 ///< "INFER_COMPLETED"
  std::string unit;                 ///< "count", "ps", "macs"
  std::optional<std::uint32_t> cw;  ///< CloudWatch id it is posted under
  bool percent = false;             ///< posted as utilisation, not as an amount
};

/// All core counters that only grow, by id, from the contract's tables and the registry.
const std::vector<CounterInfo>& counter_infos();

/// Whether posts under this CloudWatch id carry amounts of a core counter.
bool is_posted_as_amount(std::uint32_t cw);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_AUDIT_COUNTER_INFO_HPP
