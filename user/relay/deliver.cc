// SPDX-License-Identifier: Apache-2.0
//
// Handing posts to the driver that has the hardware.
#include <fcntl.h>
#include <fmt/format.h>
#include <ndtel/ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ndtel/relay.hpp"

namespace ndtel {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool is_absent(int error) { return error == ENOENT || error == ENXIO || error == ENODEV; }

}  // namespace

nmetric_result result_of_post(int error) noexcept {
  switch (error) {
    case 0:
      return NMETRIC_ACCEPTED;
    // Checked by drivers before they touch the mailbox. Not EPERM, which some drivers return when
    // the firmware did not answer, and not EREMOTEIO, which may follow an attempt without an
    // answer.
    case E2BIG:
    case EINVAL:
    case EFAULT:
    case EACCES:
    case ENOTTY:
    case ENOMEM:
    case EOPNOTSUPP:
    case EAGAIN:
      return NMETRIC_REFUSED;
    default:
      return NMETRIC_UNKNOWN;
  }
}

Delivery deliver(const std::string& node, std::span<const std::uint8_t> records) {
  // Without O_NONBLOCK the open of a device in reset would wait for its end.
  const Descriptor driver(::open(node.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (driver.get() < 0) {
    const int error = errno;
    return {NMETRIC_REFUSED, error, is_absent(error),
            fmt::format("cannot open {}: {}", node, std::strerror(error))};
  }
  nd_ioctl_post_metric request{};
  request.data = reinterpret_cast<std::uintptr_t>(records.data());
  request.data_size = static_cast<std::uint32_t>(records.size());
  // Not repeated when interrupted: whether the firmware has it is then unknown.
  const int answer = ::ioctl(driver.get(), ND_IOC_POST_METRIC, &request);
  if (answer == 0) return {NMETRIC_ACCEPTED, 0, false, {}};
  // Some drivers of the family give back how many bytes they could not copy.
  const int error = answer < 0 ? errno : EFAULT;
  return {result_of_post(error), error, is_absent(error),
          fmt::format("{} did not take the post: {}", node, std::strerror(error))};
}

}  // namespace ndtel
