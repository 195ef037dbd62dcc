// SPDX-License-Identifier: Apache-2.0
//
// Which lines are written, and where: one row a submodule, one column a sink.
#ifndef NDTEL_LOG_LEVELS_HPP
#define NDTEL_LOG_LEVELS_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "nrt/nlog.h"

namespace ndtel::nlog {

using Level = nrt_log_level_t;

/// Levels of one submodule.
struct Row {
  std::uint32_t key;                   ///< the first four bytes of its name
  std::atomic<std::uint32_t> syslog;   ///< Level
  std::atomic<std::uint32_t> console;  ///< Level
};
static_assert(sizeof(Row) == 12);

/// What may be written of one message.
struct Gates {
  bool syslog;
  bool console;
};

/// The first four bytes of a name, as they lie in memory; a shorter name is filled with 0.
std::uint32_t submodule_key(const char* name) noexcept;

class Levels {
 public:
  Levels() noexcept;

  /// See nlog_set_log_level(). False: no such submodule.
  bool set(const char* submodule, const char* location, const char* level) noexcept;

  /// See nlog_get_log_level().
  std::optional<Level> get(const char* submodule) const noexcept;

  /// Whether a message of this level may be written anywhere at all: two comparisons.
  bool worth(Level level) const noexcept {
    return level >= NRT_LOG_LEVEL_ERROR && level <= ceiling_.load(std::memory_order_relaxed);
  }

  /// Where to write a message; the row of NRT decides for submodules that are not listed.
  Gates gates(const char* submodule, Level level) const noexcept;

  /// Takes over what the environment says; `get` is getenv() or stands in for it.
  void read_environment(const char* (*get)(const char* name)) noexcept;

 private:
  const Row* find(const char* submodule) const noexcept;
  void store(Row& row, const char* location, Level level) noexcept;

  std::array<Row, 12> rows_;
  // The highest level that was ever set: nothing above it can be wanted.
  std::atomic<std::uint32_t> ceiling_{NRT_LOG_LEVEL_ERROR};
};

}  // namespace ndtel::nlog

#endif  // NDTEL_LOG_LEVELS_HPP
