// SPDX-License-Identifier: Apache-2.0
//
// What a session can record, by name.
#ifndef NDTEL_INSPECT_ACTIVITY_HPP
#define NDTEL_INSPECT_ACTIVITY_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "nrt/nrt_profile.h"

namespace ndtel::inspect {

struct Activity {
  std::uint32_t bit;
  const char* name;
};

/// All of them, by rising bits.
std::span<const Activity> activities() noexcept;

/// The bits of all of them.
inline constexpr std::uint32_t kAllActivities =
    NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE | NRT_INSPECT_ACTIVITY_DEVICE_PROFILE |
    NRT_INSPECT_ACTIVITY_HOST_MEMORY | NRT_INSPECT_ACTIVITY_CPU_UTIL;

/// Those that the host sampler records.
inline constexpr std::uint32_t kSamplerActivities =
    NRT_INSPECT_ACTIVITY_HOST_MEMORY | NRT_INSPECT_ACTIVITY_CPU_UTIL;

/// The bit of a name, or all bits for `all`; nothing for a name that is not one.
std::optional<std::uint32_t> find_activities(std::string_view name) noexcept;

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_ACTIVITY_HPP
