// SPDX-License-Identifier: Apache-2.0
//
// Readers: what they see, what they can give back, and what they outlive.
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "ownership/owner.hpp"
#include "support/eventually.hpp"

namespace ndtel::vm {
namespace {

TEST_P(OwnershipEnd, ReaderOutlivesTheOwnerAndNeverSeesTheNextOne) {
  SlabOwner owner(0, 41);
  const Node node(0, O_RDONLY);
  const Mapping view = node.map_slab(owner.pid());
  ASSERT_TRUE(view.valid());
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 41U);
  const auto before = Debugfs(0).slab_of(owner.pid());
  ASSERT_TRUE(before);

  EXPECT_TRUE(ends(owner.child, GetParam()));
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 41U) << "the old values stay readable";
  const auto rows = Debugfs(0).slabs();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(rows[0].owned);
  EXPECT_EQ(rows[0].mappings, 1U);

  SlabOwner next(0, 7);
  const auto after = Debugfs(0).slab_of(next.pid());
  ASSERT_TRUE(after);
  EXPECT_NE(after->generation, before->generation);
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 41U) << "another memory";
  const Mapping other = node.map_slab(next.pid());
  ASSERT_TRUE(other.valid());
  EXPECT_EQ(other.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 7U);
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 41U);
  EXPECT_TRUE(ends(next.child, GetParam()));
  EXPECT_TRUE(counted(0, 48));
}

// The place is free at once: a reader that never unmaps blocks nobody.
TEST_F(Ownership, LingeringSlabsTakeNoPlaces) {
  const Node node(0, O_RDONLY);
  std::vector<Mapping> views;
  for (int i = 0; i < NDS_SLABS_PER_DEVICE + 4; ++i) {
    SlabOwner owner(0, 1);
    views.push_back(node.map_slab(owner.pid()));
    ASSERT_TRUE(views.back().valid());
    EXPECT_EQ(owner.child.kill(), -SIGKILL);
  }
  EXPECT_EQ(Debugfs(0).slabs().size(), views.size());
  EXPECT_EQ(Debugfs::slabs_alive(), views.size());
  const SlabOwner next;
  EXPECT_TRUE(owners_are(0, {next.pid()}));
  views.clear();
  EXPECT_EQ(Debugfs::slabs_alive(), 1U) << "gone with the last mapping";
}

TEST_F(Ownership, ReleaseByAStrangerGivesEnoentAndReleasesNothing) {
  const SlabOwner owner(0, 1);
  const Node stranger(0), other_file(0);
  EXPECT_EQ(stranger.release(owner.pid()), -ENOENT);
  EXPECT_EQ(stranger.release(), -ENOENT);
  ASSERT_EQ(other_file.acquire(owner.pid()), 0);
  EXPECT_EQ(stranger.release(owner.pid()), -ENOENT) << "the acquire was another file's";
  EXPECT_TRUE(owners_are(0, {owner.pid()}));
}

TEST_F(Ownership, ReleaseByAReaderSucceedsAsOftenAsItAcquired) {
  SlabOwner owner(0, 1);
  const Node reader(0, O_RDONLY);
  ASSERT_EQ(reader.acquire(owner.pid()), 0);
  ASSERT_EQ(reader.acquire(owner.pid()), 0);
  EXPECT_EQ(reader.release(owner.pid()), 0);
  EXPECT_EQ(reader.release(owner.pid()), 0);
  EXPECT_EQ(reader.release(owner.pid()), -ENOENT);
  EXPECT_TRUE(owners_are(0, {owner.pid()})) << "a reader's release takes nothing from the owner";
  EXPECT_EQ(Debugfs(0).slab_of(owner.pid())->acquires, 1U);

  ASSERT_EQ(reader.acquire(owner.pid()), 0);
  const pid_t pid = owner.pid();
  EXPECT_EQ(owner.child.kill(), -SIGKILL);
  EXPECT_EQ(reader.release(pid), 0) << "also when the owner is gone by then";
}

TEST_P(OwnershipEnd, ReaderDiesAndTheOwnerKeepsItsSlab) {
  const SlabOwner owner(0, 5);
  Child reader([pid = owner.pid()](Channel& channel) -> int {
    const Node node(0, O_RDONLY);
    const Mapping view = node.map_slab(pid);
    CHILD_CHECK(view.valid());
    CHILD_CHECK(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED) == 5);
    channel.send();
    end_when_told(channel);
  });
  ASSERT_TRUE(reader.receive());
  EXPECT_EQ(Debugfs(0).slab_of(owner.pid())->mappings, 2U);
  EXPECT_TRUE(ends(reader, GetParam()));
  EXPECT_TRUE(owners_are(0, {owner.pid()}));
  EXPECT_EQ(Debugfs(0).slab_of(owner.pid())->mappings, 1U);
}

// A monitor that has looked at many processes and never released any.
TEST_F(Ownership, MonitorOfManyShortLivedOwners) {
  const Node monitor(0, O_RDONLY);
  for (int i = 0; i < 80; ++i) {
    SlabOwner owner(0, 1);
    ASSERT_EQ(monitor.acquire(owner.pid()), 0) << i;
    ASSERT_EQ(owner.child.kill(), -SIGKILL);
  }
  EXPECT_TRUE(counted(0, 80));
}

}  // namespace
}  // namespace ndtel::vm
