// SPDX-License-Identifier: Apache-2.0
//
// Which byte strings are UTF-8.
#ifndef NDTEL_SYSTRACE_UTF8_HPP
#define NDTEL_SYSTRACE_UTF8_HPP

#include <string_view>

namespace ndtel::systrace {

/// Whether `text` is UTF-8 in the strict sense of the Unicode standard: shortest forms only, no
/// surrogates, nothing above U+10FFFF, no sequence cut short. The empty string is; so is U+0000.
bool is_utf8(std::string_view text) noexcept;

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_UTF8_HPP
