// SPDX-License-Identifier: Apache-2.0
//
// The default trace ring of one core: every thread writes into a block of slots that is its own, so
// that emitting costs no shared read-modify-write. Blocks change hands under a lock, once in a
// block's length; when none is left, the one that was closed first is evicted with its events.
//
//   open ──full──► closed ──evicted or all read──► claimed ──► open (next generation)
//     │ idle             ▲
//     ├──► revoked ──► orphan ──► open (next generation, goes on where it stopped)
//     └── thread ends ──►┘ too many
//
// What is written without the lock: the slots, `begun` and `written` of a block, by its owner, who
// looked at its cursor's end, or at the block's word, after it announced itself (ThreadLine).
// Whoever takes an open block from its owner changes both first, and makes sure that the owner is
// not inside.
#ifndef NDTEL_SYSTRACE_BLOCK_RING_HPP
#define NDTEL_SYSTRACE_BLOCK_RING_HPP

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>

#include "admission.hpp"
#include "block_layout.hpp"
#include "ndtel/trace_emit.hpp"

namespace ndtel::systrace {

/// Events of a ring since it was made. At rest created == pushed, and
/// pushed == drained + displaced + left.
struct RingCounts {
  std::uint64_t created = 0;
  std::uint64_t pushed = 0;
  std::uint64_t drained = 0;
  std::uint64_t displaced = 0;
  std::uint64_t left = 0;
  std::uint64_t skipped = 0;  ///< sequences no event has, in blocks that were closed early
};

/// Slot needs a member `ticks`; its events are ordered by it. `Slot` is what a slot occupies in
/// memory; every copy is made by the callers' functions.
template <typename Policy, typename Slot>
class BlockRing {
 public:
  using Header = BlockHeader<typename Policy::Atomics>;
  using Cursor = BlockCursor<typename Policy::Atomics, Slot>;
  using Line = ThreadLine<typename Policy::Atomics>;

  /// How many blocks a reader pins at a time. More threads than this are read in more rounds.
  static constexpr std::size_t kPins = 8;

  static constexpr unsigned kSequenceBits = 50;
  static constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << kSequenceBits) - 1;

  /// What this process alone knows of a block.
  struct Note {
    const Line* owner;    ///< whose it is while open or revoked
    Cursor* cursor;       ///< the owner's
    std::uint64_t visit;  ///< the owner's visit that was going on when it was revoked
    std::uint32_t next;
    std::uint32_t previous;
    std::uint32_t seen;  ///< slots written when somebody last looked for idle blocks
    std::uint32_t pins;
  };

  /// A ring over memory that outlives it: one head, `geometry.blocks` block heads and
  /// `geometry.slots()` slots, all zeroed, and `geometry.blocks` notes, as they come. None of it is
  /// touched before it is needed.
  ///
  /// Sequences count from 1 below 2^kSequenceBits, then begin again; `high_bits` is above them in
  /// each.
  BlockRing(const BlockGeometry& geometry, BlockRingHeader* head, Header* headers, Slot* slots,
            Note* notes, std::uint64_t high_bits = 0) noexcept
      : geometry_(geometry),
        high_bits_(high_bits),
        head_(head),
        headers_(headers),
        slots_(slots),
        notes_(notes) {}

  BlockRing(const BlockRing&) = delete;
  BlockRing& operator=(const BlockRing&) = delete;

  const BlockGeometry& geometry() const noexcept { return geometry_; }

  /// Whether the cursor may write the next slot now. Between enter() and leave() of its thread.
  bool ready(const Cursor& cursor) const noexcept {
    return cursor.header != nullptr && cursor.next != end_of(cursor.block) &&
           Policy::look(cursor.header->word) == cursor.word;
  }

  /// Gives the cursor a block to write into, between enter() and leave() of `line`. False while
  /// every block is being written or read by others: leave, wait a little, enter and ask again. (A
  /// thread that waited inside could be waited for by another one that waits for it.)
  ///
  /// The cursor stays where it is until it left the ring, or the ring is gone.
  bool turn(Cursor& cursor, const Line& line) noexcept {
    std::lock_guard guard(lock_);
    if (mine(cursor, line)) {
      if (cursor.next != end_of(cursor.block)) {
        reopen(cursor.block, cursor);  // it was revoked, but nobody took it yet
        return true;
      }
      remove(open_, cursor.block);
      close(cursor.block);
    }
    forget(cursor);
    if (open_.size > geometry_.open_target) take_idle();
    while (orphans_.size > geometry_.open_target / 2) {
      const std::uint32_t oldest = orphans_.first;
      remove(orphans_, oldest);
      close(oldest);
    }
    return adopt(cursor, line) || open_fresh(cursor, line) || open_claimed(cursor, line);
  }

  /// The thread ends, or does not want its block any more: the next thread goes on in it.
  void leave(Cursor& cursor, const Line& line) noexcept {
    std::lock_guard guard(lock_);
    if (mine(cursor, line)) {
      remove(open_, cursor.block);
      orphan(cursor.block);
    }
    forget(cursor);
  }

  /// Takes the oldest events, at most `limit`, none with ticks after `cut`: in the order of ticks,
  /// blocks of several threads merged. `sink(slot, sequence)` copies one, and returns false to keep
  /// it and stop. One reader at a time, others wait. Returns how many were taken.
  template <typename Sink>
  std::uint64_t drain(std::uint64_t cut, std::uint64_t limit, Sink&& sink) noexcept {
    std::lock_guard reader(reader_);
    trim();
    return read(cut, limit, sink);
  }

  /// Counts, after displacing what is beyond the capacity.
  RingCounts counts() noexcept {
    std::lock_guard reader(reader_);
    trim();
    std::lock_guard guard(lock_);
    return sum();
  }

  /// Events created, without displacing anything.
  std::uint64_t created() noexcept {
    std::lock_guard guard(lock_);
    return sum().created;
  }

  /// Whether sequences began again.
  bool wrapped() noexcept {
    std::lock_guard guard(lock_);
    return head_->sequence > kSequenceMask;
  }

  /// Sets the last sequence, for tests of its limits.
  void set_sequence(std::uint64_t sequence) noexcept {
    std::lock_guard guard(lock_);
    head_->sequence = sequence;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    std::uint32_t size = 0;
  };

  // Lists. Each block that was ever used is in one of them.

  void append(List& list, std::uint32_t block) noexcept {
    Note& note = notes_[block];
    note.previous = list.last;
    note.next = kNone;
    (list.last == kNone ? list.first : notes_[list.last].next) = block;
    list.last = block;
    ++list.size;
  }

  void remove(List& list, std::uint32_t block) noexcept {
    const Note& note = notes_[block];
    (note.previous == kNone ? list.first : notes_[note.previous].next) = note.next;
    (note.next == kNone ? list.last : notes_[note.next].previous) = note.previous;
    --list.size;
  }

  // What a block's head says. Under lock_.

  /// Complete slots. What is in them was written before.
  std::uint32_t written(std::uint32_t block) const noexcept {
    const Header& header = headers_[block];
    return static_cast<std::uint32_t>(header.written.load(std::memory_order_acquire) - header.base);
  }

  ReadMark read_mark(std::uint32_t block) const noexcept {
    return ReadMark::of(headers_[block].read.load(std::memory_order_relaxed));
  }

  // Changes of hands. Under lock_.

  bool mine(const Cursor& cursor, const Line& line) const noexcept {
    if (cursor.header == nullptr || notes_[cursor.block].owner != &line) return false;
    const std::uint64_t word = cursor.header->word.load(std::memory_order_relaxed);
    return block_generation(word) == block_generation(cursor.word);
  }

  static void forget(Cursor& cursor) noexcept {
    cursor.header = nullptr;
    cursor.next = nullptr;
    cursor.end.store(0, std::memory_order_relaxed);
  }

  void set_state(std::uint32_t block, BlockState state) noexcept {
    auto& word = headers_[block].word;
    const std::uint64_t generation = block_generation(word.load(std::memory_order_relaxed));
    word.store(block_word(generation, state), std::memory_order_release);
  }

  /// Opens a block for the cursor's thread, under a new generation: cursors that still have the
  /// block from before do not match any more.
  void reopen(std::uint32_t block, Cursor& cursor) noexcept {
    Header& header = headers_[block];
    const std::uint64_t generation =
        block_generation(header.word.load(std::memory_order_relaxed)) + 1;
    Slot* const slots = slots_ + std::uint64_t{block} * geometry_.block_slots;
    cursor.header = &header;
    cursor.block = block;
    cursor.next = slots + written(block);
    cursor.sequence = header.written.load(std::memory_order_relaxed);
    cursor.word = block_word(generation, BlockState::kOpen);
    header.word.store(cursor.word, std::memory_order_release);
    if (cursor.quick)
      cursor.end.store(reinterpret_cast<std::uintptr_t>(end_of(block)), std::memory_order_relaxed);
  }

  Slot* end_of(std::uint32_t block) const noexcept {
    return &slots_[(std::uint64_t{block} + 1) * geometry_.block_slots];
  }

  void open(std::uint32_t block, Cursor& cursor, const Line& line) noexcept {
    notes_[block].owner = &line;
    notes_[block].cursor = &cursor;
    notes_[block].seen = kNone;
    append(open_, block);
    reopen(block, cursor);
  }

  void close(std::uint32_t block) noexcept {
    head_->skipped += geometry_.block_slots - written(block);
    headers_[block].order = ++head_->closings;
    notes_[block].owner = nullptr;
    set_state(block, BlockState::kClosed);
    append(idle(block) ? free_ : closed_, block);
  }

  /// Leaves a block to the next thread. A full one has no place for it: its owner only did not come
  /// back to close it.
  void orphan(std::uint32_t block) noexcept {
    if (written(block) == geometry_.block_slots) {
      close(block);
      return;
    }
    notes_[block].owner = nullptr;
    set_state(block, BlockState::kOrphan);
    append(orphans_, block);
  }

  /// Whether everything in a closed block was read, and nobody reads it now.
  bool idle(std::uint32_t block) const noexcept {
    return notes_[block].pins == 0 && read_mark(block).taken == written(block);
  }

  /// A block that another thread left half full, if this thread's sequences still rise in it.
  bool adopt(Cursor& cursor, const Line& line) noexcept {
    for (std::uint32_t block = orphans_.first; block != kNone; block = notes_[block].next) {
      if (headers_[block].written.load(std::memory_order_relaxed) < cursor.sequence) continue;
      remove(orphans_, block);
      open(block, cursor, line);
      return true;
    }
    return false;
  }

  void reserve(std::uint32_t block) noexcept {
    Header& header = headers_[block];
    // No block holds sequences of both sides of the end.
    const std::uint64_t room = kSequenceMask - (head_->sequence & kSequenceMask);
    if (room < geometry_.block_slots) {
      head_->sequence += room + 1;
      head_->skipped += room;
    }
    header.base = high_bits_ | (head_->sequence & kSequenceMask);
    header.begun.store(header.base, std::memory_order_relaxed);
    header.written.store(header.base, std::memory_order_relaxed);
    head_->sequence += geometry_.block_slots;
  }

  bool open_fresh(Cursor& cursor, const Line& line) noexcept {
    if (free_.size != 0 || head_->used == geometry_.blocks) return false;
    const std::uint32_t block = head_->used;
    notes_[block] = Note{};
    reserve(block);
    head_->used = block + 1;
    open(block, cursor, line);
    return true;
  }

  bool open_claimed(Cursor& cursor, const Line& line) noexcept {
    const std::uint32_t block = victim();
    if (block == kNone) return false;
    claim(block);
    reserve(block);
    open(block, cursor, line);
    return true;
  }

  /// A block to give up, taken out of its list: one that was read to the end, else the one that
  /// was closed first, else one whose thread is gone or can be sent away.
  std::uint32_t victim() noexcept {
    for (List* list : {&free_, &closed_, &orphans_}) {
      for (std::uint32_t block = list->first; block != kNone; block = notes_[block].next) {
        if (notes_[block].pins != 0) continue;
        remove(*list, block);
        return block;
      }
    }
    for (std::uint32_t block = open_.first; block != kNone; block = notes_[block].next) {
      if (notes_[block].pins != 0 || !take(block)) continue;
      remove(open_, block);
      return block;
    }
    return kNone;
  }

  /// Gives up the events of a block. The totals change by one store each, which a crash may part:
  /// so they are noted in the journal before the block says that it is claimed.
  void claim(std::uint32_t block) noexcept {
    Header& header = headers_[block];
    const std::uint32_t complete = written(block);
    const ReadMark mark = read_mark(block);
    RetiredEvents after = head_->retired;
    after.begun += header.begun.load(std::memory_order_relaxed) - header.base;
    after.written += complete;
    after.drained += mark.taken - mark.displaced;
    after.displaced += mark.displaced + (complete - mark.taken);
    head_->journal = after;
    set_state(block, BlockState::kClaimed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    head_->retired = after;
    header.read.store(0, std::memory_order_release);
  }

  // Taking a block from its thread. Under lock_.

  /// Whether the block's owner cannot write into it any more.
  bool take(std::uint32_t block) noexcept {
    Note& note = notes_[block];
    const std::uint64_t word = headers_[block].word.load(std::memory_order_relaxed);
    if (block_state(word) == BlockState::kRevoked) return note.owner->over(note.visit);
    set_state(block, BlockState::kRevoked);
    note.cursor->end.store(0, std::memory_order_relaxed);
    Policy::heavy_fence();
    note.visit = note.owner->visit();
    return note.visit == 0;
  }

  /// Looks at the block that was looked at longest ago; when nothing was written into it since, it
  /// becomes an orphan.
  void take_idle() noexcept {
    const std::uint32_t block = open_.first;
    const std::uint32_t now = written(block);
    remove(open_, block);
    if (notes_[block].seen == now && take(block)) {
      orphan(block);
      return;
    }
    notes_[block].seen = now;
    append(open_, block);
  }

  // Reading. Under reader_.

  struct Run {
    std::uint64_t ticks;  ///< of the next event
    std::uint64_t base;
    std::uint32_t block;
    std::uint32_t taken;
    std::uint32_t end;
    std::uint32_t start;

    bool before(const Run& other) const noexcept {
      return ticks != other.ticks ? ticks < other.ticks : base < other.base;
    }
  };

  using Runs = std::array<Run, kPins + 1>;

  static constexpr Run kEnd{std::numeric_limits<std::uint64_t>::max(),
                            std::numeric_limits<std::uint64_t>::max(),
                            kNone,
                            0,
                            0,
                            0};

  std::uint64_t ticks_of(std::uint32_t block, std::uint32_t slot) const noexcept {
    return slots_[std::uint64_t{block} * geometry_.block_slots + slot].ticks;
  }

  /// The blocks with the oldest unread events, oldest first, and behind them, as the bound of what
  /// may be taken now, the oldest event of all other blocks. Returns how many.
  /// Under lock_.
  std::size_t find_oldest(std::uint64_t cut, Runs& runs) const noexcept {
    std::size_t count = 0;
    runs.fill(kEnd);
    for (const List* list : {&closed_, &orphans_, &open_}) {
      for (std::uint32_t block = list->first; block != kNone; block = notes_[block].next) {
        const std::uint32_t end = written(block);
        const std::uint32_t taken = read_mark(block).taken;
        if (taken == end) continue;
        const Run run{ticks_of(block, taken), headers_[block].base, block, taken, end, taken};
        if (run.ticks > cut || !run.before(runs.back())) continue;
        std::size_t place = kPins;
        for (; place > 0 && run.before(runs[place - 1]); --place) runs[place] = runs[place - 1];
        runs[place] = run;
        if (count < kPins) ++count;
      }
    }
    return count;
  }

  /// Notes what was taken of blocks. Under lock_.
  void settle(std::span<const Run> runs, bool displace) noexcept {
    for (const Run& run : runs) {
      Header& header = headers_[run.block];
      ReadMark mark = read_mark(run.block);
      if (displace) mark.displaced += run.taken - run.start;
      mark.taken = run.taken;
      header.read.store(mark.word(), std::memory_order_release);
      const std::uint64_t word = header.word.load(std::memory_order_relaxed);
      if (block_state(word) == BlockState::kClosed && idle(run.block)) {
        remove(closed_, run.block);
        append(free_, run.block);
      }
    }
  }

  template <typename Sink>
  std::uint64_t read(std::uint64_t cut, std::uint64_t limit, Sink& sink) noexcept {
    std::uint64_t total = 0;
    for (bool more = true; more && total < limit;) {
      Runs runs;
      std::size_t count;
      {
        std::lock_guard guard(lock_);
        count = find_oldest(cut, runs);
        for (std::size_t i = 0; i < count; ++i) ++notes_[runs[i].block].pins;
      }
      if (count == 0) break;
      // Only pinned blocks are read here: emitting threads go on, and evict others meanwhile.
      more = merge({runs.data(), count}, runs.back(), cut, limit, total, sink);
      std::lock_guard guard(lock_);
      for (std::size_t i = 0; i < count; ++i) --notes_[runs[i].block].pins;
      settle({runs.data(), count}, false);
    }
    return total;
  }

  /// Hands out the events of blocks in order, up to the oldest one of an unpinned block.
  /// Returns false when the sink wants no more.
  template <typename Sink>
  bool merge(std::span<Run> runs, const Run& bound, std::uint64_t cut, std::uint64_t limit,
             std::uint64_t& total, Sink& sink) const noexcept {
    for (;;) {
      Run* first = &runs[0];
      Run second = bound;
      for (Run& run : runs.subspan(1)) {
        if (run.before(*first)) {
          if (first->before(second)) second = *first;
          first = &run;
        } else if (run.before(second)) {
          second = run;
        }
      }
      if (first->taken == first->end || !first->before(second)) return true;
      do {
        if (first->ticks > cut || total == limit) return true;
        const Slot& slot =
            slots_[std::uint64_t{first->block} * geometry_.block_slots + first->taken];
        if (!sink(slot, first->base + first->taken + 1)) return false;
        ++total;
        ++first->taken;
        first->ticks =
            first->taken == first->end ? kEnd.ticks : ticks_of(first->block, first->taken);
      } while (first->taken != first->end && first->before(second));
      if (first->taken == first->end) first->base = kEnd.base;
    }
  }

  /// Displaces the oldest events beyond the capacity: spare blocks hold more than users ask for.
  /// All under lock_, so that an eviction meanwhile does not make it too many.
  void trim() noexcept {
    std::lock_guard guard(lock_);
    const std::uint64_t left = sum().left;
    if (left <= geometry_.capacity) return;
    const auto drop = [](const Slot&, std::uint64_t) { return true; };
    const std::uint64_t excess = left - geometry_.capacity;
    for (std::uint64_t total = 0; total < excess;) {
      Runs runs;
      const std::size_t count = find_oldest(kEnd.ticks - 1, runs);
      if (count == 0) break;
      merge({runs.data(), count}, runs.back(), kEnd.ticks - 1, excess, total, drop);
      settle({runs.data(), count}, true);
    }
  }

  RingCounts sum() const noexcept {
    const RetiredEvents& retired = head_->retired;
    RingCounts counts{retired.begun, retired.written, retired.drained, retired.displaced, 0,
                      head_->skipped};
    for (std::uint32_t block = 0; block < head_->used; ++block) {
      // Complete ones first: an event that is begun meanwhile only shows as one in flight.
      const std::uint32_t complete = written(block);
      const ReadMark mark = read_mark(block);
      counts.created +=
          headers_[block].begun.load(std::memory_order_relaxed) - headers_[block].base;
      counts.pushed += complete;
      counts.drained += mark.taken - mark.displaced;
      counts.displaced += mark.displaced;
      counts.left += complete - mark.taken;
    }
    return counts;
  }

  const BlockGeometry geometry_;
  const std::uint64_t high_bits_;
  BlockRingHeader* const head_;  // under lock_
  Header* const headers_;        // first lines under lock_, second ones their owners'
  Slot* const slots_;            // a block's: of its owner, and of a reader who pinned it

  typename Policy::Mutex reader_;  // one reader at a time; taken before lock_
  typename Policy::Mutex lock_;    // guards all below, who has which block, and `head_`
  Note* const notes_;
  List free_;     // closed and read to the end
  List closed_;   // in the order of closing
  List open_;     // open and revoked, those first that were looked at longest ago
  List orphans_;  // oldest first
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_BLOCK_RING_HPP
