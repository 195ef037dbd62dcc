// SPDX-License-Identifier: Apache-2.0
//
// Names and priorities of statuses, from the one table.
#include "ndtel/status.hpp"

namespace ndtel {

std::string_view status_name(std::uint32_t status) noexcept {
#define STATUS_NAME(code, name, priority) \
  case code:                              \
    return #name;
  switch (status) {
    NRT_STATUS_TABLE(STATUS_NAME)
    default:
      return "UNKNOWN";
  }
#undef STATUS_NAME
}

int status_priority(std::uint32_t status) noexcept {
#define STATUS_PRIORITY(code, name, priority) \
  case code:                                  \
    return priority;
  switch (status) {
    NRT_STATUS_TABLE(STATUS_PRIORITY)
    default:
      return NRT_PRIORITY_MEDIUM;
  }
#undef STATUS_PRIORITY
}

NRT_STATUS worst_status(std::span<const NRT_STATUS> statuses) noexcept {
  NRT_STATUS worst = NRT_SUCCESS;
  for (NRT_STATUS status : statuses) {
    if (status_priority(status) > status_priority(worst)) worst = status;
  }
  return worst;
}

}  // namespace ndtel
