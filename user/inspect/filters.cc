// SPDX-License-Identifier: Apache-2.0
#include "filters.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

#include "../systrace/catalogue.hpp"

namespace ndtel::inspect {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kShownWord = 64;

BadWord bad(std::string_view word, std::size_t place, const char* reason) {
  return {std::string(word.substr(0, kShownWord)), place, reason};
}

// Calls `take(word, place)` for the words of a list until it returns a complaint.
template <typename Take>
std::optional<BadWord> each_word(std::string_view text, Take take) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    std::size_t place = begin + 1;
    const std::size_t blanks = std::min(word.find_first_not_of(kBlanks), word.size());
    word.remove_prefix(blanks);
    place += blanks;
    word = word.substr(0, word.find_last_not_of(kBlanks) + 1);
    if (word.empty()) return bad(word, place, "is empty");
    if (auto complaint = take(word, place)) return complaint;
    if (end == text.size()) return std::nullopt;
    begin = end + 1;
  }
}

std::optional<std::uint32_t> core_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The types of a name or a group.
std::optional<TypeSet> types_of(std::string_view word) {
  constexpr TypeSet kHardware(NRT_SYS_TRACE_HARDWARE_TYPES);
  if (word == "hardware") return kHardware;
  if (word == "software") return ~kHardware;
  const auto type = systrace::find_event_type(word);
  if (!type) return std::nullopt;
  return TypeSet().set(*type);
}

}  // namespace

std::variant<CoreSet, BadWord> parse_cores(std::string_view text) {
  CoreSet cores;
  auto complaint =
      each_word(text, [&](std::string_view word, std::size_t place) -> std::optional<BadWord> {
        const std::size_t dash = word.find('-');
        const auto first = core_number(word.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : core_number(word.substr(dash + 1));
        // A number too large for 32 bits is no core either.
        if (!first || !last) return bad(word, place, "is neither a core nor a range of cores");
        if (*first >= cores.size() || *last >= cores.size())
          return bad(word, place, "is beyond the last possible core, 255");
        if (*first > *last) return bad(word, place, "ends before it begins");
        for (std::uint32_t core = *first; core <= *last; ++core) cores.set(core);
        return std::nullopt;
      });
  if (complaint) return *std::move(complaint);
  return cores;
}

std::variant<TypeSet, BadWord> parse_types(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  TypeSet types;
  if (start != std::string_view::npos && text[start] == '^') types.set();
  auto complaint =
      each_word(text, [&](std::string_view word, std::size_t place) -> std::optional<BadWord> {
        const bool exclude = word.front() == '^';
        const auto named = types_of(exclude ? word.substr(1) : word);
        if (!named) return bad(word, place, "is neither an event type nor hardware or software");
        types = exclude ? types & ~*named : types | *named;
        return std::nullopt;
      });
  if (complaint) return *std::move(complaint);
  return types;
}

}  // namespace ndtel::inspect
