// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>

namespace ndtel::cli {
namespace {

/// Columns on the screen: continuation bytes of UTF-8 take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t w = width(columns_[i].title);
    for (const auto& row : rows_) w = std::max(w, width(row[i]));
    widths.push_back(w);
  }
  std::string out;
  const auto put = [&](auto&& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string fill(widths[i] - width(cell), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::kRight ? fill + cell : cell + fill;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  put([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) put([&](std::size_t i) -> const std::string& { return row[i]; });
  return out;
}

std::string grouped(unsigned long long value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

}  // namespace ndtel::cli
