// SPDX-License-Identifier: Apache-2.0
#include "config.hpp"

#include <algorithm>

namespace ndtel::systrace {

Config default_config() noexcept {
  Config config{};
  config.max_events_per_nc = NRT_SYS_TRACE_DEFAULT_EVENTS_PER_NC;
  std::ranges::fill(config.capture_enabled_for_nc, true);
  std::ranges::fill(config.capture_enabled_for_event_type, true);
  return config;
}

FetchOptions default_fetch_options() noexcept { return {.max_events_per_nc = 0, .nc_idx = -1}; }

std::optional<std::uint64_t> ring_capacity(const Config& config) noexcept {
  if (config.max_events_per_nc > NRT_SYS_TRACE_MAX_EVENTS_PER_NC) return std::nullopt;
  return std::max<std::uint64_t>(config.max_events_per_nc, NRT_SYS_TRACE_MIN_EVENTS_PER_NC);
}

std::optional<std::uint32_t> selected_core(const FetchOptions& options) noexcept {
  const auto core = static_cast<std::int32_t>(options.nc_idx);
  if (core < 0) return std::nullopt;
  return static_cast<std::uint32_t>(core);
}

std::uint64_t fetch_limit(const FetchOptions& options, std::uint64_t capacity) noexcept {
  return options.max_events_per_nc == 0 ? capacity : std::min(options.max_events_per_nc, capacity);
}

}  // namespace ndtel::systrace
