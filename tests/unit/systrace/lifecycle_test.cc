// SPDX-License-Identifier: Apache-2.0
//
// What a capture records from its start to its stop, and what it does not: gate, filters, ids,
// times, threads, capacity. Each with both engines.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "captured_log.hpp"
#include "clock_ticks.hpp"
#include "emit.hpp"
#include "slot.hpp"
#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

using namespace std::chrono_literals;

std::uint64_t emit_type(std::uint32_t type, std::uint32_t nc = 0) {
  return nrt_sys_trace_new_event(NRT_SYS_TRACE_EVENT_PHASE_INSTANT, type, nullptr, 0, nc);
}

class Lifecycle : public ::testing::TestWithParam<EngineKind> {
 protected:
  void TearDown() override { Engine::get().close(); }
  NRT_STATUS begin(std::uint64_t capacity = 1024, std::uint32_t cores = 4) {
    return start({GetParam(), capacity, cores});
  }
  NRT_STATUS begin(const Config& config, std::uint32_t cores = 4) {
    host::set_visible_cores(cores);
    return Engine::get().start(config, {GetParam(), {}});
  }
};

TEST_P(Lifecycle, NothingIsRecordedWhileNoCaptureRuns) {
  EXPECT_EQ(emit_type(0), 0u);
  EXPECT_EQ(emit_type(0, 255), 0u);
  EXPECT_EQ(emit_type(0, 256), 0u);
  EXPECT_EQ(nrt_sys_trace_total_event_count(), 0u);
  EXPECT_TRUE(drain_all().empty());
  EXPECT_FALSE(Engine::get().counts(0));
  ASSERT_EQ(begin(), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_total_event_count(), 0u);
  ASSERT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
  EXPECT_EQ(emit_type(0), 0u);
  EXPECT_EQ(nrt_sys_trace_total_event_count(), 0u);
}

TEST_P(Lifecycle, TypesThatAreOffUseNoSequence) {
  Config config = default_config();
  config.max_events_per_nc = 1024;
  config.capture_enabled_for_event_type[5] = false;
  config.capture_enabled_for_event_type[45] = false;
  ASSERT_EQ(begin(config), NRT_SUCCESS);
  EXPECT_NE(emit_type(4), 0u);
  EXPECT_EQ(emit_type(5), 0u);
  EXPECT_EQ(emit_type(45), 0u);
  for (const std::uint32_t none : {46u, 47u, 63u, 64u, 128u, ~0u}) EXPECT_EQ(emit_type(none), 0u);
  EXPECT_NE(emit_type(44), 0u);
  const auto events = drain_all();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].trace_type, 4u);
  EXPECT_EQ(events[0].nc_local_id, 1u);
  EXPECT_EQ(events[1].trace_type, 44u);
  EXPECT_EQ(events[1].nc_local_id, 2u);
  EXPECT_EQ(nrt_sys_trace_total_event_count(), 2u);
}

TEST_P(Lifecycle, EveryTypeIsKeptAsItIs) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  for (std::uint32_t type = 0; type < NRT_SYS_TRACE_EVENT_TYPE_COUNT; ++type)
    EXPECT_NE(emit_type(type), 0u);
  const auto events = drain_all();
  ASSERT_EQ(events.size(), std::size_t{NRT_SYS_TRACE_EVENT_TYPE_COUNT});
  for (std::uint32_t type = 0; type < events.size(); ++type)
    EXPECT_EQ(events[type].trace_type, type);
}

TEST_P(Lifecycle, CoresThatAreOffOrNotVisibleRecordNothing) {
  Config config = default_config();
  config.max_events_per_nc = 1024;
  config.capture_enabled_for_nc[1] = false;
  ASSERT_EQ(begin(config, 3), NRT_SUCCESS);
  EXPECT_NE(emit_type(0, 0), 0u);
  EXPECT_EQ(emit_type(0, 1), 0u);
  EXPECT_NE(emit_type(0, 2), 0u);
  EXPECT_EQ(emit_type(0, 3), 0u);
  EXPECT_EQ(emit_type(0, 255), 0u);
  EXPECT_EQ(nrt_sys_trace_total_event_count(), 2u);
  EXPECT_FALSE(Engine::get().counts(1));
  EXPECT_TRUE(drain_all(1).empty());
  EXPECT_TRUE(drain_all(3).empty());
  EXPECT_EQ(drain_all(2).size(), 1u);
}

// A program that contains the engine and loads a library that does, too, shares what is exported.
TEST_P(Lifecycle, ASecondEngineInAProcessIsRefusedAloud) {
  const CapturedLog log;
  const int another = 0;
  gate.engine.store(&another);
  EXPECT_EQ(begin(), NRT_FAILURE);
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_EQ(log.lines()[0].first, static_cast<int>(log::Level::kError));
  EXPECT_NE(log.lines()[0].second.find("two copies"), std::string::npos);
  gate.engine.store(nullptr);

  ASSERT_EQ(begin(), NRT_SUCCESS);
  EXPECT_NE(emit_type(7), 0u);
  std::thread([&another] {
    EXPECT_NE(emit_type(7), 0u);
    // Its place is that of the other engine, which has no block for it.
    trace::detail::current_thread->engine = &another;
    EXPECT_EQ(emit_type(7, 1), 0u);
    trace::detail::current_thread->engine = &entrance;
    EXPECT_NE(emit_type(7, 1), 0u);
  }).join();
  EXPECT_EQ(nrt_sys_trace_total_event_count(), 3u);
}

TEST_P(Lifecycle, CoresThatCannotBeCountAsCore0) {
  const CapturedLog log;
  ASSERT_EQ(begin(), NRT_SUCCESS);
  const std::size_t before = log.lines().size();
  for (const std::uint32_t nc : {256u, 257u, std::numeric_limits<std::uint32_t>::max()})
    EXPECT_NE(emit_type(7, nc), 0u);
  EXPECT_EQ(log.lines().size(), before + 1);  // one line, however many there are
  EXPECT_EQ(log.lines().back().first, static_cast<int>(log::Level::kWarn));
  const auto events = drain_all();
  ASSERT_EQ(events.size(), 3u);
  for (const auto& event : events) {
    EXPECT_EQ(event.nc_idx, 0u);
    EXPECT_EQ(event.id >> NRT_SYS_TRACE_ID_BITS, 0u);
  }
  nrt_sys_trace_capture_intern_string("beyond", 999);
  StringShard names;
  Engine::get().combine_strings(names);
  EXPECT_TRUE(names.find(string_id("beyond")));
}

TEST_P(Lifecycle, AutomaticIdsAreUniqueOverCoresAndNameTheirCore) {
  ASSERT_EQ(begin(1024, 256), NRT_SUCCESS);
  std::set<std::uint64_t> ids;
  for (int round = 0; round < 3; ++round)
    for (std::uint32_t nc = 0; nc < 256; ++nc) {
      const std::uint64_t id = emit_type(0, nc);
      EXPECT_EQ(id >> NRT_SYS_TRACE_ID_BITS, nc);
      EXPECT_NE(id, 0u);
      EXPECT_TRUE(ids.insert(id).second);
    }
  for (std::uint32_t nc = 0; nc < 256; ++nc) {
    const auto events = drain_all(nc);
    ASSERT_EQ(events.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(events[i].id, events[i].tracking_id);
      EXPECT_EQ(events[i].nc_idx, nc);
      EXPECT_EQ(events[i].nc_local_id, i + 1);
    }
  }
}

TEST_P(Lifecycle, AnIdOfTheCallerIsKeptAndPairsAStopWithItsStart) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  const std::uint64_t mine = 0xFFFF'FFFF'FFFF'FFFF;
  EXPECT_EQ(nrt_sys_trace_new_event(0, 3, nullptr, mine, 1), mine);
  const std::uint64_t span = nrt_sys_trace_new_event(0, 3, nullptr, 0, 1);
  EXPECT_EQ(nrt_sys_trace_new_event(1, 3, nullptr, span, 1), span);
  const std::uint64_t fresh = nrt_sys_trace_new_event(1, 3, nullptr, 0, 1);
  EXPECT_NE(fresh, span);
  const auto events = drain_all(1);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].tracking_id, mine);
  EXPECT_EQ(events[0].id, event_id(1, 1));
  EXPECT_EQ(events[1].tracking_id, events[2].tracking_id);
  EXPECT_NE(events[1].id, events[2].id);
  EXPECT_EQ(events[1].phase, 0u);
  EXPECT_EQ(events[2].phase, 1u);
  EXPECT_EQ(events[3].tracking_id, fresh);
}

TEST_P(Lifecycle, PayloadPhaseAndAsynchronousSequenceAreKeptVerbatim) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  nrt_sys_trace_event_data_t data{};
  for (std::size_t i = 0; i < 5; ++i) data.words[i] = ~std::uint64_t{0} - i;
  for (const std::uint32_t phase : {0u, 1u, 2u, 3u, 0xFFFF'FFFFu})
    EXPECT_NE(nrt_sys_trace_new_event(phase, 9, &data, 0, 0), 0u);
  EXPECT_NE(nrt_sys_trace_new_event_with_seq(2, 9, nullptr, 0, 0, 0xFFFF'0000'0000'0001), 0u);
  EXPECT_NE(nrt_sys_trace_new_event_with_seq(2, 9, nullptr, 0, 0, 0), 0u);
  const auto events = drain_all();
  ASSERT_EQ(events.size(), 7u);
  const std::uint32_t phases[] = {0, 1, 2, 3, 0xFFFF'FFFF, 2, 2};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(events[i].phase, phases[i]);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(std::memcmp(&events[i].data, &data, sizeof data), 0);
    EXPECT_EQ(events[i].has_nrta_seq_id, 0u);
    EXPECT_EQ(events[i].nrta_seq_id, 0u);
  }
  const nrt_sys_trace_event_data_t nothing{};
  EXPECT_EQ(std::memcmp(&events[5].data, &nothing, sizeof nothing), 0);
  EXPECT_EQ(events[5].has_nrta_seq_id, 1u);
  EXPECT_EQ(events[5].nrta_seq_id, 0xFFFF'0000'0000'0001u);
  EXPECT_EQ(events[6].has_nrta_seq_id, 1u);
  EXPECT_EQ(events[6].nrta_seq_id, 0u);
  for (const auto& event : events)
    for (const std::uint8_t byte : event.reserved) EXPECT_EQ(byte, 0u);
}

TEST_P(Lifecycle, SequencesBeyondTheIdsBeginAgainAndLeaveTheCoreAlone) {
  const CapturedLog log;
  ASSERT_EQ(begin(1024, 4), NRT_SUCCESS);
  Engine::get().set_sequence(3, kSequenceMask - 20);
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 60; ++i) ids.push_back(emit_type(0, 3));
  int warnings = 0;
  for (const auto& [level, line] : log.lines())
    if (level == static_cast<int>(log::Level::kWarn)) ++warnings;
  EXPECT_EQ(warnings, 1);
  const auto events = drain_all(3);
  ASSERT_EQ(events.size(), 60u);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(ids[i], events[i].id);
    EXPECT_EQ(events[i].id >> NRT_SYS_TRACE_ID_BITS, 3u);
    EXPECT_EQ(events[i].tracking_id, events[i].id);
    EXPECT_NE(events[i].id & kSequenceMask, 0u);
  }
}

TEST_P(Lifecycle, OnCore0NoAutomaticIdIsEverZero) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  Engine::get().set_sequence(0, kSequenceMask - 4);
  for (int i = 0; i < 40; ++i) EXPECT_NE(emit_type(0), 0u) << i;
}

TEST_P(Lifecycle, ASecondStartDisturbsNothing) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  EXPECT_NE(emit_type(0), 0u);
  const CapturedLog log;
  EXPECT_EQ(begin(4096, 1), NRT_FAILURE);
  EXPECT_EQ(log.lines().size(), 1u);
  EXPECT_EQ(nrt_sys_trace_ring_size(), 1024u);
  EXPECT_NE(emit_type(0, 3), 0u);
  EXPECT_EQ(nrt_sys_trace_total_event_count(), 2u);
  EXPECT_EQ(drain_all(0).size(), 1u);
}

TEST_P(Lifecycle, StopWhenStoppedFailsAndCloseDoesNot) {
  const CapturedLog log;
  EXPECT_EQ(nrt_sys_trace_stop(), NRT_FAILURE);
  EXPECT_EQ(nrt_sys_trace_capture_stop(), NRT_FAILURE);
  EXPECT_EQ(log.lines().size(), 1u);
  EXPECT_EQ(nrt_sys_trace_capture_close(), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_capture_close(), NRT_SUCCESS);
  EXPECT_EQ(log.lines().size(), 1u);
  ASSERT_EQ(begin(), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_stop(), NRT_FAILURE);
  ASSERT_EQ(begin(), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_capture_close(), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_capture_close(), NRT_SUCCESS);
}

TEST_P(Lifecycle, AStartAfterAStopBeginsEmpty) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  for (int i = 0; i < 3000; ++i) emit_type(0);
  nrt_sys_trace_capture_intern_string("gone", 0);
  ASSERT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_ring_size(), 1024u);  // of the last start
  ASSERT_EQ(begin(), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_total_event_count(), 0u);
  const RingCounts counts = counts_at_rest();
  EXPECT_EQ(counts.created, 0u);
  EXPECT_EQ(counts.displaced, 0u);
  EXPECT_EQ(counts.left, 0u);
  EXPECT_TRUE(drain_all().empty());
  StringShard names;
  Engine::get().combine_strings(names);
  EXPECT_FALSE(names.find(string_id("gone")));
  ASSERT_TRUE(names.find(0));
  EXPECT_EQ(*names.find(0), "Invalid interned string");
  EXPECT_EQ(emit_type(0), event_id(1, 0));
}

TEST_P(Lifecycle, AFullRingKeepsTheNewestOfOneThread) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  for (int i = 0; i < 5000; ++i) emit_type(0);
  const RingCounts counts = counts_at_rest();
  EXPECT_EQ(counts.created, 5000u);
  EXPECT_EQ(counts.displaced, 3976u);
  const auto events = drain_all();
  ASSERT_EQ(events.size(), 1024u);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].nc_local_id, 3977 + i);
}

TEST_P(Lifecycle, CapacityHasAFloorAndACeiling) {
  ASSERT_EQ(begin(0), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_ring_size(), 1024u);
  ASSERT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
  ASSERT_EQ(begin(1023), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_ring_size(), 1024u);
  ASSERT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
  ASSERT_EQ(begin(1025), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_ring_size(), 1025u);
  for (int i = 0; i < 3000; ++i) emit_type(0);
  EXPECT_EQ(drain_all().size(), 1025u);
  ASSERT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
  for (const std::uint64_t much : {(std::uint64_t{1} << 32) + 1, ~std::uint64_t{0}}) {
    EXPECT_EQ(begin(much), NRT_INVALID);
    EXPECT_EQ(nrt_sys_trace_ring_size(), 1025u);
    EXPECT_EQ(emit_type(0), 0u);
    EXPECT_EQ(nrt_sys_trace_stop(), NRT_FAILURE);
  }
}

TEST_P(Lifecycle, WithoutCoresNothingIsRecorded) {
  ASSERT_EQ(begin(1024, 0), NRT_SUCCESS);
  EXPECT_EQ(emit_type(0), 0u);
  EXPECT_EQ(emit_type(0, 300), 0u);
  EXPECT_TRUE(drain_all().empty());
  EXPECT_EQ(begin(1024, 0), NRT_FAILURE);
  EXPECT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
}

TEST_P(Lifecycle, MoreVisibleCoresThanPossibleAreFatal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(begin(1024, 257), "257 cores");
}

TEST_P(Lifecycle, EventsCarryTheKernelsThreadId) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  emit_type(0);
  std::uint64_t other = 0;
  std::thread([&] {
    other = static_cast<std::uint64_t>(::gettid());
    emit_type(0);
  }).join();
  emit_type(0);
  const auto events = drain_all();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].thread_id, static_cast<std::uint64_t>(::gettid()));
  EXPECT_EQ(events[1].thread_id, other);
  EXPECT_EQ(events[2].thread_id, events[0].thread_id);
}

TEST_P(Lifecycle, TimesAreThoseOfTheClockAroundTheCall) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  std::vector<std::int64_t> before, after;
  for (int i = 0; i < 200; ++i) {
    before.push_back(realtime_ns());
    emit_type(0);
    after.push_back(realtime_ns());
    if (i % 50 == 49) std::this_thread::sleep_for(12ms);
  }
  const auto events = drain_all();
  ASSERT_EQ(events.size(), 200u);
  constexpr std::int64_t kMillisecond = 1'000'000;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto ns = static_cast<std::int64_t>(events[i].timestamp_ns);
    EXPECT_GE(ns, before[i] - kMillisecond) << i;
    EXPECT_LE(ns, after[i] + kMillisecond) << i;
  }
}

TEST_P(Lifecycle, InterningMakesProgressWhileThreadsEmit) {
  ASSERT_EQ(begin(), NRT_SUCCESS);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 16; ++i)
    threads.emplace_back([&, i] {
      for (std::uint64_t n = 1; !stop.load(std::memory_order_relaxed); ++n) emit_stamp({i, n});
    });
  std::atomic<bool> done{false};
  std::thread interner([&] {
    for (int i = 0; i < 20; ++i)
      nrt_sys_trace_capture_intern_string(("name " + std::to_string(i)).c_str(), 0);
    done.store(true);
  });
  // Eighteen threads share the processors: a bound for starvation, not for speed.
  for (int i = 0; i < 3000 && !done.load(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(done.load());
  stop.store(true);
  interner.join();
  for (std::thread& thread : threads) thread.join();
  StringShard names;
  Engine::get().combine_strings(names);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(names.find(string_id("name " + std::to_string(i))));
}

TEST_P(Lifecycle, EverythingAtOnceFromManyThreads) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (std::uint64_t n = 1; !stop.load(std::memory_order_relaxed); ++n)
        emit_stamp({i, n}, static_cast<std::uint32_t>(n % 6 == 5 ? 256 : n % 5));
    });
  threads.emplace_back([&] {  // short lives
    while (!stop.load(std::memory_order_relaxed)) std::thread([] { emit_stamp({9, 1}, 2); }).join();
  });
  threads.emplace_back([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      char* text = nullptr;
      std::size_t size = 0;
      ASSERT_EQ(nrt_sys_trace_fetch_events(&text, &size, nullptr), NRT_SUCCESS);
      ASSERT_EQ(std::strlen(text), size);
      nrt_sys_trace_buffer_free(text);
    }
  });
  threads.emplace_back([&] {
    std::vector<nrt_sys_trace_event_t> events(300);
    while (!stop.load(std::memory_order_relaxed)) {
      std::uint64_t count = 0;
      ASSERT_EQ(nrt_sys_trace_capture_drain_events(1, events.data(), 300, &count), NRT_SUCCESS);
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(stamp_of(events[i]));
    }
  });
  threads.emplace_back([&] {
    for (int i = 0; !stop.load(std::memory_order_relaxed); ++i) {
      nrt_sys_trace_capture_intern_string(std::to_string(i % 1000).c_str(), 1);
      nrt_sys_trace_total_event_count();
      nrt_sys_trace_ring_size();
    }
  });
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        const NRT_STATUS began = begin(1024, 4);
        ASSERT_TRUE(began == NRT_SUCCESS || began == NRT_FAILURE);
        std::this_thread::sleep_for(1ms);
        ASSERT_EQ(nrt_sys_trace_capture_close(), NRT_SUCCESS);
      }
    });
  std::this_thread::sleep_for(long_run() ? 60s : 300ms);
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Engines, Lifecycle,
                         ::testing::Values(EngineKind::kBlocks, EngineKind::kClassic),
                         [](const auto& engine) { return std::string(name_of(engine.param)); });

}  // namespace
}  // namespace ndtel::systrace::test
