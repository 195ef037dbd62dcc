// SPDX-License-Identifier: Apache-2.0
//
// How well bytes suit a message of the schema. It tells kinds of files apart, and finds where a
// message stops making sense; what reads every record of a file is faster and knows less.
#ifndef NDTEL_NTFF_READ_PROBE_HPP
#define NDTEL_NTFF_READ_PROBE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace google::protobuf {
class Descriptor;
}

namespace ndtel::ntff::read {

struct Probe {
  std::size_t whole = 0;      ///< bytes of the whole fields from the beginning on
  std::uint64_t known = 0;    ///< fields of the schema, also within messages
  std::uint64_t unknown = 0;  ///< others, and those of another wire type
  bool broken = false;        ///< behind `whole` is what no message can hold
  bool cut = false;           ///< behind `whole` is the beginning of a field that would be right

  void add(const Probe& inner) noexcept {
    known += inner.known;
    unknown += inner.unknown;
  }
};

/// @param cut whether the message goes on behind `bytes`
Probe probe(const google::protobuf::Descriptor& type, std::string_view bytes, bool cut);

/// The same for messages with their lengths before them. None of them is empty.
Probe probe_delimited(const google::protobuf::Descriptor& type, std::string_view bytes, bool cut);

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_PROBE_HPP
