// SPDX-License-Identifier: Apache-2.0
//
// A second opinion on the engine: what it must have in its books and put into its posts, written
// from the rules with wide integers, vectors and strings instead of the engine's fixed arrays.

#ifndef NDTEL_TESTS_UNIT_CORE_ORACLE_HPP
#define NDTEL_TESTS_UNIT_CORE_ORACLE_HPP

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plane.hpp"

namespace ndtel::test {

using Wide = unsigned __int128;

// A process with its slab and the oracle's own memory of the last look.
struct Process {
  Slab slab;
  std::array<std::array<u64, NDS_NC_COUNTER_COUNT>, ND_MAX_NC_PER_DEVICE> seen{};
  std::array<u64, NMETRIC_CONST_U64S> constant{};
  std::array<u64, NMETRIC_CONST_U64S> stamp{};
};

// Uses of versions in the order in which they were first met. Holds only as long as no more than
// eight differ.
class VersionCount {
 public:
  void Add(u64 word, unsigned uses = 1);
  void Add(const VersionCount& other);
  // Most used first, equal ones in the order met.
  std::vector<u64> Top(unsigned count) const;
  void Clear() { uses_.clear(); }

 private:
  std::vector<std::pair<u64, unsigned>> uses_;
};

class Oracle {
 public:
  Oracle(u32 nc_count, u32 nc_map, u64 now) : nc_count_(nc_count), nc_map_(nc_map) {
    for (Sink& sink : sinks_) sink.window = now;
  }

  void Look(Process& process);
  void Death(Process& process);
  void Add(unsigned row, Wide amount);
  void ResetDone(bool whole_device, u64 ms);
  void EccReading(bool repairable, u32 tally, bool after_reset);

  // What the engine must post now; nothing while a post is in flight.
  Records Begin(nmetric_sink sink, u8 tick, u64 now, const std::vector<Process*>& live);
  void NoteUnknown(nmetric_sink sink);
  void End(nmetric_sink sink, nmetric_result result);
  void Discard();

  // Empty, or what the engine has wrong.
  std::string Compare(const nmetric& engine) const;
  bool Busy(nmetric_sink sink) const { return sinks_[sink].busy; }
  bool Settled() const;

  std::array<std::string, NMETRIC_CONSTANTS> constants;
  std::optional<nmetric_userver> userver;

  // What happened, to know that the histories reach it.
  struct Tally {
    u64 posts, deferred, partial_versions, implausible, overflow, down, conflicts, longest_wait;
  } tally{};

 private:
  struct Unaccepted {
    std::array<Wide, NMETRIC_ROWS> amount{};
    std::array<VersionCount, NMETRIC_VERSIONS> versions;
    u64 bits = 0;
    std::array<std::pair<u64, u64>, NMETRIC_CONST_U64S> constant{};  // stamp, value
    std::array<u64, 2> reset_max{}, reset_total{}, reset_count{};
    std::array<bool, 2> ecc{};
  };

  struct Sink {
    Unaccepted owed, flying;
    bool busy = false;
    u64 window = 0, begun = 0;
    std::array<bool, NMETRIC_ROWS> packed{};
    std::array<unsigned, NMETRIC_ROWS> age{};
    std::array<unsigned, NMETRIC_ROWS>
        passed_over{};  // accepted posts that had no room for the row
    std::array<bool, NMETRIC_ROWS> left_out{};
    std::array<u64, NMETRIC_ROWS> confirmed{}, unknown{}, implausible{}, overflow{}, removed{};
    u64 deferred = 0;
  };

  // Records that go into a post together or not at all; a row is one or more of them.
  using Unit = Records;

  std::vector<Unit> Units(Sink& sink, unsigned row, u64 now, const std::vector<Process*>& live);
  std::vector<Unit> VersionUnits(Sink& sink, const nmetric_def& def,
                                 const std::vector<Process*>& live);
  u64 ConstantValue(Sink& sink, unsigned index, const std::vector<Process*>& live);
  static void TakeOff(Sink& sink, unsigned row);

  u32 nc_count_;
  u32 nc_map_;
  u64 stamp_ = 0;
  std::array<u64, NMETRIC_ROWS> incremented_{};
  std::array<std::optional<u32>, 2> ecc_base_;
  std::array<Sink, NMETRIC_SINK_COUNT> sinks_;
};

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_UNIT_CORE_ORACLE_HPP
