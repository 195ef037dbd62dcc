// SPDX-License-Identifier: Apache-2.0
//
// Children of a process that traces: they record nothing until they start a capture themselves, and
// whatever they do, the data of their parent stays exact.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "ndtel/trace_harvest.hpp"
#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

constexpr std::uint32_t kChildsStamp = 777;

// Ends of a child, so that a failure says where.
enum ChildsEnd : int { kFine = 0, kRecorded = 40, kCounted, kDrained, kStarted, kLost, kStopped };

// A child that emits only; nothing here allocates.
int emit_in_child() {
  for (std::uint64_t n = 1; n <= 500; ++n)
    if (emit_stamp({kChildsStamp, n}, static_cast<std::uint32_t>(n % 300)) != 0) return kRecorded;
  return kFine;
}

// A child that uses everything.
int trace_in_child(EngineKind engine) {
  if (const int end = emit_in_child(); end != kFine) return end;
  if (nrt_sys_trace_total_event_count() != 0) return kCounted;
  nrt_sys_trace_event_t event;
  std::uint64_t count = 1;
  nrt_sys_trace_capture_drain_events(0, &event, 1, &count);
  if (count != 0) return kDrained;
  if (nrt_sys_trace_stop() != NRT_FAILURE) return kStopped;
  if (start({engine, 1024}) != NRT_SUCCESS) return kStarted;
  for (std::uint64_t n = 1; n <= 100; ++n) emit_stamp({kChildsStamp, n});
  const auto events = drain_all();
  if (events.size() != 100) return kLost;
  for (const auto& mine : events)
    if (mine.thread_id != static_cast<std::uint64_t>(::getpid())) return kLost;
  return nrt_sys_trace_stop() == NRT_SUCCESS ? kFine : kStopped;
}

void expect_fine(pid_t child) {
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), kFine);
}

// Two threads that emit, and what must be found of them.
class Parent {
 public:
  Parent() {
    for (std::uint32_t i = 0; i < 2; ++i)
      threads_.emplace_back([this, i] {
        std::uint64_t n = 0;
        while (!stop_.load(std::memory_order_relaxed)) {
          if (emit_stamp({i, ++n}) == 0) failed_.fetch_add(1);
          if (n % 64 == 0) std::this_thread::yield();
        }
        emitted_.fetch_add(n);
      });
  }
  void end() {
    stop_.store(true);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  ~Parent() { end(); }

  void expect_exact() {
    end();
    EXPECT_EQ(failed_.load(), 0u);
    const RingCounts counts = counts_at_rest();
    EXPECT_EQ(counts.created, emitted_.load());
    const auto events = drain_all();
    EXPECT_EQ(events.size(), counts.left);
    std::uint64_t last[2] = {};
    for (const auto& event : events) {
      const auto stamp = stamp_of(event);
      ASSERT_TRUE(stamp);
      ASSERT_LT(stamp->thread, 2u);
      ASSERT_GT(stamp->number, last[stamp->thread]);
      last[stamp->thread] = stamp->number;
    }
  }
  std::uint64_t emitted() const { return emitted_.load(); }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> emitted_{0};
  std::vector<std::thread> threads_;
};

class Fork : public ::testing::TestWithParam<EngineKind> {};

TEST_P(Fork, TheChildRecordsNothingUntilItStartsItsOwnCapture) {
  const Started started({GetParam(), 4096});
  Parent parent;
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    emit_stamp({0, 0});  // this thread has a block, which the child must not use
    const pid_t child = ::fork();
    if (child == 0) ::_exit(trace_in_child(GetParam()));
    expect_fine(child);
  }
  parent.end();
  // The events of this thread are not numbered.
  const RingCounts counts = counts_at_rest();
  EXPECT_EQ(counts.created, parent.emitted() + 20);
  for (const auto& event : drain_all()) {
    const auto stamp = stamp_of(event);
    ASSERT_TRUE(stamp);
    ASSERT_LT(stamp->thread, 2u);
  }
}

#if !defined(__SANITIZE_THREAD__)
// ThreadSanitizer has its own idea of processes that are made behind its back.
TEST_P(Fork, TheChildOfABareForkRecordsNothing) {
  const Started started({GetParam(), 4096});
  Parent parent;
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    const pid_t child = ::_Fork();
    if (child == 0) ::_exit(emit_in_child());
    expect_fine(child);
  }
  parent.expect_exact();
}

TEST_P(Fork, TheChildOfABareForkHasNoneOfItsParentsEventsEither) {
  const Started started({GetParam(), 4096});
  emit_stamp({0, 1});
  const pid_t child = ::_Fork();
  if (child == 0) ::_exit(trace_in_child(GetParam()));
  expect_fine(child);
  EXPECT_EQ(drain_all().size(), 1u);
}

// The thread that forked has a place from before, and somebody else starts the capture.
TEST_P(Fork, TheChildOfABareForkMayStartInAnotherThread) {
  for (const std::uint64_t capacity : {1024u, 65536u}) {
    const Started started({GetParam(), capacity});
    emit_stamp({0, 1});
    const pid_t child = ::_Fork();
    if (child == 0) {
      std::thread([] {
        if (start({GetParam(), 4096}) != NRT_SUCCESS) ::_exit(kStarted);
        for (std::uint64_t n = 1; n <= 100; ++n) emit_stamp({kChildsStamp, n});
      }).join();
      for (std::uint64_t n = 1; n <= 100; ++n) emit_stamp({kChildsStamp, n});
      if (drain_all().size() != 200) ::_exit(kLost);
      ::_exit(nrt_sys_trace_stop() == NRT_SUCCESS ? kFine : kStopped);
    }
    expect_fine(child);
    EXPECT_EQ(drain_all().size(), 1u);
  }
}
#endif

TEST_P(Fork, AProgramThatIsSpawnedDoesNotDisturbItsParent) {
  const Started started({GetParam(), 4096});
  Parent parent;
  for (int i = 0; i < 10; ++i) {
    // posix_spawn() shares the memory of its parent until the program runs, as vfork() does.
    pid_t child = 0;
    char name[] = "true";
    char* const arguments[] = {name, nullptr};
    ASSERT_EQ(::posix_spawnp(&child, name, nullptr, nullptr, arguments, nullptr), 0);
    expect_fine(child);
  }
  parent.expect_exact();
}

TEST_P(Fork, SharedMemoryHoldsTheParentsEventsOnly) {
  const std::string path = "@ndtel-fork-test-" + std::to_string(::getpid());
  auto socket = trace::HandoverSocket::listen(path);
  ASSERT_TRUE(socket);
  const Started started({GetParam(), 4096, 1, path});
  auto received = socket->receive();
  ASSERT_TRUE(received && received->has_value());
  Parent parent;
  for (int i = 0; i < 10 && !HasFailure(); ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(trace_in_child(GetParam()));
    expect_fine(child);
  }
  parent.end();
  const auto harvester = trace::Harvester::open((*received)->memfd);
  ::close((*received)->memfd);
  ASSERT_TRUE(harvester);
  ASSERT_EQ(harvester->summary().cores.size(), 1u);
  const auto& core = harvester->summary().cores[0];
  EXPECT_EQ(harvester->summary().pid, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(core.created, parent.emitted());
  EXPECT_EQ(core.pushed, parent.emitted());
  EXPECT_EQ(core.in_flight, 0u);
  harvester->events(core, [&](const nrt_sys_trace_event_t& event) {
    const auto stamp = stamp_of(event);
    EXPECT_TRUE(stamp && stamp->thread < 2);
    return stamp.has_value();
  });
  parent.expect_exact();
}

INSTANTIATE_TEST_SUITE_P(Engines, Fork,
                         ::testing::Values(EngineKind::kBlocks, EngineKind::kClassic),
                         [](const auto& engine) { return std::string(name_of(engine.param)); });

}  // namespace
}  // namespace ndtel::systrace::test
