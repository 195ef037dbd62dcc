// SPDX-License-Identifier: Apache-2.0
#include "strings.hpp"

#include <algorithm>

#include "log.hpp"

namespace ndtel::systrace {

Added StringShard::add(std::uint64_t id, std::string_view name) {
  const auto [at, added] = names_.try_emplace(id, name);
  if (added) return Added::kNew;
  if (at->second == name) return Added::kSame;
  log::write(log::Level::kWarn, "interned string id {} is \"{}\" already, \"{}\" was ignored", id,
             at->second, name);
  return Added::kConflict;
}

void StringShard::merge(const StringShard& other) {
  for (const auto& [id, name] : other.names_) add(id, name);
}

std::optional<std::string_view> StringShard::find(std::uint64_t id) const noexcept {
  const auto at = names_.find(id);
  if (at == names_.end()) return std::nullopt;
  return at->second;
}

std::vector<std::pair<std::uint64_t, std::string_view>> StringShard::sorted() const {
  std::vector<std::pair<std::uint64_t, std::string_view>> all(names_.begin(), names_.end());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace ndtel::systrace
