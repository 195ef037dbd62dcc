// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include <google/protobuf/descriptor.h>

#include "wire.hpp"

namespace ndtel::ntff::read {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

Wire wire_of(const FieldDescriptor& field) {
  if (field.is_packed()) return Wire::kBytes;
  switch (field.type()) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return Wire::kFixed64;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return Wire::kFixed32;
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
    case FieldDescriptor::TYPE_MESSAGE:
      return Wire::kBytes;
    default:
      return Wire::kVarint;
  }
}

}  // namespace

Probe probe(const Descriptor& type, std::string_view bytes, bool cut) {
  Probe result;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  const auto stop = [&](Take take) {
    // What ends early is right only where the message goes on.
    (take == Take::kShort && cut ? result.cut : result.broken) = true;
    return result;
  };
  while (at != end) {
    Field field;
    if (const Take take = take_tag(at, end, field); take != Take::kDone) return stop(take);
    const FieldDescriptor* known = type.FindFieldByNumber(static_cast<int>(field.number));
    if (known != nullptr && wire_of(*known) != field.wire) known = nullptr;
    ++(known != nullptr ? result.known : result.unknown);
    if (const Take take = take_value(at, end, field); take != Take::kDone) return stop(take);
    if (field.wire == Wire::kBytes) {
      const bool whole = field.value <= static_cast<std::uint64_t>(end - at);
      const std::string_view inner(
          at, whole ? static_cast<std::size_t>(field.value) : static_cast<std::size_t>(end - at));
      if (known != nullptr && known->type() == FieldDescriptor::TYPE_MESSAGE) {
        const Probe message = probe(*known->message_type(), inner, !whole);
        result.add(message);
        if (message.broken) return stop(Take::kBad);
      }
      if (!whole) return stop(Take::kShort);
      at += inner.size();
    }
    result.whole = static_cast<std::size_t>(at - bytes.data());
  }
  return result;
}

Probe probe_delimited(const Descriptor& type, std::string_view bytes, bool cut) {
  Probe result;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    std::uint64_t length = 0;
    Take take = take_varint(at, end, length);
    if (take == Take::kDone && (length == 0 || length >> 31 != 0)) take = Take::kBad;
    if (take == Take::kDone) {
      const bool whole = length <= static_cast<std::uint64_t>(end - at);
      const std::string_view inner(
          at, whole ? static_cast<std::size_t>(length) : static_cast<std::size_t>(end - at));
      const Probe message = probe(type, inner, !whole);
      result.add(message);
      if (message.broken) take = Take::kBad;
      if (take == Take::kDone && !whole) take = Take::kShort;
      at += inner.size();
    }
    if (take != Take::kDone) {
      (take == Take::kShort && cut ? result.cut : result.broken) = true;
      return result;
    }
    result.whole = static_cast<std::size_t>(at - bytes.data());
  }
  return result;
}

}  // namespace ndtel::ntff::read
