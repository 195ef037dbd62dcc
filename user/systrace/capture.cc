// SPDX-License-Identifier: Apache-2.0
#include "capture.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "host.hpp"
#include "log.hpp"

namespace ndtel::systrace {

CaptureOptions CaptureOptions::from_environment() {
  CaptureOptions options;
  if (const char* engine = std::getenv("NDTEL_TRACE_ENGINE"); engine != nullptr) {
    const std::string_view name = engine;
    if (name == "classic") {
      options.engine = EngineKind::kClassic;
    } else if (!name.empty() && name != "blocks") {
      log::write(log::Level::kWarn,
                 "NDTEL_TRACE_ENGINE: '{}' is neither blocks nor classic; blocks it is", name);
    }
  }
  if (const char* socket = std::getenv("NDTEL_TRACE_SOCKET"); socket != nullptr)
    options.socket = socket;
  return options;
}

Core::Core(std::uint32_t nc, const Region& region, std::uint64_t offset,
           BlockEngineRing::Note* notes)
    : nc_(nc) {
  const std::uint64_t capacity = region.header().capacity;
  if (region.header().engine == EngineKind::kClassic) {
    classic_header_ = &region.at<ClassicRingHeader>(offset);
    classic_.emplace(
        &region.at<ClassicEngineRing::Slot>(offset + ClassicRingPlan::of(capacity).slots),
        &classic_header_->indices, capacity);
    return;
  }
  const BlockGeometry geometry = BlockGeometry::of(capacity);
  const BlockRingPlan plan = BlockRingPlan::of(geometry);
  blocks_.emplace(geometry, &region.at<BlockRingHeader>(offset),
                  &region.at<BlockEngineRing::Header>(offset + plan.headers),
                  &region.at<Slot>(offset + plan.slots), notes, event_id(0, nc));
  slots_ = &region.at<Slot>(offset + plan.slots);
  nrta_seq_ids_ = &region.at<std::uint64_t>(offset + plan.nrta_seq_ids);
}

std::uint64_t Core::push_classic(nrt_sys_trace_event_t& event) noexcept {
  const std::uint64_t sequence =
      classic_header_->created.fetch_add(1, std::memory_order_relaxed) + 1;
  event.nc_local_id = sequence;
  // On core 0 one number of 2^50 would give id 0, which means none: it has the id of the next one.
  event.id = event_id((sequence & kSequenceMask) == 0 ? sequence + 1 : sequence, nc_);
  if (event.tracking_id == 0) event.tracking_id = event.id;
  event.timestamp_ns = ticks();
  const bool displaced = classic_->force_push(event);
  if (displaced) classic_header_->displaced.fetch_add(1, std::memory_order_relaxed);
  classic_header_->pushed.fetch_add(1, std::memory_order_relaxed);
  return event.tracking_id;
}

std::uint64_t Core::take(std::uint64_t cut, nrt_sys_trace_event_t* out,
                         std::uint64_t max) noexcept {
  std::uint64_t count = 0;
  if (blocks_) {
    return blocks_->drain(cut, max, [&](const Slot& slot, std::uint64_t id) {
      to_record(slot, id, nc_, out[count]);
      if (slot.tag.has_nrta_seq()) out[count].nrta_seq_id = nrta_seq_id(slot);
      ++count;
      return true;
    });
  }
  while (count < max && classic_->pop(out[count])) ++count;
  classic_header_->drained.fetch_add(count, std::memory_order_relaxed);
  return count;
}

RingCounts Core::counts() noexcept {
  if (blocks_) return blocks_->counts();
  RingCounts counts;
  counts.drained = classic_header_->drained.load(std::memory_order_relaxed);
  counts.displaced = classic_header_->displaced.load(std::memory_order_relaxed);
  counts.left = classic_->len();
  counts.pushed = classic_header_->pushed.load(std::memory_order_relaxed);
  counts.created = classic_header_->created.load(std::memory_order_relaxed);
  return counts;
}

std::uint64_t Core::created() noexcept {
  return blocks_ ? blocks_->created() : classic_header_->created.load(std::memory_order_relaxed);
}

void Core::set_sequence(std::uint64_t sequence) noexcept {
  if (blocks_) {
    blocks_->set_sequence(sequence);
  } else {
    classic_header_->created.store(sequence, std::memory_order_relaxed);
  }
}

PrivateMemory::PrivateMemory(std::uint64_t bytes) noexcept : bytes_(bytes) {
  if (bytes == 0) return;
  void* const base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base != MAP_FAILED) base_ = base;
}

PrivateMemory::~PrivateMemory() {
  if (base_ != nullptr) ::munmap(base_, bytes_);
}

Result<std::unique_ptr<Capture>> Capture::make(const Config& config, const CaptureOptions& options,
                                               std::uint32_t visible, std::uint64_t epoch) {
  const std::optional<std::uint64_t> capacity = ring_capacity(config);
  if (!capacity)
    return Error{EINVAL, fmt::format("{} events for a core are more than the {} that are possible",
                                     config.max_events_per_nc, NRT_SYS_TRACE_MAX_EVENTS_PER_NC)};
  auto capture = std::make_unique<Capture>();
  capture->epoch = epoch;
  capture->capacity = *capacity;
  for (std::uint32_t type = 0; type < NRT_SYS_TRACE_EVENT_TYPE_COUNT; ++type)
    if (config.capture_enabled_for_event_type[type]) capture->types |= std::uint64_t{1} << type;

  std::uint64_t captured = 0;
  for (std::uint32_t nc = 0; nc < visible; ++nc) {
    capture->gids.push_back(host::worker_gid(nc));
    if (config.capture_enabled_for_nc[nc]) {
      ++captured;
    } else {
      log::write(log::Level::kInfo, "core {} is not captured", nc);
    }
  }
  RegionPlan plan;
  plan.engine = options.engine;
  plan.capacity = *capacity;
  plan.captured = {config.capture_enabled_for_nc, visible};
  plan.gids = capture->gids;
  plan.shared = !options.socket.empty();
  Result<Region> region = Region::make(plan);
  if (!region) return region.error();
  capture->region = std::move(*region);

  const BlockGeometry geometry = BlockGeometry::of(*capacity);
  const bool blocks = options.engine == EngineKind::kBlocks;
  capture->notes =
      PrivateMemory(blocks ? captured * geometry.blocks * sizeof(BlockEngineRing::Note) : 0);
  auto* notes = static_cast<BlockEngineRing::Note*>(capture->notes.base());
  if (blocks && captured > 0 && notes == nullptr)
    return Error{ENOMEM, "no room for what a process notes about its trace rings"};
  const auto entries = capture->region.cores();
  for (std::uint32_t nc = 0; nc < visible; ++nc) {
    if (entries[nc].ring_offset == 0) continue;
    capture->cores[nc] =
        std::make_unique<Core>(nc, capture->region, entries[nc].ring_offset, notes);
    if (blocks) notes += geometry.blocks;
    capture->add_name(nc, 0, "Invalid interned string");
  }
  if (!capture->clock_.start(capture->region.timeline()))
    return Error{EIO, "the clock stands still"};

  const std::uint64_t ring =
      blocks ? BlockRingPlan::of(geometry).bytes : ClassicRingPlan::of(*capacity).bytes;
  constexpr double kGigabyte = 1 << 30;
  log::write(log::Level::kInfo,
             "{} events for each of {} cores: {:.6f} GB a core, {:.6f} GB in all", *capacity,
             captured, static_cast<double>(ring) / kGigabyte,
             static_cast<double>(ring * captured) / kGigabyte);
  capture->region.header().state.store(RegionState::kCapturing, std::memory_order_release);
  return capture;
}

std::optional<std::uint64_t> Capture::anchor() noexcept {
  const std::unique_lock guard(clock_lock_, std::try_to_lock);
  if (!guard) return std::nullopt;
  clock_.anchor();
  return region.timeline().next_anchor.load(std::memory_order_relaxed);
}

std::uint64_t Capture::take(Core& core, std::uint64_t cut, nrt_sys_trace_event_t* out,
                            std::uint64_t max) noexcept {
  const std::uint64_t count = core.take(cut, out, max);
  if (count == 0) return 0;
  TickConverter converter;
  {
    std::lock_guard guard(clock_lock_);
    converter.load(region.timeline());
  }
  for (std::uint64_t i = 0; i < count; ++i)
    out[i].timestamp_ns = converter.to_ns(out[i].timestamp_ns);
  return count;
}

bool Capture::add_name(std::uint32_t nc, std::uint64_t id, std::string_view name) noexcept {
  Core& core = *cores[nc];
  std::lock_guard guard(core.names_lock);
  try {
    if (core.names.add(id, name) != Added::kNew) return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
  std::lock_guard region_guard(region_names_lock_);
  region.add_name(id, nc, name);
  return true;
}

}  // namespace ndtel::systrace
