// SPDX-License-Identifier: Apache-2.0
//
// What there is to know about each event type: its names, where it happens, and what its payload
// says under which key. It is data, so that every format written from events says the same.
#ifndef NDTEL_SYSTRACE_CATALOGUE_HPP
#define NDTEL_SYSTRACE_CATALOGUE_HPP

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::systrace {

/// How a payload holds a value.
enum class Storage : std::uint8_t { kU8, kU16, kU32, kU64, kI32, kBool };

/// How a value is written.
enum class Form : std::uint8_t {
  kNumber,     // decimal
  kBool,       // true or false
  kHex,        // text: 0x and lower-case digits
  kUsageType,  // text: usage_type_name()
  kMemType,    // text: mem_type_name()
  kAlgorithm,  // text: algorithm_name()
};

/// What else a key means.
enum class Rule : std::uint8_t {
  kNone,
  kModel,       // id of the name that is shown as model_name
  kKnownModel,  // the same; 0 means that the model is not known, and the key is left out
  kDeviceTime,  // device time; the same moment in host time, or 0, is the next word of the payload
  kAlgorithm,   // left out when 0, unless the host asked for the default algorithm, too
};

struct Key {
  const char* name;
  Storage storage;
  Form form;
  Rule rule;
  std::uint8_t offset;  // in the payload
};

struct EventType {
  nrt_sys_trace_event_type_t type;
  const char* name;   // in JSON, in filters and in viewers
  const char* alias;  // the enum constant in lower case: filters accept it, too
  /// By phase: what the payload of a start, a stop and an instant says, in the order of output.
  std::span<const Key> keys[NRT_SYS_TRACE_EVENT_PHASE_COUNT];
};

/// All types; the index is the number of the type.
std::span<const EventType, NRT_SYS_TRACE_EVENT_TYPE_COUNT> event_types() noexcept;

/// Finds a type by its name or its alias, exactly as spelled.
std::optional<nrt_sys_trace_event_type_t> find_event_type(std::string_view name) noexcept;

/// Name of a type; `unknown` for one that is not in the catalogue.
std::string_view event_type_name(std::uint32_t type) noexcept;

/// `start`, `stop`, `instant`, else `unknown`.
std::string_view phase_name(std::uint32_t phase) noexcept;

nrt_sys_trace_event_category_t event_category(std::uint32_t type) noexcept;

/// Class of an allocation, as viewers show it.
std::string_view usage_type_name(std::uint64_t usage_type) noexcept;

std::string_view mem_type_name(std::uint64_t mem_type) noexcept;

/// Name of a collectives algorithm.
std::string_view algorithm_name(std::uint64_t algorithm) noexcept;

/// What the payload says under `key`: as 64 bits, sign-extended for kI32; 0 or 1 for kBool.
inline std::uint64_t read_value(const nrt_sys_trace_event_data_t& data, const Key& key) noexcept {
  const char* at = reinterpret_cast<const char*>(&data) + key.offset;
  const auto read = [at]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (key.storage) {
    case Storage::kU8:
      return read(std::uint8_t{});
    case Storage::kU16:
      return read(std::uint16_t{});
    case Storage::kU32:
      return read(std::uint32_t{});
    case Storage::kU64:
      return read(std::uint64_t{});
    case Storage::kI32:
      return static_cast<std::uint64_t>(std::int64_t{read(std::int32_t{})});
    case Storage::kBool:
      // A record from another process may hold any byte here.
      return read(std::uint8_t{}) != 0;
  }
  return 0;
}

/// Host time of the device time that `key` shows; 0 when it is not known.
inline std::uint64_t read_host_time(const nrt_sys_trace_event_data_t& data,
                                    const Key& key) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const char*>(&data) + key.offset + sizeof value,
              sizeof value);
  return value;
}

/// What the payload of an event says; nothing for unknown types and phases.
inline std::span<const Key> payload_keys(std::uint32_t type, std::uint32_t phase) noexcept {
  if (type >= NRT_SYS_TRACE_EVENT_TYPE_COUNT || phase >= NRT_SYS_TRACE_EVENT_PHASE_COUNT) return {};
  return event_types()[type].keys[phase];
}

/// When an event happened, in host time: what its payload says for events of the device that have
/// it, else when it was recorded.
std::uint64_t host_time_ns(const nrt_sys_trace_event_t& event) noexcept;

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_CATALOGUE_HPP
