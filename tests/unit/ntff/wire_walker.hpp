// SPDX-License-Identifier: Apache-2.0
//
// Reads the wire format without knowing any schema, and without code of the writers.
#ifndef NDTEL_TESTS_UNIT_NTFF_WIRE_WALKER_HPP
#define NDTEL_TESTS_UNIT_NTFF_WIRE_WALKER_HPP

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ndtel::ntff::test {

struct WireField {
  std::uint64_t tag = 0;    // number << 3 | kind
  std::uint64_t value = 0;  // of a varint and of fixed kinds
  std::string bytes;        // of a length-delimited one

  std::uint64_t number() const { return tag >> 3; }
};

/// The fields of a message in their order. Fails the test, and stops, at what is no field.
inline std::vector<WireField> walk(const std::string& message) {
  std::vector<WireField> fields;
  std::size_t at = 0;
  bool good = true;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at == message.size()) break;
      const auto byte = static_cast<unsigned char>(message[at++]);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) {
        // Shortest forms only: the same value is always the same bytes.
        good = good && (shift == 0 || byte != 0);
        return value;
      }
    }
    good = false;
    return std::uint64_t{0};
  };
  const auto fixed = [&](unsigned size) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size && at < message.size(); ++i)
      value |= std::uint64_t{static_cast<unsigned char>(message[at++])} << (8 * i);
    return value;
  };
  while (good && at < message.size()) {
    WireField field;
    field.tag = varint();
    switch (field.tag & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        good = good && message.size() - at >= 8;
        field.value = fixed(8);
        break;
      case 2: {
        const std::uint64_t size = varint();
        good = good && size <= message.size() - at;
        if (good) field.bytes = message.substr(at, size);
        at += field.bytes.size();
        break;
      }
      case 5:
        good = good && message.size() - at >= 4;
        field.value = fixed(4);
        break;
      default:
        good = false;
    }
    EXPECT_TRUE(good) << "no field at or before byte " << at;
    if (good) fields.push_back(field);
  }
  return fields;
}

}  // namespace ndtel::ntff::test

#endif  // NDTEL_TESTS_UNIT_NTFF_WIRE_WALKER_HPP
