// SPDX-License-Identifier: Apache-2.0
//
// The owner dies while others hold on to its open file, its memory or its name.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <deque>
#include <memory>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include "ownership/owner.hpp"
#include "support/eventually.hpp"

namespace ndtel::vm {
namespace {

TEST_P(OwnershipEnd, ThePlainOwner) {
  SlabOwner owner(0, 12);
  EXPECT_TRUE(owners_are(0, {owner.pid()}));
  EXPECT_TRUE(ends(owner.child, GetParam()));
  EXPECT_EQ(Debugfs(0).owned().size(), 0U) << "whoever waited for the process finds it released";
  EXPECT_TRUE(counted(0, 12));
}

// The child's descriptor keeps the open file, but the slab was its parent's.
TEST_P(OwnershipEnd, ForkThenTheOwnerDiesWhileItsChildHoldsTheDescriptor) {
  Channel test_end, child_end;
  std::tie(test_end, child_end) = Channel::pair();
  Child owner([&child_end](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 3);
    const Child child(
        [&](Channel&) -> int {
          child_end.send(static_cast<std::uint64_t>(::getpid()));
          child_end.receive();
          // The inherited descriptor is as good as any for a slab of its own.
          const Mapping own = node.map_slab();
          CHILD_CHECK(own.valid());
          CHILD_CHECK(own.nc(0, NDS_NC_COUNTER_INFER_COMPLETED) == 0);
          own.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 20);
          child_end.send();
          end_when_told(child_end);
        },
        true);
    channel.send();
    end_when_told(channel);
  });
  ASSERT_TRUE(owner.receive());
  const auto grandchild = static_cast<pid_t>(test_end.receive().value_or(0));
  ASSERT_GT(grandchild, 0);
  ASSERT_TRUE(owners_are(0, {owner.pid()}));
  EXPECT_EQ(Node(0, O_RDONLY).acquire(grandchild), -ENOENT);

  EXPECT_TRUE(ends(owner, GetParam()));
  EXPECT_EQ(Debugfs(0).owned().size(), 0U) << "at once, while the child lives";
  EXPECT_TRUE(counted(0, 3));

  test_end.send();
  ASSERT_TRUE(test_end.receive());
  EXPECT_TRUE(owners_are(0, {grandchild}));
  ASSERT_EQ(::kill(grandchild, SIGKILL), 0);
  EXPECT_EQ(wait_for(grandchild), -SIGKILL);
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(counted(0, 23));
}

// Nothing of the dying owner's is left to close: only its death itself can tell.
TEST_P(OwnershipEnd, OwnerThatClosedItsDescriptorDiesWhileItsChildHoldsIt) {
  Channel test_end, child_end;
  std::tie(test_end, child_end) = Channel::pair();
  Child owner([&child_end](Channel& channel) -> int {
    Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    const Child child(
        [&](Channel&) -> int {
          child_end.send(static_cast<std::uint64_t>(::getpid()));
          end_when_told(child_end);
        },
        true);
    node.close();
    slab.add_nc(1, NDS_NC_COUNTER_INFER_COMPLETED, 6);
    channel.send();
    end_when_told(channel);
  });
  ASSERT_TRUE(owner.receive());
  const auto grandchild = static_cast<pid_t>(test_end.receive().value_or(0));
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(owners_are(0, {owner.pid()})) << "the child's descriptor keeps the file open";

  EXPECT_TRUE(ends(owner, GetParam()));
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(no_slabs_left());
  EXPECT_TRUE(counted(0, 6));
  EXPECT_EQ(::kill(grandchild, SIGKILL), 0);
  EXPECT_EQ(wait_for(grandchild), -SIGKILL);
}

/// Leaves the processors to this process and to whom it waits for: it runs before all others on
/// the first, and the rest are kept busy.
class AllProcessors {
 public:
  AllProcessors() {
    for (int cpu = 1; cpu < static_cast<int>(std::thread::hardware_concurrency()); ++cpu) {
      busy_.push_back(std::make_unique<Child>([cpu](Channel& channel) -> int {
        rule(cpu, 1);
        channel.send();
        for (;;) {
        }
      }));
      if (!busy_.back()->receive()) throw std::runtime_error("no real-time scheduling");
    }
    rule(0, 2);
  }
  AllProcessors(const AllProcessors&) = delete;
  AllProcessors& operator=(const AllProcessors&) = delete;
  ~AllProcessors() {
    busy_.clear();
    const sched_param ordinary{};
    ::sched_setscheduler(0, SCHED_OTHER, &ordinary);
    ::sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  static void rule(int cpu, int priority) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_param param{};
    param.sched_priority = priority;
    if (::sched_setaffinity(0, sizeof set, &set) != 0 ||
        ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) != 0) {
      fail_errno("real-time scheduling");
    }
  }
  static cpu_set_t affinity() {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    return set;
  }

  cpu_set_t before_ = affinity();
  std::vector<std::unique_ptr<Child>> busy_;
};

// No worker of the kernel gets a processor between the owner's death and the look, so it is the
// dying process itself that released the slab.
TEST_F(Ownership, WhoeverWaitsForTheOwnerFindsItsSlabReleased) {
  Channel keep, release;
  std::tie(keep, release) = Channel::pair();
  for (int round = 0; round < 3; ++round) {
    Child owner([&release](Channel& channel) -> int {
      const Node node(0);
      CHILD_CHECK(node.acquire() == 0);
      const Child heir([&](Channel&) -> int { end_when_told(release); }, true);
      channel.send();
      sleep_for_ever();
    });
    ASSERT_TRUE(owner.receive());
    ASSERT_TRUE(owners_are(0, {owner.pid()}));
    std::size_t owned = 99;
    {
      const AllProcessors mine;
      owner.signal(SIGKILL);
      siginfo_t how{};
      ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(owner.pid()), &how, WEXITED | WNOWAIT), 0);
      owned = Debugfs(0).owned().size();
    }
    EXPECT_EQ(owned, 0U);
    EXPECT_EQ(owner.wait(), -SIGKILL);
    keep.send();
  }
}

// The reverse: a child that dies takes nothing of its parent's, whatever it inherited.
TEST_P(OwnershipEnd, ForkedChildDiesAndTheOwnerKeepsItsSlab) {
  const Node node(0);
  const Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (int i = 0; i < 3; ++i) {
    Child child([&](Channel& channel) -> int {
      CHILD_CHECK(node.release() == -ENOENT);
      channel.send();
      end_when_told(channel);
    });
    ASSERT_TRUE(child.receive());
    EXPECT_TRUE(ends(child, GetParam()));
  }
  EXPECT_TRUE(owners_are(0, {::getpid()}));
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 2);
  EXPECT_TRUE(counted(0, 2));
}

/// Starts a process that shares memory, and what `flags` say, with its maker. The function must
/// not return.
pid_t clone_sharing(unsigned long flags, int (*run)(void*), void* argument) {
  constexpr std::size_t kStack = 262144;
  // Never freed: the process may outlive whoever could do it.
  auto* stack = static_cast<char*>(std::aligned_alloc(16, kStack));
  return ::clone(run, stack + kStack, static_cast<int>(flags | CLONE_VM | SIGCHLD), argument);
}

struct Sharer {
  std::uint64_t* words;
  std::atomic<std::uint64_t> phase{0};
  std::atomic<std::uint64_t> counted{0};
};

/// Counts one INFER_COMPLETED per step of `phase` through the shared mapping; no libc state is
/// touched, because it is shared too.
int count_in_steps(void* argument) {
  auto& sharer = *static_cast<Sharer*>(argument);
  const int word = ::nds_nc_word(0, NDS_NC_COUNTER_INFER_COMPLETED);
  for (;;) {
    while (sharer.counted < sharer.phase) {
      std::atomic_ref(sharer.words[word]).fetch_add(1);
      ++sharer.counted;
    }
    ::syscall(SYS_sched_yield);
  }
  return 0;
}

// A process that shares the owner's memory keeps the mapping alive after the owner's death. What it
// counts then belongs to no slab, but it must reach the books.
void sharer_outlives_owner(unsigned long flags, End end) {
  auto* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& sharer = *new (page) Sharer;

  Child owner([&](Channel& channel) -> int {
    const Node node(0);
    Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 10);
    sharer.words = slab.forget();
    const pid_t pid = clone_sharing(flags, count_in_steps, &sharer);
    CHILD_CHECK(pid > 0);
    channel.send(static_cast<std::uint64_t>(pid));
    end_when_told(channel);
  });
  const auto pid = static_cast<pid_t>(owner.receive().value_or(0));
  ASSERT_GT(pid, 0);
  sharer.phase = 5;
  ASSERT_TRUE(eventually([&] { return sharer.counted == 5; }));
  EXPECT_TRUE(counted(0, 15)) << "the owner lives: its slab is looked at";

  EXPECT_TRUE(ends(owner, end));
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(counted(0, 15));
  EXPECT_EQ(Debugfs::slabs_alive(), 1U) << "the memory is still mapped";

  // The next owner's memory is another one.
  SlabOwner next(0, 100);
  sharer.phase = 8;
  ASSERT_TRUE(eventually([&] { return sharer.counted == 8; }));
  EXPECT_TRUE(counted(0, 115)) << "not credited to the next owner's slab";

  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  EXPECT_EQ(wait_for(pid), -SIGKILL);
  EXPECT_TRUE(counted(0, 118)) << "collected when the mapping went";
  EXPECT_TRUE(ends(next.child, end));
  ::munmap(page, 4096);
}

TEST_P(OwnershipEnd, ProcessThatSharesItsMemoryOutlivesTheOwner) {
  sharer_outlives_owner(0, GetParam());
}

// With a shared file table the dying owner closes no file at all.
TEST_P(OwnershipEnd, ProcessThatSharesItsMemoryAndFilesOutlivesTheOwner) {
  sharer_outlives_owner(CLONE_FILES, GetParam());
}

int exit_at_once(void*) { ::_exit(0); }

TEST_F(Ownership, ProcessThatSharesMemoryAndFilesDiesAndTheOwnerKeepsItsSlab) {
  const Node node(0);
  const Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (const unsigned long flags : {0UL, 0UL | CLONE_FILES, 0UL | CLONE_VFORK}) {
    const pid_t pid = clone_sharing(flags, exit_at_once, nullptr);
    ASSERT_GT(pid, 0);
    EXPECT_EQ(wait_for(pid), 0);
    EXPECT_TRUE(owners_are(0, {::getpid()})) << flags;
  }
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
  EXPECT_TRUE(counted(0, 1));
}

int exec_true(void*) {
  ::execl("/bin/busybox", "busybox", "true", static_cast<char*>(nullptr));
  ::_exit(97);
}

// posix_spawn() and system() of every runtime: the borrowed memory goes back to the owner.
TEST_F(Ownership, VforkAndExecLeaveTheSlabWithTheOwner) {
  const Node node(Fd(Node::try_open(0, O_RDWR)));  // inherited by the program
  const Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  const pid_t pid = clone_sharing(CLONE_VFORK, exec_true, nullptr);
  ASSERT_GT(pid, 0);
  EXPECT_EQ(wait_for(pid), 0);
  EXPECT_TRUE(owners_are(0, {::getpid()}));
  EXPECT_EQ(Debugfs(0).slab_of(::getpid())->mappings, 1U);
}

// Whether killed one by one or all at once, nothing stays.
TEST_F(Ownership, AllSixteenOwnersKilledAtOnce) {
  std::deque<SlabOwner> owners;
  for (int i = 0; i < NDS_SLABS_PER_DEVICE; ++i) owners.emplace_back(0, 1);
  for (auto& owner : owners) owner.child.signal(SIGKILL);
  for (auto& owner : owners) EXPECT_EQ(owner.child.wait(), -SIGKILL);
  EXPECT_EQ(Debugfs(0).owned().size(), 0U);
  EXPECT_TRUE(counted(0, 16));
}

}  // namespace
}  // namespace ndtel::vm
