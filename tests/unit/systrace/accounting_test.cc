// SPDX-License-Identifier: Apache-2.0
//
// Every event is accounted for, whatever threads do: it is drained once, or counted as displaced,
// and no record is put together from two.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMostThreads = 1 << 20;  // numbers given to threads, dead ones included
constexpr std::uint32_t kCores = 2;

// What one reader took: which events of each thread, and whether they rose. One thread's.
class Taken {
 public:
  void add(const nrt_sys_trace_event_t& event) {
    const auto stamp = stamp_of(event);
    if (!stamp || stamp->thread >= kMostThreads || stamp->number == 0) {
      ++torn;
      return;
    }
    if (stamp->thread >= threads_.size()) threads_.resize(stamp->thread + 1);
    Thread& thread = threads_[stamp->thread];
    if (stamp->number < thread.last[event.nc_idx] ||
        event.nc_local_id <= thread.sequence[event.nc_idx])
      ++fallen;
    thread.last[event.nc_idx] = stamp->number;
    thread.sequence[event.nc_idx] = event.nc_local_id;
    if (mark(thread.numbers, stamp->number)) ++doubled;
    if (mark(sequences_[event.nc_idx], event.nc_local_id)) ++doubled;
    ++total[event.nc_idx];
  }

  /// Counts events that another reader took, too.
  void merge(const Taken& other) {
    torn += other.torn;
    fallen += other.fallen;
    doubled += other.doubled;
    for (std::uint32_t nc = 0; nc < kCores; ++nc) {
      total[nc] += other.total[nc];
      join(sequences_[nc], other.sequences_[nc]);
    }
    if (threads_.size() < other.threads_.size()) threads_.resize(other.threads_.size());
    for (std::size_t i = 0; i < other.threads_.size(); ++i)
      join(threads_[i].numbers, other.threads_[i].numbers);
  }

  /// Events of a thread with numbers in (0, last].
  std::uint64_t of_thread(std::uint32_t thread) const {
    if (thread >= threads_.size()) return 0;
    const auto& numbers = threads_[thread].numbers;
    return static_cast<std::uint64_t>(std::count(numbers.begin(), numbers.end(), true));
  }

  std::uint64_t torn = 0;
  std::uint64_t fallen = 0;
  std::uint64_t doubled = 0;
  std::uint64_t total[kCores] = {};

 private:
  struct Thread {
    std::vector<bool> numbers;
    std::uint64_t last[kCores] = {};
    std::uint64_t sequence[kCores] = {};
  };

  static bool mark(std::vector<bool>& bits, std::uint64_t at) {
    if (at >= bits.size()) bits.resize(std::max<std::size_t>(at + 1, bits.size() * 2));
    const bool before = bits[at];
    bits[at] = true;
    return before;
  }
  void join(std::vector<bool>& to, const std::vector<bool>& from) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] && mark(to, i)) ++doubled;
  }

  std::vector<Thread> threads_;
  std::vector<bool> sequences_[kCores];
};

// Threads that emit until they are told to stop.
class Emitters {
 public:
  /// With `mortal`, each thread ends after a random number of events and a new one takes its place.
  Emitters(std::uint32_t threads, std::uint32_t cores, bool mortal) : cores_(cores) {
    for (std::uint32_t i = 0; i < threads; ++i)
      threads_.emplace_back([this, i, mortal] { mortal ? generations(i) : one_life(0, i); });
  }

  /// Ends them. Returns how many events were recorded for each core.
  std::vector<std::uint64_t> stop() {
    stop_.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    std::vector<std::uint64_t> recorded;
    for (auto& count : recorded_) recorded.push_back(count.load());
    return recorded;
  }
  ~Emitters() { stop(); }

 private:
  void generations(std::uint32_t seed) {
    std::mt19937 random(seed);
    while (!stop_.load(std::memory_order_relaxed)) {
      const std::uint64_t life = random() % 3 == 0 ? random() % 5 + 1 : random() % 3000 + 1;
      std::thread([this, life] { one_life(life, born_.fetch_add(1)); }).join();
    }
  }
  // Emits `life` events, or for ever.
  void one_life(std::uint64_t life, std::uint32_t me) {
    std::uint64_t recorded[kCores] = {};
    for (std::uint64_t number = 1; !stop_.load(std::memory_order_relaxed); ++number) {
      const std::uint32_t nc = static_cast<std::uint32_t>((number >> 5) % cores_);
      if (emit_stamp({me, number}, nc) != 0) ++recorded[nc];
      if (number == life) break;
    }
    for (std::uint32_t nc = 0; nc < kCores; ++nc) recorded_[nc].fetch_add(recorded[nc]);
  }

  const std::uint32_t cores_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint32_t> born_{64};
  std::atomic<std::uint64_t> recorded_[kCores] = {};
  std::vector<std::thread> threads_;
};

// Threads that drain until they are told to stop, each with its own idea of how much.
class Drainers {
 public:
  Drainers(std::uint32_t threads, std::uint32_t cores) {
    for (std::uint32_t i = 0; i < threads; ++i) {
      taken_.push_back(std::make_unique<Taken>());
      threads_.emplace_back([this, i, cores, &taken = *taken_.back()] {
        std::vector<nrt_sys_trace_event_t> events(i == 0 ? 700 : 5000);
        for (std::uint32_t nc = 0; !stop_.load(std::memory_order_relaxed); nc = (nc + 1) % cores) {
          std::uint64_t count = 0;
          ASSERT_EQ(nrt_sys_trace_capture_drain_events(nc, events.data(), events.size(), &count),
                    NRT_SUCCESS);
          for (std::uint64_t e = 0; e < count; ++e) taken.add(events[e]);
          if (count == 0) std::this_thread::yield();
        }
      });
    }
  }
  void stop_into(Taken& all) {
    stop_.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    for (const auto& taken : taken_) all.merge(*taken);
    taken_.clear();
  }
  ~Drainers() {
    Taken nobodys;
    stop_into(nobodys);
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::unique_ptr<Taken>> taken_;
  std::vector<std::thread> threads_;
};

using Cell = std::tuple<EngineKind, std::uint32_t, bool>;  // engine, threads, drains

class Torture : public ::testing::TestWithParam<Cell> {
 protected:
  EngineKind engine() const { return std::get<0>(GetParam()); }
  std::uint32_t threads() const { return std::get<1>(GetParam()); }
  std::uint32_t drainers() const { return !std::get<2>(GetParam()) ? 0 : threads() >= 4 ? 2 : 1; }

  /// How long each way of each capacity takes.
  static std::chrono::milliseconds share() {
    return std::chrono::milliseconds(long_run() ? 10'000 : 12);
  }

  void steady(std::uint64_t capacity, bool mortal) {
    SCOPED_TRACE(::testing::Message() << "capacity " << capacity << (mortal ? ", mortal" : ""));
    const std::uint32_t cores = mortal ? kCores : 1;
    const Started started({engine(), capacity, cores});
    Emitters emitters(threads(), cores, mortal);
    Drainers drainers(this->drainers(), cores);
    std::this_thread::sleep_for(share());
    const auto recorded = emitters.stop();
    Taken all;
    drainers.stop_into(all);
    for (std::uint32_t nc = 0; nc < cores; ++nc) {
      const RingCounts rest = counts_at_rest(nc);
      EXPECT_EQ(rest.created, recorded[nc]);
      EXPECT_EQ(rest.drained, all.total[nc]);
      EXPECT_LE(rest.left, capacity);
      Taken last;
      for (const auto& event : drain_all(nc)) last.add(event);
      EXPECT_EQ(last.total[nc], rest.left);
      all.merge(last);
      const RingCounts end = counts_at_rest(nc);
      EXPECT_EQ(end.left, 0u);
      EXPECT_EQ(end.displaced, rest.displaced);
      // With all that were drained known by name, the others must be the displaced ones.
      EXPECT_EQ(all.total[nc] + end.displaced, recorded[nc]);
    }
    EXPECT_EQ(all.torn, 0u);
    EXPECT_EQ(all.doubled, 0u);
    EXPECT_EQ(all.fallen, 0u);
  }

  // An event whose emission began under an earlier capture may go to this one. The next event of
  // its thread began when this one ran, and knows so.
  void expect_emitted_to(std::uint64_t cycle, const std::vector<nrt_sys_trace_event_t>& events) {
    std::vector<bool> known(threads());
    for (const auto& event : events) {
      const auto stamp = stamp_of(event);
      ASSERT_TRUE(stamp && stamp->thread < known.size());
      if (known[stamp->thread]) {
        ASSERT_EQ(stamp->number, cycle);
      } else {
        ASSERT_LE(stamp->number, cycle);
      }
      known[stamp->thread] = true;
    }
  }

  // Captures begin and end while threads emit: what a capture gives was emitted to it.
  void cycling(std::uint64_t capacity) {
    SCOPED_TRACE(::testing::Message() << "capacity " << capacity << ", cycling");
    const auto end = Clock::now() + share();
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> started{0};
    std::atomic<std::uint64_t> stopped{0};
    std::vector<std::thread> emitters;
    for (std::uint32_t i = 0; i < threads(); ++i)
      emitters.emplace_back([&, i] {
        while (!stop.load(std::memory_order_relaxed)) {
          // The number is the first capture that this event can go to.
          const std::uint64_t before = stopped.load();
          const std::uint64_t id = emit_stamp({i, before + 1});
          const std::uint64_t after = started.load();
          if (id != 0) {
            ASSERT_GT(after, before);
          }
        }
      });
    for (std::uint64_t cycle = 1; Clock::now() < end || cycle <= 3; ++cycle) {
      started.store(cycle);
      ASSERT_EQ(start({engine(), capacity}), NRT_SUCCESS);
      std::this_thread::sleep_for(std::chrono::microseconds(cycle % 5 * 300));
      if (drainers() != 0) expect_emitted_to(cycle, drain(std::min<std::uint64_t>(capacity, 8192)));
      ASSERT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
      stopped.store(cycle);
    }
    // The last capture is looked at when everybody has ended: nothing of the ones before is in it.
    const std::uint64_t last = stopped.load() + 1;
    started.store(last);
    ASSERT_EQ(start({engine(), capacity}), NRT_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop.store(true);
    for (std::thread& thread : emitters) thread.join();
    const RingCounts rest = counts_at_rest();
    const auto left = drain_all();
    EXPECT_EQ(left.size(), rest.left);
    expect_emitted_to(last, left);
    EXPECT_EQ(Engine::get().close(), NRT_SUCCESS);
  }
};

TEST_P(Torture, EveryEventIsDrainedOnceOrCountedAsDisplaced) {
  for (const std::uint64_t capacity : {1024, 4096, 65536, 1 << 20}) {
    steady(capacity, false);
    steady(capacity, true);
    cycling(capacity);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Matrix, Torture,
                         ::testing::Combine(::testing::Values(EngineKind::kBlocks,
                                                              EngineKind::kClassic),
                                            ::testing::Values(1, 2, 4, 8), ::testing::Bool()),
                         [](const auto& cell) {
                           return std::string(name_of(std::get<0>(cell.param))) +
                                  std::to_string(std::get<1>(cell.param)) +
                                  (std::get<2>(cell.param) ? "Drained" : "Undrained");
                         });

}  // namespace
}  // namespace ndtel::systrace::test
