// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_TRACE_RING_PAGE_HPP
#define NDTEL_CLI_TRACE_RING_PAGE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

struct kbuffer;

namespace ndtel::cli {

/// Walks pages as `trace_pipe_raw` hands them out: the kernel's ring buffer sub-buffers of a 64-bit
/// machine.
class RingPage {
 public:
  RingPage();

  struct Lost {
    std::uint64_t events =
        0;  ///< events overwritten before this page, as far as the kernel knew the number
    bool uncounted = false;  ///< some were overwritten and the kernel does not know how many
    explicit operator bool() const { return events > 0 || uncounted; }
  };
  using Visit = std::function<void(std::uint64_t time_ns, std::span<const std::byte> record)>;

  /// Call `visit` for every record of one page, in order. Returns what was lost just before it. A
  /// page that makes no sense throws Failure.
  Lost walk(std::span<std::byte> page, const Visit& visit);

 private:
  struct Free {
    void operator()(kbuffer* k) const;
  };
  std::unique_ptr<kbuffer, Free> kbuffer_;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_TRACE_RING_PAGE_HPP
