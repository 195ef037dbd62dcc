// SPDX-License-Identifier: Apache-2.0
//
// restrict_readers=1: equal uids and gids, or CAP_SYS_PTRACE over the owner.
#include <grp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "mapping/mapping.hpp"
#include "support/privileges.hpp"

namespace ndtel::vm {
namespace {

constexpr uid_t kOwner = 1000;
constexpr uid_t kStranger = 1001;

/// What a reader is answered.
struct Answers {
  int acquire = 1;
  int map = 1;
  bool operator==(const Answers&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Answers& answers) {
  return out << "acquire " << answers.acquire << ", mmap " << answers.map;
}

const Answers kAllowed{0, 0};
const Answers kRefused{-EACCES, -EACCES};

class MappingRestrict : public MappingTest {
 protected:
  void SetUp() override {
    MappingTest::SetUp();
    Node::allow_everybody(0);
    owner_.emplace([](Channel& channel) -> int {
      drop_privileges(kOwner, kOwner);
      const Node node(0);
      nd_ioctl_ds_info info{};
      CHILD_CHECK(node.acquire(0, &info) == 0);
      const Mapping slab = Mapping::map(node.fd(), info.mmap_offset);
      CHILD_CHECK(slab.valid());
      channel.send(info.mmap_offset);
      for (;;) {
        channel.receive(std::chrono::hours(1));
        // The owner is never kept out of its own slab.
        channel.send(node.acquire(::getpid()) == 0 &&
                     Mapping::map(node.fd(), info.mmap_offset).valid());
      }
    });
    cookie_ = owner_->receive().value_or(0);
    ASSERT_NE(cookie_, 0U);
  }
  void TearDown() override {
    owner_.reset();
    MappingTest::TearDown();
  }

  /// Acquires by pid and, apart from that, maps by a cookie that the owner told.
  Answers reader(uid_t uid, gid_t gid) {
    Child child([&](Channel& channel) -> int {
      if (uid != 0 || gid != 0) drop_privileges(uid, gid);
      const Node node(0, O_RDONLY);
      channel.send(static_cast<std::uint64_t>(-node.acquire(owner_->pid())));
      channel.send(
          static_cast<std::uint64_t>(-Mapping::map(node.fd(), cookie_, PROT_READ).error()));
      return 0;
    });
    Answers answers;
    answers.acquire = -static_cast<int>(child.receive().value_or(9999));
    answers.map = -static_cast<int>(child.receive().value_or(9999));
    EXPECT_EQ(child.wait(), 0);
    return answers;
  }
  bool owner_reads_itself() {
    owner_->send();
    return owner_->receive() == 1U;
  }
  void restrict_to(const char* value) {
    ASSERT_EQ(module().set_parameter("restrict_readers", value), 0);
  }

  std::optional<Child> owner_;
  std::uint64_t cookie_ = 0;
};

TEST_F(MappingRestrict, OffByDefaultAndEverybodyReads) {
  EXPECT_EQ(module().parameter("restrict_readers"), "N");
  EXPECT_EQ(reader(kStranger, kStranger), kAllowed);
}

TEST_F(MappingRestrict, OnlyEqualUidsAndGidsAndThePrivilegedRead) {
  restrict_to("1");
  EXPECT_EQ(reader(kStranger, kStranger), kRefused);
  EXPECT_EQ(reader(kStranger, kOwner), kRefused) << "the gid alone is not enough";
  EXPECT_EQ(reader(kOwner, kStranger), kRefused) << "nor the uid";
  EXPECT_EQ(reader(kOwner, kOwner), kAllowed);
  EXPECT_EQ(reader(0, 0), kAllowed);
  EXPECT_TRUE(owner_reads_itself());
}

TEST_F(MappingRestrict, TakesEffectAtOnceBothWays) {
  for (int round = 0; round < 3; ++round) {
    restrict_to("1");
    EXPECT_EQ(reader(kStranger, kStranger), kRefused);
    restrict_to("0");
    EXPECT_EQ(reader(kStranger, kStranger), kAllowed);
  }
}

// A process that can still become somebody else, or that was somebody else, is not the reader's.
TEST_F(MappingRestrict, AnyOfTheOwnersIdsThatDiffersKeepsTheReaderOut) {
  restrict_to("1");
  for (int differing = 0; differing < 6; ++differing) {
    Child owner([differing](Channel& channel) -> int {
      // Real, effective and saved, first of the group, then of the user.
      uid_t ids[6];
      for (int i = 0; i < 6; ++i) ids[i] = i == differing ? kStranger : kOwner;
      const Node node(0);
      CHILD_CHECK(::setgroups(0, nullptr) == 0);
      CHILD_CHECK(::setresgid(ids[0], ids[1], ids[2]) == 0);
      CHILD_CHECK(::setresuid(ids[3], ids[4], ids[5]) == 0);
      CHILD_CHECK(node.acquire() == 0);
      channel.send();
      sleep_for_ever();
    });
    ASSERT_TRUE(owner.receive());
    Child child([&](Channel&) -> int {
      drop_privileges(kOwner, kOwner);
      return Node(0, O_RDONLY).acquire(owner.pid()) == -EACCES ? 0 : 1;
    });
    EXPECT_EQ(child.wait(), 0) << "id " << differing << " of the owner differs";
  }
}

// A restriction that comes later cannot take back what was handed out, but it must break nothing.
TEST_F(MappingRestrict, ExistingMappingsGoOn) {
  Child child([this](Channel& channel) -> int {
    drop_privileges(kStranger, kStranger);
    const Node node(0, O_RDONLY);
    const Mapping view = node.map_slab(owner_->pid());
    CHILD_CHECK(view.valid());
    channel.send();
    channel.receive();
    CHILD_CHECK(view.load(0) == 0);
    CHILD_CHECK(node.acquire(owner_->pid()) == -EACCES);
    CHILD_CHECK(node.release(owner_->pid()) == 0);
    return 0;
  });
  ASSERT_TRUE(child.receive());
  restrict_to("1");
  child.send();
  EXPECT_EQ(child.wait(), 0);
}

// A refused acquire is no acquire.
TEST_F(MappingRestrict, RefusedReadersHaveNothingToRelease) {
  restrict_to("1");
  Child child([this](Channel&) -> int {
    drop_privileges(kStranger, kStranger);
    const Node node(0, O_RDONLY);
    CHILD_CHECK(node.acquire(owner_->pid()) == -EACCES);
    CHILD_CHECK(node.release(owner_->pid()) == -ENOENT);
    CHILD_CHECK(node.acquire() == 0);  // one's own is another matter
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace ndtel::vm
