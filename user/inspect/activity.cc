// SPDX-License-Identifier: Apache-2.0
#include "activity.hpp"

namespace ndtel::inspect {

std::span<const Activity> activities() noexcept {
  static constexpr Activity kActivities[] = {
      {NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE, "system_profile"},
      {NRT_INSPECT_ACTIVITY_DEVICE_PROFILE, "device_profile"},
      {NRT_INSPECT_ACTIVITY_HOST_MEMORY, "host_memory"},
      {NRT_INSPECT_ACTIVITY_CPU_UTIL, "cpu_util"},
  };
  return kActivities;
}

std::optional<std::uint32_t> find_activities(std::string_view name) noexcept {
  if (name == "all") return kAllActivities;
  for (const Activity& activity : activities())
    if (name == activity.name) return activity.bit;
  return std::nullopt;
}

}  // namespace ndtel::inspect
