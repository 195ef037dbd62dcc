// SPDX-License-Identifier: Apache-2.0
//
// A process is traced into shared memory one instruction at a time, and after each one that changed
// its ring it is harvested as if it had been killed there: while it writes an event, evicts a
// block, and drains.
#include <gtest/gtest.h>

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
// What sanitizers add is more instructions, not others.

#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "ndtel/trace_emit.hpp"
#include "ndtel/trace_harvest.hpp"
#include "region_layout.hpp"
#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

constexpr std::uint64_t kCapacity = 1024;
constexpr std::uint64_t kFill =
    4000;  // the ring is full: every block from now on is an evicted one

struct Progress {
  std::atomic<std::uint64_t> before;   // events begun, at most
  std::atomic<std::uint64_t> after;    // events completed, at least
  std::atomic<std::uint64_t> asked;    // events drained, at most
  std::atomic<std::uint64_t> drained;  // at least
  std::atomic<bool> done;
};

void emit(Progress& progress, std::uint64_t count) {
  for (; count > 0; --count) {
    const std::uint64_t number = progress.before.load() + 1;
    progress.before.store(number);
    emit_stamp({1, number});
    progress.after.store(number);
  }
}

void drain_some(Progress& progress, nrt_sys_trace_event_t* events, std::uint64_t max) {
  progress.asked.fetch_add(max);
  std::uint64_t count = 0;
  nrt_sys_trace_capture_drain_events(0, events, max, &count);
  progress.drained.fetch_add(count);
}

[[noreturn]] void child(EngineKind engine, const std::string& socket, Progress& progress) {
  if (start({engine, kCapacity, 1, socket}) != NRT_SUCCESS) ::_exit(3);
  emit(progress, kFill);
  // Time passes quickly for a process that is stepped: comparing clocks would be most of it.
  trace::detail::gate.next_anchor.store(std::numeric_limits<std::uint64_t>::max());
  nrt_sys_trace_event_t events[64];
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(4);
  ::raise(SIGSTOP);
  emit(progress, 36);  // at least two blocks
  drain_some(progress, events, 40);
  emit(progress, 20);
  progress.done.store(true);
  for (;;) ::pause();
}

class EveryInstruction : public ::testing::TestWithParam<EngineKind> {
 protected:
  // What a harvest says at any instruction.
  static void check(std::span<const std::byte> memory, EngineKind engine,
                    const Progress& progress) {
    const auto harvester = trace::Harvester::over(memory);
    ASSERT_TRUE(harvester) << harvester.error().message;
    ASSERT_TRUE(harvester->summary().warnings.empty()) << harvester->summary().warnings[0];
    const auto& core = harvester->summary().cores.at(0);
    EXPECT_EQ(core.damaged, 0u);
    EXPECT_LE(core.in_flight, 1u);
    EXPECT_GE(core.created, progress.after.load());
    EXPECT_LE(core.created, progress.before.load());
    EXPECT_GE(core.pushed, progress.after.load());
    EXPECT_LE(core.pushed, progress.before.load());
    EXPECT_GE(core.drained, progress.drained.load());
    EXPECT_LE(core.drained, progress.asked.load());
    if (engine == EngineKind::kBlocks) {
      EXPECT_EQ(core.created, core.pushed + core.in_flight);
      EXPECT_EQ(core.pushed, core.drained + core.displaced + core.left);
    }
    std::uint64_t last = 0, count = 0, first = 0, torn = 0;
    harvester->events(core, [&](const nrt_sys_trace_event_t& event) {
      const auto stamp = stamp_of(event);
      if (!stamp || stamp->thread != 1 || (last != 0 && stamp->number != last + 1)) ++torn;
      if (stamp) last = stamp->number;
      if (count++ == 0) first = last;
      return true;
    });
    EXPECT_EQ(torn, 0u) << first << " to " << last;
    EXPECT_EQ(count, core.left);
    EXPECT_GE(last, progress.after.load());
    EXPECT_LE(last, progress.before.load());
  }
};

TEST_P(EveryInstruction, LeavesMemoryThatCanBeHarvested) {
  const std::string path = "@ndtel-step-test-" + std::to_string(::getpid());
  auto socket = trace::HandoverSocket::listen(path);
  ASSERT_TRUE(socket);
  void* const shared =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  const auto& progress = *new (shared) Progress{};
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) child(GetParam(), path, *static_cast<Progress*>(shared));
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 4) GTEST_SKIP() << "processes cannot be stepped";
  ASSERT_TRUE(WIFSTOPPED(status));
  auto received = socket->receive();
  ASSERT_TRUE(received && received->has_value());
  const int memfd = (*received)->memfd;
  const auto size = static_cast<std::size_t>(::lseek(memfd, 0, SEEK_END));
  const void* const base = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, memfd, 0);
  ASSERT_NE(base, MAP_FAILED);
  const std::span memory(static_cast<const std::byte*>(base), size);
  const auto& head = *static_cast<const RegionHeader*>(base);
  const auto& entry = *reinterpret_cast<const CoreEntry*>(memory.data() + head.cores_offset);
  const auto ring = memory.subspan(entry.ring_offset);

  std::vector<std::byte> seen(ring.begin(), ring.end());
  std::uint64_t steps = 0, harvests = 0;
  while (!progress.done.load() && !HasFailure()) {
    ASSERT_EQ(::ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr), 0);
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP) << status;
    ++steps;
    if (std::memcmp(seen.data(), ring.data(), ring.size()) == 0) continue;
    std::ranges::copy(ring, seen.begin());
    ++harvests;
    check(memory, GetParam(), progress);
  }
  ::kill(pid, SIGKILL);
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(progress.after.load(), kFill + 56);
  EXPECT_GT(harvests, 56u * 3);
  RecordProperty("steps", std::to_string(steps));
  RecordProperty("harvests", std::to_string(harvests));
  ::munmap(const_cast<void*>(base), size);
  ::munmap(shared, sizeof(Progress));
  ::close(memfd);
}

INSTANTIATE_TEST_SUITE_P(Engines, EveryInstruction,
                         ::testing::Values(EngineKind::kBlocks, EngineKind::kClassic),
                         [](const auto& engine) { return std::string(name_of(engine.param)); });

}  // namespace
}  // namespace ndtel::systrace::test

#endif
