// SPDX-License-Identifier: Apache-2.0
#include "levels.hpp"

#include <strings.h>

#include <cstdio>
#include <cstring>

namespace ndtel::nlog {
namespace {

#define NDTEL_LOG_NAME(name) name,
constexpr const char* kNames[] = {NLOG_SUBMODULES(NDTEL_LOG_NAME)};
#undef NDTEL_LOG_NAME

constexpr struct {
  const char* word;
  Level level;
} kWords[] = {{"ERROR", NRT_LOG_LEVEL_ERROR},
              {"WARN", NRT_LOG_LEVEL_WARN},
              {"INFO", NRT_LOG_LEVEL_INFO},
              {"DEBUG", NRT_LOG_LEVEL_DEBUG},
              {"TRACE", NRT_LOG_LEVEL_TRACE}};

bool contains(const char* text, const char* word) noexcept {
  const std::size_t length = std::strlen(word);
  for (; text != nullptr && *text != '\0'; ++text)
    if (::strncasecmp(text, word, length) == 0) return true;
  return false;
}

Level level_of(const char* text) noexcept {
  for (const auto& [word, level] : kWords)
    if (contains(text, word)) return level;
  return NRT_LOG_LEVEL_ERROR;
}

bool is_all(const char* submodule) noexcept {
  return ::strcasecmp(submodule, NLOG_ALL_SUBMODULES) == 0;
}

}  // namespace

std::uint32_t submodule_key(const char* name) noexcept {
  char bytes[4] = {};
  for (std::size_t i = 0; i < sizeof bytes && name[i] != '\0'; ++i) bytes[i] = name[i];
  std::uint32_t key = 0;
  std::memcpy(&key, bytes, sizeof key);
  return key;
}

Levels::Levels() noexcept {
  static_assert(std::size(kNames) == std::tuple_size_v<decltype(rows_)>);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].key = submodule_key(kNames[i]);
    rows_[i].syslog = NRT_LOG_LEVEL_DISABLED;
    rows_[i].console = NRT_LOG_LEVEL_ERROR;
  }
}

const Row* Levels::find(const char* submodule) const noexcept {
  const std::uint32_t key = submodule_key(submodule);
  for (const Row& row : rows_)
    if (row.key == key) return &row;
  return nullptr;
}

void Levels::store(Row& row, const char* location, Level level) noexcept {
  const bool syslog = contains(location, "SYSLOG");
  const bool console = contains(location, "CONSOLE") || !syslog;
  row.syslog.store(syslog ? level : NRT_LOG_LEVEL_DISABLED, std::memory_order_relaxed);
  row.console.store(console ? level : NRT_LOG_LEVEL_DISABLED, std::memory_order_relaxed);
}

bool Levels::set(const char* submodule, const char* location, const char* text) noexcept {
  const bool all = is_all(submodule);
  const Row* one = find(submodule);
  if (!all && one == nullptr) return false;

  const Level level = level_of(text);
  std::uint32_t ceiling = ceiling_.load(std::memory_order_relaxed);
  while (ceiling < level &&
         !ceiling_.compare_exchange_weak(ceiling, level, std::memory_order_relaxed)) {
  }
  for (Row& row : rows_)
    if (all || &row == one) store(row, location, level);
  return true;
}

std::optional<Level> Levels::get(const char* submodule) const noexcept {
  const Row* row = find(submodule);
  if (row == nullptr) return std::nullopt;
  const std::uint32_t syslog = row->syslog.load(std::memory_order_relaxed);
  const std::uint32_t level =
      syslog != NRT_LOG_LEVEL_DISABLED ? syslog : row->console.load(std::memory_order_relaxed);
  if (level == NRT_LOG_LEVEL_DISABLED) return std::nullopt;
  return static_cast<Level>(level);
}

Gates Levels::gates(const char* submodule, Level level) const noexcept {
  const Row* row = find(submodule);
  if (row == nullptr) row = &rows_.front();
  return {.syslog = level <= row->syslog.load(std::memory_order_relaxed),
          .console = level <= row->console.load(std::memory_order_relaxed)};
}

void Levels::read_environment(const char* (*get)(const char* name)) noexcept {
  const char* const all_level = get("NEURON_RT_LOG_LEVEL");
  const char* const all_location = get("NEURON_RT_LOG_LOCATION");
  if (all_level != nullptr || all_location != nullptr)
    set(NLOG_ALL_SUBMODULES, all_location, all_level);
  for (const char* name : kNames) {
    char variable[64];
    std::snprintf(variable, sizeof variable, "NEURON_RT_LOG_LEVEL_%s", name);
    const char* const level = get(variable);
    std::snprintf(variable, sizeof variable, "NEURON_RT_LOG_LOCATION_%s", name);
    const char* const location = get(variable);
    if (level == nullptr && location == nullptr) continue;
    // What a submodule does not say for itself is said for all.
    set(name, location != nullptr ? location : all_location, level != nullptr ? level : all_level);
  }
}

}  // namespace ndtel::nlog
