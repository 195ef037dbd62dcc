// SPDX-License-Identifier: Apache-2.0
//
// Takes one sample at a time from /proc. It has no thread and no lock.
#ifndef NDTEL_SYSMON_SAMPLER_HPP
#define NDTEL_SYSMON_SAMPLER_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host_trace.hpp"

namespace ndtel::sysmon {

/// What a processor did since boot, in jiffies.
struct CpuTimes {
  std::uint64_t busy = 0;  ///< user, nice and system
  std::uint64_t idle = 0;
};

/// Processors beyond are left out; no kernel has as many.
inline constexpr std::size_t kMaxCpus = 8192;

/// The times of each processor by its number, from the text of /proc/stat; nothing for one that has
/// no line, because it is offline.
std::vector<std::optional<CpuTimes>> parse_stat(std::string_view stat);

/// Percent of the time between two readings that a processor was busy. 0 when no time passed.
float utilisation(const CpuTimes& before, const CpuTimes& now) noexcept;

/// Bytes that are resident, from the text of /proc/PID/statm: its second field, in pages.
std::optional<std::int64_t> resident_bytes(std::string_view statm, std::int64_t page_bytes);

/// The first "model name" of /proc/cpuinfo, 255 characters at most; empty when there is none.
std::string model_name(std::string_view cpuinfo);

class Sampler {
 public:
  /// Reads what does not change, and the baseline of the first sample.
  Sampler(std::string proc, std::size_t max_samples, float period_s);

  /// Appends one sample. False, and nothing is read, when there are as many as there may be. Throws
  /// std::bad_alloc, and has then appended nothing.
  bool tick();

  const ntff::HostSeries& series() const noexcept { return series_; }

 private:
  const std::string proc_;
  const std::size_t max_samples_;
  std::vector<std::optional<CpuTimes>> before_;
  ntff::HostSeries series_;
};

}  // namespace ndtel::sysmon

#endif  // NDTEL_SYSMON_SAMPLER_HPP
