// SPDX-License-Identifier: Apache-2.0
#include "policy.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

namespace ndtel::systrace {
namespace {

long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

void NativePolicy::choose_fences() noexcept {
  const long offered = membarrier(MEMBARRIER_CMD_QUERY);
  asymmetric_fences = offered > 0 && (offered & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
                      membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

void NativePolicy::heavy_fence() noexcept {
  // A registered process is never refused: it would have been at registration.
  if (asymmetric_fences) {
    if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) std::abort();
    return;
  }
#if defined(__SANITIZE_THREAD__)
  // The thread sanitizer knows no fences. A read-modify-write is one on x86, where it runs.
  static std::atomic<std::uint64_t> meeting_point{0};
  meeting_point.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace ndtel::systrace
