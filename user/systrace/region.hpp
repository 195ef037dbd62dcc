// SPDX-License-Identifier: Apache-2.0
//
// The mapping that holds a capture: private memory, or a memfd that another process can map.
#ifndef NDTEL_SYSTRACE_REGION_HPP
#define NDTEL_SYSTRACE_REGION_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "ndtel/result.hpp"
#include "region_layout.hpp"

namespace ndtel::systrace {

/// What a region is made for.
struct RegionPlan {
  EngineKind engine = EngineKind::kBlocks;
  std::uint64_t capacity = 0;          ///< events a core keeps
  std::span<const bool> captured;      ///< one for every visible core
  std::span<const std::int32_t> gids;  ///< worker of every visible core
  bool shared = false;                 ///< in a memfd
};

/// Owns the memory of one capture. Its pages are touched when they are first used. A forked child
/// does not have them.
class Region {
 public:
  Region() = default;
  Region(Region&& other) noexcept { *this = std::move(other); }
  Region& operator=(Region&& other) noexcept;
  ~Region();

  /// Maps and describes a region; its state is kMaking. ENOMEM when there is no room for it.
  static Result<Region> make(const RegionPlan& plan);

  RegionHeader& header() const noexcept { return *reinterpret_cast<RegionHeader*>(base_); }
  TimelineData& timeline() const noexcept { return at<TimelineData>(header().timeline_offset); }
  NameLog& names() const noexcept { return at<NameLog>(header().names_offset); }
  std::span<CoreEntry> cores() const noexcept {
    return {&at<CoreEntry>(header().cores_offset), header().cores};
  }

  /// Something at an offset of the region.
  template <typename T>
  T& at(std::uint64_t offset) const noexcept {
    return *reinterpret_cast<T*>(base_ + offset);
  }

  /// All of it.
  std::span<const std::byte> memory() const noexcept { return {base_, bytes_}; }

  /// The memfd; -1 for private memory.
  int fd() const noexcept { return fd_; }

  /// Appends a name; false, and counted, when the log of names is full. Callers take turns.
  bool add_name(std::uint64_t id, std::uint32_t nc, std::string_view name) noexcept;

 private:
  std::byte* base_ = nullptr;
  std::uint64_t bytes_ = 0;
  int fd_ = -1;
};

/// When this process began, as /proc says it; 0 when it does not.
std::uint64_t process_start_time() noexcept;

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_REGION_HPP
