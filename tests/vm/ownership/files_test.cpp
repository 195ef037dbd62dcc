// SPDX-License-Identifier: Apache-2.0
//
// Ownership follows open files: descriptors, their copies, and what exec leaves of them.
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>

#include "ownership/owner.hpp"
#include "support/eventually.hpp"

namespace ndtel::vm {
namespace {

TEST_P(OwnershipEnd, TwoDescriptorsOneOfThemClosed) {
  Child child([](Channel& channel) -> int {
    Node first(0);
    const Node second(0);
    CHILD_CHECK(first.acquire() == 0);
    const Mapping slab = second.map_slab();
    CHILD_CHECK(slab.valid());
    first.close();
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 7);
    channel.send();
    end_when_told(channel);
  });
  ASSERT_TRUE(child.receive());
  EXPECT_TRUE(owners_are(0, {child.pid()})) << "the other descriptor still holds it";
  EXPECT_EQ(Debugfs(0).slab_of(child.pid())->acquires, 1U);
  EXPECT_TRUE(ends(child, GetParam()));
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(counted(0, 7));
}

TEST_F(Ownership, ClosingTheLastDescriptorReleasesWhileTheProcessLives) {
  Node first(0), second(0);
  ASSERT_EQ(first.acquire(), 0);
  ASSERT_EQ(second.acquire(), 0);
  second.close();
  EXPECT_TRUE(owners_are(0, {::getpid()}));
  first.close();
  EXPECT_TRUE(owners_are(0, {}));
}

TEST_F(Ownership, ADescriptorThatAcquiredNothingKeepsNothing) {
  Node first(0);
  const Node second(0);
  ASSERT_EQ(first.acquire(), 0);
  first.close();
  EXPECT_TRUE(owners_are(0, {}));
}

// Closing one of two descriptors of an open file is no close of the file.
TEST_P(OwnershipEnd, DupAndCloseKeepsTheSlab) {
  Child child([](Channel& channel) -> int {
    Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    const Node copy(Fd(::fcntl(node.fd(), F_DUPFD_CLOEXEC, 0)));
    node.close();
    CHILD_CHECK(Debugfs(0).slab_of(::getpid()).has_value());
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 9);
    CHILD_CHECK(copy.acquire() == 0);
    CHILD_CHECK(copy.release() == 0);
    channel.send();
    end_when_told(channel);
  });
  ASSERT_TRUE(child.receive());
  EXPECT_TRUE(owners_are(0, {child.pid()}));
  EXPECT_TRUE(ends(child, GetParam()));
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(counted(0, 9));
}

TEST_F(Ownership, ClosingEveryDuplicateReleases) {
  Node node(0);
  ASSERT_EQ(node.acquire(), 0);
  Node copy(Fd(::dup(node.fd())));
  copy.close();
  EXPECT_TRUE(owners_are(0, {::getpid()}));
  Node other(Fd(::dup(node.fd())));
  node.close();
  EXPECT_TRUE(owners_are(0, {::getpid()}));
  other.close();
  EXPECT_TRUE(owners_are(0, {}));
}

TEST_F(Ownership, ReleaseThroughAnotherFileOfTheOwner) {
  Node first(0), second(0), third(0);
  ASSERT_EQ(first.acquire(), 0);
  EXPECT_EQ(second.release(), 0);
  EXPECT_TRUE(owners_are(0, {}));

  ASSERT_EQ(first.acquire(), 0);
  ASSERT_EQ(first.acquire(), 0);
  ASSERT_EQ(second.acquire(), 0);
  EXPECT_EQ(third.release(), 0);
  EXPECT_EQ(third.release(), 0);
  ASSERT_TRUE(owners_are(0, {::getpid()}));
  EXPECT_EQ(Debugfs(0).slab_of(::getpid())->acquires, 1U);
  third.close();
  ASSERT_TRUE(owners_are(0, {::getpid()}));
  // Whatever file the last acquire is booked on, both closes together give it back exactly once.
  first.close();
  second.close();
  EXPECT_TRUE(owners_are(0, {}));
}

void exec_sleep() {
  ::execl("/bin/busybox", "busybox", "sleep", "100000", static_cast<char*>(nullptr));
  ::_exit(97);
}

bool runs_busybox(pid_t pid) {
  char target[PATH_MAX];
  const std::string link = "/proc/" + std::to_string(pid) + "/exe";
  const ssize_t length = ::readlink(link.c_str(), target, sizeof target);
  return length > 0 && std::string(target, static_cast<std::size_t>(length)).ends_with("busybox");
}

/// A process that acquires, counts 4 and then becomes another program.
Child exec_owner(bool close_on_exec, bool from_thread) {
  return Child([close_on_exec, from_thread](Channel& channel) -> int {
    const Node node(Fd(Node::try_open(0, O_RDWR | (close_on_exec ? O_CLOEXEC : 0))));
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 4);
    channel.send();
    channel.receive();
    if (from_thread) std::thread(exec_sleep).join();
    exec_sleep();
    return 0;
  });
}

TEST_F(Ownership, ExecWithCloseOnExecReleases) {
  Child child = exec_owner(true, false);
  ASSERT_TRUE(child.receive());
  EXPECT_TRUE(owners_are(0, {child.pid()}));
  child.send();
  ASSERT_TRUE(eventually([&] { return runs_busybox(child.pid()); }));
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(no_slabs_left());
  EXPECT_TRUE(counted(0, 4));
  EXPECT_EQ(child.kill(), -SIGKILL) << "the process itself lives on";
}

TEST_F(Ownership, ExecThatInheritsTheDescriptorKeepsTheSlabUntilDeath) {
  Child child = exec_owner(false, false);
  ASSERT_TRUE(child.receive());
  child.send();
  ASSERT_TRUE(eventually([&] { return runs_busybox(child.pid()); }));
  ASSERT_TRUE(eventually([&] {
    const auto row = Debugfs(0).slab_of(child.pid());
    return row && row->mappings == 0;
  })) << "owned still, although the mapping went with the old program";
  EXPECT_TRUE(counted(0, 4));
  EXPECT_EQ(Node(0, O_RDONLY).acquire(child.pid()), 0) << "readers still find it";
  EXPECT_EQ(child.kill(), -SIGKILL);
  EXPECT_TRUE(owners_are(0, {}));
}

// exec makes the calling thread the leader and ends the old one; the process stays the same owner.
TEST_F(Ownership, ExecByAThreadKeepsTheSlabUntilDeath) {
  Child child = exec_owner(false, true);
  ASSERT_TRUE(child.receive());
  child.send();
  ASSERT_TRUE(eventually([&] { return runs_busybox(child.pid()); }));
  ASSERT_TRUE(eventually([&] {
    const auto row = Debugfs(0).slab_of(child.pid());
    return row && row->mappings == 0;
  }));
  EXPECT_TRUE(counted(0, 4));
  EXPECT_EQ(child.kill(), -SIGKILL);
  EXPECT_TRUE(owners_are(0, {}));
}

}  // namespace
}  // namespace ndtel::vm
