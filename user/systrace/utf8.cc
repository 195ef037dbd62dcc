// SPDX-License-Identifier: Apache-2.0
//
// Strict UTF-8, eight bytes at a time where the text is ASCII: names nearly always are.
#include "utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ndtel::systrace {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

// A lead byte fixes the length of its sequence and narrows the range of the second byte: that is
// what keeps out overlong forms, surrogates and code points above U+10FFFF.
struct Lead {
  std::size_t length;  // 0: no lead byte
  unsigned char second_low;
  unsigned char second_high;
};

constexpr Lead lead_of(unsigned char byte) noexcept {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// Length of the character at the front of `text`, 0 when there is none.
std::size_t character(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Lead lead = lead_of(byte(0));
  if (lead.length <= 1) return lead.length;
  if (text.size() < lead.length) return 0;
  if (byte(1) < lead.second_low || byte(1) > lead.second_high) return 0;
  for (std::size_t i = 2; i < lead.length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return lead.length;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    std::uint64_t word;
    if (text.size() >= sizeof word) {
      std::memcpy(&word, text.data(), sizeof word);
      if ((word & kHighBits) == 0) {
        text.remove_prefix(sizeof word);
        continue;
      }
    }
    const std::size_t length = character(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace ndtel::systrace
