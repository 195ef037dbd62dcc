// SPDX-License-Identifier: Apache-2.0
#include "support/child.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

namespace ndtel::vm {
namespace {

constexpr int kNotInTime = -1000;
constexpr int kThrew = 99;
constexpr int kCheckFailed = 98;

int decode(int status) { return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

std::pair<Channel, Channel> Channel::pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) fail_errno("socketpair");
  return {Channel(ends[0]), Channel(ends[1])};
}

bool Channel::send(std::uint64_t value) const {
  return ::send(fd_.get(), &value, sizeof value, MSG_NOSIGNAL) == sizeof value;
}

std::optional<std::uint64_t> Channel::receive(std::chrono::milliseconds timeout) const {
  pollfd wait{.fd = fd_.get(), .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, static_cast<int>(timeout.count()));
  } while (ready < 0 && errno == EINTR);
  std::uint64_t value = 0;
  if (ready <= 0 || ::recv(fd_.get(), &value, sizeof value, 0) != sizeof value) return std::nullopt;
  return value;
}

Child::Child(const Body& body, bool orphan_ok) {
  auto [ours, theirs] = Channel::pair();
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail_errno("fork");
  if (pid_ == 0) {
    if (!orphan_ok) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      // The parent may have died before; 0 is a parent outside the pid namespace.
      if (::getppid() != parent && ::getppid() != 0) ::_exit(0);
    }
    ours.close();
    int result = kThrew;
    try {
      result = body(theirs);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child %d: %s\n", ::getpid(), error.what());
    }
    std::fflush(nullptr);
    ::_exit(result);
  }
  channel_ = std::move(ours);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      result_(other.result_),
      channel_(std::move(other.channel_)) {}

Child::~Child() {
  if (pid_ > 0) kill();
}

void Child::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

int Child::wait(std::chrono::milliseconds timeout) {
  if (pid_ <= 0) return result_;
  result_ = wait_for(pid_, timeout);
  if (result_ == kNotInTime) {
    ::kill(pid_, SIGKILL);
    wait_for(pid_);
  }
  pid_ = -1;
  return result_;
}

int Child::kill() {
  signal(SIGKILL);
  return wait();
}

int wait_for(pid_t pid, std::chrono::milliseconds timeout) {
  int status = 0;
  const bool ended = eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }, timeout);
  return ended ? decode(status) : kNotInTime;
}

void become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail_errno("PR_SET_CHILD_SUBREAPER");
}

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "child %d: not so: %s (errno %d)\n", ::getpid(), what, errno);
  ::_exit(kCheckFailed);
}

void sleep_for_ever() {
  for (;;) ::pause();
}

}  // namespace ndtel::vm
