// SPDX-License-Identifier: Apache-2.0
//
// Acquire and release with wrong arguments: an errno, and nothing claimed.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "ownership/owner.hpp"

namespace ndtel::vm {
namespace {

/// Pages of which the first two can be written and the third is not there.
class Pages {
 public:
  Pages()
      : base_(static_cast<char*>(::mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (base_ == MAP_FAILED) fail_errno("mmap");
    ::munmap(base_ + 2 * kPage, kPage);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { ::munmap(base_, 2 * kPage); }

  /// A request for `pid` in the first page, which can from now on only be read.
  nd_ioctl_ds_info* read_only_request(pid_t pid) {
    if (::mprotect(base_, kPage, PROT_READ | PROT_WRITE) != 0) fail_errno("mprotect");
    auto* info = reinterpret_cast<nd_ioctl_ds_info*>(base_);
    *info = nd_ioctl_ds_info{};
    info->pid = pid;
    if (::mprotect(base_, kPage, PROT_READ) != 0) fail_errno("mprotect");
    return info;
  }
  /// The last bytes that are there.
  char* end() { return base_ + 2 * kPage; }

 private:
  static constexpr std::size_t kPage = 4096;
  char* base_;
};

TEST_F(Ownership, BadPointersGiveEfaultAndClaimNothing) {
  const Node node(0);
  Pages pages;
  void* const bad[] = {nullptr,
                       reinterpret_cast<void*>(1),
                       pages.end(),
                       pages.end() - 8,
                       pages.end() - 23,
                       reinterpret_cast<void*>(0xffff888000000000),  // kernel memory
                       reinterpret_cast<void*>(0xfffffffffffffff8)};
  for (void* pointer : bad) {
    EXPECT_EQ(node.control(ND_IOC_ACQUIRE_NEURON_DS, pointer), -EFAULT) << pointer;
    EXPECT_EQ(node.control(ND_IOC_RELEASE_NEURON_DS, pointer), -EFAULT) << pointer;
  }
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_EQ(Debugfs::slabs_alive(), 0U);
}

TEST_F(Ownership, UnalignedPointersWork) {
  const Node node(0);
  Pages pages;
  EXPECT_EQ(node.control(ND_IOC_ACQUIRE_NEURON_DS, pages.end() - 25), 0);
  EXPECT_EQ(node.release(), 0);
}

TEST_F(Ownership, FailedCopyOutUndoesAFreshClaim) {
  const Node node(0);
  Pages pages;
  EXPECT_EQ(node.control(ND_IOC_ACQUIRE_NEURON_DS, pages.read_only_request(0)), -EFAULT);
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_EQ(Debugfs::slabs_alive(), 0U);
  EXPECT_EQ(node.release(), -ENOENT);
}

TEST_F(Ownership, FailedCopyOutLeavesAnOlderClaimAlone) {
  const Node node(0);
  ASSERT_EQ(node.acquire(), 0);
  Pages pages;
  EXPECT_EQ(node.control(ND_IOC_ACQUIRE_NEURON_DS, pages.read_only_request(0)), -EFAULT);
  EXPECT_EQ(node.control(ND_IOC_ACQUIRE_NEURON_DS, pages.read_only_request(::getpid())), -EFAULT);
  const auto row = Debugfs(0).slab_of(::getpid());
  ASSERT_TRUE(row);
  EXPECT_EQ(row->acquires, 1U);
}

TEST_F(Ownership, FailedCopyOutOfAReaderIsNoAcquire) {
  const SlabOwner owner(0, 1);
  const Node node(0, O_RDONLY);
  Pages pages;
  EXPECT_EQ(node.control(ND_IOC_ACQUIRE_NEURON_DS, pages.read_only_request(owner.pid())), -EFAULT);
  EXPECT_EQ(node.release(owner.pid()), -ENOENT);
  EXPECT_TRUE(owners_are(0, {owner.pid()}));
}

TEST_F(Ownership, ReleaseOnlyReadsItsArgument) {
  const Node node(0);
  ASSERT_EQ(node.acquire(), 0);
  Pages pages;
  EXPECT_EQ(node.control(ND_IOC_RELEASE_NEURON_DS, pages.read_only_request(0)), 0);
  EXPECT_TRUE(owners_are(0, {}));
}

TEST_F(Ownership, PidsThatNameNoOwnerGiveEnoent) {
  const Node node(0);
  Child bystander([](Channel& channel) -> int { end_when_told(channel); });
  for (const pid_t pid : {bystander.pid(), 1, INT_MAX, -1, -::getpid(), INT_MIN}) {
    EXPECT_EQ(node.acquire(pid), -ENOENT) << pid;
    EXPECT_EQ(node.release(pid), -ENOENT) << pid;
  }
  EXPECT_EQ(node.acquire(::getpid()), -ENOENT) << "by its own number a process claims nothing";
  EXPECT_TRUE(owners_are(0, {}));

  EXPECT_EQ(bystander.kill(), -SIGKILL);
  const SlabOwner owner;
  EXPECT_EQ(Node(1).acquire(owner.pid()), -ENOENT) << "it owns no slab on the other device";
}

TEST_F(Ownership, FreeLaneCannotAcquireOrRelease) {
  const Node node(0, O_WRONLY);
  const SlabOwner owner;
  EXPECT_EQ(node.acquire(), -EINVAL);
  EXPECT_EQ(node.acquire(owner.pid()), -EINVAL);
  EXPECT_EQ(node.release(), -EINVAL);
  EXPECT_TRUE(owners_are(0, {owner.pid()}));
}

TEST_F(Ownership, ReplyHasTheRequestedPidAndZeroPadding) {
  const SlabOwner owner(0, 1);
  const Node node(0, O_RDONLY);
  nd_ioctl_ds_info info{};
  info.pad0 = info.pad1 = 0xffffffff;
  ASSERT_EQ(node.acquire(owner.pid(), &info), 0);
  EXPECT_EQ(info.pid, owner.pid());
  EXPECT_EQ(info.pad0, 0U);
  EXPECT_EQ(info.pad1, 0U);
  EXPECT_EQ(info.size, NDS_SLAB_SIZE);
  EXPECT_EQ(info.mmap_offset, owner.cookie());
}

}  // namespace
}  // namespace ndtel::vm
