// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_TABLE_HPP
#define NDTEL_CLI_TABLE_HPP

#include <string>
#include <vector>

namespace ndtel::cli {

/// A plain text table: columns as wide as their widest cell, two spaces between them, no trailing
/// blanks.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Missing cells are empty; surplus ones are an error of the caller and dropped.
  void add(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// 1234567 as "1,234,567": for people; machines get JSON.
std::string grouped(unsigned long long value);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_TABLE_HPP
