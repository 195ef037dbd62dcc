// SPDX-License-Identifier: Apache-2.0
//
// The text of a line: its columns, its limits, and formats that must not be obeyed.
#include "line.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <string>

namespace ndtel::nlog::test {
namespace {

// Formats here are wrong on purpose: the compiler is not to look at them.
std::string message(const char* format, ...) {
  va_list args;
  va_start(args, format);
  Line line;
  line.add_message(format, args);
  va_end(args);
  EXPECT_EQ(line.c_str()[line.text().size()], '\0');
  return std::string(line.text());
}

TEST(Line, ThePrefixHasFixedColumns) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  Line line;
  line.add_prefix({.tv_sec = 1796088906, .tv_nsec = 7'008'999}, 42, 4711, NRT_LOG_LEVEL_WARN, "HAL",
                  "reset");
  EXPECT_EQ(
      line.text(),
      "2026-Dec-01 01:35:06.007008    42:4711   WARN   HAL:reset                               "
      "    ");
}

TEST(Line, ANameThatFillsItsColumnStandsApartFromTheMessage) {
  const std::string func(60, 'f');
  Line line;
  line.add_prefix({}, 1, 1, NRT_LOG_LEVEL_ERROR, "NRT", func.c_str());
  EXPECT_TRUE(line.text().ends_with("  NRT:" + func + " ")) << line.text();
}

TEST(Line, EachPartIsCutAlone) {
  const std::string huge(5000, 'f');
  Line line;
  line.add_prefix({}, 1, 1, NRT_LOG_LEVEL_ERROR, "NRT", huge.c_str());
  EXPECT_EQ(line.text().size(), kPartSize - 1);
  EXPECT_EQ(line.text().back(), ' ');
  line.add_text(message("%s", huge.c_str()));
  EXPECT_EQ(line.text().size(), 2 * (kPartSize - 1));
  line.add_text(huge);
  EXPECT_EQ(line.text().size(), 3 * kPartSize - 1);
  line.add_text(huge);
  EXPECT_EQ(line.text().size(), 3 * kPartSize - 1);
  EXPECT_EQ(line.c_str()[line.text().size()], '\0');
}

TEST(Line, MessagesAreFormattedLikePrintf) {
  EXPECT_EQ(message("core %d of %s, %5.1f%%", 3, "eight", 12.25), "core 3 of eight,  12.2%");
  EXPECT_EQ(message("%*d|%-*s|%.*s", 4, 7, 3, "a", 2, "xyz"), "   7|a  |xy");
  EXPECT_EQ(message("%2$s %1$s", "world", "hello"), "hello world");
  EXPECT_EQ(message("%zu %lld %hhx %c", std::size_t{1}, 2LL, 255, 'c'), "1 2 ff c");
  EXPECT_EQ(message("100%%"), "100%");
  EXPECT_EQ(message(""), "");
  EXPECT_EQ(message("%s", static_cast<const char*>(nullptr)), "(null)");
}

TEST(Line, AFormatThatWritesMemoryIsText) {
  int written = 77;
  for (const char* format : {"%n", "x%n", "%hhn", "%5n", "%-n", "%1$n", "%.3n", "%*n", "%ln",
                             "%%%n", "%d%n", "%'n", "%w32n", "%wf8n", "%1$*2$n", "%5-n", "% #+0n"})
    EXPECT_EQ(message(format, &written, &written, &written), format);
  EXPECT_EQ(written, 77);
}

// glibc ends a conversion here before the '%', so that the next one starts at it.
TEST(Line, AFormatThatReadersEndAtDifferentPlacesIsText) {
  int written = 77;
  for (const char* format : {"%*5%n", "%.*5%n", "%5%n", "%-%n", "%l%n", "%1$%n", "%w*%n", "%k%n"})
    EXPECT_EQ(message(format, 1, &written, &written), format);
  EXPECT_EQ(written, 77);
}

TEST(Line, AFormatThatIsNotCompleteOrTooLargeIsText) {
  for (const char* format : {"%", "100%", "%5", "%-", "%.", "%l", "%1$", "%.5", "%100000d",
                             "%.100000f", "%999999999999d", "%w"})
    EXPECT_EQ(message(format, 1, 2), format);
}

TEST(Line, AMessageThatCannotBeConvertedIsShownByItsFormat) {
  ::setlocale(LC_ALL, "C");
  EXPECT_EQ(message("wide %ls", L"\xE9\x20AC"), "wide %ls");
}

TEST(Line, ALongUnsafeFormatIsCutToo) {
  const std::string format = "%n" + std::string(3000, 'x');
  EXPECT_EQ(message(format.c_str()), format.substr(0, kPartSize - 1));
}

}  // namespace
}  // namespace ndtel::nlog::test
