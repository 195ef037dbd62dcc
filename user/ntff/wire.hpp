// SPDX-License-Identifier: Apache-2.0
//
// The wire format of protobuf, as far as writing goes: tags and varints.
#ifndef NDTEL_NTFF_WIRE_HPP
#define NDTEL_NTFF_WIRE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ndtel::ntff::wire {

enum class Kind : std::uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

/// Numbers of an entry of a map: the format itself says them.
inline constexpr int kMapKey = 1;
inline constexpr int kMapValue = 2;

/// Longest varint.
inline constexpr std::size_t kMaxVarint = 10;

constexpr std::uint32_t tag(int number, Kind kind) noexcept {
  return static_cast<std::uint32_t>(number) << 3 | static_cast<std::uint32_t>(kind);
}

/// Bytes of `value` as a varint.
constexpr std::size_t varint_size(std::uint64_t value) noexcept {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

/// Writes `value` at `to`, which has room for kMaxVarint bytes. @return the byte behind it
constexpr char* put_varint(char* to, std::uint64_t value) noexcept {
  while (value >= 0x80) {
    *to++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<char>(value);
  return to;
}

}  // namespace ndtel::ntff::wire

#endif  // NDTEL_NTFF_WIRE_HPP
