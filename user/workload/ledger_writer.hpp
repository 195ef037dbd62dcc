// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_LEDGER_WRITER_HPP
#define NDTEL_WORKLOAD_LEDGER_WRITER_HPP

#include <array>
#include <cstdint>

#include "ledger.hpp"
#include "ndtel/nds.hpp"

namespace ndtel::workload {

/// Whether a core counter only grows; the others are levels and last values, which no ledger can
/// add up.
constexpr bool only_grows(std::uint32_t counter) {
  constexpr auto kGrows = [] {
    std::array<bool, NDS_NC_COUNTER_COUNT> grows{};
#define NDTEL_ROW(id, name, kind, unit) grows[id] = NDS_KIND_##kind == NDS_KIND_ADD;
    NDS_NC_COUNTERS_BASE(NDTEL_ROW)
    NDS_NC_COUNTERS_EXT(NDTEL_ROW)
#undef NDTEL_ROW
    return grows;
  }();
  return counter < kGrows.size() && kGrows[counter];
}

/// A CounterWriter that notes in a ledger what one thread adds to the slab. `Slab` is Instance, or
/// whatever writes like it.
template <class Slab>
class LedgerWriter {
 public:
  LedgerWriter(Slab& slab, Ledger& ledger, std::uint32_t thread)
      : slab_(slab), ledger_(ledger), thread_(thread) {}

  int increment(std::uint32_t core, std::uint32_t counter, std::uint64_t value) {
    if (!only_grows(counter) || core >= NDS_MAX_NC) return slab_.increment(core, counter, value);
    int result = 0;
    ledger_add(ledger_.cell(thread_, core, counter), value,
               [&] { return (result = slab_.increment(core, counter, value)) == 0; });
    return result;
  }
  int decrement(std::uint32_t core, std::uint32_t counter, std::uint64_t value) {
    return slab_.decrement(core, counter, value);
  }
  int set(std::uint32_t core, std::uint32_t counter, std::uint64_t value) {
    return slab_.set(core, counter, value);
  }
  int increment_nd(std::uint32_t counter, std::uint64_t value) {
    return slab_.increment_nd(counter, value);
  }
  int decrement_nd(std::uint32_t counter, std::uint64_t value) {
    return slab_.decrement_nd(counter, value);
  }
  int set_nd(std::uint32_t counter, std::uint64_t value) { return slab_.set_nd(counter, value); }

 private:
  Slab& slab_;
  Ledger& ledger_;
  std::uint32_t thread_;
};

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_LEDGER_WRITER_HPP
