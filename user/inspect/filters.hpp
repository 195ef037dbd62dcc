// SPDX-License-Identifier: Apache-2.0
//
// The lists that choose cores and event types: `0,2,4-7` and `hardware,^hw_notify,nrt_execute`.
// Blanks around a word do not count.
#ifndef NDTEL_INSPECT_FILTERS_HPP
#define NDTEL_INSPECT_FILTERS_HPP

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "config.hpp"

namespace ndtel::inspect {

using TypeSet = std::bitset<NRT_SYS_TRACE_EVENT_TYPE_COUNT>;

/// A word that cannot be understood.
struct BadWord {
  std::string word;       ///< cut at 64 bytes
  std::size_t place = 1;  ///< of its first byte in the text, from 1
  const char* reason;     ///< what is wrong with it, to be said after the word
};

/// Cores and ranges of cores, 0 to 255.
std::variant<CoreSet, BadWord> parse_cores(std::string_view text);

/// Names and aliases of types, `hardware`, `software`, and these with ^ for all but. A list that
/// begins with ^ starts from all types, others from none; words apply from left to right.
std::variant<TypeSet, BadWord> parse_types(std::string_view text);

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_FILTERS_HPP
