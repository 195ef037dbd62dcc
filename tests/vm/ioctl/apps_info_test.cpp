// SPDX-License-Identifier: Apache-2.0
//
// Who uses a device: its slabs' owners.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "ioctl_test.hpp"
#include "support/owner.hpp"

namespace ndtel::vm {
namespace {

constexpr std::uint32_t kRoom = 20;

/// A header and more records than a device has owners, all of it patterned.
struct Answer {
  nd_ioctl_apps_info_hdr header;
  nd_ioctl_app_record records[kRoom];
};

class IoctlAppsInfo : public IoctlTest {
 protected:
  Answer ask(std::uint16_t flags, std::uint32_t capacity) {
    auto answer = patterned<Answer>();
    answer.header.flags = flags;
    answer.header.capacity = capacity;
    EXPECT_EQ(Node(0, O_RDONLY).apps_info(&answer.header), 0);
    EXPECT_EQ(answer.header.pad, 0u);
    EXPECT_EQ(answer.header.pad1, 0u);
    EXPECT_EQ(answer.header.flags, flags);
    EXPECT_EQ(answer.header.capacity, capacity);
    for (std::uint32_t i = answer.header.size; i < kRoom; ++i) {
      const auto untouched = patterned<nd_ioctl_app_record>();
      EXPECT_EQ(std::memcmp(&answer.records[i], &untouched, sizeof untouched), 0) << "record " << i;
    }
    return answer;
  }
};

void expect_record(const nd_ioctl_app_record& record, pid_t pid, std::uint64_t host_bytes) {
  nd_ioctl_app_record expected{};
  expected.pid = pid;
  expected.host_mem_size = host_bytes;
  EXPECT_EQ(record.pid, pid);
  EXPECT_EQ(record.host_mem_size, host_bytes);
  EXPECT_EQ(std::memcmp(&record, &expected, sizeof expected), 0) << "locks, uuids or padding";
}

TEST_F(IoctlAppsInfo, IdleDeviceHasNone) { EXPECT_EQ(ask(ND_APPS_ALL, kRoom).header.size, 0u); }

TEST_F(IoctlAppsInfo, ListsOwnersWithTheMemoryHeldForThem) {
  Owner first([](const Mapping&) {});
  Owner second([](const Mapping&) {});
  for (const std::uint16_t flags : {ND_APPS_MEM_USAGE, ND_APPS_ALL}) {
    const auto answer = ask(flags, kRoom);
    ASSERT_EQ(answer.header.size, 2u);
    expect_record(answer.records[0], first.pid(), NDS_SLAB_SIZE);
    expect_record(answer.records[1], second.pid(), NDS_SLAB_SIZE);
  }
  first.kill();
  const auto answer = ask(ND_APPS_ALL, kRoom);
  ASSERT_EQ(answer.header.size, 1u);
  expect_record(answer.records[0], second.pid(), NDS_SLAB_SIZE);
}

TEST_F(IoctlAppsInfo, WithoutTheFlagMemoryIsZero) {
  Owner owner([](const Mapping&) {});
  for (const std::uint16_t flags : {0, ND_APPS_NC_LOCK_INFO}) {
    const auto answer = ask(flags, kRoom);
    ASSERT_EQ(answer.header.size, 1u);
    expect_record(answer.records[0], owner.pid(), 0);
  }
}

TEST_F(IoctlAppsInfo, NeverWritesMoreThanTheCapacity) {
  Owner a([](const Mapping&) {});
  Owner b([](const Mapping&) {});
  Owner c([](const Mapping&) {});
  EXPECT_EQ(ask(ND_APPS_ALL, 0).header.size, 0u);
  EXPECT_EQ(ask(ND_APPS_ALL, 1).header.size, 1u);
  EXPECT_EQ(ask(ND_APPS_ALL, 2).header.size, 2u);
  EXPECT_EQ(ask(ND_APPS_ALL, 3).header.size, 3u);
  EXPECT_EQ(ask(ND_APPS_ALL, 4).header.size, 3u);
  EXPECT_EQ(ask(ND_APPS_ALL, 0xFFFFFFFF).header.size, 3u);
  EXPECT_EQ(ask(ND_APPS_ALL, 0x80000000).header.size, 3u);
}

TEST_F(IoctlAppsInfo, ReadersAndIdleFilesAreNotListed) {
  Owner owner([](const Mapping&) {});
  const Node reader(0, O_RDONLY);
  ASSERT_EQ(reader.acquire(owner.pid()), 0);
  const auto answer = ask(ND_APPS_ALL, kRoom);
  ASSERT_EQ(answer.header.size, 1u);
  EXPECT_EQ(answer.records[0].pid, owner.pid());
}

TEST_F(IoctlAppsInfo, UnknownFlagsAreRefused) {
  for (const std::uint16_t flags : {0x10, 0x20, 0x100, 0x8000, 0xFFFF}) {
    auto answer = patterned<Answer>();
    answer.header.flags = flags;
    answer.header.capacity = kRoom;
    EXPECT_EQ(Node(0).apps_info(&answer.header), -EINVAL) << flags;
    EXPECT_EQ(answer.header.size, 0xA5A5A5A5);
  }
}

TEST_F(IoctlAppsInfo, RecordsThatDoNotFitIntoMemoryAreAFault) {
  Owner owner([](const Mapping&) {});
  const GuardedMemory memory;
  // The header fits in front of the read-only page, the record does not.
  auto* const header = reinterpret_cast<nd_ioctl_apps_info_hdr*>(
      memory.before_read_only(sizeof(nd_ioctl_apps_info_hdr)));
  header->flags = ND_APPS_ALL;
  header->capacity = 1;
  EXPECT_EQ(Node(0).apps_info(header), -EFAULT);
  header->capacity = 0;
  EXPECT_EQ(Node(0).apps_info(header), 0);
}

}  // namespace
}  // namespace ndtel::vm
