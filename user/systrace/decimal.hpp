// SPDX-License-Identifier: Apache-2.0
//
// Integers as shortest decimal text, several digits at a time.
#ifndef NDTEL_SYSTRACE_DECIMAL_HPP
#define NDTEL_SYSTRACE_DECIMAL_HPP

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace ndtel::systrace {

/// Longest text of a 64-bit integer, with its sign.
inline constexpr int kMaxDecimal = 20;

namespace detail {

inline constexpr auto kPairs = [] {
  std::array<char, 200> pairs{};
  for (int i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

inline constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (auto& p : powers) {
    p = power;
    power *= 10;
  }
  return powers;
}();

inline void put_pair(char* to, std::uint32_t value) noexcept {
  std::memcpy(to, kPairs.data() + 2 * value, 2);
}

// Exactly eight digits.
inline void put_eight(char* to, std::uint32_t value) noexcept {
  const std::uint32_t high = value / 10000, low = value % 10000;
  put_pair(to, high / 100);
  put_pair(to + 2, high % 100);
  put_pair(to + 4, low / 100);
  put_pair(to + 6, low % 100);
}

inline int decimal_digits(std::uint64_t value) noexcept {
  // 1233 / 4096 is log10(2), precise enough for 64 bits.
  const auto digits = static_cast<unsigned>(std::bit_width(value | 1)) * 1233 >> 12;
  return static_cast<int>(digits) + (value >= kPowersOfTen[digits] ? 1 : 0);
}

}  // namespace detail

/// Writes `value` at `to`, which has room for kMaxDecimal characters. @return the end of the text
inline char* put_decimal(char* to, std::uint64_t value) noexcept {
  // Most of the indices and small counters of events.
  if (value < 10) {
    *to = static_cast<char>('0' + value);
    return to + 1;
  }
  char* const end = to + detail::decimal_digits(value);
  char* at = end;
  while (value >= 100'000'000) {
    at -= 8;
    detail::put_eight(at, static_cast<std::uint32_t>(value % 100'000'000));
    value /= 100'000'000;
  }
  auto rest = static_cast<std::uint32_t>(value);
  while (rest >= 100) {
    at -= 2;
    detail::put_pair(at, rest % 100);
    rest /= 100;
  }
  if (rest >= 10) {
    detail::put_pair(at - 2, rest);
  } else if (at != to) {
    at[-1] = static_cast<char>('0' + rest);
  }
  return end;
}

inline char* put_decimal(char* to, std::int64_t value) noexcept {
  if (value >= 0) return put_decimal(to, static_cast<std::uint64_t>(value));
  *to = '-';
  return put_decimal(to + 1, 0 - static_cast<std::uint64_t>(value));
}

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_DECIMAL_HPP
