// SPDX-License-Identifier: Apache-2.0
//
// The books, as a property: over thousands of random histories the identity holds after every step,
// every post is exactly what the oracle expects, nothing starves, and in the end nothing is left
// over.
//
// NDTEL_HISTORIES sets how many; NDTEL_SEED runs the one history of that seed again.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>

#include "oracle.hpp"

namespace ndtel::test {
namespace {

constexpr std::array kSinks = {NMETRIC_SINK_FWIO, NMETRIC_SINK_TRACE, NMETRIC_SINK_RELAY};
constexpr u64 kShort = kSecond;  // period of the schedule

class RandomHistory {
 public:
  explicit RandomHistory(u64 seed)
      : random_(seed),
        now_(Below(1000)),
        nc_count_(1 + Below(8)),
        nc_map_(Chance(2) ? ~0U : Below(256)),
        oracle_(nc_count_, nc_map_, now_),
        fault_rate_(Below(3) * 25),
        busy_texts_(Chance(2)),
        absurd_(Chance(8)) {
    const auto counter = static_cast<u32>(Below(NDS_NC_COUNTER_NAMED));
    for (auto& [nc, hot] : hot_) {
      nc = static_cast<u32>(Below(nc_count_));
      hot = absurd_ ? counter : static_cast<u32>(Below(NDS_NC_COUNTER_NAMED));
    }
    on_[NMETRIC_SINK_FWIO] = !absurd_;
    on_[NMETRIC_SINK_RELAY] = !absurd_;
    nmetric_init(&engine_, nc_count_, nc_map_, now_);
    nmetric_sched_init(&sched_, now_, kShort);
  }

  // Empty, or what went wrong.
  std::string Run() {
    const int steps = 50 + static_cast<int>(Below(150));
    for (int i = 0; i < steps && wrong_.empty(); i++) {
      Step();
      Compare();
    }
    if (wrong_.empty()) Chance(6) ? Remove() : Drain();
    return wrong_;
  }

  const Oracle::Tally& tally() const { return oracle_.tally; }
  unsigned flushes = 0, late_writes = 0, refused_while_busy = 0;

 private:
  u64 Below(u64 n) { return random_() % n; }
  bool Chance(u64 one_in) { return Below(one_in) == 0; }
  template <typename T>
  T& Pick(std::vector<T>& from) {
    return from[Below(from.size())];
  }

  void Compare() {
    if (wrong_.empty()) wrong_ = oracle_.Compare(engine_);
  }

  void Wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  // An amount as counters grow: mostly little, now and then absurd.
  u64 Amount() {
    switch (Below(12)) {
      case 0:
        return (u64{1} << 60) - Below(2);
      case 1:
        return (u64{1} << 60) + 1 + Below(1000);
      case 2:
        return random_() >> Below(64);
      default:
        return Below(100);
    }
  }

  void Step() {
    switch (Below(24)) {
      case 0:
      case 1:
        return Birth();
      case 2:
        return Death();
      case 3:
        return LateWrite();
      case 4:
        return GoDown();
      case 5:
      case 6:
        return DeviceEvent();
      case 7:
        return SetWords();
      case 8:
        return ReadLive();
      case 9:
        return SetTexts();
      case 10:
        return Switch();
      case 11:
      case 12:
      case 13:
        return EndSome();
      case 14:
      case 15:
      case 16:
      case 17:
        return Advance();
      default:
        return Count();
    }
  }

  void Birth() {
    if (live_.size() == NDS_SLABS_PER_DEVICE) return;
    // a place that was free may lie before others
    live_.insert(live_.begin() + static_cast<std::ptrdiff_t>(Below(live_.size() + 1)),
                 std::make_unique<Process>());
    Count();
  }

  void Death() {
    if (live_.empty()) return;
    auto dying = live_.begin() + static_cast<std::ptrdiff_t>(Below(live_.size()));
    nmetric_slab_gone(&engine_, &(*dying)->slab.books);
    oracle_.Death(**dying);
    if (Chance(3)) late_.push_back(std::move(*dying));  // a mapping is still there
    live_.erase(dying);
  }

  // A killed process's other thread, or a forked child, writes on for a moment.
  void LateWrite() {
    if (late_.empty()) return;
    auto last = std::move(late_.back());
    late_.pop_back();
    Grow(*last);
    nmetric_collect(&engine_, &last->slab.books);
    oracle_.Look(*last);
    late_writes++;
  }

  // Half of all counting is on a few words of the history, so that they grow tall and fall.
  u64& AnyWord(Process& process) {
    if (Chance(2)) {
      const auto& [nc, counter] = hot_[Below(hot_.size())];
      return process.slab.Nc(nc, counter);
    }
    return process.slab.Nc(static_cast<u32>(Below(16)),
                           static_cast<u32>(Below(NDS_NC_COUNTER_NAMED)));
  }

  void Grow(Process& process) {
    for (u64 i = Below(20); i-- > 0;) AnyWord(process) += Amount();
  }

  void Count() {
    if (live_.empty()) return;
    Grow(*Pick(live_));
    if (!absurd_) return;
    for (auto& process : live_)
      for (auto [nc, counter] : hot_) process->slab.Nc(nc, counter) += u64{1} << 60;
  }

  void GoDown() {
    if (live_.empty()) return;
    Process& process = *Pick(live_);
    u64* found = &AnyWord(process);
    for (int tries = 0; tries < 10 && !*found; tries++) found = &AnyWord(process);
    u64& word = *found;
    word = Chance(2) ? 0 : word / 2;
  }

  void SetWords() {
    if (live_.empty()) return;
    Process& process = *Pick(live_);
    for (u32 kind = 0; kind < NMETRIC_VERSIONS; kind++) {
      const u64 versions[] = {0,
                              Version(1, 2, 3),
                              Version(255, 255, 4294967295U, 65535),
                              Version(0, 0, 0, 3),
                              Version(2, 0, 0, 20),
                              Version(0, 0, 0, 10)};
      process.slab.Nd(kind) = versions[Below(6)];
    }
    process.slab.Nd(NDS_ND_COUNTER_FEATURE_BITMAP) |= u64{1} << Below(busy_texts_ ? 64 : 4);
    process.slab.Nd(NDS_ND_COUNTER_DYNAMIC_SYSFS_METRIC_BITMAP) = random_();
    process.slab.Nd(NDS_ND_COUNTER_DEVICE_CLUSTER_ID) =
        Chance(3) ? 0 : Below(4) * (busy_texts_ ? U64_MAX / 4 : 1);
    process.slab.Nd(NDS_ND_COUNTER_AGG_NEFF_ID) =
        Chance(3) ? 0 : Below(4) * (busy_texts_ ? U64_MAX / 4 : 1);
  }

  void ReadLive() {
    if (live_.empty()) return;
    Process& process = *Pick(live_);
    nmetric_collect(&engine_, &process.slab.books);
    oracle_.Look(process);
  }

  void DeviceEvent() {
    const bool which = Chance(2);
    switch (Below(4)) {
      case 0: {
        u64 amount = Amount();
        nmetric_add(&engine_, 23, amount);
        oracle_.Add(23, amount);
        return;
      }
      case 1: {
        u64 ms = 1 + Below(1'000'000);
        nmetric_reset_done(&engine_, which, ms);
        oracle_.ResetDone(which, ms);
        return;
      }
      case 2:
        nmetric_reset_failed(&engine_, which);
        oracle_.Add(which ? 44 : 45, 1);
        return;
      default: {
        const bool after_reset = Chance(3);
        ecc_[which] =
            Chance(4) ? static_cast<u32>(Below(10)) : ecc_[which] + static_cast<u32>(Below(5));
        nmetric_ecc_reading(&engine_, which, ecc_[which], after_reset);
        oracle_.EccReading(which, ecc_[which], after_reset);
        return;
      }
    }
  }

  void SetTexts() {
    const auto which = static_cast<nmetric_constant>(Below(NMETRIC_CONSTANTS));
    std::string text(Below(busy_texts_ ? 70 : 12), 'x');
    nmetric_set_constant(&engine_, which, text.c_str());
    oracle_.constants[which] = text.substr(0, 63);
    if (!Chance(3)) return;
    if (Chance(3)) {
      nmetric_set_userver(&engine_, nullptr);
      oracle_.userver.reset();
      return;
    }
    nmetric_userver pod = {.modes_supported = static_cast<u32>(Below(64)),
                           .mode = static_cast<u32>(Below(5))};
    nmetric_set_userver(&engine_, &pod);
    oracle_.userver = pod;
  }

  void Switch() {
    switch (Below(5)) {
      case 0:
        return nmetric_sched_pause(&sched_);
      case 1:
      case 2:
        return nmetric_sched_resume(&sched_);
      case 3:
        return nmetric_sched_set_period(&sched_, now_, kShort / 2 + Below(kShort));
      default:
        on_[Below(on_.size())] ^= true;
    }
  }

  void Advance() {
    now_ += Below(kShort * 2);
    const unsigned due = nmetric_sched_due(&sched_, now_, !Chance(8));
    if (due > 2) Wrong("more than two posts due");
    flushes += due == 2;
    for (unsigned i = 0; i < due; i++) {
      const u8 tick = nmetric_sched_take_tick(&sched_);
      for (nmetric_sink sink : kSinks)
        if (on_[sink]) Begin(sink, tick);
    }
  }

  void Begin(nmetric_sink sink, u8 tick) {
    std::vector<nmetric_slab*> slabs;
    std::vector<Process*> processes;
    for (auto& process : live_) {
      slabs.push_back(&process->slab.books);
      processes.push_back(process.get());
    }
    refused_while_busy += oracle_.Busy(sink);
    nmetric_post post;
    nmetric_begin(&engine_, sink, tick, now_, slabs.data(), static_cast<unsigned>(slabs.size()),
                  &post);
    if (post.used > NMETRIC_POST_MAX)
      return Wrong("a post of " + std::to_string(post.used) + " bytes");
    Records have = Decode(post);
    Records want = oracle_.Begin(sink, tick, now_, processes);
    if (have != want) return Wrong("posted\n  " + Show(have) + "\nnot\n  " + Show(want));
    if (!want.empty()) flying_[sink] = want;
    Compare();
    if (!Chance(3)) End(sink);
  }

  static std::string Show(const Records& records) {
    std::string text;
    for (const auto& [id, value] : records) text += std::to_string(id) + ":" + value + " ";
    return text;
  }

  void EndSome() {
    for (nmetric_sink sink : kSinks)
      if (Chance(2)) End(sink);
  }

  nmetric_result Result() {
    if (Below(100) >= fault_rate_) return NMETRIC_ACCEPTED;
    return Chance(2) ? NMETRIC_REFUSED : NMETRIC_UNKNOWN;
  }

  void End(nmetric_sink sink) {
    if (!oracle_.Busy(sink)) {
      nmetric_note_unknown(&engine_, sink);
      nmetric_end(&engine_, sink, Result());
      return;
    }
    const nmetric_result result = Result();
    while (fault_rate_ && Chance(4)) {  // doorbells that were repeated
      nmetric_note_unknown(&engine_, sink);
      oracle_.NoteUnknown(sink);
      Book(delivery_[sink].unknown, flying_[sink]);
    }
    nmetric_end(&engine_, sink, result);
    oracle_.End(sink, result);
    if (result == NMETRIC_ACCEPTED) Book(delivery_[sink].accepted, flying_[sink]);
    if (result == NMETRIC_UNKNOWN) Book(delivery_[sink].unknown, flying_[sink]);
    Compare();
    CompareDelivered(sink);
  }

  // What the receiver read in the texts, by row; percentages, times and names are not amounts.
  using Amounts = std::array<u64, NMETRIC_ROWS>;

  static void Book(Amounts& amounts, const Records& records) {
    for (const auto& [id, text] : records) {
      const int row = nmetric_row_of_cw(static_cast<u8>(id));
      if (IsAmount(row)) amounts[static_cast<unsigned>(row)] += std::stoull(text);
    }
  }

  static bool IsAmount(int row) {
    const nmetric_def& def = nmetric_defs[row];
    return def.type == NMETRIC_COUNTER || def.type == NMETRIC_FW_IO_ERR ||
           def.type == NMETRIC_ECC || (def.type == NMETRIC_DRIVER_RESET && def.index >= 4);
  }

  void CompareDelivered(nmetric_sink sink) {
    for (int row = 0; row < NMETRIC_ROWS; row++) {
      if (!IsAmount(row)) continue;
      if (engine_.sink[sink].confirmed[row] != delivery_[sink].accepted[static_cast<unsigned>(row)])
        Wrong("row " + std::to_string(row) + ": confirmed is not what the receiver read");
      if (engine_.sink[sink].unknown[row] != delivery_[sink].unknown[static_cast<unsigned>(row)])
        Wrong("row " + std::to_string(row) + ": unknown is not what may have been read");
    }
  }

  void Remove() {
    while (!live_.empty()) Death();
    nmetric_discard_pending(&engine_, NMETRIC_DISCARD_REMOVED);
    oracle_.Discard();
    Compare();
    if (!oracle_.Settled()) Wrong("something is pending after the removal");
    for (nmetric_sink sink : kSinks) End(sink);
    Compare();
  }

  // Everybody exits and every post is accepted: after a few rounds nothing is owed to anybody.
  void Drain() {
    fault_rate_ = 0;
    for (nmetric_sink sink : kSinks) End(sink);
    while (!late_.empty()) LateWrite();
    while (!live_.empty()) Death();
    for (int round = 0; round < 12 && wrong_.empty() && !oracle_.Settled(); round++) {
      now_ += kShort;
      for (u8 tick : {NMETRIC_TICK_0, NMETRIC_TICK_1}) {
        for (nmetric_sink sink : kSinks) {
          Begin(sink, tick);
          End(sink);
        }
      }
    }
    const bool no_cores = !(nc_map_ & ((1U << nc_count_) - 1));
    if (!oracle_.Settled() && !no_cores) Wrong("something is still owed");
  }

  std::mt19937_64 random_;
  u64 now_;
  u32 nc_count_;
  u32 nc_map_;
  Oracle oracle_;
  u64 fault_rate_;   // per cent of posts not accepted
  bool busy_texts_;  // long texts, so that posts overflow
  bool absurd_;      // huge amounts, so that pending overflows
  std::array<std::pair<u32, u32>, 5> hot_;
  nmetric engine_;
  nmetric_sched sched_;
  std::vector<std::unique_ptr<Process>> live_, late_;
  std::array<bool, NMETRIC_SINK_COUNT> on_ = {true, true, true};
  std::array<u32, 2> ecc_{};
  std::array<Records, NMETRIC_SINK_COUNT> flying_;
  struct Delivery {
    Amounts accepted{}, unknown{};
  };
  std::array<Delivery, NMETRIC_SINK_COUNT> delivery_;
  std::string wrong_;
};

u64 FromEnvironment(const char* name, u64 otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

// A sanitizer makes each history ten times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr u64 kHistories = 1500;
#else
constexpr u64 kHistories = 6000;
#endif

TEST(Books, RandomHistoriesBalanceAfterEveryStep) {
  const u64 histories =
      std::getenv("NDTEL_SEED") ? 1 : FromEnvironment("NDTEL_HISTORIES", kHistories);
  const u64 first = FromEnvironment("NDTEL_SEED", 1);
  Oracle::Tally sum{};
  u64 flushes = 0, late_writes = 0, refused_while_busy = 0;
  for (u64 seed = first; seed < first + histories; seed++) {
    RandomHistory history(seed);
    const std::string wrong = history.Run();
    ASSERT_EQ(wrong, "") << "run it again with NDTEL_SEED=" << seed;
    ASSERT_FALSE(HasFailure()) << "run it again with NDTEL_SEED=" << seed;
    const Oracle::Tally& tally = history.tally();
    sum.posts += tally.posts;
    sum.deferred += tally.deferred;
    sum.partial_versions += tally.partial_versions;
    sum.implausible += tally.implausible;
    sum.overflow += tally.overflow;
    sum.down += tally.down;
    sum.conflicts += tally.conflicts;
    sum.longest_wait = std::max(sum.longest_wait, tally.longest_wait);
    flushes += history.flushes;
    late_writes += history.late_writes;
    refused_while_busy += history.refused_while_busy;
  }
  EXPECT_LE(sum.longest_wait, 6u) << "accepted posts of its tick that passed over one row";
  RecordProperty("histories", std::to_string(histories));
  RecordProperty("posts", std::to_string(sum.posts));
  std::printf("%llu histories, %llu posts, %llu rows deferred, longest wait %llu posts\n",
              static_cast<unsigned long long>(histories),
              static_cast<unsigned long long>(sum.posts),
              static_cast<unsigned long long>(sum.deferred),
              static_cast<unsigned long long>(sum.longest_wait));
  if (histories < 1000) return;
  // A property that its histories do not reach proves nothing.
  EXPECT_GT(sum.posts, 10 * histories);
  EXPECT_GT(sum.deferred, histories);
  EXPECT_GT(sum.partial_versions, 20u);
  EXPECT_GT(sum.implausible, histories);
  EXPECT_GT(sum.overflow, 100u);
  EXPECT_GT(sum.down, histories / 4);
  EXPECT_GT(sum.conflicts, 100u);
  EXPECT_GT(flushes, 100u);
  EXPECT_GT(late_writes, 100u);
  EXPECT_GT(refused_while_busy, 100u);
}

}  // namespace
}  // namespace ndtel::test
