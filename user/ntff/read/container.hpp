// SPDX-License-Identifier: Apache-2.0
//
// Reads .ntff containers: a header, an ntff_info, and blobs it points into.
#ifndef NDTEL_NTFF_READ_CONTAINER_HPP
#define NDTEL_NTFF_READ_CONTAINER_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "byte_source.hpp"
#include "fault.hpp"

namespace ntff {
class engine_instruction_info;
class ntff_info;
class trace_info;
}  // namespace ntff

namespace ndtel::ntff::read {

/// The newest version that is known here.
inline constexpr std::uint64_t kNewestContainer = 6;

/// A record of a notification queue.
inline constexpr std::size_t kRecordBytes = 16;

/// The largest ntff_info that is read; it is in memory as a whole.
inline constexpr std::uint64_t kLargestInfo = std::uint64_t{64} << 20;

/// What a trace is of: records of 16 bytes.
struct TraceBlob {
  const ::ntff::trace_info* info = nullptr;
  std::uint64_t offset = 0;  ///< in the file; 0 for one that is within the message
  std::uint64_t size = 0;    ///< bytes, a multiple of 16
  std::string_view bytes;    ///< of one that is within the message
};

/// Instructions of an engine.
struct InstructionBlob {
  const ::ntff::engine_instruction_info* info = nullptr;
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t size = 0;    ///< bytes
};

struct Container {
  Container();
  Container(Container&&) noexcept;
  ~Container();

  std::uint64_t version = 0;
  std::uint64_t size = 0;               ///< of the file
  std::uint64_t info_size = 0;          ///< of the message
  std::uint64_t data_size = 0;          ///< of all blobs
  std::uint64_t instruction_bytes = 0;  ///< of those that come first
  std::uint64_t whole = 0;              ///< bytes up to what is wrong
  std::unique_ptr<::ntff::ntff_info> info;
  /// In the order of the message: those that are whole, and lie where blobs of their kind lie.
  std::vector<InstructionBlob> instructions;
  std::vector<TraceBlob> traces;
  std::optional<Fault> fault;  ///< the first one; the rest says what is whole nevertheless
};

/// Calls `use(bytes)` with each record of a trace, 16 bytes; fewer records where the file has
/// become shorter.
template <typename Use>
void each_record(ByteSource& source, const TraceBlob& trace, Use&& use) {
  ByteSource inner = ByteSource::over({}, trace.bytes);
  ByteSource& from = trace.offset == 0 ? inner : source;
  from.seek(trace.offset);
  for (std::uint64_t left = trace.size; left > 0; left -= kRecordBytes) {
    const std::string_view window = from.ask(kRecordBytes);
    if (window.size() < kRecordBytes) return;
    use(window.data());
    from.skip(kRecordBytes);
  }
}

/// Reads header and message, and checks where blobs lie. A file without a byte is an empty profile.
/// Errors are those of read(2).
Result<Container> read_container(ByteSource& source);

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_CONTAINER_HPP
