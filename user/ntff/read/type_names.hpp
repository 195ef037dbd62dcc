// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_NTFF_READ_TYPE_NAMES_HPP
#define NDTEL_NTFF_READ_TYPE_NAMES_HPP

#include <cstdint>
#include <string_view>

#include "event_summary.hpp"

namespace ndtel::ntff::read {

/// As viewers and filters name a type; `unknown` for one of a later release.
std::string_view type_name(const TypeKey& key) noexcept;

/// `start`, `stop`, `instant`, else `invalid`: of `ntrace_event.phase`.
std::string_view event_phase_name(std::int32_t phase) noexcept;

/// `ntrace`, `cpu_util`, `host_mem`, else `unknown`: of `ntrace_data_file.type`.
std::string_view data_file_kind(std::uint32_t type) noexcept;

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_TYPE_NAMES_HPP
