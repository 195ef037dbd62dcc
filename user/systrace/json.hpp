// SPDX-License-Identifier: Apache-2.0
//
// Events as the JSON document that fetching returns, written straight into one buffer.
#ifndef NDTEL_SYSTRACE_JSON_HPP
#define NDTEL_SYSTRACE_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::systrace {

class StringShard;

/// What a document shows beside the events themselves; it outlives the writer.
struct JsonContext {
  /// Global worker ids of the visible cores, by index; cores beyond have -1.
  std::span<const std::int32_t> worker_gids = {};
  /// Names of models; null: none are shown.
  const StringShard* names = nullptr;
  /// Shows the collectives algorithm 0, too.
  bool include_default_algorithm = false;
};

struct Free {
  void operator()(char* block) const noexcept { std::free(block); }
};

/// A finished document: a block of malloc(), NUL-terminated.
struct JsonBuffer {
  std::unique_ptr<char, Free> text;  // null: there was no memory
  std::size_t size = 0;              // without the NUL
};

/// Writes `{"events":[...],"data_version":2}` without white space.
///
/// The memory in use is the text written so far, and at most kSlack more.
class JsonWriter {
 public:
  static constexpr std::size_t kSlack = std::size_t{1} << 20;

  explicit JsonWriter(const JsonContext& context) noexcept;

  /// Appends one event whose times are nanoseconds. False: there is no memory, and finish() will
  /// say so, too.
  [[nodiscard]] bool event(const nrt_sys_trace_event_t& event) noexcept;

  /// Ends the document and hands it out; the writer is of no use after that. Warns if there were
  /// phases that no one knows.
  JsonBuffer finish() noexcept;

  /// Bytes written, and bytes of memory held for them.
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  // What the payload says about the event itself.
  struct Shown {
    std::uint64_t timestamp_ns;
    std::optional<std::string_view> model_name;
  };

  bool reserve(std::size_t more) noexcept;
  char* put_keys(char* at, const nrt_sys_trace_event_t& event, Shown* shown) noexcept;

  const JsonContext context_;
  std::unique_ptr<char, Free> text_;  // null after a failure
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::uint64_t unknown_phases_ = 0;
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_JSON_HPP
