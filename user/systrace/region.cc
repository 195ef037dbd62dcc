// SPDX-License-Identifier: Apache-2.0
#include "region.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace ndtel::systrace {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

std::uint64_t ring_bytes(const RegionPlan& plan) noexcept {
  return plan.engine == EngineKind::kClassic
             ? ClassicRingPlan::of(plan.capacity).bytes
             : BlockRingPlan::of(BlockGeometry::of(plan.capacity)).bytes;
}

// Offsets of a region's parts, filled into its header and its table of cores.
struct Layout {
  RegionHeader header;
  std::uint64_t ring_stride = 0;
  std::uint64_t first_ring = 0;

  explicit Layout(const RegionPlan& plan) {
    std::uint64_t captured = 0;
    for (const bool core : plan.captured) captured += core ? 1 : 0;
    header.magic = kRegionMagic;
    header.version = kRegionVersion;
    header.header_bytes = sizeof(RegionHeader);
    header.engine = plan.engine;
    header.pid = static_cast<std::uint32_t>(::getpid());
    header.cores = static_cast<std::uint32_t>(plan.captured.size());
    header.process_start = process_start_time();
    header.capacity = plan.capacity;
    if (plan.engine == EngineKind::kBlocks) {
      const BlockGeometry geometry = BlockGeometry::of(plan.capacity);
      header.block_slots = geometry.block_slots;
      header.blocks = geometry.blocks;
    }
    header.timeline_offset = align_up(sizeof(RegionHeader), 128);
    header.cores_offset = align_up(header.timeline_offset + sizeof(TimelineData), 128);
    header.names_offset = align_up(header.cores_offset + header.cores * sizeof(CoreEntry), 4096);
    header.names_bytes = kNameBytes - sizeof(NameLog);
    first_ring = header.names_offset + kNameBytes;
    // A large ring is worth huge pages, which want to be aligned.
    const std::uint64_t bytes = ring_bytes(plan);
    const std::uint64_t unit = bytes >= 2 * kHugePage ? kHugePage : 4096;
    first_ring = align_up(first_ring, unit);
    ring_stride = align_up(bytes, unit);
    header.region_bytes = first_ring + captured * ring_stride;
  }
};

}  // namespace

Region& Region::operator=(Region&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(fd_, other.fd_);
  return *this;
}

Region::~Region() {
  if (base_ != nullptr) ::munmap(base_, bytes_);
  if (fd_ >= 0) ::close(fd_);
}

Result<Region> Region::make(const RegionPlan& plan) {
  const Layout layout(plan);
  Region region;
  region.bytes_ = layout.header.region_bytes;
  if (region.bytes_ > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
    return Error{ENOMEM, fmt::format("no room for {} bytes of trace rings", region.bytes_)};
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (plan.shared) {
    region.fd_ = ::memfd_create("ndtel-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (region.fd_ < 0) return Error{errno, fmt::format("memfd_create: {}", std::strerror(errno))};
    // Sealed, so that a reader's mapping cannot be cut short under it.
    if (::ftruncate(region.fd_, static_cast<off_t>(region.bytes_)) != 0 ||
        ::fcntl(region.fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
      return Error{errno,
                   fmt::format("a memfd of {} bytes: {}", region.bytes_, std::strerror(errno))};
    flags = MAP_SHARED | MAP_NORESERVE;
  }
  void* const base = ::mmap(nullptr, region.bytes_, PROT_READ | PROT_WRITE, flags, region.fd_, 0);
  if (base == MAP_FAILED)
    return Error{ENOMEM, fmt::format("no room for {} bytes of trace rings: {}", region.bytes_,
                                     std::strerror(errno))};
  region.base_ = static_cast<std::byte*>(base);
  ::madvise(base, region.bytes_, MADV_DONTFORK);
  if (layout.ring_stride % kHugePage == 0)
    ::madvise(region.base_ + layout.first_ring, region.bytes_ - layout.first_ring, MADV_HUGEPAGE);

  auto* const header = new (base) RegionHeader{};
  const auto& from = layout.header;
  header->magic = from.magic;
  header->version = from.version;
  header->header_bytes = from.header_bytes;
  header->region_bytes = from.region_bytes;
  header->engine = from.engine;
  header->pid = from.pid;
  header->cores = from.cores;
  header->process_start = from.process_start;
  header->capacity = from.capacity;
  header->block_slots = from.block_slots;
  header->blocks = from.blocks;
  header->timeline_offset = from.timeline_offset;
  header->names_offset = from.names_offset;
  header->names_bytes = from.names_bytes;
  header->cores_offset = from.cores_offset;

  std::uint64_t ring = layout.first_ring;
  for (std::size_t nc = 0; nc < plan.captured.size(); ++nc) {
    CoreEntry& entry = region.cores()[nc];
    entry.worker_gid = plan.gids[nc];
    if (!plan.captured[nc]) continue;
    entry.ring_offset = ring;
    ring += layout.ring_stride;
  }
  return region;
}

bool Region::add_name(std::uint64_t id, std::uint32_t nc, std::string_view name) noexcept {
  NameLog& log = names();
  const std::uint64_t used = log.used.load(std::memory_order_relaxed);
  const std::uint64_t bytes = sizeof(NameEntry) + align_up(name.size(), 8);
  if (bytes > header().names_bytes - used ||
      name.size() > std::numeric_limits<std::uint32_t>::max()) {
    log.lost.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  std::byte* const to = reinterpret_cast<std::byte*>(&log + 1) + used;
  const NameEntry entry{id, nc, static_cast<std::uint32_t>(name.size())};
  std::memcpy(to, &entry, sizeof entry);
  std::memcpy(to + sizeof entry, name.data(), name.size());
  // A crash before this leaves the log as it was.
  log.used.store(used + bytes, std::memory_order_release);
  return true;
}

std::uint64_t process_start_time() noexcept {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/stat", "re"),
                                                             std::fclose);
  char line[1024];
  if (!file || std::fgets(line, sizeof line, file.get()) == nullptr) return 0;
  // The second field is a name in parentheses, which may hold anything.
  const char* at = std::strrchr(line, ')');
  unsigned long long start = 0;
  if (at == nullptr ||
      std::sscanf(
          at + 1,
          " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
          &start) != 1)
    return 0;
  return start;
}

}  // namespace ndtel::systrace
