// SPDX-License-Identifier: Apache-2.0
//
// Threads that emit into a small ring of blocks the way the engine does, and readers and stoppers,
// with books of what became of every event.
#ifndef NDTEL_TESTS_MODEL_BLOCK_MODEL_HPP
#define NDTEL_TESTS_MODEL_BLOCK_MODEL_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <new>

#include "admission.hpp"
#include "block_ring.hpp"
#include "explorer.hpp"
#include "model_policy.hpp"

namespace ndtel::model {

/// An event. The ring reads its ticks from the slot, which is an access like any other.
struct BlockSlot {
  struct Ticks {
    std::uint64_t value;
    operator std::uint64_t() const noexcept {
      machine.plain_read(this);
      return value;
    }
  };

  Ticks ticks;
  std::uint64_t check;

  static BlockSlot of(std::uint64_t number) noexcept { return {{number}, ~number}; }
};

/// How threads emit.
enum class Way : std::uint8_t {
  kQuick,    ///< asymmetric fences, the cursor's end alone decides
  kLooking,  ///< asymmetric fences, every event looks at the epoch and at the block
  kSymmetric
};

struct BlockSizes {
  unsigned emitters;
  unsigned events;  ///< of each emitter
  unsigned blocks;
  unsigned block_slots = 2;
  unsigned capacity = 100;     ///< events; more are displaced by readers
  unsigned open_target = 100;  ///< open blocks beyond which idle threads lose theirs
  unsigned filled = 0;         ///< events that emitter 0 emitted before
  bool leave = false;          ///< emitters give their block back in the end
};

/// @tparam kOthers threads beside the emitters
template <Way kWay, BlockSizes kSizes, unsigned kOthers>
struct BlockModel {
  static constexpr unsigned kThreads = kSizes.emitters + kOthers;
  static constexpr unsigned kTries = 2;
  static constexpr unsigned kEvents = kSizes.events + kSizes.filled;
  using Policy = ModelPolicy<kWay == Way::kSymmetric>;
  using Ring = systrace::BlockRing<Policy, BlockSlot>;
  using Cursor = typename Ring::Cursor;
  using Line = typename Ring::Line;

  /// What emitters read of a capture besides its ring.
  struct Capture {
    std::uint64_t epoch = 0;
  };

  systrace::Admission<Policy> admission;
  Capture capture;
  std::array<Line, kSizes.emitters> lines;
  std::array<Cursor, kSizes.emitters> cursors;
  systrace::BlockRingHeader head;
  std::array<typename Ring::Header, kSizes.blocks> headers;
  std::array<BlockSlot, std::size_t{kSizes.blocks} * kSizes.block_slots> slots;
  std::array<typename Ring::Note, kSizes.blocks> notes;
  Ring ring{geometry(), &head, headers.data(), slots.data(), notes.data()};
  std::uint64_t emitted = 0;  // events whose emission succeeded, a bit each
  std::uint64_t drained = 0;
  std::array<std::uint64_t, kSizes.emitters> last_sequence{};

  BlockModel() {
    capture.epoch = 1;
    admission.open(1);
    for (unsigned k = 0; k < kSizes.filled; ++k) emit(0, k);
  }

  static systrace::BlockGeometry geometry() {
    return {kSizes.capacity, kSizes.block_slots, kSizes.blocks, kSizes.open_target};
  }

  static std::uint64_t number(unsigned emitter, unsigned event) {
    return std::uint64_t{event} * kSizes.emitters + emitter + 1;
  }

  void write(unsigned i, unsigned k) {
    cursors[i].write(cursors[i].next, [&](BlockSlot& slot, std::uint64_t sequence) {
      machine.require(sequence > last_sequence[i], "sequences of a thread do not rise");
      last_sequence[i] = sequence;
      Policy::copy(slot, BlockSlot::of(number(i, k)));
    });
    emitted |= std::uint64_t{1} << number(i, k);
  }

  /// Emitter `i` emits its event `k`. False when the capture is closed, or when every block was in
  /// use so often that a model gives up: every slow visit has a number of its own, so waiting for
  /// ever would make states without end.
  bool emit(unsigned i, unsigned k) {
    BlockSlot* const next = cursors[i].next;
    lines[i].enter_quickly(next);
    const bool quick = cursors[i].ready(next);
    if (quick) write(i, k);
    lines[i].leave();
    if (quick) return true;
    for (unsigned tries = 0; tries < kTries; ++tries) {
      lines[i].template enter<Policy>();
      const std::uint64_t epoch = admission.epoch();
      if (epoch == 0) {
        lines[i].leave();
        return false;
      }
      Capture inside;
      Policy::copy(inside, capture);
      machine.require(inside.epoch == epoch, "inside another capture");
      if (cursors[i].epoch != epoch) begin(cursors[i], epoch);
      const bool ready = ring.ready(cursors[i]) || ring.turn(cursors[i], lines[i]);
      if (ready) write(i, k);
      lines[i].leave();
      if (ready) return true;
      Policy::pause(tries);
    }
    return false;
  }

  /// The cursor of a thread that is in this capture for the first time.
  static void begin(Cursor& cursor, std::uint64_t epoch) {
    cursor.header = nullptr;
    cursor.next = nullptr;
    cursor.end.store(0, std::memory_order_relaxed);
    cursor.sequence = 0;
    cursor.epoch = epoch;
    cursor.quick = kWay == Way::kQuick;
  }

  /// Closes the capture and makes sure that nobody writes into its memory any more.
  void stop() {
    std::array<const Line*, kSizes.emitters> all;
    for (unsigned i = 0; i < kSizes.emitters; ++i) all[i] = &lines[i];
    admission.close(all, [this] {
      for (Cursor& cursor : cursors) cursor.end.store(0, std::memory_order_relaxed);
    });
    machine.require(ring.created() == bits(emitted), "created is not what was emitted");
    for (BlockSlot& slot : slots) Policy::copy(slot, BlockSlot{});
    Policy::copy(capture, Capture{});
  }

  /// Starts another capture, with a fresh ring.
  void restart() {
    head = {};
    for (auto& header : headers) {
      header.word.store(0, std::memory_order_relaxed);
      header.read.store(0, std::memory_order_relaxed);
      header.begun.store(0, std::memory_order_relaxed);
      header.written.store(0, std::memory_order_relaxed);
    }
    new (&ring) Ring(geometry(), &head, headers.data(), slots.data(), notes.data());
    emitted = 0;
    last_sequence = {};
    Policy::copy(capture, Capture{2});
    admission.open(2);
  }

  void emit_all(unsigned i) {
    for (unsigned k = kSizes.filled; k < kEvents; ++k) {
      if (!emit(i, k)) return;
    }
    if (kSizes.leave) ring.leave(cursors[i], lines[i]);
  }

  void drain(std::uint64_t limit = std::numeric_limits<std::uint64_t>::max()) {
    ring.drain(std::numeric_limits<std::uint64_t>::max() - 1, limit,
               [this](const BlockSlot& slot, std::uint64_t) {
                 BlockSlot got;
                 Policy::copy(got, slot);
                 const std::uint64_t value = got.ticks.value;
                 machine.require(got.check == ~value, "a torn event");
                 machine.require(value >= 1 && value < 64, "an event nobody emitted");
                 machine.require((drained >> value & 1) == 0, "an event came twice");
                 drained |= std::uint64_t{1} << value;
                 return true;
               });
  }

  static unsigned bits(std::uint64_t word) noexcept {
    return static_cast<unsigned>(__builtin_popcountll(word));
  }

  /// At rest the counts are exact, and say what the drains got.
  void check_counts(const systrace::RingCounts& counts) {
    machine.require(counts.created == counts.pushed, "created is not pushed");
    machine.require(counts.pushed == bits(emitted), "pushed is not what was emitted");
    machine.require(counts.drained == bits(drained), "drained is not what was drained");
    machine.require(counts.pushed == counts.drained + counts.displaced + counts.left,
                    "the counts do not add up");
  }

  /// Everything that was not displaced comes, and nothing else.
  void check_rest() {
    check_counts(ring.counts());
    const std::uint64_t left = ring.counts().left;
    const std::uint64_t before = drained;
    drain();
    machine.require(bits(drained & ~before) == left, "left is not what is left");
    machine.require((drained & ~emitted) == 0, "an event came that was not emitted");
    check_counts(ring.counts());
  }
};

}  // namespace ndtel::model

#endif  // NDTEL_TESTS_MODEL_BLOCK_MODEL_HPP
