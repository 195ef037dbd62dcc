// SPDX-License-Identifier: Apache-2.0
//
// Errors of open nodes: they name the file and say what to do.
#include "ndtel/device.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "ndtel/nds.hpp"

namespace ndtel::test {
namespace {

bool mentions(const Error& error, std::string_view text) {
  return error.message.find(text) != std::string::npos;
}

TEST(Device, AMissingNodeSaysWhatToLoad) {
  auto device = Device::open("/nonexistent/ndtel7", Lane::kReadWrite);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ENOENT);
  EXPECT_TRUE(mentions(device.error(), "/nonexistent/ndtel7")) << device.error().message;
  EXPECT_TRUE(mentions(device.error(), "ndtel.ko")) << device.error().message;
}

TEST(Device, AFileThatIsNoDeviceIsRefused) {
  auto device = Device::open("/proc/self/status", Lane::kReadOnly);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ENODEV);
  EXPECT_TRUE(mentions(device.error(), "/proc/self/status")) << device.error().message;
}

TEST(Device, AForeignDriverRefusesEveryCommandWithASentence) {
  auto device = Device::open("/dev/null", Lane::kReadWrite);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ(device->path(), "/dev/null");
  EXPECT_EQ(device->lane(), Lane::kReadWrite);
  const auto expect_refused = [](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ENOTTY);
    EXPECT_TRUE(mentions(result.error(), "/dev/null: cannot ")) << result.error().message;
    EXPECT_TRUE(mentions(result.error(), "does not know this command")) << result.error().message;
  };
  expect_refused(device->device_info());
  expect_refused(device->basic_info());
  expect_refused(device->driver_info());
  expect_refused(device->compatible_version());
  expect_refused(device->host_device_id());
  expect_refused(device->apps());
  expect_refused(device->vote_posting(false));
  expect_refused(device->acquire_slab(0));
  expect_refused(device->release_slab(0));
  expect_refused(Instance::open(*device));
  expect_refused(Reader::open(*device, 1));
}

TEST(Device, AReaderNeedsAProcessId) {
  auto device = Device::open("/dev/null", Lane::kReadOnly);
  ASSERT_TRUE(device);
  for (pid_t pid : {0, -1}) {
    auto reader = Reader::open(*device, pid);
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, EINVAL);
  }
}

TEST(Device, CopiesShareTheDescriptorAndTheLastOneClosesIt) {
  int fd = -1;
  {
    auto device = Device::open("/dev/null", Lane::kFree);
    ASSERT_TRUE(device);
    fd = device->fd();
    EXPECT_EQ(::fcntl(fd, F_GETFL) & O_ACCMODE, O_WRONLY);
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    const Device copy = *device;
    EXPECT_EQ(copy.fd(), fd);
    device = Error{0, ""};
    EXPECT_GE(::fcntl(fd, F_GETFD), 0) << "a copy still uses it";
  }
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST(Device, ArchitecturesHaveNames) {
  EXPECT_EQ(architecture_name(ND_ARCH_V2), "v2 (Trn1, Inf2)");
  EXPECT_EQ(architecture_name(ND_ARCH_V4), "v4 (Trn3)");
  EXPECT_EQ(architecture_name(9), "unknown architecture 9");
}

}  // namespace
}  // namespace ndtel::test
