// SPDX-License-Identifier: Apache-2.0
#include "courier.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace ndtel::cli {

Courier::Courier(Relay relay, std::string device, std::string driver_node, Journal& journal)
    : relay_(std::move(relay)),
      device_(std::move(device)),
      driver_node_(std::move(driver_node)),
      journal_(journal),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  journal_.say(device_, fmt::format("relaying posts to {}", driver_node_));
  // A signal that ends the command must not interrupt a delivery, whose fate would be unknown then;
  // threads inherit the mask.
  sigset_t stopping, before;
  sigemptyset(&stopping);
  sigaddset(&stopping, SIGINT);
  sigaddset(&stopping, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stopping, &before);
  thread_ = std::thread([this] {
    run();
    relay_.reset();
    ended_ = true;
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Courier::~Courier() {
  stop();
  thread_.join();
  ::close(wake_);
}

void Courier::stop() { ::eventfd_write(wake_, 1); }

void Courier::run() {
  for (;;) {
    pollfd fds[] = {{relay_->fd(), POLLIN, 0}, {wake_, POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0 && errno != EINTR) {
      journal_.say(device_, fmt::format("cannot wait for posts: {}", std::strerror(errno)));
      return;
    }
    if (fds[1].revents != 0) return;
    if ((fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
      journal_.say(device_, "was removed");
      return;
    }
    if ((fds[0].revents & POLLIN) != 0 && !relay_one()) return;
  }
}

bool Courier::relay_one() {
  const auto post = relay_->read();
  if (!post) {
    journal_.say(device_, post.error().code == ENODEV ? "was removed" : post.error().message);
    return false;
  }
  if (!*post) return true;
  const Delivery delivery = deliver(driver_node_, {(*post)->data, (*post)->size});
  const auto acknowledged = relay_->acknowledge((*post)->seq, delivery.result);
  report(delivery);
  if (!acknowledged) {
    journal_.say(device_, acknowledged.error().code == ENODEV ? "was removed"
                                                              : acknowledged.error().message);
    return false;
  }
  return !delivery.absent;
}

void Courier::report(const Delivery& delivery) {
  if (delivery.result == NMETRIC_ACCEPTED) {
    if (not_accepted_ > 0) {
      journal_.say(device_, fmt::format("posts are accepted again, after {} that {} not",
                                        not_accepted_, not_accepted_ == 1 ? "was" : "were"));
    }
    not_accepted_ = 0;
    return;
  }
  ++not_accepted_;
  if (delivery.absent) {
    journal_.say(device_, fmt::format("{} is gone; counts stay pending", driver_node_));
    return;
  }
  journal_.complain(
      device_, fmt::format("{}; {}; its counts stay pending and are posted again", delivery.message,
                           delivery.result == NMETRIC_REFUSED ? "it was not delivered"
                                                              : "nobody knows whether it arrived"));
}

}  // namespace ndtel::cli
