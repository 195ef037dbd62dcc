// SPDX-License-Identifier: Apache-2.0
//
// The records of .pb files. Texts are views into the bytes they were read from.
#ifndef NDTEL_NTFF_READ_RECORDS_HPP
#define NDTEL_NTFF_READ_RECORDS_HPP

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ndtel::ntff::read {

/// An `ntrace_event`. What is not in the file is 0 or empty.
struct EventView {
  std::uint64_t timestamp = 0;  ///< ns, CLOCK_REALTIME
  std::uint64_t data = 0;
  std::uint64_t duration = 0;  ///< ns
  std::uint64_t id = 0;
  std::uint64_t parent_id = 0;
  std::uint64_t tracking_id = 0;
  std::optional<std::uint64_t> nrta_seq_id;
  std::uint32_t nd_idx = 0;
  std::uint32_t nc_idx = 0;
  std::uint32_t event_type = 0;
  std::uint32_t thread_id = 0;
  std::uint32_t status = 0;
  std::int32_t phase = 0;        ///< 1 start, 2 stop, 3 instant
  std::uint32_t type = 0;        ///< of the ntrace ring
  std::uint32_t attributes = 0;  ///< how many
  std::uint32_t unknown = 0;     ///< fields that are not known here
  std::string_view hint;

  /// Whether it comes from the ntrace ring, whose types are not those of sys_trace.
  bool of_ntrace_ring() const noexcept {
    // Events of sys_trace have an id each; those of the ring have none, and their type twice.
    return type != 0 || (event_type == 0 && id == 0 && tracking_id == 0 && thread_id == 0);
  }
};

/// A row of `cpu_util`.
struct CpuRow {
  std::uint32_t cpu_id = 0;
  float util = 0;  ///< percent
  std::uint64_t timestamp = 0;
};

/// A row of `host_mem_usage`.
struct MemoryRow {
  std::int64_t usage = 0;  ///< bytes
  std::uint64_t timestamp = 0;
};

/// An entry of `ntrace_event.attributes`.
struct Attribute {
  std::string_view key, value;
};

/// An entry of the map of an `interned_data_db`.
struct InternedEntry {
  std::uint64_t id = 0;
  std::string_view text;
};

// Each reads one message; false when the bytes are none. Fields that are not known here are counted
// in `unknown`; of a field that comes twice the last one counts.
bool decode(std::string_view message, EventView& event) noexcept;
bool decode(std::string_view message, CpuRow& row, std::uint64_t& unknown) noexcept;
bool decode(std::string_view message, MemoryRow& row, std::uint64_t& unknown) noexcept;
bool decode(std::string_view message, InternedEntry& entry, std::uint64_t& unknown) noexcept;

/// The attributes of the message of an event that could be read, in the order of the file.
std::vector<Attribute> attributes_of(std::string_view message);

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_RECORDS_HPP
