// SPDX-License-Identifier: Apache-2.0
//
// Tracing from C++: captures, spans and instants of typed events, names.
//
//   ndtel::trace::start({});
//   {
//     ndtel::trace::Span<ndtel::trace::event::ExecPre> span(nc, {.exec_id = 1, .model_id = model});
//     ...
//   }  // the span ends here
//   auto json = ndtel::trace::fetch_json();
//   ndtel::trace::stop();
//
// The C functions of nrt/nrt_sys_trace.h and these are two ways to one engine: a process has one
// capture at a time. All functions may be called from any thread; none from a signal handler.
#ifndef NDTEL_TRACE_HPP
#define NDTEL_TRACE_HPP

#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ndtel/result.hpp"
#include "ndtel/trace_emit.hpp"
#include "ndtel/trace_events.hpp"
#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::trace {

/// Whether events of this type are recorded for a core now: a load and a test, for where even the
/// preparation of a payload would cost too much.
[[gnu::always_inline]] inline bool enabled(std::uint32_t nc, std::uint32_t type) noexcept {
  return nc < NRT_SYS_TRACE_MAX_NC && type < NRT_SYS_TRACE_EVENT_TYPE_COUNT &&
         detail::gate.open(nc, type);
}

// ---- emitting ----

namespace detail {

/// How many words of an event a payload takes.
template <typename Payload>
inline constexpr std::size_t payload_words = std::is_empty_v<Payload> ? 0
                                                                      : (sizeof(Payload) + 7) / 8;

template <nrt_sys_trace_event_phase_t kPhase, typename Event, typename Payload>
[[gnu::always_inline]] inline std::uint64_t emit(std::uint32_t nc, const Payload& payload,
                                                 std::uint64_t tracking_id) noexcept {
  // One branch, and what it leads to lies elsewhere: where nothing is recorded, the code runs
  // straight on.
  const std::uint32_t core = nc < kNoCore ? nc : kNoCore;
  if (!__builtin_expect_with_probability(gate.open(core, Event::kType), 0, 0.999)) return 0;
  static_assert(Event::kType < NRT_SYS_TRACE_EVENT_TYPE_COUNT);
  constexpr std::size_t kAbsent = systrace::kEventWords - payload_words<Payload>;
  constexpr systrace::EventTag kTag(kPhase, Event::kType, false, kAbsent);
  const auto words = std::bit_cast<systrace::EventWords>(to_data(payload));
  const std::uint64_t w0 = one_word(words[0]), w1 = one_word(words[1]), w2 = one_word(words[2]),
                      w3 = one_word(words[3]), w4 = one_word(words[4]);
  return emit_quickly(
      kTag, tracking_id, core,
      [=](systrace::Slot & slot) __attribute__((always_inline)) {
        if constexpr (kAbsent < 5) slot.data[0] = w0;
        if constexpr (kAbsent < 4) slot.data[1] = w1;
        if constexpr (kAbsent < 3) slot.data[2] = w2;
        if constexpr (kAbsent < 2) slot.data[3] = w3;
        if constexpr (kAbsent < 1) slot.data[4] = w4;
      },
      [=]() __attribute__((always_inline)) {
        return emit_words_slowly(kTag, tracking_id, nc, w0, w1, w2, w3, w4);
      });
}

}  // namespace detail

/// Records the start of a span that ends elsewhere: in another thread, or not with a scope. Returns
/// what stop() needs to end it; 0 when nothing was recorded.
template <typename Event>
[[gnu::always_inline]] inline std::uint64_t start(
    std::uint32_t nc, const typename Event::Start& payload = {}) noexcept {
  return detail::emit<NRT_SYS_TRACE_EVENT_PHASE_START, Event>(nc, payload, 0);
}

/// Records the end of a span. With a tracking id of 0 it is an end without a start.
template <typename Event>
[[gnu::always_inline]] inline void stop(std::uint32_t nc, std::uint64_t tracking_id,
                                        const typename Event::Stop& payload = {}) noexcept {
  detail::emit<NRT_SYS_TRACE_EVENT_PHASE_STOP, Event>(nc, payload, tracking_id);
}

/// Records something without a duration. Returns its tracking id; 0 when nothing was recorded.
template <typename Event>
[[gnu::always_inline]] inline std::uint64_t instant(
    std::uint32_t nc, const typename Event::Instant& payload = {}) noexcept {
  return detail::emit<NRT_SYS_TRACE_EVENT_PHASE_INSTANT, Event>(nc, payload, 0);
}

/// A span that lasts as long as this object. When its start was not recorded, its end is not.
template <typename Event>
class [[nodiscard]] Span {
 public:
  [[gnu::always_inline]] explicit Span(std::uint32_t nc,
                                       const typename Event::Start& payload = {}) noexcept
      : tracking_id_(trace::start<Event>(nc, payload)), nc_(nc) {}
  Span(Span&& other) noexcept
      : tracking_id_(std::exchange(other.tracking_id_, 0)), nc_(other.nc_), stop_(other.stop_) {}
  Span& operator=(Span&&) = delete;
  [[gnu::always_inline]] ~Span() { end(); }

  /// What the end of the span will say.
  void set_stop(const typename Event::Stop& payload) noexcept { stop_ = payload; }

  /// Ends the span now.
  [[gnu::always_inline]] void end() noexcept {
    if (const std::uint64_t id = std::exchange(tracking_id_, 0); id != 0)
      trace::stop<Event>(nc_, id, stop_);
  }

  /// What start and end of the span have in common; 0 when it is not recorded, or over.
  std::uint64_t tracking_id() const noexcept { return tracking_id_; }

 private:
  std::uint64_t tracking_id_;
  std::uint32_t nc_;
  [[no_unique_address]] typename Event::Stop stop_{};
};

/// The id under which payloads refer to a name: 1..2^50, the same in every process. The name is
/// kept while a capture runs. 0 for what is not UTF-8.
std::uint64_t intern(std::string_view name, std::uint32_t nc = 0) noexcept;

// ---- captures ----

/// Which ring a capture uses.
enum class Ring {
  kBlocks,   ///< blocks of slots that belong to one thread at a time: the quick one
  kClassic,  ///< one bounded queue a core
};

/// What to capture.
struct Config {
  /// Events each core keeps, 1024 at least; the oldest give way.
  std::uint64_t events_per_core = NRT_SYS_TRACE_DEFAULT_EVENTS_PER_NC;
  std::bitset<NRT_SYS_TRACE_MAX_NC> cores = std::bitset<NRT_SYS_TRACE_MAX_NC>().set();
  std::bitset<NRT_SYS_TRACE_EVENT_TYPE_COUNT> types =
      std::bitset<NRT_SYS_TRACE_EVENT_TYPE_COUNT>().set();
  Ring ring = Ring::kBlocks;
  /// Path of the listening socket of a reader that gets the capture's memory, and can read it when
  /// this process is gone (ndtel/trace_harvest.hpp); empty: nobody.
  std::string socket;
};

/// Starts a capture of the visible cores. EBUSY while one runs, EINVAL impossible numbers, ENOMEM
/// no room.
Result<void> start(const Config& config);

/// Stops it; events that were not read are lost. EALREADY when none runs.
Result<void> stop();

/// Events of a core since start. At rest created == pushed, and
/// pushed == drained + displaced + left.
struct Counts {
  std::uint64_t created = 0;    ///< passed the filters
  std::uint64_t pushed = 0;     ///< are complete
  std::uint64_t drained = 0;    ///< were read
  std::uint64_t displaced = 0;  ///< gave way to newer ones, unread
  std::uint64_t left = 0;       ///< are there to be read
  std::uint64_t skipped = 0;    ///< sequence numbers that no event has
};

/// Counts of a core; nothing when it is not captured.
std::optional<Counts> counts(std::uint32_t nc) noexcept;

/// Takes the oldest events of a core, up to the size of `out`. Returns how many.
std::size_t drain(std::uint32_t nc, std::span<nrt_sys_trace_event_t> out) noexcept;

/// Takes events of one core, or of all, as the JSON document of nrt_sys_trace_fetch_events().
/// @param limit events of a core; 0: all
Result<std::string> fetch_json(std::optional<std::uint32_t> nc = {}, std::uint64_t limit = 0);

}  // namespace ndtel::trace

#endif  // NDTEL_TRACE_HPP
