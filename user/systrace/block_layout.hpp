// SPDX-License-Identifier: Apache-2.0
//
// What a ring of blocks looks like in memory. Another process may read it after this one died, so
// everything a reader needs is here, at fixed offsets, without pointers. Zeroed memory is a ring
// that was never used.
#ifndef NDTEL_SYSTRACE_BLOCK_LAYOUT_HPP
#define NDTEL_SYSTRACE_BLOCK_LAYOUT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ndtel::systrace {

/// States of a block, the low bits of its word; the rest of the word is its generation.
enum class BlockState : std::uint64_t {
  kFree = 0,     ///< never used
  kOpen = 1,     ///< one thread writes into it
  kRevoked = 2,  ///< as kOpen, but its thread has to ask before it writes again
  kOrphan = 3,   ///< partly written, its thread left it; the next one goes on in it
  kClosed = 4,   ///< nobody writes into it any more
  kClaimed = 5,  ///< its events are being given up; the journal of its ring holds the totals
};

inline constexpr std::uint64_t kBlockStateMask = 7;
inline constexpr unsigned kBlockStateBits = 3;

constexpr BlockState block_state(std::uint64_t word) noexcept {
  return static_cast<BlockState>(word & kBlockStateMask);
}
constexpr std::uint64_t block_word(std::uint64_t generation, BlockState state) noexcept {
  return (generation << kBlockStateBits) | static_cast<std::uint64_t>(state);
}
constexpr std::uint64_t block_generation(std::uint64_t word) noexcept {
  return word >> kBlockStateBits;
}

/// How far a block was read: slots taken, and how many of those were displaced rather than
/// drained. One word, so that both change at once.
struct ReadMark {
  std::uint32_t taken = 0;
  std::uint32_t displaced = 0;

  static constexpr ReadMark of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }
  constexpr std::uint64_t word() const noexcept { return std::uint64_t{displaced} << 32 | taken; }
};

/// Events of blocks that were given up, so that their sums do not go with them.
struct RetiredEvents {
  std::uint64_t begun = 0;
  std::uint64_t written = 0;
  std::uint64_t drained = 0;
  std::uint64_t displaced = 0;
};

/// The head of a ring.
struct alignas(128) BlockRingHeader {
  RetiredEvents retired;
  RetiredEvents journal;       ///< what `retired` becomes when the claimed block is given up
  std::uint64_t sequence = 0;  ///< last sequence that was reserved
  std::uint64_t closings = 0;  ///< blocks closed so far
  std::uint64_t skipped = 0;   ///< sequences reserved and never used
  std::uint32_t used = 0;      ///< blocks [0, used) were opened at least once
};

/// Sizes of a ring.
struct BlockGeometry {
  std::uint64_t capacity = 0;     ///< events that users may count on
  std::uint32_t block_slots = 0;  ///< slots of a block
  std::uint32_t blocks = 0;       ///< spare ones included
  std::uint32_t open_target = 0;  ///< with more open blocks, idle threads lose theirs

  /// Blocks beyond the capacity: several threads hold one open each, a reader pins some.
  static constexpr std::uint32_t kSpare = 32;
  static constexpr std::uint32_t kMinBlock = 16;
  static constexpr std::uint32_t kMaxBlock = 4096;

  /// A block is a 64th of the capacity, between 16 and 4096 slots.
  static constexpr BlockGeometry of(std::uint64_t capacity) noexcept {
    const auto slots =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(capacity / 64, kMinBlock, kMaxBlock));
    return {capacity, slots, static_cast<std::uint32_t>((capacity + slots - 1) / slots) + kSpare,
            kSpare / 2};
  }

  constexpr std::uint64_t slots() const noexcept { return std::uint64_t{blocks} * block_slots; }

  /// How many of the newest events are never displaced, whatever the threads do, when at most
  /// `threads` of them have a block at a time; `pinned` is what a reader holds, 0 without one.
  ///
  /// A block is evicted in the order of closing. Of the other blocks, threads - 1 may be open and
  /// `pinned` older; of those closed later, threads - 1 may have been opened before the victim was
  /// closed and so hold older events. All others are full of newer ones.
  constexpr std::uint64_t retained(std::uint32_t threads, std::uint32_t pinned) const noexcept {
    if (threads == 0) return 0;
    const std::uint64_t lost = std::uint64_t{threads} + (threads - 1) + pinned;
    if (lost >= blocks) return 0;
    return std::min(capacity, (blocks - lost) * block_slots);
  }
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_BLOCK_LAYOUT_HPP
