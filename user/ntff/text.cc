// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>

#include "utf8.hpp"

namespace ndtel::ntff {

std::string_view as_utf8(std::string_view text, std::string* room) {
  constexpr std::size_t kLongestSequence = 4;
  if (systrace::is_utf8(text)) return text;
  room->clear();
  while (!text.empty()) {
    const std::size_t longest = std::min(text.size(), kLongestSequence);
    std::size_t length = 1;
    while (length <= longest && !systrace::is_utf8(text.substr(0, length))) ++length;
    if (length <= longest) {
      room->append(text.substr(0, length));
    } else {
      room->append("\xEF\xBF\xBD");
      length = 1;
    }
    text.remove_prefix(length);
  }
  return *room;
}

}  // namespace ndtel::ntff
