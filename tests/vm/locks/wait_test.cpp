// SPDX-License-Identifier: Apache-2.0
//
// Waiting for a core: asleep, not for ever, and ended by whoever leaves, by a kill and by the
// device's end.
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "locks_test.hpp"

namespace ndtel::vm {
namespace {

using CrwlWait = LocksTest;

using std::chrono::milliseconds;

/// A process that is inside core 0 of device 0 as writer, and does what it is told.
class Writer {
 public:
  enum Order { kDowngrade = 1, kLeave = 2 };

  Writer()
      : child_([](Channel& channel) -> int {
          const Node node(0);
          CHILD_CHECK(writer_enter(node, 0, 'w') == 0);
          channel.send();
          while (const auto order = channel.receive()) {
            CHILD_CHECK(*order == kDowngrade ? downgrade(node, 0, 'w') == 0
                                             : reader_exit(node, 0, 'w') == 0);
            channel.send();
          }
          return 0;
        }) {
    if (!child_.receive()) throw std::runtime_error("no writer");
  }
  void tell(Order order) {
    child_.send(order);
    if (!child_.receive()) throw std::runtime_error("the writer did not do it");
  }
  Child& child() { return child_; }

 private:
  Child child_;
};

/// A child that enters core 0, however long that takes, and exits with 0 when it gave `expected`.
Child entering(int (*enter)(const Node&, std::uint32_t, char), int expected) {
  return Child([enter, expected](Channel& channel) -> int {
    const Node node(0);
    channel.send();
    int result = 0;
    while ((result = enter(node, 0, 'e')) == -EBUSY) {
    }
    if (result != expected) std::fprintf(stderr, "enter gave %d\n", result);
    return result == expected ? 0 : 1;
  });
}

std::chrono::microseconds cpu_time() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST_F(CrwlWait, PatienceEndsAndIsSpentAsleep) {
  Writer writer;
  const Node node(0);
  const auto before = cpu_time();
  {
    const Stopwatch watch;
    EXPECT_EQ(reader_enter(node, 0), -EBUSY);
    EXPECT_GE(watch.passed(), milliseconds(400));
  }
  {
    const Stopwatch watch;
    EXPECT_EQ(writer_enter(node, 0), -EBUSY);
    EXPECT_GE(watch.passed(), milliseconds(1800));
  }
  // Polling would have used about all of the 2.5 seconds.
  EXPECT_LT(cpu_time() - before, milliseconds(1000));
}

TEST_F(CrwlWait, OwnLockIsNoExceptionForTheWriter) {
  const Node node(0);
  ASSERT_EQ(writer_enter(node, 0), 0);
  EXPECT_EQ(writer_enter(node, 0), -EBUSY);
  EXPECT_EQ(reader_enter(node, 0), -EBUSY);
  ASSERT_EQ(downgrade(node, 0), 0);
  EXPECT_EQ(writer_enter(node, 0), -EBUSY) << "a reader is inside";
  ASSERT_EQ(reader_exit(node, 0), 0);
  EXPECT_EQ(writer_enter(node, 0), -EALREADY);
}

TEST_F(CrwlWait, WriterGetsInWhenTheLastReaderLeaves) {
  Writer writer;
  writer.tell(Writer::kDowngrade);
  auto child = entering(writer_enter, 0);
  ASSERT_TRUE(child.receive());
  std::this_thread::sleep_for(milliseconds(100));
  writer.tell(Writer::kLeave);
  EXPECT_EQ(child.wait(), 0);
}

TEST_F(CrwlWait, ReaderLearnsAtTheDowngradeThatTheModelIsAnothers) {
  Writer writer;
  auto child = entering(reader_enter, -ENOENT);
  ASSERT_TRUE(child.receive());
  std::this_thread::sleep_for(milliseconds(50));
  writer.tell(Writer::kDowngrade);
  EXPECT_EQ(child.wait(), 0);
}

TEST_F(CrwlWait, DeathOfTheWriterLetsTheNextOneIn) {
  Writer writer;
  auto child = entering(writer_enter, 0);
  ASSERT_TRUE(child.receive());
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(writer.child().kill(), -SIGKILL);
  EXPECT_EQ(child.wait(), 0);
}

TEST_F(CrwlWait, WhoWaitsCanBeKilledAndLeavesNothing) {
  Writer writer;
  for (int round = 0; round < 5; ++round) {
    auto child = entering(writer_enter, 0);
    ASSERT_TRUE(child.receive());
    std::this_thread::sleep_for(milliseconds(100));
    EXPECT_EQ(child.kill(), -SIGKILL);
  }
  writer.tell(Writer::kDowngrade);
  writer.tell(Writer::kLeave);
  EXPECT_EQ(writer_enter(Node(0), 0), 0);
}

TEST_F(CrwlWait, DeviceThatGoesEndsTheWait) {
  Writer writer;
  auto child = entering(writer_enter, -ENODEV);
  ASSERT_TRUE(child.receive());
  std::this_thread::sleep_for(milliseconds(200));
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_EQ(child.wait(), 0);
}

TEST_F(CrwlWait, ManyTakeTurns) {
  constexpr int kProcesses = 4;
  constexpr int kTurns = 50;
  auto* const inside = static_cast<std::atomic<int>*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(inside, MAP_FAILED);
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(std::make_unique<Child>([inside](Channel&) -> int {
      const Node node(0);
      for (int turn = 0; turn < kTurns; ++turn) {
        int result = 0;
        // The others may be inside for longer than one's patience.
        while ((result = writer_enter(node, 0, 't')) == -EBUSY) {
        }
        CHILD_CHECK(result == 0 || result == -EALREADY);
        CHILD_CHECK(inside->fetch_add(1) == 0);
        inside->fetch_sub(1);
        CHILD_CHECK(downgrade(node, 0, 't') == 0);
        CHILD_CHECK(reader_exit(node, 0, 't') == 0);
      }
      return 0;
    }));
  }
  for (auto& child : children) EXPECT_EQ(child->wait(), 0);
  ::munmap(inside, 4096);
}

}  // namespace
}  // namespace ndtel::vm
