// SPDX-License-Identifier: Apache-2.0
//
// The causes that a thread keeps back while a call into the runtime runs.
#ifndef NDTEL_LOG_BLOCK_HPP
#define NDTEL_LOG_BLOCK_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nrt/nlog.h"

namespace ndtel::nlog {

/// Lines from the end of a buffer downward: the newest is first in memory, each but the last is
/// followed by a newline and a tab. Debuggers know where its words are.
class Block {
 public:
  static constexpr std::size_t kTextSize = 0x4000;

  /// Ready for the causes of another call.
  void reset() noexcept {
    cause_ = -1;
    position_ = kTextSize - 2;
    pending_ = 0;
    lost_ = 0;
  }

  /// Puts a line in front. False: there is no room for it and for `reserve` more bytes.
  bool push(std::string_view line, std::size_t reserve) noexcept;

  /// All lines; a NUL follows.
  std::string_view text() const noexcept { return {text_ + begin(), kTextSize - 1 - begin()}; }

  /// Lines in the buffer.
  std::uint32_t pending() const noexcept { return pending_; }

  /// Lines that found no room.
  std::uint32_t lost() const noexcept { return lost_; }
  void count_lost() noexcept { ++lost_; }

  bool enabled() const noexcept { return enabled_ != 0; }
  void enable(bool on) noexcept { enabled_ = on ? 1 : 0; }

  /// Status of the call that is failing, -1: not known.
  std::int32_t cause() const noexcept { return cause_; }
  void set_cause(std::int32_t status) noexcept {
    if (cause_ == -1) cause_ = status;
  }

 private:
  friend struct BlockLayout;

  // Where the text begins, and how many bytes are free: the position of a full buffer is 2^32 - 1.
  std::uint32_t begin() const noexcept { return position_ + 1; }

  char text_[kTextSize] = {};  // the last byte stays NUL
  std::int32_t cause_ = -1;
  std::uint32_t position_ = kTextSize - 2;  // the last byte that is free
  std::uint8_t enabled_ = 0;
  std::uint32_t pending_ = 0;
  std::uint32_t lost_ = 0;
};

struct BlockLayout {
  static_assert(offsetof(Block, cause_) == 0x4000);
  static_assert(offsetof(Block, position_) == 0x4004);
  static_assert(offsetof(Block, enabled_) == 0x4008);
  static_assert(offsetof(Block, pending_) == 0x400C);
};

/// What the person who reads the failure can do; empty when there is nothing to say.
std::string_view resolution_of(std::int32_t cause) noexcept;

}  // namespace ndtel::nlog

#endif  // NDTEL_LOG_BLOCK_HPP
