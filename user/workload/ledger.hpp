// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_LEDGER_HPP
#define NDTEL_WORKLOAD_LEDGER_HPP

#include <ndtel/nds.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ndtel::workload {

/// The two marks around one increment: `intent` rises before the slab word does, `done` after it.
/// Whatever moment the process is killed at, what it really counted lies in [done, intent].
struct LedgerCell {
  std::atomic<std::uint64_t> intent;
  std::atomic<std::uint64_t> done;
};
static_assert(sizeof(LedgerCell) == 16 && std::atomic<std::uint64_t>::is_always_lock_free);

/// Start of a ledger file, followed by one cell for each thread, core and counter.
struct LedgerHeader {
  std::array<char, 8> magic;  ///< "ndledger"
  std::uint32_t version;
  std::uint32_t threads;
  std::int32_t pid;
  std::uint32_t device;
  std::array<char, 24> space;  ///< module namespace of the device: "ndtel", "neuron"
  std::array<char, 16> reserved;
};
static_assert(sizeof(LedgerHeader) == 64);

/// What a process counted under one counter: certainly at least `done`, at most `intent`.
struct LedgerRange {
  std::uint64_t done = 0;
  std::uint64_t intent = 0;

  LedgerRange& operator+=(const LedgerRange& other) {
    done += other.done;
    intent += other.intent;
    return *this;
  }
  bool contains(std::uint64_t v) const { return done <= v && v <= intent; }
};

/// A record, in memory shared with whoever audits, of everything one process adds to the counters
/// of one device. It outlives the process, however that ends. Keep files in a tmpfs: every
/// increment dirties a page.
class Ledger {
 public:
  Ledger() = default;
  Ledger(Ledger&& other) noexcept;
  Ledger& operator=(Ledger&& other) noexcept;
  ~Ledger();

  /// Create a ledger for `threads` counting threads. An empty path makes one that only forked
  /// children share. The process id is filled in by claim. Throws std::system_error naming the
  /// path.
  static Ledger create(const std::string& path, std::uint32_t threads, std::string_view space,
                       std::uint32_t device);

  /// Map an existing file read-only. Throws std::system_error, or std::runtime_error when the file
  /// is no ledger.
  static Ledger open(const std::string& path);

  /// Note whose ledger this is, in the counting process.
  void claim(std::int32_t pid);

  const LedgerHeader& header() const { return *static_cast<const LedgerHeader*>(memory_); }
  std::string space() const;

  /// Marks of one thread; thread < header().threads, core < NDS_MAX_NC, counter <
  /// NDS_NC_COUNTER_COUNT.
  LedgerCell& cell(std::uint32_t thread, std::uint32_t core, std::uint32_t counter);
  const LedgerCell& cell(std::uint32_t thread, std::uint32_t core, std::uint32_t counter) const;

  /// One counter over all threads of one core, or of all cores.
  LedgerRange sum(std::uint32_t core, std::uint32_t counter) const;
  LedgerRange sum(std::uint32_t counter) const;

  /// Cells of a thread whose marks differ. A dead process leaves at most one per thread.
  std::vector<LedgerRange> unfinished(std::uint32_t thread) const;

 private:
  Ledger(void* memory, std::size_t size) : memory_(memory), size_(size) {}

  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// Mark, add, mark: `add` is called between the two marks and says whether the word really rose. A
/// failed add takes the intent back.
template <class Add>
bool ledger_add(LedgerCell& cell, std::uint64_t amount, Add&& add) {
  // One thread writes a cell, so plain load and store suffice; release keeps the order seen from
  // outside.
  const std::uint64_t before = cell.intent.load(std::memory_order_relaxed);
  cell.intent.store(before + amount, std::memory_order_release);
  std::atomic_signal_fence(
      std::memory_order_seq_cst);  // keeps the compiler's order; a locked add keeps the processor's
  const bool added = add();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (added) {
    cell.done.store(cell.done.load(std::memory_order_relaxed) + amount, std::memory_order_release);
  } else {
    cell.intent.store(before, std::memory_order_release);
  }
  return added;
}

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_LEDGER_HPP
