// SPDX-License-Identifier: Apache-2.0
//
// Thousands of calls with arguments drawn at random: only errno comes back, and the kernel has
// nothing to say.
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>

#include "ioctl_test.hpp"
#include "support/child.hpp"
#include "support/kernel_log.hpp"

namespace ndtel::vm {
namespace {

using IoctlStorm = IoctlTest;

constexpr int kCalls = 3000;  // of each process

// The sequence of a run can be had again with STORM_SEED.
std::uint64_t seed() {
  const char* text = std::getenv("STORM_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 20250611;
}

/// One process's calls on a device: both lanes, two normal files.
class Storm {
 public:
  explicit Storm(std::uint64_t seed)
      : random_(seed), files_{Node(0), Node(0, O_RDONLY), Node(0, O_WRONLY), Node(1)} {}

  bool run() {
    for (int i = 0; i < kCalls; ++i) {
      const bool fine = pick(4) == 0 ? map() : control();
      if (!fine) return false;
    }
    return true;
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  const Node& file() { return files_[pick(std::size(files_))]; }

  // Mostly known commands, their neighbours, and anything.
  std::uint32_t command() {
    switch (pick(8)) {
      case 0:
        return 0x00004E00 | static_cast<std::uint32_t>(random_() & 0xFFFF00FF);
      case 1:
        return kCommands[pick(std::size(kCommands))].number ^
               (1u << static_cast<unsigned>(pick(32)));
      case 2:
        return static_cast<std::uint32_t>(random_());
      default:
        return kCommands[pick(std::size(kCommands))].number;
    }
  }

  // Never an address that may be something else of this process.
  void* pointer() {
    switch (pick(7)) {
      case 0:
        return nullptr;
      case 1:
        return address(random_() | 0xFFFF800000000000);
      case 2:
        return address((random_() >> 1 & 0x3FFF000000000000) | 0x0001000000000000);
      case 3:
        return memory_.before_read_only(pick(100));
      case 4:
        return memory_.before_untouchable(pick(100));
      default:
        return fill(memory_.writable() + pick(1024));
    }
  }

  std::byte* fill(std::byte* at) {
    for (std::size_t i = 0; i < kArgumentRoom; ++i) at[i] = static_cast<std::byte>(random_());
    // Small numbers get further than large ones.
    if (pick(2) == 0) {
      const auto number = static_cast<std::uint32_t>(pick(4));
      std::memcpy(at, &number, sizeof number);
    }
    return at;
  }

  bool control() {
    constexpr int kAllowed[] = {EFAULT,     EINVAL, ENOTTY,    ENOENT,       ENOMEM, EACCES,
                                E2BIG,      ENXIO,  EALREADY,  EBUSY,        ENODEV, EEXIST,
                                EOPNOTSUPP, EAGAIN, ECANCELED, kNotSupported};
    const auto number = command();
    const int result = ::ioctl(file().fd(), number, pointer());
    if (result == 0) return true;
    const int error = errno;
    if (result == -1 &&
        std::find(std::begin(kAllowed), std::end(kAllowed), error) != std::end(kAllowed)) {
      return true;
    }
    std::fprintf(stderr, "ioctl %#x returned %d, errno %d\n", number, result, error);
    return false;
  }

  std::uint64_t offset() {
    nd_ioctl_ds_info info{};
    switch (pick(4)) {
      case 0:
        return random_() & 0x7FFFFFFFFFFFF000;
      case 1:
        return std::uint64_t{1} << 56 | pick(64) << 12;
      default:
        files_[0].acquire(0, &info);
        return info.mmap_offset;
    }
  }

  bool map() {
    constexpr int kAllowed[] = {EINVAL, ENXIO, EACCES, ENOMEM, EOVERFLOW, EPERM};
    constexpr std::size_t kSizes[] = {
        4096, 67200, NDS_SLAB_SIZE - 4096, NDS_SLAB_SIZE, NDS_SLAB_SIZE + 4096, 1 << 24};
    const std::size_t size = kSizes[pick(std::size(kSizes))];
    const int protection = static_cast<int>(pick(8));
    const int flags = pick(3) == 0 ? MAP_PRIVATE : MAP_SHARED;
    void* const mapped =
        ::mmap(nullptr, size, protection, flags, file().fd(), static_cast<off_t>(offset()));
    if (mapped != MAP_FAILED) {
      // Only the one right way succeeds.
      const bool right = size == NDS_SLAB_SIZE && flags == MAP_SHARED;
      if (protection & PROT_READ) {
        const volatile std::byte first = *static_cast<std::byte*>(mapped);
        static_cast<void>(first);
      }
      ::munmap(mapped, size);
      if (!right) std::fprintf(stderr, "mmap of %zu bytes, flags %#x worked\n", size, flags);
      return right;
    }
    const int error = errno;
    if (std::find(std::begin(kAllowed), std::end(kAllowed), error) != std::end(kAllowed)) {
      return true;
    }
    std::fprintf(stderr, "mmap of %zu bytes failed with errno %d\n", size, error);
    return false;
  }

  std::mt19937_64 random_;
  GuardedMemory memory_;
  Node files_[4];
};

TEST_F(IoctlStorm, RandomCallsOfThreeProcessesGetErrorsAndAQuietKernel) {
  std::printf("STORM_SEED=%llu\n", static_cast<unsigned long long>(seed()));
  KernelLog log;
  {
    std::deque<Child> children;
    for (std::uint64_t i = 0; i < 3; ++i) {
      children.emplace_back([i](Channel&) { return Storm(seed() + i).run() ? 0 : 1; });
    }
    for (auto& child : children) EXPECT_EQ(child.wait(std::chrono::minutes(5)), 0);
  }
  const auto& lines = log.read();
  EXPECT_LE(lines.size(), 5u);
  for (const auto& line : lines) std::printf("kernel: %s\n", line.c_str());
}

}  // namespace
}  // namespace ndtel::vm
