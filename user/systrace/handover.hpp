// SPDX-License-Identifier: Apache-2.0
//
// Gives the memory of a capture to a reader that outlives the process, through a socket.
#ifndef NDTEL_SYSTRACE_HANDOVER_HPP
#define NDTEL_SYSTRACE_HANDOVER_HPP

#include <cstdint>
#include <string>

#include "ndtel/result.hpp"
#include "ndtel/trace_harvest.hpp"

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

using trace::HandoverSocket;

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_HANDOVER_HPP
