// SPDX-License-Identifier: Apache-2.0
//
// Payloads that say which event they belong to, in each of their words: a record that was put
// together from two events is noticed.
#ifndef NDTEL_TESTS_UNIT_SYSTRACE_STAMP_HPP
#define NDTEL_TESTS_UNIT_SYSTRACE_STAMP_HPP

#include <cstddef>
#include <cstdint>
#include <optional>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::systrace::test {

/// Who emitted an event, and the how manieth of this thread it is, from 1.
struct Stamp {
  std::uint32_t thread = 0;
  std::uint64_t number = 0;  ///< below 2^44

  bool operator==(const Stamp&) const = default;
};

inline constexpr unsigned kNumberBits = 44;
// Odd: multiplication by them can be undone, so different stamps differ in every word.
inline constexpr std::uint64_t kFactors[5] = {1, 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9,
                                              0x94D049BB133111EB, 0xD6E8FEB86659FD93};

inline nrt_sys_trace_event_data_t payload_of(Stamp stamp) noexcept {
  const std::uint64_t word = std::uint64_t{stamp.thread} << kNumberBits | stamp.number;
  nrt_sys_trace_event_data_t data{};
  for (std::size_t i = 0; i < 5; ++i) data.words[i] = word * kFactors[i];
  return data;
}

/// Nothing when the words do not belong together.
inline std::optional<Stamp> stamp_of(const nrt_sys_trace_event_t& event) noexcept {
  const std::uint64_t word = event.data.words[0];
  for (std::size_t i = 0; i < 5; ++i)
    if (event.data.words[i] != word * kFactors[i]) return std::nullopt;
  return Stamp{static_cast<std::uint32_t>(word >> kNumberBits),
               word & ((std::uint64_t{1} << kNumberBits) - 1)};
}

}  // namespace ndtel::systrace::test

#endif  // NDTEL_TESTS_UNIT_SYSTRACE_STAMP_HPP
