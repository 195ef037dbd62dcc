// SPDX-License-Identifier: Apache-2.0
//
// How measured and given values become counter words.
#include <charconv>
#include <cmath>
#include <limits>

#include "ndtel/kmetric.hpp"

namespace ndtel {
namespace {

// Takes one decimal part of a version off the front; false when there is none or it does not fit.
template <typename T>
bool take_part(std::string_view& text, T& part) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_dot(std::string_view& text) noexcept {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

std::uint64_t little_endian(std::span<const std::uint8_t, 8> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

}  // namespace

std::uint64_t truncate_us(double us) noexcept {
  if (!(us > 0)) return 0;                              // also not-a-number
  constexpr double kTooLarge = 18446744073709551616.0;  // 2^64, the first double that does not fit
  if (us >= kTooLarge) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(us);
}

std::uint64_t fold_neff_uuid(std::span<const std::uint8_t, 16> uuid) noexcept {
  return little_endian(uuid.first<8>()) ^ little_endian(uuid.last<8>());
}

std::optional<nds_version> parse_version(std::string_view text) noexcept {
  nds_version version{};
  if (!take_part(text, version.major) || !take_dot(text) || !take_part(text, version.minor) ||
      !take_dot(text) || !take_part(text, version.build))
    return std::nullopt;
  if (!text.empty() && text.front() != '.' && text.front() != '-' && text.front() != '+')
    return std::nullopt;
  return version;
}

}  // namespace ndtel
