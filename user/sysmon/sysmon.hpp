// SPDX-License-Identifier: Apache-2.0
//
// The host sampler: how busy the processors are and how much memory the process holds, once a
// second.
#ifndef NDTEL_SYSMON_SYSMON_HPP
#define NDTEL_SYSMON_SYSMON_HPP

#include <chrono>
#include <cstddef>
#include <memory>

#include "host_trace.hpp"
#include "ndtel/result.hpp"

namespace ndtel::sysmon {

struct Options {
  std::size_t max_samples = 10000;  ///< then it stops sampling; nothing is overwritten
  std::chrono::milliseconds period{1000};
  const char* proc = "/proc";  ///< where it reads; another place for tests
};

/// Samples from its construction until stop(), in a thread of its own with all signals blocked.
/// A forked child has the object without the thread: there, it can only be destroyed.
class Monitor {
 public:
  /// Takes the first baseline before it returns. Errors: EAGAIN no thread, EMFILE no descriptor,
  /// ENOMEM no memory, EINVAL a period that is not positive.
  static Result<std::unique_ptr<Monitor>> start(const Options& options);
  ~Monitor();

  /// What it saw so far; may be called any number of times, also after stop(). Utilisation is NaN
  /// for a processor that was offline, or just came back; memory is -1 where it was not to be
  /// read. Throws std::bad_alloc.
  ntff::HostSeries series() const;

  /// Ends sampling and joins its thread; again does nothing. One thread at a time.
  void stop() noexcept;

 private:
  struct Impl;
  explicit Monitor(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ndtel::sysmon

#endif  // NDTEL_SYSMON_SYSMON_HPP
