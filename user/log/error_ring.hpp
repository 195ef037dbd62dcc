// SPDX-License-Identifier: Apache-2.0
//
// The last errors of the process, for whoever looks into it after a failure.
#ifndef NDTEL_LOG_ERROR_RING_HPP
#define NDTEL_LOG_ERROR_RING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "nrt/nlog.h"

namespace ndtel::nlog {

/// Lines in a circle of bytes; new ones take the place of old ones.
class ErrorRing {
 public:
  /// Adds a line and a newline; one that is longer than the ring is cut.
  void append(std::string_view line) noexcept;

  /// Copies whole lines, oldest first, as many of the newest as fit into `to`.
  std::size_t copy(std::span<char> to) const noexcept;

  /// How many times the end was reached: above 0, older lines are gone.
  std::uint64_t wrapped() const noexcept { return wrapped_; }

 private:
  void put(std::string_view text) noexcept;
  char at(std::size_t age) const noexcept;  // the byte that was written `age` bytes ago

  std::array<char, NLOG_ERROR_RING_SIZE> bytes_;
  std::size_t position_ = 0;
  std::uint64_t wrapped_ = 0;
};

/// A ring for each core that had an error.
class ErrorRings {
 public:
  /// Adds a line to the ring of a core, which is below NLOG_ERROR_RINGS. Without memory for a ring
  /// the line is not kept.
  void append(std::uint32_t core, std::string_view line) noexcept;

  /// See ErrorRing; a core without errors has none.
  std::size_t copy(std::uint32_t core, std::span<char> to, std::uint64_t* wrapped) noexcept;

  /// For fork(): a child must not find the lock held by a thread that it does not have.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  std::array<std::unique_ptr<ErrorRing>, NLOG_ERROR_RINGS> rings_;
};

}  // namespace ndtel::nlog

#endif  // NDTEL_LOG_ERROR_RING_HPP
