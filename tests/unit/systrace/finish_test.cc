// SPDX-License-Identifier: Apache-2.0
//
// A capture that ended recording and is still there: what it holds is exactly what was recorded.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "ndtel/trace_harvest.hpp"
#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

class Finish : public ::testing::TestWithParam<EngineKind> {
 protected:
  static Engine& engine() { return Engine::get(); }
  ~Finish() override { engine().close(); }
};

// Every number of each thread, as the memory of the finished capture has them.
std::map<std::uint32_t, std::vector<std::uint64_t>> numbers(const trace::Harvester& harvester,
                                                            std::size_t core = 0) {
  std::map<std::uint32_t, std::vector<std::uint64_t>> by_thread;
  harvester.events(harvester.summary().cores.at(core), [&](const nrt_sys_trace_event_t& event) {
    const auto stamp = stamp_of(event);
    EXPECT_TRUE(stamp);
    if (stamp) by_thread[stamp->thread].push_back(stamp->number);
    return true;
  });
  return by_thread;
}

TEST_P(Finish, WhatWasRecordedStaysUntilItIsClosed) {
  ASSERT_EQ(start({GetParam(), 1024, 2}), NRT_SUCCESS);
  EXPECT_TRUE(engine().finished().empty());
  for (std::uint64_t n = 1; n <= 100; ++n) emit_stamp({1, n});
  EXPECT_EQ(drain(10).size(), 10u);
  EXPECT_EQ(engine().finish(), NRT_SUCCESS);
  EXPECT_EQ(engine().finish(), NRT_SUCCESS);

  EXPECT_EQ(emit_stamp({1, 101}), 0u);
  EXPECT_TRUE(drain(10).empty());
  const auto counts = engine().counts(0);
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->left, 90u);

  for (int again = 0; again < 2; ++again) {
    const auto harvester = trace::Harvester::over(engine().finished());
    ASSERT_TRUE(harvester) << harvester.error().message;
    EXPECT_EQ(harvester->summary().cores.at(0).left, 90u);
    EXPECT_EQ(harvester->summary().cores.at(0).in_flight, 0u);
    const auto all = numbers(*harvester);
    ASSERT_EQ(all.size(), 1u);
    ASSERT_EQ(all.at(1).size(), 90u);
    EXPECT_EQ(all.at(1).front(), 11u);
    EXPECT_EQ(all.at(1).back(), 100u);
  }

  EXPECT_EQ(start({GetParam(), 1024, 2}), NRT_FAILURE);
  // Who did not finish it does not take it away.
  EXPECT_EQ(nrt_sys_trace_stop(), NRT_FAILURE);
  EXPECT_EQ(nrt_sys_trace_capture_close(), NRT_SUCCESS);
  EXPECT_FALSE(engine().finished().empty());
  EXPECT_EQ(engine().close_written(), NRT_SUCCESS);
  EXPECT_TRUE(engine().finished().empty());
  EXPECT_EQ(engine().finish(), NRT_FAILURE);
  EXPECT_EQ(start({GetParam(), 1024, 2}), NRT_SUCCESS);
  EXPECT_NE(emit_stamp({1, 1}), 0u);
}

TEST_P(Finish, WhoeverHasTheMemoryIsToldThatItIsWritten) {
  const std::string path = "@ndtel-finish-test-" + std::to_string(::getpid());
  auto socket = trace::HandoverSocket::listen(path);
  ASSERT_TRUE(socket);
  for (const bool written : {false, true}) {
    ASSERT_EQ(start({GetParam(), 1024, 1, path}), NRT_SUCCESS);
    emit_stamp({1, 1});
    ASSERT_EQ(engine().finish(), NRT_SUCCESS);
    const auto received = socket->receive();
    ASSERT_TRUE(received && received->has_value());
    const int memfd = (*received)->memfd;
    const auto unfinished = trace::Harvester::open(memfd);
    ASSERT_TRUE(unfinished);
    EXPECT_FALSE(unfinished->summary().written);
    EXPECT_FALSE(unfinished->summary().stopped);

    EXPECT_EQ(written ? engine().close_written() : engine().close(), NRT_SUCCESS);
    const auto harvester = trace::Harvester::open(memfd);
    ::close(memfd);
    ASSERT_TRUE(harvester);
    EXPECT_TRUE(harvester->summary().stopped);
    EXPECT_EQ(harvester->summary().written, written);
    EXPECT_EQ(harvester->summary().cores.at(0).left, 1u);
  }
}

// Threads emit, end and begin while recording ends; nothing that was accepted is missing, and
// memory is at rest under the reader.
TEST_P(Finish, NothingIsLostBetweenTheLastEventAndTheEnd) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint64_t kCapacity = 1 << 16;
  for (int round = 0; round < (kSanitized ? 5 : 20); ++round) {
    ASSERT_EQ(start({GetParam(), kCapacity, 1}), NRT_SUCCESS);
    std::atomic<bool> over{false};
    std::atomic<std::uint64_t> all{0};
    std::vector<std::uint64_t> accepted(kThreads + 1);
    std::vector<std::thread> threads;
    for (std::uint32_t thread = 1; thread <= kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        std::uint64_t n = 0;
        // Few enough that nothing is displaced.
        while (n < kCapacity / kThreads / 2 && emit_stamp({thread, n + 1}) != 0) {
          ++n;
          all.fetch_add(1, std::memory_order_relaxed);
        }
        accepted[thread] = n;
        while (!over.load() && thread % 2 == 0) std::this_thread::yield();
      });
    }
    while (all.load(std::memory_order_relaxed) < 1000) std::this_thread::yield();
    ASSERT_EQ(engine().finish(), NRT_SUCCESS);
    const auto harvester = trace::Harvester::over(engine().finished());
    ASSERT_TRUE(harvester) << harvester.error().message;
    const auto found = numbers(*harvester);
    over.store(true);
    for (auto& thread : threads) thread.join();
    for (std::uint32_t thread = 1; thread <= kThreads; ++thread) {
      const auto at = found.find(thread);
      const std::uint64_t seen = at == found.end() ? 0 : at->second.size();
      EXPECT_EQ(seen, accepted[thread]) << thread;
      for (std::uint64_t n = 0; n < seen; ++n) ASSERT_EQ(at->second[n], n + 1);
    }
    EXPECT_EQ(harvester->summary().cores.at(0).displaced, 0u);
    EXPECT_EQ(engine().close_written(), NRT_SUCCESS);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Finish,
                         ::testing::Values(EngineKind::kBlocks, EngineKind::kClassic),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace ndtel::systrace::test
