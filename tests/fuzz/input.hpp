// SPDX-License-Identifier: Apache-2.0
//
// The bytes a fuzzer is given, taken piece by piece.
#ifndef NDTEL_TESTS_FUZZ_INPUT_HPP
#define NDTEL_TESTS_FUZZ_INPUT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace ndtel::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }

  /// A number from the next bytes; what is missing is 0.
  template <typename T>
  T number() {
    T value{};
    const std::string_view bytes = take(sizeof value);
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }

  /// A string whose length is the next byte.
  std::string text() { return std::string(take(number<std::uint8_t>())); }

  /// Everything that is left.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view take(std::size_t n) {
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
};

/// Ends the fuzzer, which then keeps its input, when something does not hold.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Runs `prepare` before the first input.
template <typename Prepare>
void once(Prepare prepare) {
  static const bool done = [&] {
    prepare();
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace ndtel::fuzz

#endif  // NDTEL_TESTS_FUZZ_INPUT_HPP
