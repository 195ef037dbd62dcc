// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_TRACE_POST_DECODER_HPP
#define NDTEL_CLI_TRACE_POST_DECODER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "post_event.hpp"

struct tep_handle;

namespace ndtel::cli {

/// Turns raw records of the events `metrics_post_nd` and `metrics_post` into PostEvents, by the
/// running kernel's own description of their layout (the event's `format` file).
class PostDecoder {
 public:
  PostDecoder();
  ~PostDecoder();
  PostDecoder(PostDecoder&&) noexcept;
  PostDecoder& operator=(PostDecoder&&) noexcept;

  /// Learn an event from the text of its format file. Throws Failure when a field we need is
  /// missing or too short.
  void learn(const std::string& system, const std::string& format);

  /// Decode one record; nothing when it is of an event that was not learnt. A record shorter than
  /// its format says, or with a length beyond its text, is cut at what is there.
  std::optional<PostEvent> decode(std::uint64_t time_ns, std::span<const std::byte> record) const;

 private:
  struct Layouts;
  std::unique_ptr<Layouts> layouts_;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_TRACE_POST_DECODER_HPP
