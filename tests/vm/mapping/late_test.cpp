// SPDX-License-Identifier: Apache-2.0
//
// Counting through a mapping whose slab has been released: collected when the mapping goes, and
// never credited to whoever owns a slab by then.
#include <sys/mman.h>
#include <unistd.h>

#include "mapping/mapping.hpp"

namespace ndtel::vm {
namespace {

constexpr std::size_t kPage = 4096;

class MappingLate : public MappingTest {};

TEST_F(MappingLate, CountsAfterTheReleaseAreCollectedAtTheUnmap) {
  const Node node(0);
  Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 10);
  ASSERT_EQ(node.release(), 0);
  EXPECT_EQ(incremented(), 10U);
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 4);
  slab.add_nc(6, NDS_NC_COUNTER_INFER_COMPLETED, 1);
  EXPECT_EQ(incremented(), 10U) << "nobody looks at a released slab";
  slab.reset();
  EXPECT_EQ(incremented(), 15U);
  EXPECT_EQ(Debugfs::slabs_alive(), 0U);
}

TEST_F(MappingLate, EveryPieceThatGoesCollects) {
  const Node node(0);
  Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  ASSERT_EQ(node.release(), 0);
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
  // Cut in two: neither piece has gone, but what is removed from between them has.
  ASSERT_EQ(::munmap(slab.bytes() + 32 * kPage, kPage), 0);
  EXPECT_EQ(incremented(), 1U);
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
  ASSERT_EQ(::munmap(slab.bytes() + 33 * kPage, 31 * kPage), 0);
  EXPECT_EQ(incremented(), 2U);
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
  slab.reset();
  EXPECT_EQ(incremented(), 3U);
}

TEST_F(MappingLate, CountsOfAStaleMappingNeverReachTheNextSlab) {
  const Node node(0);
  Mapping old = node.map_slab();
  ASSERT_TRUE(old.valid());
  old.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1000);
  ASSERT_EQ(node.release(), 0);

  Mapping fresh = node.map_slab();
  ASSERT_TRUE(fresh.valid());
  old.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 50);
  EXPECT_EQ(fresh.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 0U);
  fresh.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 3);
  EXPECT_EQ(old.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 1050U);
  EXPECT_EQ(incremented(), 1003U);
  old.reset();
  EXPECT_EQ(incremented(), 1053U) << "each count once, by the slab it was made in";
  fresh.reset();
  ASSERT_EQ(node.release(), 0);
  EXPECT_EQ(incremented(), 1053U);
}

TEST_F(MappingLate, CountsOfAProcessKilledAfterItsReleaseAreCollected) {
  Child child([](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    CHILD_CHECK(node.release() == 0);
    slab.add_nc(3, NDS_NC_COUNTER_INFER_COMPLETED, 9);
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(child.receive());
  EXPECT_EQ(incremented(), 0U);
  EXPECT_EQ(child.kill(), -SIGKILL);
  EXPECT_EQ(incremented(), 9U);
}

TEST_F(MappingLate, WordsTurnedBackAfterTheReleaseAddNothing) {
  const Node node(0);
  Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 10);
  ASSERT_EQ(node.release(), 0);
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, ~0ULL);  // minus one
  slab.reset();
  EXPECT_EQ(incremented(), 10U);
  EXPECT_EQ(Debugfs(0).anomalies()["words_down"], 1U);
}

TEST_F(MappingLate, ReadersMappingsCollectNothing) {
  const Node node(0), reader(0, O_RDONLY);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(node.acquire(0, &info), 0);
  Mapping slab = Mapping::map(node.fd(), info.mmap_offset);
  Mapping view = Mapping::map(reader.fd(), info.mmap_offset, PROT_READ);
  ASSERT_TRUE(slab.valid() && view.valid());
  ASSERT_EQ(node.release(), 0);
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 5);
  view.reset();
  EXPECT_EQ(incremented(), 0U) << "somebody can still count";
  slab.reset();
  EXPECT_EQ(incremented(), 5U);
}

}  // namespace
}  // namespace ndtel::vm
