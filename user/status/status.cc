// SPDX-License-Identifier: Apache-2.0
//
// Names and priorities of statuses, from the one table.
#include "ndtel/status.hpp"

namespace ndtel {
namespace {

struct CodePriority {
  std::uint32_t code;
  int priority;
};

#define PRIORITY_ROW(code, name, priority) CodePriority{code, priority},
constexpr CodePriority kPriorities[] = {NRT_STATUS_TABLE(PRIORITY_ROW)};
#undef PRIORITY_ROW

}  // namespace

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
  for (const auto& [code, priority] : kPriorities) {
    if (code == status) return priority;
  }
  return NRT_PRIORITY_MEDIUM;
}

NRT_STATUS worst_status(std::span<const NRT_STATUS> statuses) noexcept {
  NRT_STATUS worst = NRT_SUCCESS;
  for (NRT_STATUS status : statuses) {
    if (status_priority(status) > status_priority(worst)) worst = status;
  }
  return worst;
}

}  // namespace ndtel
