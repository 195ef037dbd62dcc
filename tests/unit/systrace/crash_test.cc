// SPDX-License-Identifier: Apache-2.0
//
// Processes that trace into shared memory are killed at random moments; what the harvester says of
// them is compared with what they had noted themselves, outside of the trace.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "handover.hpp"
#include "ndtel/trace_harvest.hpp"
#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

constexpr std::uint32_t kMostThreads = 4;
constexpr std::uint64_t kMargin = 2'000'000;  // ns that a time may be off: nobody preempted for it

// What a traced process notes in memory of its own, which outlives it.
struct alignas(64) ThreadTruth {
  std::atomic<std::uint64_t> before;  // events it was about to emit
  std::atomic<std::uint64_t> after;   // events whose call had returned
  std::atomic<std::uint64_t> tid;
};
struct Truth {
  ThreadTruth threads[kMostThreads];
  std::atomic<std::uint64_t> drained;  // events that a read-out had returned
  std::atomic<std::uint64_t> asked;    // events that a read-out could have returned, at most
  std::atomic<std::uint64_t> unfit;    // drained events that were wrong
  std::atomic<std::int64_t> started_ns;
  std::atomic<bool> ready;
};

// Memory that parent and child share.
class SharedTruth {
 public:
  SharedTruth()
      : memory_(::mmap(nullptr, sizeof(Truth), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                       -1, 0)) {
    new (memory_) Truth{};
  }
  ~SharedTruth() { ::munmap(memory_, sizeof(Truth)); }
  Truth* operator->() const { return static_cast<Truth*>(memory_); }
  Truth& operator*() const { return *operator->(); }

 private:
  void* const memory_;
};

struct Plan {
  EngineKind engine;
  std::uint32_t threads;
  std::uint64_t capacity;
  bool drains;
  bool mortal;  // threads end and begin again
};

constexpr const char* kNames[] = {"model of the crash test", "h\xC3\xA9llo"};

void emit_for_ever(Truth& truth, std::uint32_t me, std::uint64_t life) {
  ThreadTruth& mine = truth.threads[me];
  mine.tid.store(static_cast<std::uint64_t>(::gettid()), std::memory_order_relaxed);
  const std::uint64_t first = mine.after.load(std::memory_order_relaxed) + 1;
  for (std::uint64_t number = first; number < first + life; ++number) {
    mine.before.store(number, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (emit_stamp({me, number}) == 0) truth.unfit.fetch_add(1);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    mine.after.store(number, std::memory_order_relaxed);
  }
}

[[noreturn]] void traced_process(const Plan& plan, const std::string& socket, Truth& truth) {
  truth.started_ns.store(realtime_ns());
  if (start({plan.engine, plan.capacity, 1, socket}) != NRT_SUCCESS) ::_exit(3);
  for (const char* name : kNames) nrt_sys_trace_capture_intern_string(name, 0);
  truth.ready.store(true);
  for (std::uint32_t i = 0; i < plan.threads; ++i)
    std::thread([&plan, &truth, i] {
      for (;;) {
        if (plan.mortal) {
          std::thread([&] { emit_for_ever(truth, i, 150); }).join();
        } else {
          emit_for_ever(truth, i, ~std::uint64_t{0} >> 1);
        }
      }
    }).detach();
  std::vector<nrt_sys_trace_event_t> events(500);
  for (;;) {
    if (!plan.drains) {
      ::pause();
      continue;
    }
    truth.asked.fetch_add(events.size());
    std::uint64_t count = 0;
    nrt_sys_trace_capture_drain_events(0, events.data(), events.size(), &count);
    for (std::uint64_t i = 0; i < count; ++i)
      if (!stamp_of(events[i])) truth.unfit.fetch_add(1);
    truth.drained.fetch_add(count);
    truth.asked.fetch_sub(events.size() - count);
  }
}

// Waits for what the child sends.
int receive(HandoverSocket& socket) {
  for (int i = 0; i < 100; ++i) {
    pollfd ready{socket.fd(), POLLIN, 0};
    ::poll(&ready, 1, 100);
    auto received = socket.receive();
    if (!received) {
      ADD_FAILURE() << received.error().message;
      return -1;
    }
    if (received->has_value()) return (*received)->memfd;
  }
  return -1;
}

class Crash : public ::testing::TestWithParam<EngineKind> {
 protected:
  void kill_one(const Plan& plan, std::chrono::microseconds life) {
    SCOPED_TRACE(::testing::Message()
                 << plan.threads << " threads, capacity " << plan.capacity
                 << (plan.drains ? ", drained" : "") << (plan.mortal ? ", mortal" : ""));
    const std::string path =
        "@ndtel-crash-test-" + std::to_string(::getpid()) + "-" + std::to_string(++runs_);
    auto socket = HandoverSocket::listen(path);
    ASSERT_TRUE(socket) << socket.error().message;
    const SharedTruth truth;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) traced_process(plan, path, *truth);
    const int memfd = receive(*socket);
    while (!truth->ready.load() && ::waitpid(child, nullptr, WNOHANG) == 0)
      std::this_thread::yield();
    std::this_thread::sleep_for(life);
    const std::int64_t died_ns = realtime_ns();
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_GE(memfd, 0);
    auto harvester = trace::Harvester::open(memfd);
    ::close(memfd);
    ASSERT_TRUE(harvester) << harvester.error().message;
    compare(plan, *harvester, static_cast<std::uint32_t>(child), *truth, died_ns);
  }

  void compare(const Plan& plan, const trace::Harvester& harvester, std::uint32_t pid,
               const Truth& truth, std::int64_t died_ns) {
    const auto& summary = harvester.summary();
    EXPECT_EQ(summary.pid, pid);
    EXPECT_NE(summary.process_start, 0u);
    EXPECT_FALSE(summary.stopped);
    EXPECT_EQ(summary.classic, plan.engine == EngineKind::kClassic);
    EXPECT_EQ(summary.capacity, plan.capacity);
    EXPECT_TRUE(summary.clock_known);
    EXPECT_EQ(summary.names_lost, 0u);
    for (const char* name : kNames)
      EXPECT_EQ(std::ranges::count_if(summary.names,
                                      [&](const auto& entry) {
                                        return entry.second == name &&
                                               entry.first == nrt_interned_string_db_get_id(name);
                                      }),
                1)
          << name;
    for (const auto& warning : summary.warnings) ADD_FAILURE() << warning;
    EXPECT_EQ(truth.unfit.load(), 0u);
    ASSERT_EQ(summary.cores.size(), 1u);
    const trace::HarvestedCore& core = summary.cores[0];
    EXPECT_EQ(core.damaged, 0u);
    EXPECT_LE(core.in_flight, plan.threads);

    std::uint64_t before = 0, after = 0;
    for (const auto& thread : truth.threads) {
      before += thread.before.load();
      after += thread.after.load();
    }
    EXPECT_GE(core.created, after);
    EXPECT_LE(core.created, before);
    EXPECT_GE(core.pushed, after);
    EXPECT_LE(core.pushed, before);
    EXPECT_GE(core.drained, truth.drained.load());
    EXPECT_LE(core.drained, truth.asked.load());
    if (plan.engine == EngineKind::kBlocks) {
      EXPECT_EQ(core.created, core.pushed + core.in_flight);
      EXPECT_EQ(core.pushed, core.drained + core.displaced + core.left);
    }

    std::vector<std::uint64_t> last(kMostThreads), first(kMostThreads), count(kMostThreads);
    std::vector<std::uint64_t> time(kMostThreads);
    std::vector<std::uint64_t> sequences;
    std::uint64_t torn = 0, fallen = 0, foreign = 0, untimely = 0;
    harvester.events(core, [&](const nrt_sys_trace_event_t& event) {
      sequences.push_back(event.nc_local_id);
      const auto stamp = stamp_of(event);
      if (!stamp || stamp->thread >= plan.threads) {
        ++torn;
        return true;
      }
      const std::uint32_t t = stamp->thread;
      if (stamp->number <= last[t]) ++fallen;
      if (count[t]++ == 0) first[t] = stamp->number;
      if (!plan.mortal && event.thread_id != truth.threads[t].tid.load()) ++foreign;
      const auto ns = static_cast<std::int64_t>(event.timestamp_ns);
      if (event.timestamp_ns < time[t] ||
          ns < truth.started_ns.load() - static_cast<std::int64_t>(kMargin) ||
          ns > died_ns + static_cast<std::int64_t>(kMargin) + 1'000'000'000)
        ++untimely;
      last[t] = stamp->number;
      time[t] = event.timestamp_ns;
      return true;
    });
    EXPECT_EQ(torn, 0u);
    EXPECT_EQ(fallen, 0u);
    EXPECT_EQ(foreign, 0u);
    EXPECT_EQ(untimely, 0u);
    EXPECT_EQ(sequences.size(), core.left);
    std::ranges::sort(sequences);
    EXPECT_EQ(std::ranges::adjacent_find(sequences), sequences.end());
    // The last event of a thread whose call returned is there, unless it was drained or is one of
    // many of other threads since.
    for (std::uint32_t t = 0; t < plan.threads; ++t) {
      if (count[t] == 0) continue;
      EXPECT_LE(last[t], truth.threads[t].before.load()) << "thread " << t;
      if (plan.threads == 1) {
        EXPECT_GE(last[t], truth.threads[t].after.load());
      }
      // One queue displaces strictly the oldest; but an event that was just being displaced is
      // still there, while a drain may have taken those after it. Blocks go in the order in which
      // they were filled, and one that is being read stays.
      if (!plan.drains && (plan.engine == EngineKind::kClassic || plan.threads == 1)) {
        EXPECT_EQ(count[t], last[t] - first[t] + 1) << "thread " << t;
      }
    }
    if (!plan.drains) {
      const std::uint64_t kept = plan.engine == EngineKind::kClassic
                                     ? plan.capacity - plan.threads
                                     : BlockGeometry::of(plan.capacity).retained(plan.threads, 0);
      EXPECT_GE(core.left + plan.threads, std::min(core.pushed, kept));
    }
    most_left_ = std::max(most_left_, core.left);
    most_displaced_ = std::max(most_displaced_, core.displaced);
  }

  std::uint32_t runs_ = 0;
  std::uint64_t most_left_ = 0;
  std::uint64_t most_displaced_ = 0;
};

TEST_P(Crash, WhatAKilledProcessRecordedIsHarvested) {
  std::mt19937 random(20);
  const int kills = kSanitized && !long_run() ? 16 : 100;
  for (int i = 0; i < kills && !HasFailure(); ++i) {
    const Plan plan{GetParam(), static_cast<std::uint32_t>(i % 4 + 1),
                    std::uint64_t{1024} << (i / 4 % 3 * 3), i / 2 % 2 == 1, i % 5 == 4};
    kill_one(plan, std::chrono::microseconds(random() % 20'000));
  }
  EXPECT_GT(most_left_, 0u);
  EXPECT_GT(most_displaced_, 0u);
}

INSTANTIATE_TEST_SUITE_P(Engines, Crash,
                         ::testing::Values(EngineKind::kBlocks, EngineKind::kClassic),
                         [](const auto& engine) { return std::string(name_of(engine.param)); });

}  // namespace
}  // namespace ndtel::systrace::test
