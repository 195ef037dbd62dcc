// SPDX-License-Identifier: Apache-2.0
//
// A capture: the rings of its cores, their names and their clock, from start to stop.
#ifndef NDTEL_SYSTRACE_CAPTURE_HPP
#define NDTEL_SYSTRACE_CAPTURE_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock.hpp"
#include "config.hpp"
#include "ndtel/result.hpp"
#include "region.hpp"
#include "strings.hpp"

namespace ndtel::systrace {

inline constexpr std::uint32_t kMaxCores = NRT_SYS_TRACE_MAX_NC;

/// How a capture is made, beyond what the C configuration says.
struct CaptureOptions {
  EngineKind engine = EngineKind::kBlocks;
  /// Path of the socket of a reader that is to have the memory of the capture, and may read it when
  /// this process is gone; empty: private memory.
  std::string socket;

  /// NDTEL_TRACE_ENGINE (blocks, classic) and NDTEL_TRACE_SOCKET. A word that is neither engine is
  /// warned about.
  static CaptureOptions from_environment();
};

/// One core: its ring, of one of the two engines, and its names.
class Core {
 public:
  /// Over the ring that `region` has at `offset`; `notes` are for a ring of blocks.
  Core(std::uint32_t nc, const Region& region, std::uint64_t offset, BlockEngineRing::Note* notes);

  /// The ring of blocks; null when this is the other engine.
  BlockEngineRing* blocks() noexcept { return blocks_ ? &*blocks_ : nullptr; }

  /// The asynchronous sequence of an event in a ring of blocks.
  std::uint64_t& nrta_seq_id(const Slot& slot) const noexcept {
    return nrta_seq_ids_[&slot - slots_];
  }

  /// Appends an event to the ring of the other engine. Fills in id, sequence and time; returns the
  /// tracking id.
  std::uint64_t push_classic(nrt_sys_trace_event_t& event) noexcept;

  /// Takes the oldest events, up to `max`; none of a ring of blocks with ticks after `cut`. Their
  /// times are ticks.
  std::uint64_t take(std::uint64_t cut, nrt_sys_trace_event_t* out, std::uint64_t max) noexcept;

  /// Exact counts; displaces what exceeds the capacity.
  RingCounts counts() noexcept;
  /// Events accepted.
  std::uint64_t created() noexcept;
  /// Sets the last sequence, for tests of its limits.
  void set_sequence(std::uint64_t sequence) noexcept;

  std::mutex names_lock;  ///< guards `names`
  StringShard names;

 private:
  const std::uint32_t nc_;
  std::optional<BlockEngineRing> blocks_;
  const Slot* slots_ = nullptr;            // of blocks_
  std::uint64_t* nrta_seq_ids_ = nullptr;  // one for each of slots_
  std::optional<ClassicEngineRing> classic_;
  ClassicRingHeader* classic_header_ = nullptr;
};

/// Memory of this process alone that is zeroed, and touched as it is used.
class PrivateMemory {
 public:
  PrivateMemory() = default;
  PrivateMemory(PrivateMemory&& other) noexcept { *this = std::move(other); }
  PrivateMemory& operator=(PrivateMemory&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~PrivateMemory();
  /// Null base() when there is no room; nothing for 0 bytes.
  explicit PrivateMemory(std::uint64_t bytes) noexcept;

  void* base() const noexcept { return base_; }

 private:
  void* base_ = nullptr;
  std::uint64_t bytes_ = 0;
};

struct Capture {
  /// Makes everything. EINVAL an impossible capacity; ENOMEM no room.
  static Result<std::unique_ptr<Capture>> make(const Config& config, const CaptureOptions& options,
                                               std::uint32_t visible, std::uint64_t epoch);

  Core* core(std::uint32_t nc) const noexcept { return nc < kMaxCores ? cores[nc].get() : nullptr; }

  /// Compares the ticks with the clock. Returns when to do it next, in ticks; nothing when another
  /// thread just does it.
  std::optional<std::uint64_t> anchor() noexcept;

  /// Takes events of a core; their times are in nanoseconds.
  std::uint64_t take(Core& core, std::uint64_t cut, nrt_sys_trace_event_t* out,
                     std::uint64_t max) noexcept;

  /// Keeps a name; false without memory.
  bool add_name(std::uint32_t nc, std::uint64_t id, std::string_view name) noexcept;

  std::uint64_t epoch = 0;
  std::uint64_t capacity = 0;
  std::uint64_t types = 0;                             ///< bit t: type t is captured
  std::vector<std::int32_t> gids;                      ///< worker of every visible core
  Region region;                                       ///< outlives `cores`
  PrivateMemory notes;                                 ///< likewise
  std::array<std::unique_ptr<Core>, kMaxCores> cores;  ///< null: not captured

 private:
  std::mutex region_names_lock_;  // guards the names of `region`; taken after a core's
  std::mutex clock_lock_;         // guards clock_, and the timeline of `region` that it writes
  Clock clock_;
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_CAPTURE_HPP
