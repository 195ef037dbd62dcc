// SPDX-License-Identifier: Apache-2.0
#include "error_ring.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace ndtel::nlog {

void ErrorRing::put(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t n = std::min(text.size(), bytes_.size() - position_);
    std::memcpy(bytes_.data() + position_, text.data(), n);
    text.remove_prefix(n);
    position_ += n;
    if (position_ == bytes_.size()) {
      position_ = 0;
      ++wrapped_;
    }
  }
}

void ErrorRing::append(std::string_view line) noexcept {
  put(line.substr(0, bytes_.size() - 1));
  put("\n");
}

char ErrorRing::at(std::size_t age) const noexcept {
  return bytes_[(position_ + bytes_.size() - age) % bytes_.size()];
}

std::size_t ErrorRing::copy(std::span<char> to) const noexcept {
  const std::size_t filled = wrapped_ > 0 ? bytes_.size() : position_;
  std::size_t age = std::min(filled, to.size());
  // Whatever precedes the first byte may be a piece of a line: it is whole only behind the end of
  // another, or where the ring began.
  const bool begins_a_line = age == filled ? wrapped_ == 0 : age > 0 && at(age + 1) == '\n';
  if (!begins_a_line) {
    while (age > 0 && at(age) != '\n') --age;
    if (age > 0) --age;
  }
  for (std::size_t i = 0; i < age; ++i) to[i] = at(age - i);
  return age;
}

void ErrorRings::append(std::uint32_t core, std::string_view line) noexcept {
  const std::lock_guard lock(mutex_);
  auto& ring = rings_[core];
  if (ring == nullptr) ring.reset(new (std::nothrow) ErrorRing);
  if (ring != nullptr) ring->append(line);
}

std::size_t ErrorRings::copy(std::uint32_t core, std::span<char> to,
                             std::uint64_t* wrapped) noexcept {
  const std::lock_guard lock(mutex_);
  const auto& ring = rings_[core];
  *wrapped = ring != nullptr ? ring->wrapped() : 0;
  return ring != nullptr ? ring->copy(to) : 0;
}

}  // namespace ndtel::nlog
