// SPDX-License-Identifier: Apache-2.0
#include "type_names.hpp"

#include <array>

#include "catalogue.hpp"

namespace ndtel::ntff::read {
namespace {

constexpr std::array<std::string_view, 15> kNtraceTypes{
    "invalid",           "exec_start",  "exec_end",   "cc_exec_start", "cc_exec_end",
    "io_copy_start",     "io_copy_end", "mem_alloc",  "mem_free",      "cpu_timestamp_sync",
    "nc_timestamp_sync", "tensor_op",   "model_load", "model_unload",  "error"};

}  // namespace

std::string_view type_name(const TypeKey& key) noexcept {
  if (key.ring == Ring::kSysTrace) return systrace::event_type_name(key.type);
  if (key.type >= kNtraceTypes.size()) return "unknown";
  return kNtraceTypes[key.type];
}

std::string_view event_phase_name(std::int32_t phase) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"invalid", "start", "stop", "instant"};
  return phase > 0 && phase < 4 ? kNames[static_cast<std::size_t>(phase)] : kNames[0];
}

std::string_view data_file_kind(std::uint32_t type) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"unknown", "ntrace", "cpu_util", "host_mem"};
  return type < kNames.size() ? kNames[type] : kNames[0];
}

}  // namespace ndtel::ntff::read
