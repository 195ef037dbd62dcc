// SPDX-License-Identifier: Apache-2.0
//
// What the C functions about strings share with those of the engine.
#ifndef NDTEL_SYSTRACE_CAPI_STRINGS_HPP
#define NDTEL_SYSTRACE_CAPI_STRINGS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "nrt/nrt_sys_trace_internal.h"
#include "strings.hpp"
#include "utf8.hpp"

/// What C programs hold as a shard.
struct nrt_interned_string_db_shard {
  ndtel::systrace::StringShard names;
};

namespace ndtel::systrace {

/// The text of a C string up to its NUL; nothing for NULL and for what is not UTF-8.
inline std::optional<std::string_view> c_text(const char* s) noexcept {
  if (s == nullptr) return std::nullopt;
  const std::string_view text(s);
  if (!is_utf8(text)) return std::nullopt;
  return text;
}

/// c_text(), with one line about what is refused.
std::optional<std::string_view> checked_text(const char* s) noexcept;

}  // namespace ndtel::systrace

/// Adds the names of all cores of the running capture to a map; an id that the map has keeps its
/// name. @return NRT_SUCCESS; NRT_RESOURCE no memory, and nothing was added
NRT_STATUS nrt_sys_trace_get_all_interned_strings(
    std::unordered_map<std::uint64_t, std::string>& names) noexcept;

#endif  // NDTEL_SYSTRACE_CAPI_STRINGS_HPP
