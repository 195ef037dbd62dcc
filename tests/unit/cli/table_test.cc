// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <gtest/gtest.h>

namespace ndtel::cli {
namespace {

TEST(Table, AlignsColumnsWithoutTrailingBlanks) {
  Table table({{"name"}, {"value", Table::Align::kRight}, {"note"}});
  table.add({"a", "1", ""});
  table.add({"longer", "1,000", "x"});
  EXPECT_EQ(table.text(),
            "name    value  note\n"
            "a           1\n"
            "longer  1,000  x\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"n"}, {"v"}});
  table.add({"\xc3\xa9", "1"});
  table.add({"ab", "2"});
  EXPECT_EQ(table.text(), "n   v\n\xc3\xa9   1\nab  2\n");
}

TEST(Table, FillsMissingCells) {
  Table table({{"a"}, {"b"}});
  EXPECT_TRUE(table.empty());
  table.add({"x"});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.text(), "a  b\nx\n");
}

TEST(Grouped, PutsCommasEveryThreeDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18446744073709551615ULL), "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace ndtel::cli
