// SPDX-License-Identifier: Apache-2.0
//
// Gives the memory of a capture to a reader that outlives the process, through a socket.
#ifndef NDTEL_SYSTRACE_HANDOVER_HPP
#define NDTEL_SYSTRACE_HANDOVER_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "ndtel/result.hpp"

namespace ndtel::systrace {

/// What comes with the memory.
struct HandoverMessage {
  std::uint64_t magic;  ///< kRegionMagic
  std::uint32_t version;
  std::uint32_t pid;  ///< as the sender sees itself; the socket's credentials say who it is
};

/// Sends a memfd to the socket at `path` (SOCK_SEQPACKET; a leading '@' is the abstract
/// namespace). Waits a second at most.
Result<void> hand_over(int memfd, const std::string& path);

/// A socket that captures are sent to.
class HandoverSocket {
 public:
  HandoverSocket(HandoverSocket&& other) noexcept;
  HandoverSocket& operator=(HandoverSocket&&) = delete;
  ~HandoverSocket();

  /// Listens at `path`, which must not exist; it is removed in the end.
  static Result<HandoverSocket> listen(const std::string& path);

  /// Readable when receive() has something to do.
  int fd() const noexcept { return fd_; }

  /// What one process sent.
  struct Received {
    int memfd;          ///< the caller's to close
    std::uint32_t pid;  ///< of the sender, as the kernel says
  };

  /// Takes one capture. Nothing, without waiting, when there is none; an error when somebody sent
  /// something else.
  Result<std::optional<Received>> receive();

 private:
  HandoverSocket(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_HANDOVER_HPP
