// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ndtel::ntff::read {
namespace {

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

TEST(Wire, ReadsNumbersOfAllLengthsWhereverTheBytesEnd) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t number :
         {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1, ~std::uint64_t{0} >> bit,
          std::uint64_t{0x123456789ABCDEF0} >> bit}) {
      const std::string bytes = varint(number);
      for (std::size_t more = 0; more < 12; ++more) {
        // Of the exact size, so that reading beyond it is noticed; what follows looks like more.
        std::vector<char> all(bytes.begin(), bytes.end());
        all.insert(all.end(), more, '\xff');
        const char* at = all.data();
        std::uint64_t value = 0;
        ASSERT_EQ(take_varint(at, all.data() + all.size(), value), Take::kDone) << number;
        EXPECT_EQ(value, number);
        EXPECT_EQ(at, all.data() + bytes.size());
      }
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::vector<char> cut(bytes.begin(),
                                    bytes.begin() + static_cast<std::ptrdiff_t>(size));
        const char* at = cut.data();
        std::uint64_t value = 0;
        EXPECT_EQ(take_varint(at, cut.data() + cut.size(), value), Take::kShort) << number;
        EXPECT_EQ(at, cut.data());
      }
    }
  }
}

TEST(Wire, RefusesNumbersOfMoreThanTenBytes) {
  for (std::size_t more = 10; more < 14; ++more) {
    const std::string bytes(more, '\xff');
    const char* at = bytes.data();
    std::uint64_t value = 0;
    EXPECT_EQ(take_varint(at, bytes.data() + bytes.size(), value), Take::kBad);
  }
}

TEST(Wire, RefusesTagsThatAreNone) {
  for (const std::string& bytes :
       {std::string(1, '\0'), std::string("\x0b"), std::string("\x0c"), std::string("\x0e"),
        std::string("\x0f"), varint(std::uint64_t{1} << 32 | 8)}) {
    const char* at = bytes.data();
    Field field;
    EXPECT_EQ(take_tag(at, bytes.data() + bytes.size(), field), Take::kBad);
  }
}

}  // namespace
}  // namespace ndtel::ntff::read
