// SPDX-License-Identifier: Apache-2.0
//
// Core locks: who may enter what, and who is listed.
#include "locks_test.hpp"

namespace ndtel::vm {
namespace {

using Crwl = LocksTest;

TEST_F(Crwl, LoadRunAndLoadAgain) {
  const Node node(0);
  EXPECT_EQ(reader_enter(node, 3), -ENOENT) << "nothing was loaded";
  EXPECT_EQ(writer_enter(node, 3), 0);
  EXPECT_EQ(downgrade(node, 3), 0);
  EXPECT_EQ(reader_enter(node, 3), 0);
  EXPECT_EQ(reader_exit(node, 3), 0);
  EXPECT_EQ(reader_exit(node, 3), 0);
  EXPECT_EQ(reader_exit(node, 3), -EINVAL) << "nobody is inside";
  EXPECT_EQ(writer_enter(node, 3), -EALREADY) << "entered, and the model is in place";
  EXPECT_EQ(downgrade(node, 3), 0);
  EXPECT_EQ(reader_exit(node, 3), 0);
  EXPECT_EQ(writer_enter(node, 3, 'n'), 0);
  EXPECT_EQ(downgrade(node, 3), -ENOENT);
  EXPECT_EQ(downgrade(node, 3, 'n'), 0);
  EXPECT_EQ(downgrade(node, 3, 'n'), -EINVAL);
  EXPECT_EQ(reader_enter(node, 3), -ENOENT);
  EXPECT_EQ(reader_exit(node, 3), -ENOENT);
}

TEST_F(Crwl, CoresAndDevicesAreApart) {
  const Node first(0);
  const Node second(1);
  for (std::uint32_t core = 0; core < 8; ++core) {
    EXPECT_EQ(writer_enter(first, core), 0) << core;
    EXPECT_EQ(writer_enter(second, core), 0) << core;
  }
  for (const std::uint32_t core : {8u, 9u, 31u, 32u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    EXPECT_EQ(writer_enter(first, core), -EINVAL) << core;
    EXPECT_EQ(reader_enter(first, core), -EINVAL) << core;
    EXPECT_EQ(reader_exit(first, core), -EINVAL) << core;
    EXPECT_EQ(downgrade(first, core), -EINVAL) << core;
  }
}

TEST_F(Crwl, AnotherProcessesModelIsNotMine) {
  const Node node(0);
  ASSERT_EQ(writer_enter(node, 0), 0);
  ASSERT_EQ(downgrade(node, 0), 0);
  Child child([](Channel&) -> int {
    const Node own(0);
    CHILD_CHECK(reader_enter(own, 0) == -ENOENT);
    CHILD_CHECK(reader_exit(own, 0) == -ENOENT);
    CHILD_CHECK(downgrade(own, 0) == -EINVAL);
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  // It can have the core once it is free, and then the model is no longer there.
  ASSERT_EQ(reader_exit(node, 0), 0);
  Child next([](Channel&) -> int {
    const Node own(0);
    CHILD_CHECK(writer_enter(own, 0) == 0);
    CHILD_CHECK(downgrade(own, 0) == 0);
    CHILD_CHECK(reader_exit(own, 0) == 0);
    return 0;
  });
  EXPECT_EQ(next.wait(), 0);
  EXPECT_EQ(reader_enter(node, 0), -ENOENT);
}

struct Apps {
  nd_ioctl_apps_info_hdr header{};
  nd_ioctl_app_record records[32]{};
};

Apps apps(std::uint16_t flags) {
  Apps apps;
  apps.header.flags = flags;
  apps.header.capacity = 32;
  EXPECT_EQ(Node(0, O_RDONLY).apps_info(&apps.header), 0);
  return apps;
}

std::string uuid_of(const nd_ioctl_app_record& record, int core) {
  return {reinterpret_cast<const char*>(record.uuid[core]), sizeof record.uuid[core]};
}

TEST_F(Crwl, ApplicationsAreListedWithTheirModels) {
  const Node node(0);
  Child other([](Channel& channel) -> int {
    const Node own(0);
    CHILD_CHECK(own.acquire() == 0);
    CHILD_CHECK(writer_enter(own, 2, 'o') == 0);
    CHILD_CHECK(writer_enter(own, 5, 'p') == 0);
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(other.receive());
  ASSERT_EQ(writer_enter(node, 0, 'a'), 0);
  ASSERT_EQ(downgrade(node, 0, 'a'), 0);
  ASSERT_EQ(reader_exit(node, 0, 'a'), 0);

  const auto all = apps(ND_APPS_ALL);
  ASSERT_EQ(all.header.size, 2u);
  EXPECT_EQ(all.records[0].pid, other.pid());
  EXPECT_EQ(all.records[0].nc_lock_map, 0x24);
  EXPECT_EQ(all.records[0].host_mem_size, NDS_SLAB_SIZE);
  EXPECT_EQ(uuid_of(all.records[0], 2), std::string(32, 'o'));
  EXPECT_EQ(uuid_of(all.records[0], 0), std::string(32, '\0'));
  // It owns no slab, and its model is known after all readers have left.
  EXPECT_EQ(all.records[1].pid, ::getpid());
  EXPECT_EQ(all.records[1].nc_lock_map, 0x01);
  EXPECT_EQ(all.records[1].host_mem_size, 0u);
  EXPECT_EQ(uuid_of(all.records[1], 0), std::string(32, 'a'));

  const auto memory = apps(ND_APPS_MEM_USAGE);
  ASSERT_EQ(memory.header.size, 2u);
  EXPECT_EQ(memory.records[0].nc_lock_map, 0);
  EXPECT_EQ(uuid_of(memory.records[0], 2), std::string(32, '\0'));

  other.kill();
  const auto left = apps(ND_APPS_ALL);
  ASSERT_EQ(left.header.size, 1u);
  EXPECT_EQ(left.records[0].pid, ::getpid());
}

}  // namespace
}  // namespace ndtel::vm
