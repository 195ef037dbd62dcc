// SPDX-License-Identifier: Apache-2.0
//
// The table of ioctls as the wire has it, and a device of each generation.
#ifndef NDTEL_TESTS_VM_IOCTL_IOCTL_TEST_HPP
#define NDTEL_TESTS_VM_IOCTL_IOCTL_TEST_HPP

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "support/fixture.hpp"
#include "support/node.hpp"

namespace ndtel::vm {

/// ENOTSUPP, which programs have no name for.
inline constexpr int kNotSupported = 524;

struct Command {
  const char* name;
  std::uint32_t number;
  std::size_t bytes;  ///< of the argument
  bool free_lane;     ///< works on a descriptor opened O_WRONLY too
  bool reads;         ///< its argument
  bool writes;        ///< its argument
};

inline constexpr Command kCommands[] = {
    {"DEVICE_INFO", 0x80084E03, 80, false, false, true},
    {"GET_ALL_APPS_INFO", 0x80084E07, 16, false, true, true},
    {"ACQUIRE_NEURON_DS", 0x80084E47, 24, false, true, true},
    {"RELEASE_NEURON_DS", 0x80084E48, 24, false, true, false},
    {"COMPATIBLE_VERSION", 0x40084E5D, 8, true, false, true},
    {"DEVICE_BASIC_INFO", 0x40084E64, 8, true, false, true},
    {"DRIVER_INFO_GET", 0x80184E6E, 24, true, false, true},
    {"HOST_DEVICE_ID", 0x80044E72, 4, false, false, true},
    {"METRICS_CTRL", 0x40044E80, 4, false, true, false},
};

inline constexpr std::uint32_t kDeviceInit = 0x80084E04;
inline constexpr std::uint32_t kDeviceRelease = 0x80084E05;
inline constexpr std::uint32_t kDriverInfoSet = 0x40184E6E;

/// What a generation says about itself.
struct Generation {
  const char* name;
  std::uint32_t architecture;
  std::uint32_t compatible_min;
  std::uint32_t compatible_max;
};

inline constexpr Generation kGenerations[] = {
    {"v2", 2, 5, 7}, {"v3", 3, 10, 11}, {"v4", 4, 10, 11}};
inline constexpr int kDevices = 3;

/// Devices 0, 1 and 2 are of the generations in kGenerations.
class IoctlTest : public ModuleTest {
 protected:
  IoctlTest() : ModuleTest("nmetric_metric_post_delay=3600000") {}

  void SetUp() override {
    ModuleTest::SetUp();
    for (const auto& generation : kGenerations) ASSERT_EQ(module().new_device(generation.name), 0);
  }
};

/// An argument full of a pattern, so that what is not written shows.
template <typename T>
T patterned() {
  T value;
  std::memset(&value, 0xA5, sizeof value);
  return value;
}

/// Any number as a pointer.
inline void* address(std::uintptr_t number) { return std::bit_cast<void*>(number); }

/// Three pages: one that can be written, one that can only be read, and one that cannot be touched,
/// in this order.
class GuardedMemory {
 public:
  GuardedMemory() : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    void* const start =
        ::mmap(nullptr, 3 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) fail_errno("mmap");
    start_ = static_cast<std::byte*>(start);
    if (::mprotect(start_ + page_, page_, PROT_READ) != 0 ||
        ::mprotect(start_ + 2 * page_, page_, PROT_NONE) != 0) {
      fail_errno("mprotect");
    }
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { ::munmap(start_, 3 * page_); }

  std::byte* writable() const { return start_; }
  std::byte* read_only() const { return start_ + page_; }
  std::byte* untouchable() const { return start_ + 2 * page_; }
  /// Where an argument has its first `bytes` bytes in writable memory and the rest in read-only.
  std::byte* before_read_only(std::size_t bytes) const { return read_only() - bytes; }
  /// Where an argument has its first `bytes` bytes in read-only memory and the rest in none.
  std::byte* before_untouchable(std::size_t bytes) const { return untouchable() - bytes; }

 private:
  std::size_t page_;
  std::byte* start_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_IOCTL_IOCTL_TEST_HPP
