// SPDX-License-Identifier: Apache-2.0
//
// The memory of a capture: everything that is needed to read it when the process that wrote it is
// gone. Offsets count from its beginning; there are no pointers. A reader checks every number.
//
//   RegionHeader | TimelineData | names | CoreEntry x cores | ring of core 0 | ring of core 1 | ...
#ifndef NDTEL_SYSTRACE_REGION_LAYOUT_HPP
#define NDTEL_SYSTRACE_REGION_LAYOUT_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "block_ring.hpp"
#include "classic_ring.hpp"
#include "clock.hpp"
#include "policy.hpp"
#include "slot.hpp"

namespace ndtel::systrace {

/// "NDTLTRC" and a NUL. Another layout is another version.
inline constexpr std::uint64_t kRegionMagic = 0x00435254'4C54444EULL;
inline constexpr std::uint32_t kRegionVersion = 2;

/// Which ring a capture uses.
enum class EngineKind : std::uint32_t {
  kBlocks = 0,   ///< blocks of slots that belong to a thread
  kClassic = 1,  ///< one bounded queue a core, with a stamp a slot
};

enum class RegionState : std::uint32_t {
  kMaking = 0,     ///< nothing in it means anything yet
  kCapturing = 1,  ///< the process records, or died while it did
  kStopped = 2,    ///< the process stopped the capture; what is left was not fetched
  kWritten = 3,    ///< the same, and it wrote what is left to files
};

struct RegionHeader {
  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  std::uint32_t header_bytes = 0;  ///< of this struct
  std::uint64_t region_bytes = 0;
  std::atomic<RegionState> state{RegionState::kMaking};
  EngineKind engine = EngineKind::kBlocks;
  std::uint32_t pid = 0;            ///< of the process, in its own namespace
  std::uint32_t cores = 0;          ///< entries of the table, visible cores
  std::uint64_t process_start = 0;  ///< field 22 of /proc/PID/stat
  std::uint64_t capacity = 0;       ///< events a core keeps
  std::uint32_t block_slots = 0;    ///< 0 for the classic engine
  std::uint32_t blocks = 0;
  std::uint64_t timeline_offset = 0;
  std::uint64_t names_offset = 0;  ///< NameLog
  std::uint64_t names_bytes = 0;   ///< of its entries
  std::uint64_t cores_offset = 0;  ///< CoreEntry
};

/// One core of the table.
struct CoreEntry {
  std::uint64_t ring_offset = 0;  ///< 0: nothing is captured for this core
  std::int32_t worker_gid = -1;
  std::uint32_t reserved = 0;
};

/// Names of interned strings, appended as they come.
struct NameLog {
  std::atomic<std::uint64_t> used{0};  ///< bytes of complete entries
  std::atomic<std::uint64_t> lost{0};  ///< names that found no room
};

/// Before the text of a name, which is followed by zeroes up to a multiple of 8.
struct NameEntry {
  std::uint64_t id;
  std::uint32_t nc;
  std::uint32_t length;
};

/// Room for names in a region; pages that no name reaches are never touched.
inline constexpr std::uint64_t kNameBytes = std::uint64_t{16} << 20;

using ClassicEngineRing = ClassicRing<NativePolicy, nrt_sys_trace_event_t>;
using BlockEngineRing = BlockRing<NativePolicy, Slot>;

/// The head of a ring of the classic engine.
struct ClassicRingHeader {
  ClassicEngineRing::Indices indices;
  alignas(128) std::atomic<std::uint64_t> created{0};  ///< also the last sequence
  std::atomic<std::uint64_t> pushed{0};
  std::atomic<std::uint64_t> displaced{0};
  std::atomic<std::uint64_t> drained{0};
};

constexpr std::uint64_t align_up(std::uint64_t bytes, std::uint64_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

/// Where the parts of a ring of blocks are, from its beginning.
struct BlockRingPlan {
  std::uint64_t headers = 0;
  std::uint64_t slots = 0;
  std::uint64_t nrta_seq_ids = 0;  ///< one for every slot, those of events that have one
  std::uint64_t bytes = 0;

  static constexpr BlockRingPlan of(const BlockGeometry& geometry) noexcept {
    BlockRingPlan plan;
    plan.headers = align_up(sizeof(BlockRingHeader), 128);
    plan.slots = plan.headers + std::uint64_t{geometry.blocks} * sizeof(BlockEngineRing::Header);
    plan.nrta_seq_ids = plan.slots + geometry.slots() * sizeof(Slot);
    plan.bytes = align_up(plan.nrta_seq_ids + geometry.slots() * sizeof(std::uint64_t), 4096);
    return plan;
  }
};

/// The same for a ring of the classic engine.
struct ClassicRingPlan {
  std::uint64_t slots = 0;
  std::uint64_t bytes = 0;

  static constexpr ClassicRingPlan of(std::uint64_t capacity) noexcept {
    ClassicRingPlan plan;
    plan.slots = align_up(sizeof(ClassicRingHeader), 128);
    plan.bytes = align_up(plan.slots + capacity * sizeof(ClassicEngineRing::Slot), 4096);
    return plan;
  }
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_REGION_LAYOUT_HPP
