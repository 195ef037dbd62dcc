// SPDX-License-Identifier: Apache-2.0
//
// Random lives of processes, looks and writes, against books kept per event.

#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include "totals.hpp"

namespace ndtel::test {
namespace {

// One process and, for each word, the growth that no look has seen yet.
struct Process {
  Slab slab;
  std::array<std::array<u64, NCOUNTER_COUNT>, ND_MAX_NC_PER_DEVICE> unseen{};
  std::array<std::array<bool, NCOUNTER_COUNT>, ND_MAX_NC_PER_DEVICE> odd{};
};

struct Cell {
  u64 total = 0;
  u64 present = 0;
};

class History {
 public:
  explicit History(u64 seed) : random_(seed), nc_count_(1 + Below(8)), totals_(nc_count_) {}

  void Step() {
    switch (Below(10)) {
      case 0:
        if (live_.size() < NDS_SLABS_PER_DEVICE) live_.push_back(std::make_unique<Process>());
        break;
      case 1:
        if (!live_.empty()) Death(Below(live_.size()));
        break;
      case 2: {
        auto [nc, index] = Pick();
        for (auto& each : live_) Look(*each, nc, index);  // as the file does when it is written
        totals_.ResetTotal(nc, index);
        cells_[nc][index].total = 0;
        break;
      }
      case 3: {
        auto [nc, index] = Pick();
        totals_.ResetPresent(nc, index);
        cells_[nc][index].present = 0;
        break;
      }
      case 4:
      case 5: {
        auto [nc, index] = Pick();
        for (auto& each : live_) Look(*each, nc, index);
        break;
      }
      default:
        if (!live_.empty()) Count(*live_[Below(live_.size())]);
    }
  }

  void Check() const {
    for (u32 nc = 0; nc < nc_count_; nc++) {
      for (u32 index = 0; index < NCOUNTER_COUNT; index++) {
        ASSERT_EQ(totals_.Total(nc, index), cells_[nc][index].total);
        ASSERT_EQ(totals_.Present(nc, index), cells_[nc][index].present);
      }
    }
    ASSERT_EQ(totals_.set.odd, odd_);
  }

  u64 odd() const { return odd_; }
  unsigned deaths() const { return deaths_; }

 private:
  u64 Below(u64 n) { return random_() % n; }
  // Few cells, so that events meet.
  std::pair<u32, u32> Pick() {
    static constexpr u32 kIndexes[] = {NCOUNTER_SUCCESS, NCOUNTER_HW_NC_UE_ERROR,
                                       NCOUNTER_FLOP_COUNT};
    return {static_cast<u32>(Below(nc_count_)), kIndexes[Below(3)]};
  }

  void Count(Process& process) {
    auto [nc, index] = Pick();
    u64& word = process.slab.Word(nc, index);
    u64& unseen = process.unseen[nc][index];
    bool& odd = process.odd[nc][index];
    if (odd) return;  // what a look makes of a mixture depends on when it looks
    if (unseen == 0 && Below(20) == 0) {
      u64 before = word;
      word = Below(2) ? word / 2 : word + NMETRIC_DELTA_MAX + 1 + Below(1000);
      odd = word != before;
      return;
    }
    u64 n = 1 + Below(1000);
    word += n;
    unseen += n;
  }

  void Look(Process& process, u32 nc, u32 index) {
    u64 grown = process.unseen[nc][index] * ncounter_defs[index].times;
    bool odd = process.odd[nc][index];
    ASSERT_EQ(totals_.Look(process.slab, nc, index), grown != 0);
    cells_[nc][index].total += grown;
    if (grown) cells_[nc][index].present = grown;
    odd_ += odd;
    process.unseen[nc][index] = 0;
    process.odd[nc][index] = false;
  }

  void Death(std::size_t which) {
    for (u32 nc = 0; nc < nc_count_; nc++)
      for (u32 index = 0; index < NCOUNTER_COUNT; index++) Look(*live_[which], nc, index);
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(which));
    deaths_++;
  }

  std::mt19937_64 random_;
  u32 nc_count_;
  Totals totals_;
  std::vector<std::unique_ptr<Process>> live_;
  std::array<std::array<Cell, NCOUNTER_COUNT>, ND_MAX_NC_PER_DEVICE> cells_{};
  u64 odd_ = 0;
  unsigned deaths_ = 0;
};

TEST(Counter, Sysfs1RandomHistoriesAddUpAfterEveryStep) {
  u64 odd = 0;
  unsigned deaths = 0;
  for (u64 seed = 1; seed <= 60; seed++) {
    History history(seed);
    for (unsigned step = 0; step < 1500; step++) {
      history.Step();
      history.Check();
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << " step " << step;
    }
    odd += history.odd();
    deaths += history.deaths();
  }
  EXPECT_GT(odd, 100u) << "the interesting things must have happened";
  EXPECT_GT(deaths, 1000u);
}

}  // namespace
}  // namespace ndtel::test
