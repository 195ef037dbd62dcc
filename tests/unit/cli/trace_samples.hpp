// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_TESTS_UNIT_CLI_TRACE_SAMPLES_HPP
#define NDTEL_TESTS_UNIT_CLI_TRACE_SAMPLES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ndtel::cli::samples {

constexpr std::uint16_t kNdType = 1402;
constexpr std::uint16_t kReferenceType = 1401;

inline const std::string kCommonFields =
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/// The format file of our event on a 6.1 kernel.
inline const std::string kNdFormat =
    "name: metrics_post_nd\nID: 1402\nformat:\n" + kCommonFields +
    "\tfield:u64 seq;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:u32 device;\toffset:16;\tsize:4;\tsigned:0;\n"
    "\tfield:u32 id;\toffset:20;\tsize:4;\tsigned:0;\n"
    "\tfield:u32 length;\toffset:24;\tsize:4;\tsigned:0;\n"
    "\tfield:u8 tick;\toffset:28;\tsize:1;\tsigned:0;\n"
    "\tfield:u8 sink;\toffset:29;\tsize:1;\tsigned:0;\n"
    "\tfield:u8 result;\toffset:30;\tsize:1;\tsigned:0;\n"
    "\tfield:char value[64];\toffset:31;\tsize:64;\tsigned:1;\n\n"
    "print fmt: \"nd%u seq=%llu tick=%u sink=%u result=%u %u:%u:%s\", REC->device, REC->seq, "
    "REC->tick, REC->sink, REC->result, REC->id, REC->length, REC->value\n";

/// The reference's event: id at 8, length at 12, value at 16.
inline const std::string kReferenceFormat =
    "name: metrics_post\nID: 1401\nformat:\n" + kCommonFields +
    "\tfield:u32 id;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:u32 length;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:char value[128];\toffset:16;\tsize:128;\tsigned:1;\n\n"
    "print fmt: \"%u:%u:%s\", REC->id, REC->length, REC->value\n";

using Bytes = std::vector<std::byte>;

template <class T>
void put(Bytes& bytes, std::size_t offset, T value) {
  if (bytes.size() < offset + sizeof(T)) bytes.resize(offset + sizeof(T));
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

inline Bytes nd_record(std::uint64_t seq, std::uint32_t device, std::uint32_t id,
                       const std::string& value) {
  Bytes bytes(96);
  put(bytes, 0, kNdType);
  put(bytes, 8, seq);
  put(bytes, 16, device);
  put(bytes, 20, id);
  put(bytes, 24, static_cast<std::uint32_t>(value.size()));
  put<std::uint8_t>(bytes, 28, 1);  // tick
  put<std::uint8_t>(bytes, 29, 1);  // sink: trace
  std::memcpy(bytes.data() + 31, value.data(), std::min<std::size_t>(value.size(), 64));
  return bytes;
}

/// A ring buffer page as trace_pipe_raw gives it.
class PageBuilder {
 public:
  explicit PageBuilder(std::uint64_t time) { put(page_, 0, time), page_.resize(kHeader); }

  /// Append a record `delta` nanoseconds after the one before. Sizes are multiples of four.
  PageBuilder& add(std::uint32_t delta, const Bytes& record) {
    const auto words = static_cast<std::uint32_t>(record.size() / 4);
    if (words <= 28) {
      append(words | delta << 5);
    } else {
      append(delta << 5);
      append(static_cast<std::uint32_t>(record.size()) + 4);
    }
    page_.insert(page_.end(), record.begin(), record.end());
    return *this;
  }

  /// Finish a page of 4096 bytes; `missed` events were overwritten before it.
  Bytes build(std::uint64_t missed = 0) const {
    Bytes page = page_;
    std::uint64_t commit = page.size() - kHeader;
    page.resize(4096);
    if (missed > 0) {
      commit |= 1ULL << 31 | 1ULL << 30;  // events are missing; their number follows the data
      put(page, page_.size(), missed);
    }
    put(page, 8, commit);
    return page;
  }

 private:
  static constexpr std::size_t kHeader = 16;

  void append(std::uint32_t word) { put(page_, page_.size(), word); }

  Bytes page_;
};

}  // namespace ndtel::cli::samples

#endif  // NDTEL_TESTS_UNIT_CLI_TRACE_SAMPLES_HPP
