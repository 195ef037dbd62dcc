// SPDX-License-Identifier: Apache-2.0
//
// The owner is the process: the end of one of its threads, even of the first, is not its end.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "ownership/owner.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"

namespace ndtel::vm {
namespace {

// Such a thread closes its whole file table as it exits.
TEST_P(OwnershipEnd, ThreadWithAFileTableOfItsOwnExits) {
  Child child([](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    for (int i = 0; i < 3; ++i) {
      std::thread([] { CHILD_CHECK(::unshare(CLONE_FILES) == 0); }).join();
    }
    CHILD_CHECK(Debugfs(0).slab_of(::getpid()).has_value());
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 2);
    channel.send();
    end_when_told(channel);
  });
  ASSERT_TRUE(child.receive());
  EXPECT_TRUE(owners_are(0, {child.pid()}));
  EXPECT_TRUE(ends(child, GetParam()));
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(counted(0, 2));
}

// The acquire was made in a file table that goes with its thread; the file goes with it too.
TEST_F(Ownership, FileOfAThreadsOwnTableGoesWithTheThread) {
  std::thread([] {
    ASSERT_EQ(::unshare(CLONE_FILES), 0);
    const Node node(0);
    ASSERT_EQ(node.acquire(), 0);
    ASSERT_TRUE(owners_are(0, {::getpid()}));
  }).join();
  EXPECT_TRUE(owners_are(0, {}));
}

bool is_zombie(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
  return text && text->find(") Z ") != std::string::npos;
}

TEST_P(OwnershipEnd, FirstThreadExitsAndTheProcessKeepsItsSlab) {
  Child child([](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    std::thread rest([&] {
      CHILD_CHECK(eventually([] { return is_zombie(::getpid()); }));
      CHILD_CHECK(Debugfs(0).slab_of(::getpid()).has_value());
      slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 8);
      CHILD_CHECK(node.acquire() == 0);
      CHILD_CHECK(node.release() == 0);
      channel.send();
      end_when_told(channel);
    });
    // Only this thread, without unwinding what the other one uses.
    ::syscall(SYS_exit, 0);
    return 0;
  });
  ASSERT_TRUE(child.receive());
  ASSERT_TRUE(is_zombie(child.pid())) << "what waits for it sees a zombie";
  EXPECT_TRUE(owners_are(0, {child.pid()}));
  EXPECT_TRUE(counted(0, 8));
  EXPECT_EQ(Node(0, O_RDONLY).acquire(child.pid()), 0) << "readers find it by its number";
  EXPECT_TRUE(ends(child, GetParam()));
  EXPECT_TRUE(owners_are(0, {}));
}

// Both at once: the first thread is gone and the last one closes a table of its own.
TEST_F(Ownership, LastThreadHasAFileTableOfItsOwn) {
  Child child([](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 3);
    std::thread rest([&] {
      CHILD_CHECK(::unshare(CLONE_FILES) == 0);
      CHILD_CHECK(eventually([] { return is_zombie(::getpid()); }));
      CHILD_CHECK(Debugfs(0).slab_of(::getpid()).has_value());
      channel.send();
      channel.receive();
      ::syscall(SYS_exit, 0);
    });
    ::syscall(SYS_exit, 0);
    return 0;
  });
  ASSERT_TRUE(child.receive());
  EXPECT_TRUE(owners_are(0, {child.pid()}));
  child.send();
  EXPECT_EQ(child.wait(), 0);
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(counted(0, 3));
}

TEST_F(Ownership, NumberOfAnotherThreadNamesNoOwner) {
  std::atomic<pid_t> tid{0};
  std::atomic<bool> done{false};
  const Node node(0);
  ASSERT_EQ(node.acquire(), 0);
  std::thread other([&] {
    tid = ::gettid();
    while (!done) std::this_thread::yield();
  });
  ASSERT_TRUE(eventually([&] { return tid != 0; }));
  EXPECT_EQ(node.acquire(tid), -ENOENT);
  EXPECT_EQ(node.release(tid), -ENOENT);
  done = true;
  other.join();
}

}  // namespace
}  // namespace ndtel::vm
