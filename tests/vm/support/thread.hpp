// SPDX-License-Identifier: Apache-2.0
//
// The kernel thread that posts for a device, seen through procfs.
#ifndef NDTEL_TESTS_VM_SUPPORT_THREAD_HPP
#define NDTEL_TESTS_VM_SUPPORT_THREAD_HPP

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ndtel::vm {

/// Process ids of all kernel threads with a name, for instance "nd0 metrics".
std::vector<pid_t> kernel_threads(const std::string& name);

/// The thread "ndN metrics" of one device.
class MetricsThread {
 public:
  /// Throws when there is not exactly one such thread.
  explicit MetricsThread(int device = 0);

  pid_t pid() const noexcept { return pid_; }
  /// Asleep, waiting for its next interval or for a change.
  bool asleep() const;
  /// Processor time used so far, in steps of the kernel's accounting tick.
  std::chrono::milliseconds processor_time() const;
  /// Times it went to sleep or was preempted.
  std::uint64_t switches() const;

 private:
  std::string directory_;
  pid_t pid_ = 0;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_THREAD_HPP
