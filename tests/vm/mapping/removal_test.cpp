// SPDX-License-Identifier: Apache-2.0
//
// Mappings survive the device; the module survives the mappings.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "mapping/mapping.hpp"
#include "support/eventually.hpp"

namespace ndtel::vm {
namespace {

class MappingRemoval : public MappingTest {};

TEST_F(MappingRemoval, MappingsOfOwnerAndReaderSurviveTheDevice) {
  Child owner([](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
    channel.send();
    channel.receive();
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
    CHILD_CHECK(node.acquire() == -ENODEV);
    CHILD_CHECK(node.release() == -ENODEV);
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(owner.receive());
  Node reader(0, O_RDONLY);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(reader.acquire(owner.pid(), &info), 0);
  Mapping view = Mapping::map(reader.fd(), info.mmap_offset, PROT_READ);
  ASSERT_TRUE(view.valid());

  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_FALSE(Debugfs(0).present());
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 1U);
  owner.send();
  ASSERT_TRUE(owner.receive());
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 2U) << "memory is memory";
  EXPECT_EQ(Mapping::map(reader.fd(), info.mmap_offset, PROT_READ).error(), -ENODEV);
  EXPECT_EQ(Debugfs::slabs_alive(), 1U);
  EXPECT_EQ(module().unload(), -EWOULDBLOCK) << "in use";

  EXPECT_EQ(owner.kill(), -SIGKILL);
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 2U);
  view.reset();
  EXPECT_TRUE(no_slabs_left());
  EXPECT_EQ(reader.release(owner.pid()), -ENODEV);
}

TEST_F(MappingRemoval, AMappingAloneKeepsTheModule) {
  Mapping slab;
  {
    const Node node(0);
    slab = node.map_slab();
    ASSERT_TRUE(slab.valid());
  }
  EXPECT_EQ(Debugfs(0).owned().size(), 1U) << "a mapping holds the open file";
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_EQ(module().unload(), -EWOULDBLOCK);
  slab.add(1, 1);
  slab.reset();
  EXPECT_TRUE(no_slabs_left());
}

// The index of a removed device stays taken while anything of it is held.
TEST_F(MappingRemoval, NewDeviceDoesNotInheritTheOldOnesSlabs) {
  Node old_node(0);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(old_node.acquire(0, &info), 0);
  Mapping old = Mapping::map(old_node.fd(), info.mmap_offset);
  ASSERT_TRUE(old.valid());
  ASSERT_EQ(module().del_device(0), 0);
  ASSERT_EQ(module().new_device("v3"), 0);
  EXPECT_EQ(Node::try_open(0, O_RDWR), -ENOENT) << "index 0 is not free yet";
  const Node fresh(2);
  EXPECT_EQ(Mapping::map(fresh.fd(), info.mmap_offset).error(), -ENXIO);
  old.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 5);
  old.reset();
  EXPECT_EQ(incremented(2), 0U);
  old_node.close();
  ASSERT_EQ(module().new_device("v3"), 0);
  EXPECT_EQ(Node(0).acquire(), 0) << "and now it is";
}

}  // namespace
}  // namespace ndtel::vm
