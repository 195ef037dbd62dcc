// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <shared_mutex>
#include <vector>

#include "emit.hpp"
#include "handover.hpp"
#include "host.hpp"
#include "log.hpp"

namespace ndtel::systrace {

namespace {

// Events are taken for JSON in portions of this many: half a megabyte.
constexpr std::uint64_t kPortion = 4096;

// The lines of threads, as a range. A view would do, but clang 14 cannot read those of its library.
struct ThreadLines {
  struct Iterator {
    std::vector<Thread*>::const_iterator at;

    const Line* operator*() const noexcept { return &(*at)->line; }
    Iterator& operator++() noexcept {
      ++at;
      return *this;
    }
    bool operator!=(const Iterator& other) const noexcept { return at != other.at; }
  };

  const std::vector<Thread*>& threads;

  Iterator begin() const noexcept { return {threads.begin()}; }
  Iterator end() const noexcept { return {threads.end()}; }
};

}  // namespace

Engine& Engine::get() noexcept {
  // Never destroyed: threads may emit until the very end of the process.
  alignas(Engine) static std::byte memory[sizeof(Engine)];
  static Engine* const engine = new (memory) Engine;
  return *engine;
}

Engine::Engine() noexcept
    : threads_([](Thread& thread) noexcept { get().part(thread); }), owner_(::getpid()) {
  NativePolicy::choose_fences();
  use_tick_source(best_tick_source());
  // A child finds both pages zeroed, whichever way it was forked; where the kernel cannot do that,
  // fork() runs the handler below.
  ::madvise(&gate, sizeof gate, MADV_WIPEONFORK);
  ::madvise(&entrance, sizeof entrance, MADV_WIPEONFORK);
  ::pthread_atfork(nullptr, nullptr, [] { get().start_over_in_child(); });
}

// The child has none of the threads that may hold a lock here, and none of the parent's rings:
// their mapping was not inherited. What describes them is left alone, nobody refers to it any more.
void Engine::start_over_in_child() noexcept {
  if (capture_) inherited_ = capture_.release();
  new (&global_) RwLock;
  new (&capture_) std::unique_ptr<Capture>;
  finished_ = false;
  threads_.start_over_in_child();
  current_.store(nullptr, std::memory_order_relaxed);
  capacity_.store(0, std::memory_order_relaxed);
  new (&gate) trace::detail::Gate;
  new (&entrance) Entrance;
  owner_ = ::getpid();
}

// A child that was not forked by fork() did not run the handler. Emitting needs no such care: such
// a child finds the gate zeroed.
void Engine::know_process() noexcept {
  if (owner_ != ::getpid()) start_over_in_child();
}

NRT_STATUS Engine::start(const nrt_sys_trace_config_t& config,
                         const CaptureOptions& options) noexcept {
  know_process();
  std::lock_guard guard(global_);
  const std::uint32_t visible = host::visible_cores();
  if (visible > kMaxCores) log::fatal("{} cores are visible, tracing knows {}", visible, kMaxCores);
  if (capture_) {
    log::write(log::Level::kWarn, "a capture is running already");
    return NRT_FAILURE;
  }
  const void* engine = nullptr;
  if (!gate.engine.compare_exchange_strong(engine, &entrance, std::memory_order_relaxed) &&
      engine != &entrance) {
    log::write(log::Level::kError, "no capture: {}", kTwoEngines);
    return NRT_FAILURE;
  }
  try {
    Result<std::unique_ptr<Capture>> made = Capture::make(config, options, visible, ++epochs_);
    if (!made) {
      log::write(log::Level::kWarn, "no capture: {}", made.error().message);
      return made.error().code == EINVAL ? NRT_INVALID : NRT_RESOURCE;
    }
    capture_ = std::move(*made);
  } catch (const std::bad_alloc&) {
    log::write(log::Level::kWarn, "no capture: no memory");
    return NRT_RESOURCE;
  }
  if (!options.socket.empty()) {
    const Result<void> sent = hand_over(capture_->region.fd(), options.socket);
    if (!sent) log::write(log::Level::kWarn, "{}; the capture goes on", sent.error().message);
  }
  for (auto& warned : sequences_warned_) warned.store(false, std::memory_order_relaxed);
  capacity_.store(capture_->capacity, std::memory_order_relaxed);
  current_.store(capture_.get(), std::memory_order_relaxed);
  gate.next_anchor.store(capture_->region.timeline().next_anchor.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
  entrance.open(capture_->epoch);
  for (std::uint32_t nc = 0; nc < kMaxCores; ++nc)
    if (capture_->core(nc) != nullptr)
      gate.types[nc].store(capture_->types, std::memory_order_relaxed);
  gate.types[trace::detail::kNoCore].store(gate.types[0].load(std::memory_order_relaxed),
                                           std::memory_order_relaxed);
  return NRT_SUCCESS;
}

NRT_STATUS Engine::stop() noexcept {
  const NRT_STATUS status = stop(NRT_FAILURE, RegionState::kStopped, false);
  if (status != NRT_SUCCESS) log::write(log::Level::kWarn, "no capture is running");
  return status;
}

NRT_STATUS Engine::stop_if_any() noexcept {
  return stop(NRT_SUCCESS, RegionState::kStopped, false);
}

NRT_STATUS Engine::close() noexcept { return stop(NRT_SUCCESS, RegionState::kStopped, true); }

NRT_STATUS Engine::close_written() noexcept {
  return stop(NRT_SUCCESS, RegionState::kWritten, true);
}

NRT_STATUS Engine::finish() noexcept {
  take_anchor();
  std::lock_guard guard(global_);
  if (!capture_) return NRT_FAILURE;
  if (!finished_) end_recording();
  return NRT_SUCCESS;
}

std::span<const std::byte> Engine::finished() noexcept {
  know_process();
  std::shared_lock guard(global_);
  if (!finished_) return {};
  return capture_->region.memory();
}

NRT_STATUS Engine::stop(NRT_STATUS when_stopped, RegionState last, bool finished_too) noexcept {
  know_process();
  std::unique_ptr<Capture> stopped;
  {
    std::lock_guard guard(global_);
    if (!capture_ || (finished_ && !finished_too)) return when_stopped;
    if (!finished_) end_recording();
    finished_ = false;
    stopped = std::move(capture_);
  }
  for (std::uint32_t nc = 0; nc < kMaxCores; ++nc)
    if (Core* const core = stopped->core(nc); core != nullptr)
      log::write(log::Level::kInfo, "core {}: {} events captured", nc, core->counts().pushed);
  stopped->region.header().state.store(last, std::memory_order_release);
  return NRT_SUCCESS;
}

// With global_ held alone: nobody reads, and in the end nobody is inside and no ring changes.
void Engine::end_recording() noexcept {
  for (auto& types : gate.types) types.store(0, std::memory_order_relaxed);
  threads_.with_all([this](const std::vector<Thread*>& threads) {
    entrance.close(ThreadLines{threads}, [&] {
      for (Thread* const thread : threads)
        for (std::uint32_t nc = 0; nc < kMaxCores; ++nc)
          if (capture_->core(nc) != nullptr)
            thread->cursors[nc].end.store(0, std::memory_order_relaxed);
    });
  });
  current_.store(nullptr, std::memory_order_relaxed);
  // What is beyond the capacity is displaced now, and not under a reader.
  for (const auto& core : capture_->cores)
    if (core) static_cast<void>(core->counts());
  finished_ = true;
}

// A thread ends: it leaves its half full blocks to others. Those of a finished capture stay as they
// are: nobody asks any more who had them.
void Engine::part(Thread& thread) noexcept {
  know_process();
  std::shared_lock guard(global_);
  if (!capture_ || finished_) return;
  for (std::uint32_t nc = 0; nc < kMaxCores; ++nc) {
    Core* const core = capture_->core(nc);
    if (core == nullptr || core->blocks() == nullptr) continue;
    Cursor& cursor = thread.cursors[nc];
    if (cursor.epoch == capture_->epoch) core->blocks()->leave(cursor, thread.line);
  }
}

void Engine::take_anchor() noexcept {
  know_process();
  std::shared_lock guard(global_);
  if (!capture_ || finished_) return;
  if (const auto next = capture_->anchor(); next)
    gate.next_anchor.store(*next, std::memory_order_relaxed);
}

std::uint64_t Engine::drain(std::uint32_t nc, nrt_sys_trace_event_t* out,
                            std::uint64_t max) noexcept {
  take_anchor();
  const std::uint64_t cut = ordered_ticks();
  std::shared_lock guard(global_);
  Core* const core = recording_core(nc);
  if (core == nullptr) return 0;
  return capture_->take(*core, cut, out, std::min(max, capture_->capacity));
}

NRT_STATUS Engine::fetch(const nrt_sys_trace_fetch_options_t& options, JsonBuffer& out) noexcept {
  StringShard names;
  std::vector<std::int32_t> gids;
  std::uint64_t limit = 0;
  std::unique_ptr<nrt_sys_trace_event_t[]> portion;
  take_anchor();
  const std::uint64_t cut = ordered_ticks();
  try {
    combine_strings(names);
    std::shared_lock guard(global_);
    if (capture_ && !finished_) {
      gids = capture_->gids;
      limit = fetch_limit(options, capture_->capacity);
      portion = std::make_unique_for_overwrite<nrt_sys_trace_event_t[]>(std::min(limit, kPortion));
    }
  } catch (const std::bad_alloc&) {
    log::write(log::Level::kWarn, "no memory to fetch events");
    return NRT_RESOURCE;
  }

  const std::optional<std::uint32_t> selected = selected_core(options);
  if (selected && *selected >= gids.size())
    log::write(log::Level::kWarn, "core {} is not visible: no events", *selected);
  JsonWriter json({gids, &names, host::include_default_algorithm()});
  std::uint64_t taken = 0;
  bool whole = true;
  for (std::uint32_t nc = 0; whole && nc < gids.size(); ++nc) {
    if (selected && *selected != nc) continue;
    for (std::uint64_t left = limit; whole && left > 0;) {
      std::uint64_t count = 0;
      {
        // Not held over the whole fetch: a stop waits for one portion only.
        std::shared_lock guard(global_);
        Core* const core = recording_core(nc);
        if (core != nullptr)
          count = capture_->take(*core, cut, portion.get(), std::min(left, kPortion));
      }
      if (count == 0) break;
      taken += count;
      left -= count;
      for (std::uint64_t i = 0; whole && i < count; ++i) whole = json.event(portion[i]);
    }
  }
  if (whole) out = json.finish();
  if (!out.text) {
    log::write(log::Level::kWarn, "no memory for JSON: {} events are lost", taken);
    return NRT_RESOURCE;
  }
  return NRT_SUCCESS;
}

std::optional<RingCounts> Engine::counts(std::uint32_t nc) noexcept {
  know_process();
  std::shared_lock guard(global_);
  Core* const core = capture_ ? capture_->core(nc) : nullptr;
  if (core == nullptr) return std::nullopt;
  return core->counts();
}

std::uint64_t Engine::total_created() noexcept {
  know_process();
  std::shared_lock guard(global_);
  std::uint64_t total = 0;
  for (std::uint32_t nc = 0; capture_ && nc < kMaxCores; ++nc)
    if (Core* const core = capture_->core(nc); core != nullptr) total += core->created();
  return total;
}

void Engine::intern(std::uint64_t id, std::string_view name, std::uint32_t nc) noexcept {
  if (nc >= kMaxCores) nc = 0;
  know_process();
  std::shared_lock guard(global_);
  if (recording_core(nc) == nullptr) return;
  if (!capture_->add_name(nc, id, name))
    log::write(log::Level::kWarn, "no memory for the name of id {}", id);
}

void Engine::combine_strings(StringShard& into) {
  know_process();
  std::shared_lock guard(global_);
  for (std::uint32_t nc = 0; capture_ && nc < kMaxCores; ++nc) {
    Core* const core = capture_->core(nc);
    if (core == nullptr) continue;
    std::lock_guard names_guard(core->names_lock);
    into.merge(core->names);
  }
}

void Engine::set_sequence(std::uint32_t nc, std::uint64_t sequence) noexcept {
  know_process();
  std::shared_lock guard(global_);
  if (Core* const core = capture_ ? capture_->core(nc) : nullptr; core != nullptr)
    core->set_sequence(sequence);
}

}  // namespace ndtel::systrace
