// SPDX-License-Identifier: Apache-2.0
//
// The encoding of messages: fields of a number, a wire type and a value.
#ifndef NDTEL_NTFF_READ_WIRE_HPP
#define NDTEL_NTFF_READ_WIRE_HPP

#include <bit>
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

namespace detail {

/// Joins the lower seven bits of each of eight bytes.
constexpr std::uint64_t join_sevens(std::uint64_t word) noexcept {
  word = (word & 0x007F007F007F007F) | (word & 0x7F007F007F007F00) >> 1;
  word = (word & 0x00003FFF00003FFF) | (word & 0x3FFF00003FFF0000) >> 2;
  return (word & 0x000000000FFFFFFF) | (word & 0x0FFFFFFF00000000) >> 4;
}

/// Byte by byte: where fewer are left than the longest number has.
inline Take take_varint_slowly(const char*& at, const char* end, std::uint64_t& value) noexcept {
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

/// Of more than one byte: times and ids have eight or nine.
inline Take take_long_varint(const char*& at, const char* end, std::uint64_t& value) noexcept {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::ptrdiff_t kLongest = 10;
  constexpr std::uint64_t kMore = 0x8080808080808080;
  if (end - at < kLongest) return take_varint_slowly(at, end, value);
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if (const std::uint64_t last = ~word & kMore; last != 0) {
    // Up to and with the first byte whose upper bit says that no more follow.
    value = join_sevens(word & (last ^ (last - 1)) & ~kMore);
    at += std::countr_zero(last) / 8 + 1;
    return Take::kDone;
  }
  const auto ninth = static_cast<unsigned char>(at[8]), tenth = static_cast<unsigned char>(at[9]);
  value = join_sevens(word & ~kMore) | static_cast<std::uint64_t>(ninth & 0x7F) << 56;
  if (ninth < 0x80) {
    at += 9;
    return Take::kDone;
  }
  if (tenth >= 0x80) return Take::kBad;
  value |= static_cast<std::uint64_t>(tenth) << 63;
  at += kLongest;
  return Take::kDone;
}

}  // namespace detail

/// Reads a number of up to ten bytes; of the tenth only what fits into 64 bits counts. `at` moves
/// behind it, if it could be read.
[[gnu::always_inline]] inline Take take_varint(const char*& at, const char* end,
                                               std::uint64_t& value) noexcept {
  if (at != end && static_cast<unsigned char>(*at) < 0x80) {
    value = static_cast<unsigned char>(*at++);
    return Take::kDone;
  }
  return detail::take_long_varint(at, end, value);
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
[[gnu::always_inline]] inline Take take_tag(const char*& at, const char* end,
                                            Field& field) noexcept {
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
[[gnu::always_inline]] inline Take take_value(const char*& at, const char* end,
                                              Field& field) noexcept {
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
[[gnu::always_inline]] inline Take take_field(const char*& at, const char* end,
                                              Field& field) noexcept {
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
