// SPDX-License-Identifier: Apache-2.0
//
// Events as they lie in a file, made without allocating.
#ifndef NDTEL_NTFF_EVENT_ENCODER_HPP
#define NDTEL_NTFF_EVENT_ENCODER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host_trace.hpp"
#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::ntff {

class EventShapes;

/// Turns events into `ntrace_event` with its length before it, and for framing S the tag of
/// `ntrace_info.events` before that.
class EventEncoder {
 public:
  /// Room that put() needs, beside the name of a model.
  static constexpr std::size_t kRoom = 1024;

  /// What `context` refers to has to live as long.
  EventEncoder(const TraceContext& context, Framing framing);

  /// What the event shows as model_name. Valid until the next call.
  std::optional<std::string_view> model_name(const nrt_sys_trace_event_t& event);

  /// Writes an event at `to`, where there is room for kRoom bytes and for its name.
  /// @param timestamp_ns when it happened, in host time
  /// @return the byte behind it
  char* put(char* to, const nrt_sys_trace_event_t& event, std::uint64_t timestamp_ns,
            const std::optional<std::string_view>& model_name) const noexcept;

 private:
  // What events of a core have in common, ready to copy.
  struct Core {
    std::array<char, 32> worker_gid;  // an attribute
    std::array<char, 16> indices;     // device and core
    std::uint8_t worker_gid_size;
    std::uint8_t indices_size;
  };

  // A name that was found; ids are not forgotten, so this stays true.
  struct Found {
    std::uint64_t id = 0;
    std::string_view name;
    bool valid = false;
  };

  static constexpr std::size_t kCores = NRT_SYS_TRACE_MAX_NC;
  static constexpr std::size_t kFound = 256;

  void describe(Core* core, std::uint32_t nc_idx) const noexcept;

  const TraceContext context_;
  const Framing framing_;
  const EventShapes& shapes_;
  std::unique_ptr<Core[]> cores_;
  std::array<Found, kFound> found_{};
  std::string repaired_;
};

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_EVENT_ENCODER_HPP
