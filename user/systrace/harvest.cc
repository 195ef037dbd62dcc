// SPDX-License-Identifier: Apache-2.0
//
// Reads trace memory that another process wrote. Every number that decides where to read next is
// copied once, checked, and only the copy is used.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

#include "ndtel/trace_harvest.hpp"
#include "region_layout.hpp"
#include "utf8.hpp"

namespace ndtel::trace {

using namespace ndtel::systrace;

namespace {

// RegionHeader's numbers, without its atomics.
struct Header {
  std::uint64_t region_bytes;
  std::uint32_t state;
  std::uint32_t engine;
  std::uint32_t pid;
  std::uint32_t cores;
  std::uint64_t process_start;
  std::uint64_t capacity;
  std::uint32_t block_slots;
  std::uint32_t blocks;
  std::uint64_t timeline_offset;
  std::uint64_t names_offset;
  std::uint64_t names_bytes;
  std::uint64_t cores_offset;
};

Error unfit(std::string what) { return Error{EPROTO, "trace memory: " + std::move(what)}; }

// Events of one block that are still to be given, oldest first.
struct Run {
  std::uint64_t ticks;  // of the next one
  std::uint64_t base;
  std::uint64_t first_slot;
  std::uint32_t next;
  std::uint32_t end;
};

// For a heap whose top is the oldest event.
bool later(const Run& a, const Run& b) noexcept {
  return a.ticks != b.ticks ? a.ticks > b.ticks : a.base > b.base;
}

}  // namespace

struct Harvester::Impl {
  ~Impl() {
    if (mapped) ::munmap(const_cast<std::byte*>(memory.data()), memory.size());
  }

  Result<void> examine();
  Result<void> examine_header();
  void examine_names();
  Result<void> examine_cores();
  void examine_blocks(HarvestedCore& core, std::uint64_t ring);
  void examine_classic(HarvestedCore& core, std::uint64_t ring);
  std::optional<Run> run_of(HarvestedCore* core, std::uint64_t ring, std::uint32_t block,
                            bool* claimed) const;
  void visit_blocks(const HarvestedCore& core, std::uint64_t ring,
                    const std::function<bool(const nrt_sys_trace_event_t&)>& visit) const;

  // Damaged memory may hold any number of oddities.
  void warn(std::string what) {
    constexpr std::size_t kMost = 32;
    if (summary.warnings.size() < kMost) {
      summary.warnings.push_back(std::move(what));
    } else if (summary.warnings.size() == kMost) {
      summary.warnings.push_back("and more of this kind");
    }
  }

  bool fits(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return offset <= memory.size() && bytes <= memory.size() - offset;
  }
  template <typename T>
  T read(std::uint64_t offset) const noexcept {
    T value;
    std::memcpy(&value, memory.data() + offset, sizeof value);
    return value;
  }
  Slot slot(std::uint64_t ring, std::uint64_t index) const noexcept {
    return read<Slot>(ring + plan.slots + index * sizeof(Slot));
  }
  void fill_time(nrt_sys_trace_event_t& event) const noexcept {
    if (summary.clock_known) event.timestamp_ns = converter.to_ns(event.timestamp_ns);
  }

  std::span<const std::byte> memory;
  bool mapped = false;
  Header header{};
  BlockGeometry geometry;
  BlockRingPlan plan;
  std::uint64_t ring_bytes = 0;
  std::vector<std::uint64_t> rings;  // where they are, in the order of summary.cores
  HarvestSummary summary;
  mutable TickConverter converter;
};

Result<void> Harvester::Impl::examine_header() {
  if (memory.size() < sizeof(RegionHeader))
    return unfit(fmt::format("{} bytes are too few", memory.size()));
  const auto at = [&]<typename T>(T, std::size_t offset) { return read<T>(offset); };
  if (at(std::uint64_t{}, offsetof(RegionHeader, magic)) != kRegionMagic)
    return unfit("its first word is not that of trace memory");
  if (const auto version = at(std::uint32_t{}, offsetof(RegionHeader, version));
      version != kRegionVersion)
    return unfit(fmt::format("it has version {}, this reads {}", version, kRegionVersion));
  if (at(std::uint32_t{}, offsetof(RegionHeader, header_bytes)) != sizeof(RegionHeader))
    return unfit("its head has another size than this version has");
  header.region_bytes = at(std::uint64_t{}, offsetof(RegionHeader, region_bytes));
  header.state = at(std::uint32_t{}, offsetof(RegionHeader, state));
  header.engine = at(std::uint32_t{}, offsetof(RegionHeader, engine));
  header.pid = at(std::uint32_t{}, offsetof(RegionHeader, pid));
  header.cores = at(std::uint32_t{}, offsetof(RegionHeader, cores));
  header.process_start = at(std::uint64_t{}, offsetof(RegionHeader, process_start));
  header.capacity = at(std::uint64_t{}, offsetof(RegionHeader, capacity));
  header.block_slots = at(std::uint32_t{}, offsetof(RegionHeader, block_slots));
  header.blocks = at(std::uint32_t{}, offsetof(RegionHeader, blocks));
  header.timeline_offset = at(std::uint64_t{}, offsetof(RegionHeader, timeline_offset));
  header.names_offset = at(std::uint64_t{}, offsetof(RegionHeader, names_offset));
  header.names_bytes = at(std::uint64_t{}, offsetof(RegionHeader, names_bytes));
  header.cores_offset = at(std::uint64_t{}, offsetof(RegionHeader, cores_offset));

  if (header.region_bytes != memory.size())
    return unfit(fmt::format("it says {} bytes and has {}", header.region_bytes, memory.size()));
  if (header.state == static_cast<std::uint32_t>(RegionState::kMaking))
    return unfit("its process ended before it was ready");
  if (header.state > static_cast<std::uint32_t>(RegionState::kWritten))
    return unfit(fmt::format("state {} is unknown", header.state));
  if (header.cores > NRT_SYS_TRACE_MAX_NC)
    return unfit(fmt::format("{} cores are more than {}", header.cores, NRT_SYS_TRACE_MAX_NC));
  if (header.capacity == 0 || header.capacity > NRT_SYS_TRACE_MAX_EVENTS_PER_NC)
    return unfit(fmt::format("{} events for a core cannot be", header.capacity));
  if (header.timeline_offset % 8 != 0 || !fits(header.timeline_offset, sizeof(TimelineData)))
    return unfit("its clock is outside of it");
  if (!fits(header.names_offset, sizeof(NameLog)) ||
      !fits(header.names_offset + sizeof(NameLog), header.names_bytes))
    return unfit("its names are outside of it");
  if (!fits(header.cores_offset, header.cores * sizeof(CoreEntry)))
    return unfit("its table of cores is outside of it");
  if (header.engine == static_cast<std::uint32_t>(EngineKind::kClassic)) {
    summary.classic = true;
    ring_bytes = ClassicRingPlan::of(header.capacity).bytes;
  } else if (header.engine == static_cast<std::uint32_t>(EngineKind::kBlocks)) {
    geometry = {header.capacity, header.block_slots, header.blocks, 0};
    if (geometry.block_slots == 0 || geometry.blocks == 0 ||
        geometry.slots() > memory.size() / sizeof(Slot))
      return unfit(
          fmt::format("{} blocks of {} slots cannot be", header.blocks, header.block_slots));
    plan = BlockRingPlan::of(geometry);
    ring_bytes = plan.bytes;
  } else {
    return unfit(fmt::format("engine {} is unknown", header.engine));
  }
  summary.pid = header.pid;
  summary.process_start = header.process_start;
  summary.stopped = header.state >= static_cast<std::uint32_t>(RegionState::kStopped);
  summary.written = header.state == static_cast<std::uint32_t>(RegionState::kWritten);
  summary.capacity = header.capacity;
  return {};
}

void Harvester::Impl::examine_names() {
  summary.names_lost = read<std::uint64_t>(header.names_offset + offsetof(NameLog, lost));
  if (summary.names_lost != 0) warn(fmt::format("{} names found no room", summary.names_lost));
  std::uint64_t used = read<std::uint64_t>(header.names_offset + offsetof(NameLog, used));
  if (used > header.names_bytes) {
    warn("more names are announced than there is room for");
    used = header.names_bytes;
  }
  const std::uint64_t begin = header.names_offset + sizeof(NameLog);
  for (std::uint64_t at = 0; used - at >= sizeof(NameEntry);) {
    const auto entry = read<NameEntry>(begin + at);
    at += sizeof(NameEntry);
    if (align_up(entry.length, 8) > used - at) {
      warn(fmt::format("the names end in a broken one, byte {}", at));
      return;
    }
    const auto* text = reinterpret_cast<const char*>(memory.data()) + begin + at;
    std::string name(text, entry.length);
    at += align_up(entry.length, 8);
    if (is_utf8(name) && name.find('\0') == std::string::npos) {
      summary.names.emplace_back(entry.id, std::move(name));
    } else {
      warn(fmt::format("the name of id {} is no text", entry.id));
    }
  }
}

// What is left in a block; nothing when it is empty, damaged or given up.
std::optional<Run> Harvester::Impl::run_of(HarvestedCore* core, std::uint64_t ring,
                                           std::uint32_t block, bool* claimed) const {
  using Block = BlockEngineRing::Header;
  const std::uint64_t at = ring + plan.headers + std::uint64_t{block} * sizeof(Block);
  const auto word = read<std::uint64_t>(at + offsetof(Block, word));
  const auto mark = ReadMark::of(read<std::uint64_t>(at + offsetof(Block, read)));
  const auto base = read<std::uint64_t>(at + offsetof(Block, base));
  // Sequences; what counts is how far they are from the base.
  const std::uint64_t begun = read<std::uint64_t>(at + offsetof(Block, begun)) - base;
  const std::uint64_t written = read<std::uint64_t>(at + offsetof(Block, written)) - base;
  const BlockState state = block_state(word);
  if (state == BlockState::kFree) return std::nullopt;
  if (state == BlockState::kClaimed) {
    *claimed = true;
    return std::nullopt;
  }
  if (static_cast<std::uint64_t>(state) > static_cast<std::uint64_t>(BlockState::kClaimed) ||
      written > geometry.block_slots || mark.taken > written || mark.displaced > mark.taken ||
      begun < written || begun - written > 1) {
    if (core != nullptr) ++core->damaged;
    return std::nullopt;
  }
  if (core != nullptr) {
    core->created += begun;
    core->pushed += written;
    core->in_flight += begun - written;
    core->drained += mark.taken - mark.displaced;
    core->displaced += mark.displaced;
    core->left += written - mark.taken;
  }
  if (mark.taken == written) return std::nullopt;
  const std::uint64_t first = std::uint64_t{block} * geometry.block_slots;
  return Run{slot(ring, first + mark.taken).ticks, base, first, mark.taken,
             static_cast<std::uint32_t>(written)};
}

void Harvester::Impl::examine_blocks(HarvestedCore& core, std::uint64_t ring) {
  const auto used =
      std::min(read<std::uint32_t>(ring + offsetof(BlockRingHeader, used)), geometry.blocks);
  std::uint32_t claims = 0;
  for (std::uint32_t block = 0; block < used; ++block) {
    bool claimed = false;
    run_of(&core, ring, block, &claimed);
    claims += claimed ? 1 : 0;
  }
  // The process died while it gave up a block: the totals with that block's are in the journal.
  const auto totals =
      read<RetiredEvents>(ring + (claims != 0 ? offsetof(BlockRingHeader, journal)
                                              : offsetof(BlockRingHeader, retired)));
  core.created += totals.begun;
  core.pushed += totals.written;
  core.in_flight += totals.begun - totals.written;
  core.drained += totals.drained;
  core.displaced += totals.displaced;
  if (claims > 1) {
    core.damaged += claims - 1;
    warn(fmt::format("core {}: {} blocks are being given up at once", core.nc, claims));
  }
}

void Harvester::Impl::examine_classic(HarvestedCore& core, std::uint64_t ring) {
  core.created = read<std::uint64_t>(ring + offsetof(ClassicRingHeader, created));
  core.pushed = read<std::uint64_t>(ring + offsetof(ClassicRingHeader, pushed));
  core.displaced = read<std::uint64_t>(ring + offsetof(ClassicRingHeader, displaced));
  core.drained = read<std::uint64_t>(ring + offsetof(ClassicRingHeader, drained));
  const std::uint64_t slots = ring + ClassicRingPlan::of(header.capacity).slots;
  const ClassicRemains remains = walk_classic_ring<nrt_sys_trace_event_t>(
      memory.data() + slots, ring + ring_bytes - slots, header.capacity,
      read<std::uint64_t>(ring + offsetof(ClassicEngineRing::Indices, head)),
      read<std::uint64_t>(ring + offsetof(ClassicEngineRing::Indices, tail)),
      [](const nrt_sys_trace_event_t&) {});
  if (!remains.valid) {
    ++core.damaged;
    return;
  }
  core.left = remains.completed;
  core.in_flight = remains.in_flight;
  core.damaged = remains.damaged;
}

Result<void> Harvester::Impl::examine_cores() {
  for (std::uint32_t nc = 0; nc < header.cores; ++nc) {
    const auto entry = read<CoreEntry>(header.cores_offset + nc * sizeof(CoreEntry));
    if (entry.ring_offset == 0) continue;
    if (entry.ring_offset % 128 != 0 || !fits(entry.ring_offset, ring_bytes))
      return unfit(fmt::format("the ring of core {} is outside of it", nc));
    HarvestedCore core;
    core.nc = nc;
    core.worker_gid = entry.worker_gid;
    if (summary.classic) {
      examine_classic(core, entry.ring_offset);
    } else {
      examine_blocks(core, entry.ring_offset);
    }
    if (core.damaged != 0)
      warn(fmt::format("core {}: {} damaged places were left out", nc, core.damaged));
    summary.cores.push_back(core);
    rings.push_back(entry.ring_offset);
  }
  return {};
}

Result<void> Harvester::Impl::examine() {
  if (Result<void> fit = examine_header(); !fit) return fit;
  // A copy that is aligned: the caller's memory need not be.
  auto timeline = std::make_unique<TimelineData>();
  std::memcpy(static_cast<void*>(timeline.get()), memory.data() + header.timeline_offset,
              sizeof(TimelineData));
  summary.clock_known = converter.load(*timeline);
  summary.clock_forgotten = converter.forgotten();
  if (!summary.clock_known) warn("its clock makes no sense: events have ticks instead of times");
  examine_names();
  return examine_cores();
}

void Harvester::Impl::visit_blocks(
    const HarvestedCore& core, std::uint64_t ring,
    const std::function<bool(const nrt_sys_trace_event_t&)>& visit) const {
  const auto used =
      std::min(read<std::uint32_t>(ring + offsetof(BlockRingHeader, used)), geometry.blocks);
  std::vector<Run> runs;
  for (std::uint32_t block = 0; block < used; ++block) {
    bool claimed = false;
    if (const auto run = run_of(nullptr, ring, block, &claimed); run) runs.push_back(*run);
  }
  std::make_heap(runs.begin(), runs.end(), later);
  nrt_sys_trace_event_t event;
  while (!runs.empty()) {
    std::pop_heap(runs.begin(), runs.end(), later);
    Run& run = runs.back();
    do {
      const Slot stored = slot(ring, run.first_slot + run.next);
      to_record(stored, run.base + run.next + 1, core.nc, event);
      if (stored.tag.has_nrta_seq())
        event.nrta_seq_id = read<std::uint64_t>(
            ring + plan.nrta_seq_ids + (run.first_slot + run.next) * sizeof(std::uint64_t));
      fill_time(event);
      if (!visit(event)) return;
      if (++run.next < run.end) run.ticks = slot(ring, run.first_slot + run.next).ticks;
    } while (run.next < run.end && (runs.size() == 1 || !later(run, runs.front())));
    if (run.next < run.end) {
      std::push_heap(runs.begin(), runs.end(), later);
    } else {
      runs.pop_back();
    }
  }
}

Harvester::Harvester(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Harvester::Harvester(Harvester&&) noexcept = default;
Harvester& Harvester::operator=(Harvester&&) noexcept = default;
Harvester::~Harvester() = default;

const HarvestSummary& Harvester::summary() const noexcept { return impl_->summary; }

Result<Harvester> Harvester::over(std::span<const std::byte> memory) {
  auto impl = std::make_unique<Impl>();
  impl->memory = memory;
  if (Result<void> fit = impl->examine(); !fit) return fit.error();
  return Harvester(std::move(impl));
}

Result<Harvester> Harvester::open(int memfd) {
  struct stat status {};
  if (::fstat(memfd, &status) != 0)
    return Error{errno, fmt::format("trace memory: {}", std::strerror(errno))};
  const int seals = ::fcntl(memfd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    return Error{EPERM, "trace memory: it is not sealed, its owner could cut it short"};
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes == 0) return unfit("0 bytes are too few");
  void* const base = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, memfd, 0);
  if (base == MAP_FAILED)
    return Error{errno, fmt::format("trace memory of {} bytes: {}", bytes, std::strerror(errno))};
  auto impl = std::make_unique<Impl>();
  impl->memory = {static_cast<const std::byte*>(base), bytes};
  impl->mapped = true;
  if (Result<void> fit = impl->examine(); !fit) return fit.error();
  return Harvester(std::move(impl));
}

void Harvester::events(const HarvestedCore& core,
                       const std::function<bool(const nrt_sys_trace_event_t&)>& visit) const {
  for (std::size_t i = 0; i < impl_->summary.cores.size(); ++i) {
    if (impl_->summary.cores[i].nc != core.nc) continue;
    const std::uint64_t ring = impl_->rings[i];
    if (!impl_->summary.classic) return impl_->visit_blocks(core, ring, visit);
    bool more = true;
    const std::uint64_t slots = ring + ClassicRingPlan::of(impl_->header.capacity).slots;
    walk_classic_ring<nrt_sys_trace_event_t>(
        impl_->memory.data() + slots, ring + impl_->ring_bytes - slots, impl_->header.capacity,
        impl_->read<std::uint64_t>(ring + offsetof(ClassicEngineRing::Indices, head)),
        impl_->read<std::uint64_t>(ring + offsetof(ClassicEngineRing::Indices, tail)),
        [&](const nrt_sys_trace_event_t& stored) {
          if (!more) return;
          nrt_sys_trace_event_t event = stored;
          impl_->fill_time(event);
          more = visit(event);
        });
  }
}

}  // namespace ndtel::trace
