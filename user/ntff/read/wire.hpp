// SPDX-License-Identifier: Apache-2.0
//
// The encoding of messages: fields of a number, a wire type and a value.
#ifndef NDTEL_NTFF_READ_WIRE_HPP
#define NDTEL_NTFF_READ_WIRE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ndtel::ntff::read {

enum class Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr std::uint32_t tag_of(int number, Wire wire) {
  return static_cast<std::uint32_t>(number) << 3 | static_cast<std::uint32_t>(wire);
}

/// How an attempt to read something ended.
enum class Take : std::uint8_t {
  kDone,
  kShort,  ///< the bytes end within it
  kBad,    ///< no bytes that follow could make it right
};

/// Reads a number of up to ten bytes; of the tenth only what fits into 64 bits counts. `at` moves
/// behind it, if it could be read.
inline Take take_varint(const char*& at, const char* end, std::uint64_t& value) noexcept {
  constexpr int kLongest = 10;
  std::uint64_t sum = 0;
  const char* p = at;
  for (int i = 0; i < kLongest; ++i) {
    if (p == end) return Take::kShort;
    const auto byte = static_cast<unsigned char>(*p++);
    sum |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      at = p;
      value = sum;
      return Take::kDone;
    }
  }
  return Take::kBad;
}

/// A field of a message.
struct Field {
  std::uint32_t number = 0;
  Wire wire = Wire::kVarint;
  std::uint64_t value = 0;  ///< of a number; of bytes how many there are
  std::string_view bytes;

  std::uint32_t tag() const noexcept { return tag_of(static_cast<int>(number), wire); }
};

/// Reads the number and the wire type of a field.
inline Take take_tag(const char*& at, const char* end, Field& field) noexcept {
  std::uint64_t tag = 0;
  const char* p = at;
  if (const Take take = take_varint(p, end, tag); take != Take::kDone) return take;
  // Groups, wire types 3 and 4, do not occur.
  const std::uint64_t wire = tag & 7;
  if (tag >> 32 != 0 || tag >> 3 == 0 || wire == 3 || wire == 4 || wire > 5) return Take::kBad;
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.wire = static_cast<Wire>(wire);
  at = p;
  return Take::kDone;
}

/// Reads the value behind a tag, or of bytes their length alone. `at` moves behind it.
inline Take take_value(const char*& at, const char* end, Field& field) noexcept {
  switch (field.wire) {
    case Wire::kVarint:
    case Wire::kBytes: {
      const Take take = take_varint(at, end, field.value);
      if (take != Take::kDone || field.wire == Wire::kVarint) return take;
      // The longest message there can be.
      return field.value >> 31 == 0 ? Take::kDone : Take::kBad;
    }
    case Wire::kFixed32: {
      std::uint32_t value;
      if (static_cast<std::size_t>(end - at) < sizeof value) return Take::kShort;
      std::memcpy(&value, at, sizeof value);
      field.value = value;
      at += sizeof value;
      return Take::kDone;
    }
    case Wire::kFixed64:
      if (static_cast<std::size_t>(end - at) < sizeof field.value) return Take::kShort;
      std::memcpy(&field.value, at, sizeof field.value);
      at += sizeof field.value;
      return Take::kDone;
  }
  return Take::kBad;
}

/// Reads a whole field. `at` moves behind it, if it could be read.
inline Take take_field(const char*& at, const char* end, Field& field) noexcept {
  const char* p = at;
  if (const Take take = take_tag(p, end, field); take != Take::kDone) return take;
  if (const Take take = take_value(p, end, field); take != Take::kDone) return take;
  if (field.wire == Wire::kBytes) {
    if (field.value > static_cast<std::uint64_t>(end - p)) return Take::kShort;
    field.bytes = {p, static_cast<std::size_t>(field.value)};
    p += field.value;
  }
  at = p;
  return Take::kDone;
}

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_WIRE_HPP
