// SPDX-License-Identifier: Apache-2.0
//
// How an event gets into its ring: what programs that trace have inlined. They include
// ndtel/trace.hpp; nothing here is meant for them.
//
// So the layouts below are part of the library's ABI. Whoever changes one renames the inline
// namespaces, and programs built before do not find what they want.
#ifndef NDTEL_TRACE_EMIT_HPP
#define NDTEL_TRACE_EMIT_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::systrace {
inline namespace emit1 {

// ---- what is written ----

/// Phase, type, whether there is an asynchronous sequence, thread, and length of the payload of an
/// event, in one word: there are fewer than 64 types, and ids of threads have 22 bits in Linux.
class EventTag {
 public:
  constexpr EventTag() = default;
  /// @param type         below 64
  /// @param absent_words how many of the payload's last words are not written, and zero for readers
  constexpr EventTag(std::uint32_t phase, std::uint32_t type, bool has_nrta_seq,
                     std::uint32_t absent_words = 0) noexcept
      : word_(std::uint64_t{phase} << 32 | absent_words << 29 | std::uint32_t{has_nrta_seq} << 6 |
              type) {}
  static constexpr EventTag of_thread(std::uint32_t thread_id) noexcept {
    EventTag tag;
    tag.word_ = (thread_id & 0x3fffff) << 7;
    return tag;
  }
  /// Both together: one tag has the thread, the other one the rest.
  friend constexpr EventTag operator|(EventTag a, EventTag b) noexcept {
    a.word_ |= b.word_;
    return a;
  }

  constexpr std::uint32_t phase() const noexcept { return static_cast<std::uint32_t>(word_ >> 32); }
  constexpr std::uint32_t type() const noexcept { return word_ & 0x3f; }
  constexpr bool has_nrta_seq() const noexcept { return (word_ & 0x40) != 0; }
  constexpr std::uint32_t thread_id() const noexcept {
    return static_cast<std::uint32_t>(word_) >> 7 & 0x3fffff;
  }
  /// 7 at most: who reads memory of others has to expect more than there are.
  constexpr std::uint32_t absent_words() const noexcept {
    return static_cast<std::uint32_t>(word_) >> 29;
  }

 private:
  std::uint64_t word_ = 0;
};

/// The words of a payload.
inline constexpr std::size_t kEventWords = 5;
using EventWords = std::array<std::uint64_t, kEventWords>;
static_assert(sizeof(EventWords) == sizeof(nrt_sys_trace_event_data_t));

/// An event as a ring of blocks holds it: one line of the cache. What its block and its place in it
/// tell, the sequence number and the core, is not stored. Few events belong to an asynchronous
/// request; the ring has a second array for the sequence numbers of those.
struct alignas(64) Slot {
  std::uint64_t ticks;
  EventTag tag;
  std::uint64_t tracking_id;
  EventWords data;
};
static_assert(sizeof(Slot) == 64);

/// The processor's counter, for callers who know that it is in use; 0 where there is none.
inline std::uint64_t hardware_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

// ---- where it is written ----

/// The atomic variables of this machine. Models have others in their place.
struct NativeAtomics {
  template <typename T>
  using Atomic = std::atomic<T>;
};

/// What one thread tells the others: 0 outside, else which visit this is, so that somebody who
/// waits for one to end is not kept by the next one. A quick visit is named by the slot it is for,
/// a slow one by an odd number. On lines of its own: processors fetch pairs of 64 bytes.
template <typename Atomics>
class alignas(128) ThreadLine {
 public:
  /// Begins a visit.
  template <typename Policy>
  void enter() noexcept {
    slow_visits_ += 2;
    Policy::announce(inside_, slow_visits_ + 1);
  }
  /// The same, for who knows that fences are asymmetric, which a cursor's end tells: one plain
  /// store, kept by the compiler before all that follows. Releases, because whoever sees this visit
  /// knows that the last one is over.
  /// @param slot where the caller will write, if it may; null only if it may not
  void enter_quickly(const void* slot) noexcept {
    inside_.store(reinterpret_cast<std::uintptr_t>(slot), std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void leave() noexcept { inside_.store(0, std::memory_order_release); }

  /// The visit that is going on, 0 for none.
  std::uint64_t visit() const noexcept { return inside_.load(std::memory_order_acquire); }

  /// Whether a visit seen by visit() is over; it may say so late.
  bool over(std::uint64_t visit) const noexcept {
    return inside_.load(std::memory_order_acquire) != visit;
  }

 private:
  typename Atomics::template Atomic<std::uint64_t> inside_{0};
  std::uint64_t slow_visits_ = 0;  // twice their number; the owner's
};

/// The head of a block of slots. Its first line changes under the lock of its ring, its second
/// belongs to the thread that writes into the block.
template <typename Atomics>
struct alignas(128) BlockHeader {
  typename Atomics::template Atomic<std::uint64_t> word{0};  ///< generation and BlockState
  typename Atomics::template Atomic<std::uint64_t> read{0};  ///< ReadMark
  std::uint64_t base = 0;   ///< slot i holds the event of sequence base + i + 1
  std::uint64_t order = 0;  ///< rises with every block that closes; 0 while it was never closed

  /// Last sequence begun, and last one complete; `base` while there is none. Nothing while the
  /// block is free or claimed.
  alignas(64) typename Atomics::template Atomic<std::uint64_t> begun{0};
  typename Atomics::template Atomic<std::uint64_t> written{0};
};
static_assert(sizeof(BlockHeader<NativeAtomics>) == 128);

/// Where a thread writes next in one ring. Zeroed memory is a cursor without a block.
template <typename Atomics, typename Slot>
struct alignas(64) BlockCursor {
  Slot* next = nullptr;
  /// Address up to which the owner may write without asking; 0 when somebody took the block away,
  /// when there is none, and always for a cursor that is not quick. The only member that another
  /// thread changes.
  typename Atomics::template Atomic<std::uint64_t> end{0};
  BlockHeader<Atomics>* header = nullptr;
  std::uint64_t sequence = 0;  ///< of the slot before `next`; without a block, this thread's last
  std::uint64_t word = 0;      ///< what the block's word is while it is this thread's
  std::uint64_t epoch = 0;     ///< the capture it belongs to; the owner's affair
  std::uint32_t block = 0;
  bool quick = false;  ///< fences are asymmetric, so the owner may rely on `end`

  /// Whether the owner may write `slot`, the next one, now, without a look at the ring; between
  /// enter_quickly() and leave() of its thread. False says nothing.
  bool ready(const Slot* slot) const noexcept {
    return reinterpret_cast<std::uintptr_t>(slot) < end.load(std::memory_order_relaxed);
  }

  /// Writes one event into `slot`, the next one: `fill(slot, sequence)` does. Only when ready.
  template <typename Fill>
  void write(Slot* slot, Fill&& fill) noexcept {
    // In registers: the compiler cannot know that filling the slot does not change the cursor.
    BlockHeader<Atomics>* const block_header = header;
    const std::uint64_t now = sequence + 1;
    sequence = now;
    block_header->begun.store(now, std::memory_order_relaxed);
    fill(*slot, now);
    block_header->written.store(now, std::memory_order_release);
    next = slot + 1;
  }
};

using Line = ThreadLine<NativeAtomics>;
using Cursor = BlockCursor<NativeAtomics, Slot>;

/// Stands for all cores that cannot be. It has a gate and a cursor, but no ring: its events go the
/// slow way.
inline constexpr std::uint32_t kNoCore = NRT_SYS_TRACE_MAX_NC;

/// One thread that emits. Zeroed memory, touched as it is used; a forked child finds it zeroed
/// again.
struct Thread {
  Cursor cursors[kNoCore + 1];  // first, so that the address of one is a sum less
  Line line;
  EventTag tag;        ///< its id in the kernel
  const void* engine;  ///< whose it is, should there be two in a process
};

}  // namespace emit1
}  // namespace ndtel::systrace

// ---- what a program and the library share ----

namespace ndtel::trace::detail {
using systrace::kNoCore;

inline namespace emit1 {

/// What decides whether an event is recorded. On a page of its own, which a forked child finds
/// zeroed: it records nothing until it starts a capture itself.
struct alignas(4096) Gate {
  /// For every core a bit a type that is captured. Events of cores that cannot be count as core
  /// 0's.
  std::atomic<std::uint64_t> types[systrace::kNoCore + 1]{};
  /// Whose captures these are, from the first one on. A program and a library that both contain the
  /// engine share this gate, but not the engine: the second one refuses to start.
  std::atomic<const void*> engine{nullptr};
  /// When the clock is to be compared next, in ticks.
  alignas(128) std::atomic<std::uint64_t> next_anchor{0};

  [[gnu::always_inline]] bool open(std::uint32_t nc, std::uint32_t type) const noexcept {
    return (types[nc].load(std::memory_order_relaxed) >> type & 1) != 0;
  }
};
extern Gate gate;

/// The calling thread's place; null until it emits for the first time. A plain word at a fixed
/// offset: no call to find it, and no constructor.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local systrace::Thread* current_thread;

/// Emits although something is in the way: no block, a core that does not exist, the first event
/// of a thread, the classic engine, a machine without quick fences or ticks.
/// @param data null: zeroes
/// @param nrta_seq_id if the tag says so
[[gnu::cold, gnu::noinline]] std::uint64_t emit_slowly(systrace::EventTag tag,
                                                       const nrt_sys_trace_event_data_t* data,
                                                       std::uint64_t tracking_id, std::uint32_t nc,
                                                       std::uint64_t nrta_seq_id) noexcept;

/// The same, with the payload word by word: what emits inline keeps none in memory.
[[gnu::cold, gnu::noinline]] std::uint64_t emit_words_slowly(
    systrace::EventTag tag, std::uint64_t tracking_id, std::uint32_t nc, std::uint64_t word0,
    std::uint64_t word1, std::uint64_t word2, std::uint64_t word3, std::uint64_t word4) noexcept;

/// What happens after an event when the clock is to be compared. Returns `tracking_id`.
[[gnu::cold, gnu::noinline]] std::uint64_t anchor_after(std::uint64_t tracking_id) noexcept;

}  // namespace emit1

/// How far ahead of the next slot memory is fetched: far enough for its latency at full speed.
inline constexpr std::size_t kPrefetchBytes = 1536;

/// A word of a payload. The compiler must not join loads of what the caller stored: a wider one
/// would have to wait until all of its stores have left the processor's store buffer.
[[gnu::always_inline]] inline std::uint64_t one_word(std::uint64_t word) noexcept {
  if (!__builtin_constant_p(word)) asm("" : "+r"(word));
  return word;
}

/// Writes an event into `next`, the next slot of a cursor that is ready. Returns its tracking id.
template <typename Fill>
[[gnu::always_inline]] inline std::uint64_t write_event(
    systrace::Thread& thread, systrace::Cursor& cursor, systrace::Slot* next,
    systrace::EventTag tag, std::uint64_t ticks, std::uint64_t tracking_id, Fill&& fill) noexcept {
  cursor.write(next, [&](systrace::Slot& slot, std::uint64_t id) {
    __builtin_prefetch(reinterpret_cast<std::byte*>(&slot) + kPrefetchBytes, 1);
    if (tracking_id == 0) tracking_id = id;
    slot.ticks = ticks;
    slot.tag = thread.tag | tag;
    slot.tracking_id = tracking_id;
    fill(slot);
  });
  return tracking_id;
}

/// Records an event that the gate lets pass. Returns its tracking id, 0 when it was not recorded.
/// @param nc         kNoCore at most
/// @param tracking_id 0: a new one
/// @param fill       called as fill(slot) to write the payload
/// @param slowly     called for what emit_slowly() returns
template <typename Fill, typename Slowly>
[[gnu::always_inline]] inline std::uint64_t emit_quickly(systrace::EventTag tag,
                                                         std::uint64_t tracking_id,
                                                         std::uint32_t nc, Fill&& fill,
                                                         Slowly&& slowly) noexcept {
  systrace::Thread* const thread = current_thread;
  if (thread == nullptr) [[unlikely]]
    return slowly();
  systrace::Cursor* where = &thread->cursors[nc];
  asm("" : "+r"(where));  // one address, not one sum a member
  systrace::Cursor& cursor = *where;
  systrace::Slot* const next = cursor.next;
  thread->line.enter_quickly(next);
  if (!cursor.ready(next)) [[unlikely]] {
    thread->line.leave();
    return slowly();
  }
  const std::uint64_t now = systrace::hardware_ticks();
  tracking_id = write_event(*thread, cursor, next, tag, now, tracking_id, fill);
  thread->line.leave();
  if (now >= gate.next_anchor.load(std::memory_order_relaxed)) [[unlikely]]
    return anchor_after(tracking_id);
  return tracking_id;
}

}  // namespace ndtel::trace::detail

#endif  // NDTEL_TRACE_EMIT_HPP
