// SPDX-License-Identifier: Apache-2.0
//
// Reads .pb files record by record, with a window of bounded size.
#ifndef NDTEL_NTFF_READ_PB_READER_HPP
#define NDTEL_NTFF_READ_PB_READER_HPP

#include <cstdint>
#include <optional>
#include <string_view>

#include "byte_source.hpp"
#include "fault.hpp"
#include "records.hpp"

namespace ntff {
class host_stats;
class ntrace_info;
}  // namespace ntff

namespace ndtel::ntff::read {

/// What a file is made of.
enum class Shape : std::uint8_t {
  kTrace,       ///< one ntrace_info (framing S)
  kHost,        ///< one host_stats (framing S)
  kMemoryRows,  ///< host_mem_usage after host_mem_usage (framing D, as those that follow)
  kCpuRows,     ///< cpu_util after cpu_util
  kEvents,      ///< ntrace_event after ntrace_event
};

/// "ntrace_info" and so on: the message of the schema.
std::string_view message_name(Shape shape) noexcept;

/// Whether lengths stand before many messages, instead of one message that is the file.
constexpr bool is_delimited(Shape shape) noexcept { return shape >= Shape::kMemoryRows; }

/// Takes what is in a file, in the order of the file. `bytes` is the message of the record; views
/// are valid during the call.
class PbVisitor {
 public:
  virtual ~PbVisitor() = default;
  virtual void on_event(const EventView& event, std::string_view bytes);
  virtual void on_cpu(const CpuRow& row);
  virtual void on_memory(const MemoryRow& row);
  /// @param database `data_type` of the database it is in
  virtual void on_interned(std::string_view database, const InternedEntry& entry);
  /// Everything else of the message that is the file, last of all, if it is one.
  virtual void on_root(const ::ntff::ntrace_info& root);
  virtual void on_root(const ::ntff::host_stats& root);
};

struct PbOutcome {
  Shape shape = Shape::kTrace;
  std::uint64_t size = 0;      ///< of the file
  std::uint64_t whole = 0;     ///< bytes up to the end of the last record that was whole
  std::uint64_t events = 0;    ///< given to the visitor, as those that follow
  std::uint64_t rows = 0;      ///< of a series of the host
  std::uint64_t interned = 0;  ///< entries of all databases
  std::uint64_t damaged = 0;   ///< records that were skipped since they hold what they cannot
  std::uint64_t unknown = 0;   ///< fields that were skipped since they are not known here
  std::optional<Fault> fault;  ///< the first one; what is whole was given to the visitor
};

/// The most that the message that is a file may hold beside events, rows and interned strings.
inline constexpr std::size_t kLargestRoot = std::size_t{1} << 20;

/// Reads a file from its beginning to its end, or as far as it makes sense. What it is made of is
/// told by its content, and by its name where several kinds have the same content. Errors are those
/// of read(2).
Result<PbOutcome> read_pb(ByteSource& source, PbVisitor& visitor);

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_PB_READER_HPP
