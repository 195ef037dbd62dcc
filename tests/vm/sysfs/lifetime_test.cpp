// SPDX-License-Identifier: Apache-2.0
//
// The tree's beginning and end: whole when the device is announced, gone with it, and nothing of it
// left when it cannot be made.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>

#include "expected.hpp"
#include "support/child.hpp"
#include "support/file.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

/// The kernel's announcements.
class Uevents {
 public:
  Uevents()
      : fd_(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                     NETLINK_KOBJECT_UEVENT)) {
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = 1;
    if (!fd_.valid() ||
        ::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      fail_errno("listening to uevents");
    }
  }

  /// The next one whose header, "add@/devices/...", contains a text; nothing when none comes.
  std::optional<std::string> next(const std::string& part,
                                  std::chrono::milliseconds within = kPatience) const {
    const auto limit = std::chrono::steady_clock::now() + within;
    for (;;) {
      char buffer[8192];
      const ssize_t got = ::recv(fd_.get(), buffer, sizeof buffer - 1, 0);
      if (got > 0) {
        buffer[got] = '\0';
        const std::string header = buffer;
        if (header.find(part) != std::string::npos) return header;
        continue;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          limit - std::chrono::steady_clock::now());
      pollfd poll{.fd = fd_.get(), .events = POLLIN, .revents = 0};
      if (left.count() <= 0 || ::poll(&poll, 1, static_cast<int>(left.count())) == 0) {
        return std::nullopt;
      }
    }
  }

 private:
  Fd fd_;
};

class SysfsLifetime : public SysfsTest {};

// Sysfs18: the attributes came after the event.
TEST_F(SysfsLifetime, Sysfs18TheTreeIsWholeWhenTheDeviceIsAnnounced) {
  const auto tree = expected_tree(kKinds[2]);
  const std::string device = "/" + default_namespace() + "1";
  // Should it not be so, the listener would have to be too late each time not to see it.
  for (int i = 0; i < 5; ++i) {
    const Uevents uevents;
    Child maker([&](Channel&) { return module().new_device("v3") == 0 ? 0 : 1; });
    const auto added = uevents.next(device);
    ASSERT_TRUE(added.has_value());
    EXPECT_TRUE(added->starts_with("add@")) << *added;
    const auto files = files_below(device_directory(1));
    EXPECT_EQ(files.size(), tree.size());
    for (const auto& [path, file] : tree) EXPECT_TRUE(files.contains(path)) << path;
    EXPECT_EQ(maker.wait(), 0);
    // Once, and its directories not at all.
    EXPECT_EQ(uevents.next(device, std::chrono::milliseconds(200)), std::nullopt);
    ASSERT_EQ(module().del_device(1), 0);
    const auto removed = uevents.next(device);
    ASSERT_TRUE(removed.has_value());
    EXPECT_TRUE(removed->starts_with("remove@")) << *removed;
    EXPECT_EQ(uevents.next(device, std::chrono::milliseconds(200)), std::nullopt);
  }
}

TEST_F(SysfsLifetime, OpenFilesOfADeviceThatWentSayNoDevice) {
  const Fd fd(::open(attributes_.path(status(0, "success") + "total").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(fd.valid());
  ASSERT_EQ(module().del_device(0), 0);
  char buffer[16];
  EXPECT_EQ(::pread(fd.get(), buffer, sizeof buffer, 0), -1);
  EXPECT_EQ(errno, ENODEV);
  EXPECT_EQ(::write(fd.get(), "0", 1), -1);
  EXPECT_EQ(errno, ENODEV);
}

// Sysfs6, Sysfs8, Sysfs9: directories of which some could not be made leaked, and stayed half.
//
// Every allocation in turn fails, where the kernel can be told to (the debug kernel can).
TEST_F(SysfsLifetime, Sysfs6ATreeThatCannotBeMadeLeavesNothing) {
  const std::string nth = "/proc/thread-self/fail-nth";
  const std::string failslab = "/sys/kernel/debug/failslab/";
  if (!exists(nth) || !exists(failslab + "ignore-gfp-wait")) {
    GTEST_SKIP() << "this kernel cannot make allocations fail";
  }
  ASSERT_EQ(write_file(failslab + "ignore-gfp-wait", "N"), 0);
  ASSERT_EQ(write_file(failslab + "verbose", "0"), 0);
  const auto tree = expected_tree(kKinds[0]);
  const std::string new_device = "/sys/bus/" + default_namespace() + "/new_device";
  int failures = 0;
  // Each of the first, where every allocation is another step; then samples of the many of the
  // tree, because a device takes seconds there.
  for (int n = 1;; n += n < 10 ? 1 : 53) {
    const Fd fd(::open(new_device.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_TRUE(fd.valid());
    ASSERT_EQ(write_file(nth, std::to_string(n)), 0);
    const bool made = ::write(fd.get(), "sim v2", 6) == 6;
    const int error = errno;
    // What is left of the count tells whether it struck at all.
    const auto left = read_file(nth).value_or("");
    write_file(nth, "0");
    if (made && left != "0\n") break;
    if (made) {
      // It struck something that the device can do without: the tree is whole all the same.
      EXPECT_EQ(files_below(device_directory(1)).size(), tree.size()) << n;
      ASSERT_EQ(module().del_device(1), 0);
      continue;
    }
    // Copying what was written can be told to fail as well.
    EXPECT_TRUE(error == ENOMEM || error == EFAULT) << n << ": " << error;
    EXPECT_FALSE(exists(device_directory(1))) << n;
    ++failures;
    std::printf("allocation %d failed: %d\n", n, error);
    std::fflush(stdout);
  }
  write_file(failslab + "ignore-gfp-wait", "Y");
  std::printf("%d devices could not be made\n", failures);
  EXPECT_GT(failures, 15);
  EXPECT_EQ(files_below(device_directory(1)).size(), tree.size());
}

}  // namespace
}  // namespace ndtel::vm
