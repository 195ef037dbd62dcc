// SPDX-License-Identifier: Apache-2.0
//
// What an mmap of the node takes: a live cookie of this device, the whole slab, shared.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "mapping/mapping.hpp"

namespace ndtel::vm {
namespace {

class MappingCookie : public MappingTest {};

TEST_F(MappingCookie, WrongLengthIsRefusedAlsoWithEveryCapability) {
  const Node node(0);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(node.acquire(0, &info), 0);
  ASSERT_EQ(::geteuid(), 0U) << "the reference fell into a raw path for who may do raw I/O";
  for (const std::size_t size :
       {4096UL, 67200UL, 69632UL, NDS_SLAB_SIZE - 4096UL, NDS_SLAB_SIZE + 1UL,
        NDS_SLAB_SIZE + 4096UL, 2UL * NDS_SLAB_SIZE, 1UL << 30}) {
    for (const int protection : {PROT_READ, PROT_READ | PROT_WRITE}) {
      EXPECT_EQ(Mapping::map(node.fd(), info.mmap_offset, protection, size).error(), -EINVAL)
          << size;
    }
  }
  // The kernel maps whole pages: this is the same request.
  EXPECT_EQ(Mapping::map(node.fd(), info.mmap_offset, PROT_READ, NDS_SLAB_SIZE - 1).error(), 0);
  EXPECT_EQ(mappings(), 0U);
}

TEST_F(MappingCookie, PrivateMappingsAreRefused) {
  const Node node(0);
  const Node reader(0, O_RDONLY);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(node.acquire(0, &info), 0);
  for (const int fd : {node.fd(), reader.fd()}) {
    for (const int protection : {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE}) {
      EXPECT_EQ(Mapping::map(fd, info.mmap_offset, protection, NDS_SLAB_SIZE, MAP_PRIVATE).error(),
                -EINVAL)
          << protection;
    }
  }
  EXPECT_EQ(mappings(), 0U);
}

TEST_F(MappingCookie, StaleCookieIsRefusedAfterRelease) {
  const Node node(0);
  nd_ioctl_ds_info old{}, fresh{};
  ASSERT_EQ(node.acquire(0, &old), 0);
  const Mapping kept = Mapping::map(node.fd(), old.mmap_offset);
  ASSERT_TRUE(kept.valid());
  ASSERT_EQ(node.release(), 0);
  EXPECT_EQ(Mapping::map(node.fd(), old.mmap_offset).error(), -ENXIO)
      << "not even while the memory lingers";
  ASSERT_EQ(node.acquire(0, &fresh), 0);
  EXPECT_EQ(Mapping::map(node.fd(), old.mmap_offset).error(), -ENXIO)
      << "a cookie is never used again";
  EXPECT_EQ(Mapping::map(node.fd(), fresh.mmap_offset).error(), 0);
}

TEST_F(MappingCookie, StaleCookieIsRefusedAfterTheOwnersDeath) {
  Child owner([](Channel& channel) -> int {
    const Node node(0);
    nd_ioctl_ds_info info{};
    CHILD_CHECK(node.acquire(0, &info) == 0);
    channel.send(info.mmap_offset);
    sleep_for_ever();
  });
  const auto cookie = owner.receive();
  ASSERT_TRUE(cookie);
  const Node node(0, O_RDONLY);
  EXPECT_EQ(Mapping::map(node.fd(), *cookie, PROT_READ).error(), 0);
  EXPECT_EQ(owner.kill(), -SIGKILL);
  EXPECT_EQ(Mapping::map(node.fd(), *cookie, PROT_READ).error(), -ENXIO);
}

TEST_F(MappingCookie, CookieOfAnotherDeviceIsRefused) {
  const Node first(0), second(1);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(first.acquire(0, &info), 0);
  ASSERT_EQ(second.acquire(), 0);
  EXPECT_EQ(Mapping::map(second.fd(), info.mmap_offset).error(), -ENXIO);
}

TEST_F(MappingCookie, InventedCookiesAreRefused) {
  const Node node(0);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(node.acquire(0, &info), 0);
  const std::uint64_t real = info.mmap_offset;
  std::mt19937_64 random(20240229);
  const auto refused = [&](std::uint64_t cookie) {
    const int error = Mapping::map(node.fd(), cookie, PROT_READ).error();
    // An offset so high that offset plus length wraps does not even reach the module.
    const bool wraps = cookie + NDS_SLAB_SIZE < cookie;
    return error == -ENXIO || (wraps && error == -EOVERFLOW);
  };
  for (int bit = 12; bit < 64; ++bit) {
    EXPECT_TRUE(refused(real ^ 1ULL << bit)) << "bit " << bit;
    EXPECT_TRUE(refused(1ULL << bit)) << "bit " << bit;
  }
  EXPECT_TRUE(refused(0));
  EXPECT_TRUE(refused(~0ULL << 12));
  for (int i = 0; i < 2000; ++i) {
    // Half of them with the kind of a real cookie.
    std::uint64_t cookie = random() & ~0xfffULL;
    if (i % 2 == 0) cookie = (cookie & ~0ULL >> 8) | (real & 0xffULL << 56);
    ASSERT_TRUE(cookie == real || refused(cookie)) << std::hex << cookie;
  }
  EXPECT_EQ(Mapping::map(node.fd(), real + 1, PROT_READ).error(), -EINVAL) << "no page offset";
  EXPECT_EQ(mappings(), 0U);
}

// Addresses of the kernel or the machine must not leak through what programs pass to mmap.
TEST_F(MappingCookie, CookiesAreNoAddresses) {
  const Node node(0);
  std::uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    nd_ioctl_ds_info info{};
    ASSERT_EQ(node.acquire(0, &info), 0);
    EXPECT_TRUE(i == 0 || info.mmap_offset - before == 4096U) << "not a running number";
    before = info.mmap_offset;
    ASSERT_EQ(node.release(), 0);
  }
}

TEST_F(MappingCookie, FreeLaneCannotMap) {
  const Node owner(0);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(owner.acquire(0, &info), 0);
  const Node node(0, O_WRONLY);
  EXPECT_EQ(Mapping::map(node.fd(), info.mmap_offset, PROT_WRITE).error(), -EACCES);
  EXPECT_EQ(Mapping::map(node.fd(), info.mmap_offset, PROT_READ).error(), -EACCES);
}

}  // namespace
}  // namespace ndtel::vm
