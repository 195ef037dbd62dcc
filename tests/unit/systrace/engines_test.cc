// SPDX-License-Identifier: Apache-2.0
//
// The two engines tell the same story of one thread; and of several, the default one keeps as many
// of the newest events as it promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

// ---- the same history ----

// What an engine showed, without the times.
struct Story {
  std::vector<nrt_sys_trace_event_t> drained;
  std::vector<std::string> documents;
  std::vector<RingCounts> counts;
  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> totals;
};

std::string without_times(std::string_view text) {
  constexpr std::string_view kKey = "\"timestamp_ns\":";
  std::string rest;
  while (!text.empty()) {
    const std::size_t at = text.find(kKey);
    const std::size_t until = at == text.npos ? text.size() : at + kKey.size();
    rest += text.substr(0, until);
    text.remove_prefix(until);
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  }
  return rest;
}

std::string fetch(std::uint64_t limit, std::int64_t nc) {
  const nrt_sys_trace_fetch_options_t options{limit, nc};
  char* text = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(nrt_sys_trace_fetch_events(&text, &size, &options), NRT_SUCCESS);
  std::string document = without_times({text, size});
  nrt_sys_trace_buffer_free(text);
  return document;
}

Story live(EngineKind engine, unsigned seed) {
  std::mt19937_64 random(seed);
  constexpr std::uint32_t kCores = 3;
  const std::uint64_t capacity = 1024 + random() % 1500;
  const Started started({engine, capacity, kCores});
  Story story;
  for (int step = 0; step < 120; ++step) {
    const auto nc = static_cast<std::uint32_t>(random() % kCores);
    switch (random() % 6) {
      case 0: {
        auto events = drain(random() % 900, nc);
        for (auto& event : events) event.timestamp_ns = 0;
        story.drained.insert(story.drained.end(), events.begin(), events.end());
        break;
      }
      case 1:
        story.documents.push_back(
            fetch(random() % 3 == 0 ? 0 : random() % 300 + 1, random() % 3 == 0 ? -1 : nc));
        break;
      case 2:
        story.counts.push_back(counts_at_rest(nc));
        story.totals.push_back(nrt_sys_trace_total_event_count());
        break;
      default:
        for (std::uint64_t left = random() % 1200; left > 0; --left) {
          nrt_sys_trace_event_data_t data{};
          for (std::uint64_t& word : data.words) word = random();
          const auto phase = static_cast<std::uint32_t>(random() % 4);
          const auto type = static_cast<std::uint32_t>(random() % 48);
          const std::uint64_t id = random() % 2 == 0 ? 0 : random();
          story.ids.push_back(
              random() % 4 == 0
                  ? nrt_sys_trace_new_event_with_seq(phase, type, &data, id, nc, random())
                  : nrt_sys_trace_new_event(phase, type, &data, id, nc));
        }
    }
  }
  for (std::uint32_t nc = 0; nc < kCores; ++nc) story.counts.push_back(counts_at_rest(nc));
  return story;
}

TEST(Engines, TellTheSameOfOneThread) {
  for (unsigned seed = 1; seed <= (kSanitized ? 2u : 6u); ++seed) {
    SCOPED_TRACE(seed);
    const Story blocks = live(EngineKind::kBlocks, seed);
    const Story classic = live(EngineKind::kClassic, seed);
    EXPECT_EQ(blocks.ids, classic.ids);
    EXPECT_EQ(blocks.totals, classic.totals);
    EXPECT_EQ(blocks.documents, classic.documents);
    ASSERT_EQ(blocks.drained.size(), classic.drained.size());
    for (std::size_t i = 0; i < blocks.drained.size(); ++i)
      ASSERT_EQ(std::memcmp(&blocks.drained[i], &classic.drained[i], sizeof blocks.drained[i]), 0)
          << i;
    ASSERT_EQ(blocks.counts.size(), classic.counts.size());
    for (std::size_t i = 0; i < blocks.counts.size(); ++i) {
      EXPECT_EQ(blocks.counts[i].created, classic.counts[i].created);
      EXPECT_EQ(blocks.counts[i].drained, classic.counts[i].drained);
      EXPECT_EQ(blocks.counts[i].displaced, classic.counts[i].displaced);
      EXPECT_EQ(blocks.counts[i].left, classic.counts[i].left);
    }
  }
}

// ---- what is kept of several threads ----

// Gives every event its place in the order of all, just before it is emitted.
class Ranks {
 public:
  void emit(std::uint32_t thread) {
    emit_stamp({thread, next_.fetch_add(1, std::memory_order_relaxed) + 1});
  }
  std::uint64_t total() const { return next_.load(); }

 private:
  std::atomic<std::uint64_t> next_{0};
};

class Kept {
 public:
  void add(const std::vector<nrt_sys_trace_event_t>& events) {
    for (const auto& event : events) {
      const auto stamp = stamp_of(event);
      ASSERT_TRUE(stamp);
      if (stamp->number >= bits_.size()) bits_.resize(stamp->number * 2 + 1);
      ASSERT_FALSE(bits_[stamp->number]);
      bits_[stamp->number] = true;
    }
  }
  /// Whether the newest `count` of `total` events are there, but for what `threads` had a rank for
  /// and had not emitted yet while others went on.
  void expect_newest(std::uint64_t total, std::uint64_t count, std::uint32_t threads) {
    ASSERT_GT(count, threads);
    ASSERT_GT(total, count);
    bits_.resize(std::max<std::size_t>(bits_.size(), total + 1));
    std::uint64_t missing = 0, newest_missing = 0;
    for (std::uint64_t rank = total - count + threads; rank <= total; ++rank)
      if (!bits_[rank]) {
        ++missing;
        newest_missing = rank;
      }
    EXPECT_EQ(missing, 0u) << "of the newest " << count << " of " << total << "; " << newest_missing
                           << " is missing";
  }

 private:
  std::vector<bool> bits_;
};

using Crowd = std::tuple<std::uint32_t, bool>;  // threads, drained

class Retention : public ::testing::TestWithParam<Crowd> {};

TEST_P(Retention, TheNewestEventsOfThreadsOfAllSpeedsAreKept) {
  const auto [threads, drained] = GetParam();
  constexpr std::uint64_t kCapacity = 2048;
  for (int round = 0; round < 3; ++round) {
    const Started started({EngineKind::kBlocks, kCapacity});
    Ranks ranks;
    std::atomic<bool> stop{false};
    std::vector<std::thread> emitters;
    for (std::uint32_t i = 0; i < threads; ++i)
      emitters.emplace_back([&, i] {
        for (std::uint32_t n = 0; ranks.total() < 12 * kCapacity; ++n) {
          ranks.emit(i);
          // From as fast as it goes to hardly ever.
          if (i % 4 == 1 && n % 16 == 0) std::this_thread::yield();
          if (i % 4 == 2 && n % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
          if (i % 4 == 3) std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
      });
    Kept kept;
    std::thread drainer([&, drained = drained] {
      while (drained && !stop.load()) kept.add(drain(100));
    });
    for (std::thread& emitter : emitters) emitter.join();
    stop.store(true);
    drainer.join();
    kept.add(drain_all());
    counts_at_rest();
    const auto pins = static_cast<std::uint32_t>(drained ? BlockEngineRing::kPins : 0);
    kept.expect_newest(ranks.total(), BlockGeometry::of(kCapacity).retained(threads, pins),
                       threads);
  }
}

INSTANTIATE_TEST_SUITE_P(Crowds, Retention,
                         ::testing::Combine(::testing::Values(1, 2, 4, 8, 16), ::testing::Bool()),
                         [](const auto& crowd) {
                           return std::to_string(std::get<0>(crowd.param)) + "Threads" +
                                  (std::get<1>(crowd.param) ? "Drained" : "");
                         });

TEST(RetentionOfChurn, AThreadForEachEvent) {
  for (const std::uint32_t churners : {1u, 4u}) {
    SCOPED_TRACE(churners);
    const Started started({EngineKind::kBlocks, 1024});
    Ranks ranks;
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < churners; ++i)
      threads.emplace_back([&, i] {
        while (ranks.total() < 1400) std::thread([&] { ranks.emit(i); }).join();
      });
    for (std::thread& thread : threads) thread.join();
    const RingCounts counts = counts_at_rest();
    EXPECT_EQ(counts.created, ranks.total());
    Kept kept;
    kept.add(drain_all());
    kept.expect_newest(ranks.total(), BlockGeometry::of(1024).retained(churners, 0), churners);
  }
}

TEST(RetentionOfIdleThreads, GiveTheirBlocksToABusyOne) {
  const Started started({EngineKind::kBlocks, 1024});
  const BlockGeometry geometry = BlockGeometry::of(1024);
  Ranks ranks;
  std::atomic<std::uint32_t> idle{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 1; i <= 64; ++i)
    threads.emplace_back([&, i] {
      ranks.emit(i);
      idle.fetch_add(1);
      while (!stop.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  while (idle.load() < 64) std::this_thread::yield();
  for (int i = 0; i < 20'000; ++i) ranks.emit(0);
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counts_at_rest().created, 20'064u);
  Kept kept;
  kept.add(drain_all());
  // Idle threads hold at most open_target blocks and half as many half full ones.
  const std::uint64_t blocks = geometry.blocks - geometry.open_target * 3 / 2 - 2;
  kept.expect_newest(ranks.total(),
                     std::min<std::uint64_t>(geometry.capacity, blocks * geometry.block_slots), 1);
}

TEST(ManyThreads, AllMakeProgressOnASmallRing) {
  for (const EngineKind engine : {EngineKind::kBlocks, EngineKind::kClassic}) {
    SCOPED_TRACE(name_of(engine));
    const Started started({engine, 1024});
    constexpr std::uint32_t kThreads = 300;
    constexpr std::uint64_t kEvents = 120;
    std::atomic<std::uint32_t> ready{0};
    std::atomic<std::uint64_t> recorded{0};
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        emit_stamp({i, 1});
        ready.fetch_add(1);
        while (ready.load() < kThreads) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        for (std::uint64_t n = 2; n <= kEvents; ++n)
          if (emit_stamp({i, n}) != 0) recorded.fetch_add(1);
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(recorded.load(), kThreads * (kEvents - 1));
    const RingCounts counts = counts_at_rest();
    EXPECT_EQ(counts.created, kThreads * kEvents);
    EXPECT_EQ(drain_all().size(), counts.left);
  }
}

}  // namespace
}  // namespace ndtel::systrace::test
