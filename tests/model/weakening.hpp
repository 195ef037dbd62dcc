// SPDX-License-Identifier: Apache-2.0
//
// Takes the memory order of one operation away, to see whether a model notices. Operations are
// known by where they stand in the source; two of a kind in one line count as one.
#ifndef NDTEL_TESTS_MODEL_WEAKENING_HPP
#define NDTEL_TESTS_MODEL_WEAKENING_HPP

#include <atomic>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"

namespace ndtel::model {

/// Where an operation stands. As a default argument: where the call stands.
struct Where {
  const char* file;
  std::uint32_t line;

  constexpr Where(const char* at_file = __builtin_FILE(),
                  std::uint32_t at_line = __builtin_LINE()) noexcept
      : file(at_file), line(at_line) {}
};

enum class Role : std::uint8_t { kLoad, kStore, kUpdate, kFailure, kFence };

/// One operation of the source, and an order below the one it asks for.
struct Weakening {
  std::string file;
  std::uint32_t line = 0;
  Role role = Role::kLoad;
  std::memory_order from = std::memory_order_relaxed;
  std::memory_order to = std::memory_order_relaxed;

  /// As "load acquire -> relaxed | text of the line"; the text starts where the line does, blanks
  /// left out.
  std::string describe() const;
};

/// Every operation that ran while recording was on, with each order below its own.
std::vector<Weakening> recorded_weakenings();
void record_operations(bool on);

/// Makes one operation weaker from now on; none when empty.
void weaken(const std::optional<Weakening>& weakening);

struct ActiveWeakening {
  std::uint32_t line = 0;  ///< 0 for none
  Role role = Role::kLoad;
  std::memory_order to = std::memory_order_relaxed;
  const char* file = nullptr;
  bool recording = false;
};
extern ActiveWeakening active_weakening;

std::memory_order weakened_slowly(const Where& where, Role role, std::memory_order order);

/// The order that an operation is to run with.
inline std::memory_order weakened(const Where& where, Role role, std::memory_order order) {
  if (role != Role::kFailure) machine.at_line(where.line);
  if (active_weakening.line != where.line && !active_weakening.recording) return order;
  return weakened_slowly(where, role, order);
}

}  // namespace ndtel::model

#endif  // NDTEL_TESTS_MODEL_WEAKENING_HPP
