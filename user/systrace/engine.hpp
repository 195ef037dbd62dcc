// SPDX-License-Identifier: Apache-2.0
//
// The trace engine of a process: starts and stops captures, and reads them out. How events get in
// is in ndtel/trace_emit.hpp and emit.hpp.
#ifndef NDTEL_SYSTRACE_ENGINE_HPP
#define NDTEL_SYSTRACE_ENGINE_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture.hpp"
#include "json.hpp"
#include "rwlock.hpp"
#include "threads.hpp"

namespace ndtel::systrace {

struct Emission;

/// The single one of a process. All functions may be called from any thread.
class Engine {
 public:
  static Engine& get() noexcept;

  /// Starts a capture. NRT_FAILURE while one runs; NRT_INVALID an impossible capacity;
  /// NRT_RESOURCE no memory.
  NRT_STATUS start(const nrt_sys_trace_config_t& config, const CaptureOptions& options) noexcept;

  /// Stops the capture; what nobody fetched is lost. NRT_FAILURE, with a warning, when none
  /// records. One that is finished stays: its owner may be reading it.
  NRT_STATUS stop() noexcept;
  /// The same, and NRT_SUCCESS when none records.
  NRT_STATUS stop_if_any() noexcept;
  /// Ends the capture, finished or not.
  NRT_STATUS close() noexcept;

  /// Ends recording without losing anything: what was recorded stays for finished(), counts() and
  /// combine_strings() until close_written() or close(). Nobody can drain it any more.
  /// NRT_FAILURE when no capture runs; again does nothing.
  NRT_STATUS finish() noexcept;
  /// The memory of a finished capture, as trace::Harvester::over() reads it, at rest until it is
  /// closed; empty when none is finished.
  std::span<const std::byte> finished() noexcept;
  /// close(), when all that finished() holds has been written to files: whoever has this memory,
  /// too, is told so.
  NRT_STATUS close_written() noexcept;

  /// Takes up to `max` of the oldest events of a core, in nanoseconds. None when the core is not
  /// captured.
  std::uint64_t drain(std::uint32_t nc, nrt_sys_trace_event_t* out, std::uint64_t max) noexcept;

  /// Takes events of all selected cores as JSON, see systrace's C function.
  NRT_STATUS fetch(const nrt_sys_trace_fetch_options_t& options, JsonBuffer& out) noexcept;

  /// Exact counts of a core; nothing when it is not captured. Displaces what exceeds the capacity.
  std::optional<RingCounts> counts(std::uint32_t nc) noexcept;

  /// Events accepted by all cores since start.
  std::uint64_t total_created() noexcept;
  /// Events a core keeps, of the last start; 0 before it.
  std::uint64_t capacity() const noexcept { return capacity_.load(std::memory_order_relaxed); }

  /// Keeps a name while a capture runs. Cores beyond the last possible one count as core 0.
  void intern(std::uint64_t id, std::string_view name, std::uint32_t nc) noexcept;
  /// Adds the names of all cores. Throws std::bad_alloc.
  void combine_strings(StringShard& into);

  /// Emits an event that the quick way found no block for.
  std::uint64_t emit(Thread& thread, const Emission& event) noexcept;
  /// A core of the running capture, for a thread that is inside it.
  Core& inside_core(std::uint32_t nc) noexcept {
    return *current_.load(std::memory_order_relaxed)->core(nc);
  }
  /// Compares the ticks with the clock, unless another thread just does.
  void take_anchor() noexcept;
  Threads& threads() noexcept { return threads_; }

  /// Sets the last sequence of a core, for tests of its limits.
  void set_sequence(std::uint32_t nc, std::uint64_t sequence) noexcept;

 private:
  Engine() noexcept;

  NRT_STATUS stop(NRT_STATUS when_stopped, RegionState last, bool finished_too) noexcept;
  void end_recording() noexcept;
  Core* recording_core(std::uint32_t nc) const noexcept {
    return capture_ && !finished_ ? capture_->core(nc) : nullptr;
  }
  void part(Thread& thread) noexcept;
  void know_process() noexcept;
  void start_over_in_child() noexcept;

  RwLock global_;  // guards which capture there is; taken before every other lock
  std::unique_ptr<Capture> capture_;
  bool finished_ = false;                   // capture_ is there to be read only
  Capture* inherited_ = nullptr;            // of the process that forked this one, left alone
  std::atomic<Capture*> current_{nullptr};  // capture_, for threads that are inside
  std::atomic<std::uint64_t> capacity_{0};
  std::uint64_t epochs_ = 0;                                     // given out so far
  std::array<std::atomic<bool>, kMaxCores> sequences_warned_{};  // of a core, since start
  Threads threads_;                                              // its lock is taken after global_
  pid_t owner_;                                                  // the process all this belongs to
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_ENGINE_HPP
