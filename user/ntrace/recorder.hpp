// SPDX-License-Identifier: Apache-2.0
//
// The one ntrace ring of a process. How it is started, stopped and written; the C functions add the
// guards of the runtime.
#ifndef NDTEL_NTRACE_RECORDER_HPP
#define NDTEL_NTRACE_RECORDER_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "ndtel/result.hpp"
#include "ring.hpp"

namespace ndtel::ntrace {

inline constexpr std::size_t kDefaultEntries = 0x100000;

/// The value of NEURON_RT_TRACE_NUM_ENTRIES; the default for null, EINVAL for what is no positive
/// number.
Result<std::size_t> parse_entries(const char* text);

class Recorder {
 public:
  static Recorder& get() noexcept;

  /// EALREADY while it records, ENOMEM no room.
  Result<void> start(std::size_t entries, bool trace_mem);

  /// What stop() wrote.
  struct Written {
    std::size_t records = 0;
    std::uint64_t overwritten = 0;
  };
  /// Nothing when nothing was started; an error when the file could not be written.
  Result<std::optional<Written>> stop(const std::string& path, std::uint32_t arch);

  /// For nrt_close(): ends recording and gives up what there is. Returns how many records that
  /// were.
  std::size_t discard() noexcept;

  /// Refuses types that are none.
  void record(std::uint32_t type, std::uint64_t data, std::uint32_t nd_idx, std::uint32_t nc_idx,
              const char* hint) noexcept;

 private:
  Recorder() noexcept;
  void start_over_in_child() noexcept;

  std::mutex control_;  // of start, stop and discard; taken before lock_
  std::mutex lock_;     // guards ring_ while recording_, and trace_mem_
  std::atomic<bool> recording_{false};
  bool trace_mem_ = false;
  std::optional<Ring> ring_;
};

}  // namespace ndtel::ntrace

#endif  // NDTEL_NTRACE_RECORDER_HPP
