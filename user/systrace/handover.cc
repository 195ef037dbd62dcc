// SPDX-License-Identifier: Apache-2.0
#include "handover.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "region_layout.hpp"

namespace ndtel::systrace {
namespace {

constexpr int kPatienceMs = 1000;

class Fd {
 public:
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error failed(const std::string& path, const char* what) {
  const int code = errno;
  return Error{code, fmt::format("{}: {}: {}", path, what, std::strerror(code))};
}

Result<socklen_t> address_of(const std::string& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Error{ENAMETOOLONG, fmt::format("{}: the path of a socket has 1 to {} bytes", path,
                                           sizeof address.sun_path - 1)};
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path[0] != '@') return static_cast<socklen_t>(sizeof address);
  address.sun_path[0] = '\0';
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
}

}  // namespace

Result<void> hand_over(int memfd, const std::string& path) {
  sockaddr_un address;
  const Result<socklen_t> length = address_of(path, address);
  if (!length) return length.error();
  const Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return failed(path, "socket");
  // A full queue of connections is worth a little patience, a reader that is not there is not.
  for (int waited = 0;
       ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), *length) != 0;
       waited += 10) {
    if (errno != EAGAIN || waited >= kPatienceMs) return failed(path, "connect");
    ::poll(nullptr, 0, 10);
  }

  HandoverMessage message{kRegionMagic, kRegionVersion, static_cast<std::uint32_t>(::getpid())};
  iovec part{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof memfd);
  std::memcpy(CMSG_DATA(rights), &memfd, sizeof memfd);
  if (::sendmsg(socket.get(), &header, MSG_NOSIGNAL) < 0) return failed(path, "send");
  return {};
}

}  // namespace ndtel::systrace

namespace ndtel::trace {

using namespace ndtel::systrace;

HandoverSocket::HandoverSocket(HandoverSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

HandoverSocket::~HandoverSocket() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (path_[0] != '@') ::unlink(path_.c_str());
}

Result<HandoverSocket> HandoverSocket::listen(const std::string& path) {
  sockaddr_un address;
  const Result<socklen_t> length = address_of(path, address);
  if (!length) return length.error();
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return failed(path, "socket");
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), *length) != 0)
    return failed(path, "bind");
  if (::listen(socket.get(), SOMAXCONN) != 0) {
    const Error error = failed(path, "listen");
    if (path[0] != '@') ::unlink(path.c_str());
    return error;
  }
  return HandoverSocket(socket.release(), path);
}

Result<std::optional<HandoverSocket::Received>> HandoverSocket::receive() {
  const Fd peer(::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
  if (peer.get() < 0) {
    if (errno == EAGAIN || errno == ECONNABORTED) return std::optional<Received>();
    return failed(path_, "accept");
  }
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(peer.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return failed(path_, "credentials");
  // Who connects sends at once; who does not is not waited for.
  pollfd ready{peer.get(), POLLIN, 0};
  if (::poll(&ready, 1, kPatienceMs) <= 0)
    return Error{ETIMEDOUT,
                 fmt::format("{}: process {} connected and sent nothing", path_, credentials.pid)};
  HandoverMessage message{};
  iovec part{&message, sizeof message};
  // Room for more than one descriptor: what is sent in excess has to be closed.
  constexpr std::size_t kMost = 16;
  alignas(cmsghdr) char control[CMSG_SPACE(kMost * sizeof(int))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(peer.get(), &header, MSG_CMSG_CLOEXEC);
  if (got < 0) return failed(path_, "receive");
  int memfd = -1;
  int descriptors = 0;
  for (cmsghdr* rights = CMSG_FIRSTHDR(&header); rights != nullptr;
       rights = CMSG_NXTHDR(&header, rights)) {
    if (rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(rights) + i * sizeof fd, sizeof fd);
      if (descriptors++ == 0) {
        memfd = fd;
      } else {
        ::close(fd);
      }
    }
  }
  Fd owned(memfd);
  if (got != sizeof message || message.magic != kRegionMagic || descriptors != 1)
    return Error{EPROTO, fmt::format("{}: process {} sent something that is no trace memory", path_,
                                     credentials.pid)};
  if (message.version != kRegionVersion)
    return Error{EPROTO,
                 fmt::format("{}: process {} sent trace memory of version {}, this reads {}", path_,
                             credentials.pid, message.version, kRegionVersion)};
  return std::optional(Received{owned.release(), static_cast<std::uint32_t>(credentials.pid)});
}

}  // namespace ndtel::trace
