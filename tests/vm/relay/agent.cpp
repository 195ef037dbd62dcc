// SPDX-License-Identifier: Apache-2.0
#include "agent.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace ndtel::vm {

std::optional<std::uint64_t> value_in(const nd_relay_post& post, unsigned cw) {
  for (std::uint32_t at = 0; at + NMETRIC_RECORD_HEADER <= post.size;) {
    const std::uint32_t length = post.data[at + 1];
    if (at + NMETRIC_RECORD_HEADER + length > post.size) break;
    if (post.data[at] == cw) {
      return std::stoull(std::string(
          reinterpret_cast<const char*>(&post.data[at + NMETRIC_RECORD_HEADER]), length));
    }
    at += NMETRIC_RECORD_HEADER + length;
  }
  return std::nullopt;
}

int Agent::ack(std::uint64_t seq, std::uint32_t result, std::uint32_t pad) const {
  nd_relay_ack ack{seq, result, pad};
  return node_.control(ND_IOC_RELAY_ACK, &ack);
}

int Agent::read(nd_relay_post* post, std::size_t size) const {
  const auto n = ::read(node_.fd(), post, size);
  return n < 0 ? -errno : static_cast<int>(n);
}

int Agent::poll(std::chrono::milliseconds timeout) const {
  pollfd fd{node_.fd(), POLLIN, 0};
  return ::poll(&fd, 1, static_cast<int>(timeout.count())) == 1 ? fd.revents : 0;
}

std::optional<nd_relay_post> Agent::next_with(unsigned cw) const {
  constexpr int kMost = 10;
  for (int i = 0; i < kMost; ++i) {
    nd_relay_post post{};
    if (poll() != POLLIN || read(&post) != sizeof post) return std::nullopt;
    if (value_in(post, cw)) return post;
    if (ack(post.seq) != 0) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace ndtel::vm
