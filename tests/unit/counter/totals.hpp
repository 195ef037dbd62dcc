// SPDX-License-Identifier: Apache-2.0
//
// A device's live totals over slabs in plain memory.

#ifndef NDTEL_TESTS_UNIT_COUNTER_TOTALS_HPP
#define NDTEL_TESTS_UNIT_COUNTER_TOTALS_HPP

#include <gtest/gtest.h>

#include <list>
#include <vector>

#include "kmod/core/ncounter.h"
#include "kmod/core/nmetric.h"

namespace ndtel::test {

// A process's slab: exactly the bytes with a meaning, so that the sanitizer sees a read beyond
// them.
class Slab {
 public:
  Slab() : words_(NDS_USED_SIZE / 8) { ncounter_slab_init(&books, words_.data()); }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  u64& Word(u32 nc, u32 index) { return words_.at(nds_nc_word(nc, ncounter_defs[index].id)); }
  std::vector<u64>& words() { return words_; }

  // The next owner of the place starts from zero.
  void Reuse() {
    words_.assign(words_.size(), 0);
    ncounter_slab_init(&books, words_.data());
  }

  ncounter_slab books;

 private:
  std::vector<u64> words_;
};

class Totals {
 public:
  explicit Totals(u32 nc_count = 8) { ncounter_init(&set, nc_count); }

  bool Look(Slab& slab, u32 nc, u32 index) { return ncounter_look(&set, &slab.books, nc, index); }

  // All words of a slab. Returns how many changed a total.
  unsigned LookAll(Slab& slab) {
    unsigned changed = 0;
    for (u32 nc = 0; nc < set.nc_count; nc++)
      for (u32 index = 0; index < NCOUNTER_COUNT; index++) changed += Look(slab, nc, index);
    return changed;
  }

  u64 Total(u32 nc, u32 index) const { return ncounter_total(&set, nc, index); }
  u64 Present(u32 nc, u32 index) const { return ncounter_present(&set, nc, index); }
  void ResetTotal(u32 nc, u32 index) { ncounter_reset_total(&set, nc, index); }
  void ResetPresent(u32 nc, u32 index) { ncounter_reset_present(&set, nc, index); }

  ncounter_set set;
};

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_UNIT_COUNTER_TOTALS_HPP
