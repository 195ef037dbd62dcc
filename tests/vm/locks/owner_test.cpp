// SPDX-License-Identifier: Apache-2.0
//
// Locks and marks belong to a process, and go with its death or its last file, whoever else holds a
// descriptor.
#include <memory>
#include <tuple>
#include <vector>

#include "locks_test.hpp"

namespace ndtel::vm {
namespace {

using LockOwner = LocksTest;

constexpr std::array<std::uint64_t, 8> kAll{0xFF};

// Whether a fresh process can have core 1 of a device at once, and all marks.
bool is_free(int device) {
  Child child([device](Channel&) -> int {
    const Node node(device);
    const Stopwatch watch;
    const int entered = writer_enter(node, 1, 'f');
    const bool at_once = watch.passed() < std::chrono::milliseconds(1500);
    return (entered == 0 && at_once ? 1 : 0) | (mark(node, 8, 0, 7).result == 0 ? 2 : 0);
  });
  const int result = child.wait();
  return result == 3;
}

// Takes core 1, and marks all cores of the device.
bool take(const Node& node) {
  return writer_enter(node, 1) == 0 && mark(node, 8, 0, 7).bits == kAll;
}

[[noreturn]] void end_when_told(Channel& channel) {
  channel.receive();
  ::_exit(0);
}

enum class End { kExit, kKill };

class LockOwnerEnd : public LocksTest, public ::testing::WithParamInterface<End> {
 protected:
  static void end(Child& child) {
    if (GetParam() == End::kKill) {
      EXPECT_EQ(child.kill(), -SIGKILL);
    } else {
      child.send();
      EXPECT_EQ(child.wait(), 0);
    }
  }
};

TEST_P(LockOwnerEnd, DeathGivesBackAtOnce) {
  Child owner([](Channel& channel) -> int {
    const Node node(0);
    CHILD_CHECK(take(node));
    channel.send();
    end_when_told(channel);
  });
  ASSERT_TRUE(owner.receive());
  EXPECT_FALSE(is_free(0));
  end(owner);
  EXPECT_TRUE(is_free(0));
}

TEST_P(LockOwnerEnd, DeathGivesBackThoughAChildHoldsTheDescriptor) {
  Channel test_end, child_end;
  std::tie(test_end, child_end) = Channel::pair();
  Child owner([&child_end](Channel& channel) -> int {
    const Node node(0);
    CHILD_CHECK(take(node));
    const Child heir(
        [&](Channel&) -> int {
          child_end.send(static_cast<std::uint64_t>(::getpid()));
          end_when_told(child_end);
        },
        true);
    channel.send();
    end_when_told(channel);
  });
  ASSERT_TRUE(owner.receive());
  const auto heir = static_cast<pid_t>(test_end.receive().value_or(0));
  ASSERT_GT(heir, 0);
  end(owner);
  EXPECT_TRUE(is_free(0));
  ASSERT_EQ(::kill(heir, SIGKILL), 0);
  EXPECT_EQ(wait_for(heir), -SIGKILL);
}

// Nothing of the dying owner's is left to close: only its death itself can tell.
TEST_P(LockOwnerEnd, DeathGivesBackThoughItClosedItsDescriptorBefore) {
  Channel test_end, child_end;
  std::tie(test_end, child_end) = Channel::pair();
  Child owner([&child_end](Channel& channel) -> int {
    Node node(0);
    CHILD_CHECK(take(node));
    const Child heir(
        [&](Channel&) -> int {
          child_end.send(static_cast<std::uint64_t>(::getpid()));
          end_when_told(child_end);
        },
        true);
    node.close();
    channel.send();
    end_when_told(channel);
  });
  ASSERT_TRUE(owner.receive());
  const auto heir = static_cast<pid_t>(test_end.receive().value_or(0));
  ASSERT_GT(heir, 0);
  EXPECT_FALSE(is_free(0)) << "the heir keeps the file open";
  end(owner);
  EXPECT_TRUE(eventually([] { return is_free(0); }));
  ASSERT_EQ(::kill(heir, SIGKILL), 0);
  EXPECT_EQ(wait_for(heir), -SIGKILL);
}

INSTANTIATE_TEST_SUITE_P(By, LockOwnerEnd, ::testing::Values(End::kExit, End::kKill),
                         [](const auto& info) {
                           return info.param == End::kKill ? "Kill" : "Exit";
                         });

TEST_F(LockOwner, LastFileOfTheDeviceGivesItsLocksBackAndTheLastOfAllTheMarks) {
  std::optional<Node> first(0);
  std::optional<Node> again(0);
  std::optional<Node> second(1);
  ASSERT_TRUE(take(*first));
  ASSERT_EQ(writer_enter(*second, 1), 0);
  first.reset();
  EXPECT_FALSE(is_free(0)) << "another file of the device is open";
  again.reset();
  // Its lock is free, its marks are not: there is a file of another device.
  Child child([](Channel&) -> int {
    const Node node(0);
    CHILD_CHECK(writer_enter(node, 1) == 0);
    CHILD_CHECK(mark(node, 8, 0, 7).result == -EBUSY);
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  second.reset();
  EXPECT_TRUE(is_free(0));
  EXPECT_TRUE(is_free(1));
}

TEST_F(LockOwner, ClosingOneOfTwoDescriptorsOfAFileGivesNothingBack) {
  const Node node(0);
  ASSERT_TRUE(take(node));
  for (int i = 0; i < 3; ++i) {
    const int copy = ::dup(node.fd());
    ASSERT_GE(copy, 0);
    ::close(copy);
  }
  EXPECT_FALSE(is_free(0));
  EXPECT_EQ(downgrade(node, 1), 0);
}

TEST_F(LockOwner, ForkedChildTakesNothingAndItsDeathGivesNothingBack) {
  const Node node(0);
  ASSERT_TRUE(take(node));
  for (int i = 0; i < 3; ++i) {
    Child child([&](Channel&) -> int {
      CHILD_CHECK(writer_enter(node, 2) == -EACCES);
      CHILD_CHECK(downgrade(node, 1) == -EACCES);
      CHILD_CHECK(mark(node, 1, 8, 15).result == -EACCES);
      CHILD_CHECK(unmark(node, kAll) == -EACCES);
      return 0;
    });
    EXPECT_EQ(child.wait(), 0);
  }
  EXPECT_FALSE(is_free(0));
  EXPECT_EQ(downgrade(node, 1), 0);
}

// The program that takes the process over has closed the file; one that inherits it goes on owning.
TEST_F(LockOwner, ExecGivesBackWithTheFile) {
  for (const bool inherit : {false, true}) {
    Channel test_end, child_end;
    std::tie(test_end, child_end) = Channel::pair();
    Child owner([&](Channel& channel) -> int {
      const Node node(Fd(Node::try_open(0, O_RDWR | (inherit ? 0 : O_CLOEXEC))));
      CHILD_CHECK(take(node));
      channel.send();
      ::execl("/bin/busybox", "busybox", "sleep", "1000", static_cast<char*>(nullptr));
      return 97;
    });
    ASSERT_TRUE(owner.receive());
    if (inherit) {
      EXPECT_FALSE(is_free(0));
    } else {
      EXPECT_TRUE(eventually([] { return is_free(0); }));
    }
    EXPECT_EQ(owner.kill(), -SIGKILL);
    EXPECT_TRUE(eventually([] { return is_free(0); }));
  }
}

TEST_F(LockOwner, RemovedDeviceLeavesMarksOfOthersAlone) {
  const Node first(0);
  const Node second(1);
  ASSERT_TRUE(take(first));
  ASSERT_TRUE(take(second));
  ASSERT_EQ(module().del_device(1), 0);
  EXPECT_EQ(downgrade(second, 1), -ENODEV);
  EXPECT_FALSE(is_free(0));
  EXPECT_EQ(downgrade(first, 1), 0);
}

TEST_F(LockOwner, ManyDieAtOnceAndNothingStays) {
  std::vector<std::unique_ptr<Child>> owners;
  for (std::uint32_t core = 0; core < 8; ++core) {
    owners.push_back(std::make_unique<Child>([core](Channel& channel) -> int {
      const Node node(0);
      CHILD_CHECK(writer_enter(node, core) == 0);
      CHILD_CHECK(mark(node, 2, 0, 15).result == 0);
      channel.send();
      sleep_for_ever();
    }));
    ASSERT_TRUE(owners.back()->receive());
  }
  for (auto& owner : owners) owner->signal(SIGKILL);
  for (auto& owner : owners) EXPECT_EQ(owner->wait(), -SIGKILL);
  EXPECT_TRUE(is_free(0));
  EXPECT_TRUE(is_free(1));
}

}  // namespace
}  // namespace ndtel::vm
