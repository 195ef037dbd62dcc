// SPDX-License-Identifier: Apache-2.0
//
// Messages that are not written by the million: appended to a string, field by field.
#ifndef NDTEL_NTFF_MESSAGE_WRITER_HPP
#define NDTEL_NTFF_MESSAGE_WRITER_HPP

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "text.hpp"
#include "wire.hpp"

namespace ndtel::ntff {

/// Appends fields to `*out`. Callers go by ascending numbers. As proto3 has it, a field with its
/// default value is left out, unless a function says that it is always written.
class MessageWriter {
 public:
  explicit MessageWriter(std::string* out) noexcept : out_(out) {}

  /// bool, enum, uint32, uint64.
  void integer(int number, std::uint64_t value) {
    if (value != 0) integer_always(number, value);
  }

  /// int32, int64: negative values are as long as a varint can be.
  void signed_integer(int number, std::int64_t value) {
    integer(number, static_cast<std::uint64_t>(value));
  }

  void integer_always(int number, std::uint64_t value) {
    tag(number, wire::Kind::kVarint);
    varint(value);
  }

  /// The default is the positive zero alone.
  void real(int number, float value) {
    if (const auto bits = std::bit_cast<std::uint32_t>(value); bits != 0) {
      tag(number, wire::Kind::kFixed32);
      little_endian(bits);
    }
  }

  void real(int number, double value) {
    if (const auto bits = std::bit_cast<std::uint64_t>(value); bits != 0) {
      tag(number, wire::Kind::kFixed64);
      little_endian(bits);
    }
  }

  void text(int number, std::string_view value) {
    if (!value.empty()) text_always(number, value);
  }

  /// As the value of a map is.
  void text_always(int number, std::string_view value) {
    std::string room;
    bytes_always(number, as_utf8(value, &room));
  }

  void bytes(int number, std::string_view value) {
    if (!value.empty()) bytes_always(number, value);
  }

  /// Always written; `fill(MessageWriter&)` appends the fields of the message inside.
  template <std::invocable<MessageWriter&> Fill>
  void nested(int number, Fill&& fill) {
    tag(number, wire::Kind::kLengthDelimited);
    delimited(fill);
  }

  /// A message behind its length, without a tag.
  template <std::invocable<MessageWriter&> Fill>
  void delimited(Fill&& fill) {
    const std::size_t start = out_->size();
    fill(*this);
    // Its length is known only now.
    char length[wire::kMaxVarint];
    const char* const end = wire::put_varint(length, out_->size() - start);
    out_->insert(start, length, static_cast<std::size_t>(end - length));
  }

  /// Always written: `element(i)` of `count` integers as one packed field.
  template <typename Element>
  void packed(int number, std::size_t count, Element&& element) {
    nested(number, [&](MessageWriter& in) {
      for (std::size_t i = 0; i < count; ++i) in.varint(element(i));
    });
  }

 private:
  void tag(int number, wire::Kind kind) { varint(wire::tag(number, kind)); }

  void varint(std::uint64_t value) {
    char bytes[wire::kMaxVarint];
    out_->append(bytes, static_cast<std::size_t>(wire::put_varint(bytes, value) - bytes));
  }

  void bytes_always(int number, std::string_view value) {
    tag(number, wire::Kind::kLengthDelimited);
    varint(value.size());
    out_->append(value);
  }

  template <std::unsigned_integral Bits>
  void little_endian(Bits bits) {
    for (std::size_t i = 0; i < sizeof bits; ++i, bits = static_cast<Bits>(bits >> 8))
      out_->push_back(static_cast<char>(bits & 0xff));
  }

  std::string* out_;
};

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_MESSAGE_WRITER_HPP
