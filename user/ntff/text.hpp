// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_NTFF_TEXT_HPP
#define NDTEL_NTFF_TEXT_HPP

#include <string>
#include <string_view>

namespace ndtel::ntff {

/// `text` as a field of the type string may hold it: parsers refuse a whole file for one byte that
/// is not UTF-8, so each such byte becomes U+FFFD. `*room` holds what is returned if it differs.
std::string_view as_utf8(std::string_view text, std::string* room);

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_TEXT_HPP
