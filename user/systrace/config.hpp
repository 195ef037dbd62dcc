// SPDX-License-Identifier: Apache-2.0
//
// What a capture is to record, and what a fetch is to return: plain data.
#ifndef NDTEL_SYSTRACE_CONFIG_HPP
#define NDTEL_SYSTRACE_CONFIG_HPP

#include <cstdint>
#include <optional>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::systrace {

using Config = nrt_sys_trace_config;
using FetchOptions = nrt_sys_trace_fetch_options;

/// The default ring size, everything switched on.
Config default_config() noexcept;

/// All cores, no limit.
FetchOptions default_fetch_options() noexcept;

/// Events that a core is to keep: at least NRT_SYS_TRACE_MIN_EVENTS_PER_NC. Nothing when the config
/// asks for more than NRT_SYS_TRACE_MAX_EVENTS_PER_NC.
std::optional<std::uint64_t> ring_capacity(const Config& config) noexcept;

/// The one core that is to be read; nothing means all of them. A core that cannot exist is
/// returned as it is.
std::optional<std::uint32_t> selected_core(const FetchOptions& options) noexcept;

/// Events that one fetch may take from a core that keeps `capacity`.
std::uint64_t fetch_limit(const FetchOptions& options, std::uint64_t capacity) noexcept;

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_CONFIG_HPP
