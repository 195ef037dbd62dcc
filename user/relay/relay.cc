// SPDX-License-Identifier: Apache-2.0
//
// The agent's end of a companion device.
#include "ndtel/relay.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ndtel {
namespace {

std::string attach_advice(int error) {
  switch (error) {
    case EBUSY:
      return "another agent is attached; end it first";
    case EOPNOTSUPP:
      return "the device has firmware of its own and needs no agent";
    case EPERM:
    case EACCES:
      return "run as root";
    case ENOTTY:
    case EINVAL:
      return "the module has no relay; load the one that belongs to this tool";
    default:
      return "see dmesg for the module's reason";
  }
}

}  // namespace

Result<Relay> Relay::attach(const std::string& path) {
  auto device = Device::open(path, Lane::kReadWrite);
  if (!device) return device.error();
  const int flags = ::fcntl(device->fd(), F_GETFL);
  if (flags < 0 || ::fcntl(device->fd(), F_SETFL, flags | O_NONBLOCK) != 0 ||
      ::ioctl(device->fd(), ND_IOC_RELAY_ATTACH) != 0) {
    const int error = errno;
    return Error{error, fmt::format("cannot attach to {}: {}; {}", path, std::strerror(error),
                                    attach_advice(error))};
  }
  return Relay(std::move(*device));
}

Result<std::optional<nd_relay_post>> Relay::read() const {
  nd_relay_post post{};
  ssize_t n;
  do {
    n = ::read(fd(), &post, sizeof post);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) return std::optional<nd_relay_post>{};
  if (n < 0) {
    const int error = errno;
    return Error{error,
                 fmt::format("cannot read a post of {}: {}", device_.path(), std::strerror(error))};
  }
  if (n != sizeof post || post.size > sizeof post.data) {
    return Error{EPROTO, fmt::format("{} gave a post of {} bytes; the module does not match this "
                                     "tool",
                                     device_.path(), n)};
  }
  return std::optional(post);
}

Result<void> Relay::acknowledge(std::uint64_t seq, nmetric_result result) const {
  nd_relay_ack ack{};
  ack.seq = seq;
  ack.result = result;
  if (::ioctl(fd(), ND_IOC_RELAY_ACK, &ack) == 0) return {};
  const int error = errno;
  return Error{error, fmt::format("cannot acknowledge post {} of {}: {}", seq, device_.path(),
                                  std::strerror(error))};
}

}  // namespace ndtel
