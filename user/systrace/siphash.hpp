// SPDX-License-Identifier: Apache-2.0
//
// SipHash-1-3 with a key of zeros, over the bytes of a string and a final 0xFF. Nothing but the
// string goes in, so a string has the same hash in every process, on every machine, for ever.
#ifndef NDTEL_SYSTRACE_SIPHASH_HPP
#define NDTEL_SYSTRACE_SIPHASH_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ndtel::systrace {

/// The four words of SipHash's state, and its rounds.
class SipState {
 public:
  /// Mixes in eight bytes of the message: one round (the "1" of 1-3).
  constexpr void absorb(std::uint64_t word) noexcept {
    v3_ ^= word;
    round();
    v0_ ^= word;
  }

  /// Ends the message: three rounds (the "3").
  constexpr std::uint64_t finish() noexcept {
    v2_ ^= 0xFF;
    round();
    round();
    round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  constexpr void round() noexcept {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }

  // The constants of SipHash, which a key of zeros leaves as they are.
  std::uint64_t v0_ = 0x736f6d6570736575;
  std::uint64_t v1_ = 0x646f72616e646f6d;
  std::uint64_t v2_ = 0x6c7967656e657261;
  std::uint64_t v3_ = 0x7465646279746573;
};

/// Up to eight bytes as a little-endian word, the missing ones 0.
constexpr std::uint64_t little_endian_word(std::string_view bytes) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

/// SipHash-1-3 of `text` followed by the byte 0xFF.
constexpr std::uint64_t siphash13(std::string_view text) noexcept {
  SipState state;
  const std::size_t whole = text.size() / 8 * 8;
  for (std::size_t at = 0; at < whole; at += 8)
    state.absorb(little_endian_word(text.substr(at, 8)));

  const std::string_view rest = text.substr(whole);
  std::uint64_t last = little_endian_word(rest) | std::uint64_t{0xFF} << (8 * rest.size());
  if (rest.size() == 7) {  // the 0xFF fills a word of its own message
    state.absorb(last);
    last = 0;
  }
  state.absorb(last | std::uint64_t{text.size() + 1} << 56);
  return state.finish();
}

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_SIPHASH_HPP
