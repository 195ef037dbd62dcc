// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <bit>

#include "neuron_trace.pb.h"
#include "wire.hpp"

namespace ndtel::ntff::read {
namespace {

using Event = ::ntff::ntrace_event;

// Entries of a map are messages of these two fields.
constexpr int kMapKey = 1;
constexpr int kMapValue = 2;

/// Calls `use(field)` for each field, which returns whether it knows it.
template <typename Use>
bool each_field(std::string_view message, std::uint64_t& unknown, Use use) {
  const char* at = message.data();
  const char* const end = at + message.size();
  Field field;
  while (at != end) {
    if (take_field(at, end, field) != Take::kDone) return false;
    if (!use(field)) ++unknown;
  }
  return true;
}

/// What nearly all attributes are: a short key, then a short value, and nothing else.
bool is_plain_attribute(std::string_view entry) noexcept {
  constexpr auto kKey = static_cast<char>(tag_of(kMapKey, Wire::kBytes));
  constexpr auto kValue = static_cast<char>(tag_of(kMapValue, Wire::kBytes));
  if (entry.size() < 4 || entry[0] != kKey) return false;
  // The first byte of a longer length is negative.
  const std::size_t value = 2 + static_cast<std::size_t>(static_cast<unsigned char>(entry[1]));
  return entry[1] >= 0 && value + 2 <= entry.size() && entry[value] == kValue &&
         entry[value + 1] >= 0 &&
         value + 2 + static_cast<std::size_t>(entry[value + 1]) == entry.size();
}

bool decode_attribute(std::string_view entry, Attribute& attribute,
                      std::uint64_t& unknown) noexcept {
  return each_field(entry, unknown, [&](const Field& field) {
    switch (field.tag()) {
      case tag_of(kMapKey, Wire::kBytes):
        attribute.key = field.bytes;
        return true;
      case tag_of(kMapValue, Wire::kBytes):
        attribute.value = field.bytes;
        return true;
      default:
        return false;
    }
  });
}

}  // namespace

bool decode(std::string_view message, EventView& event) noexcept {
  const char* at = message.data();
  const char* const end = at + message.size();
  Field field;
  std::uint64_t unknown = 0;
  while (at != end) {
    if (take_field(at, end, field) != Take::kDone) return false;
    const auto narrow = static_cast<std::uint32_t>(field.value);
    switch (field.tag()) {
      case tag_of(Event::kTimestampFieldNumber, Wire::kVarint):
        event.timestamp = field.value;
        break;
      case tag_of(Event::kDataFieldNumber, Wire::kVarint):
        event.data = field.value;
        break;
      case tag_of(Event::kNdIdxFieldNumber, Wire::kVarint):
        event.nd_idx = narrow;
        break;
      case tag_of(Event::kNcIdxFieldNumber, Wire::kVarint):
        event.nc_idx = narrow;
        break;
      case tag_of(Event::kEventTypeFieldNumber, Wire::kVarint):
        event.event_type = narrow;
        break;
      case tag_of(Event::kHintFieldNumber, Wire::kBytes):
        event.hint = field.bytes;
        break;
      case tag_of(Event::kDurationFieldNumber, Wire::kVarint):
        event.duration = field.value;
        break;
      case tag_of(Event::kThreadIdFieldNumber, Wire::kVarint):
        event.thread_id = narrow;
        break;
      case tag_of(Event::kIdFieldNumber, Wire::kVarint):
        event.id = field.value;
        break;
      case tag_of(Event::kParentIdFieldNumber, Wire::kVarint):
        event.parent_id = field.value;
        break;
      case tag_of(Event::kStatusFieldNumber, Wire::kVarint):
        event.status = narrow;
        break;
      case tag_of(Event::kAttributesFieldNumber, Wire::kBytes):
        if (Attribute attribute;
            !is_plain_attribute(field.bytes) && !decode_attribute(field.bytes, attribute, unknown))
          return false;
        ++event.attributes;
        break;
      case tag_of(Event::kPhaseFieldNumber, Wire::kVarint):
        event.phase = static_cast<std::int32_t>(narrow);
        break;
      case tag_of(Event::kTrackingIdFieldNumber, Wire::kVarint):
        event.tracking_id = field.value;
        break;
      case tag_of(Event::kTypeFieldNumber, Wire::kVarint):
        event.type = narrow;
        break;
      case tag_of(Event::kNrtaSeqIdFieldNumber, Wire::kVarint):
        event.nrta_seq_id = field.value;
        break;
      default:
        ++unknown;
    }
  }
  event.unknown = static_cast<std::uint32_t>(unknown);
  return true;
}

bool decode(std::string_view message, CpuRow& row, std::uint64_t& unknown) noexcept {
  using Row = ::ntff::cpu_util;
  return each_field(message, unknown, [&](const Field& field) {
    switch (field.tag()) {
      case tag_of(Row::kCpuIdFieldNumber, Wire::kVarint):
        row.cpu_id = static_cast<std::uint32_t>(field.value);
        return true;
      case tag_of(Row::kUtilFieldNumber, Wire::kFixed32):
        row.util = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
        return true;
      case tag_of(Row::kTimestampFieldNumber, Wire::kVarint):
        row.timestamp = field.value;
        return true;
      default:
        return false;
    }
  });
}

bool decode(std::string_view message, MemoryRow& row, std::uint64_t& unknown) noexcept {
  using Row = ::ntff::host_mem_usage;
  return each_field(message, unknown, [&](const Field& field) {
    switch (field.tag()) {
      case tag_of(Row::kUsageFieldNumber, Wire::kVarint):
        row.usage = static_cast<std::int64_t>(field.value);
        return true;
      case tag_of(Row::kTimestampFieldNumber, Wire::kVarint):
        row.timestamp = field.value;
        return true;
      default:
        return false;
    }
  });
}

bool decode(std::string_view message, InternedEntry& entry, std::uint64_t& unknown) noexcept {
  return each_field(message, unknown, [&](const Field& field) {
    switch (field.tag()) {
      case tag_of(kMapKey, Wire::kVarint):
        entry.id = field.value;
        return true;
      case tag_of(kMapValue, Wire::kBytes):
        entry.text = field.bytes;
        return true;
      default:
        return false;
    }
  });
}

std::vector<Attribute> attributes_of(std::string_view message) {
  std::vector<Attribute> attributes;
  std::uint64_t ignored = 0;
  each_field(message, ignored, [&](const Field& field) {
    if (field.tag() != tag_of(Event::kAttributesFieldNumber, Wire::kBytes)) return false;
    Attribute attribute;
    if (decode_attribute(field.bytes, attribute, ignored)) attributes.push_back(attribute);
    return true;
  });
  return attributes;
}

}  // namespace ndtel::ntff::read
