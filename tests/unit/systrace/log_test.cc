// SPDX-License-Identifier: Apache-2.0
//
// What the trace engine says: levels, limits, sinks.
#include "log.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "captured_log.hpp"
#include "nrt/nlog.h"

namespace ndtel::systrace::test {
namespace {

using log::Level;

TEST(Log, GivesALineWithItsLevelToTheSink) {
  CapturedLog log;
  log::write(Level::kError, "core {} of {}", 3, "eight");
  log::write(Level::kWarn, "warned");
  log::write(Level::kInfo, "told");
  log::write(Level::kDebug, "explained");
  log::write(Level::kTrace, "traced");
  const std::vector<std::pair<int, std::string>> expected = {
      {1, "core 3 of eight"}, {2, "warned"}, {3, "told"}, {4, "explained"}, {5, "traced"}};
  EXPECT_EQ(log.lines(), expected);
}

TEST(Log, APlaceWarnsOnceASecondAndAnotherPlaceIsHeard) {
  CapturedLog log;
  for (int i = 0; i < 100; ++i) log::write(Level::kWarn, "here {}", i);
  log::write(Level::kWarn, "there");
  const std::vector<std::pair<int, std::string>> expected = {{2, "here 0"}, {2, "there"}};
  EXPECT_EQ(log.lines(), expected);
}

TEST(Log, LowerLevelsAreNotLimited) {
  CapturedLog log;
  for (int i = 0; i < 100; ++i) log::write(Level::kInfo, "core {}", i);
  EXPECT_EQ(log.lines().size(), 100u);
}

TEST(Log, TheNextLineTellsHowManyWereLeftOut) {
  CapturedLog log;
  const auto warn = [](int i) { log::write(Level::kWarn, "again {}", i); };
  for (int i = 0; i < 8; ++i) warn(i);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  warn(8);
  ASSERT_EQ(log.lines().size(), 2u);
  EXPECT_EQ(log.lines()[1].second, "again 8 (7 more such lines were left out)");
}

TEST(Log, ALineIsOneLineOfPrintableText) {
  CapturedLog log;
  log::write(Level::kInfo, "name {}", "a\nERROR b\r\x1B[91m\x7F h\xC3\xA9");
  EXPECT_EQ(log.lines().at(0).second, "name a?ERROR b??[91m? h\xC3\xA9");
}

TEST(Log, ALongLineIsCut) {
  CapturedLog log;
  log::write(Level::kInfo, "{}", std::string(5000, 'x'));
  EXPECT_EQ(log.lines().at(0).second, std::string(nlog::Message::kMost, 'x'));
}

TEST(Log, EveryLevelIsWorthItsTextForASinkOfTheProgram) {
  CapturedLog log;
  for (const Level level :
       {Level::kError, Level::kWarn, Level::kInfo, Level::kDebug, Level::kTrace})
    EXPECT_TRUE(log::enabled(level));
}

// Without a sink of the program, lines are nlog's, of its submodule RUST.
TEST(Log, NlogDecidesWhatIsWorthItsText) {
  log::set_sink({});
  const auto worth = [] {
    int levels = 0;
    for (int level = 1; level <= 5; ++level) levels += log::enabled(static_cast<Level>(level));
    return levels;
  };
  const std::pair<const char*, int> cases[] = {{"ERROR", 1}, {"WARN", 2},  {"INFO", 3},
                                               {"DEBUG", 4}, {"TRACE", 5}, {"ERROR", 1}};
  for (const auto& [text, levels] : cases) {
    nlog_set_log_level("RUST", "CONSOLE", text);
    EXPECT_EQ(worth(), levels) << text;
  }
}

TEST(Log, LinesReachNlogWithTheirLevelAndOrigin) {
  log::set_sink({});
  log::detail::forget_limits();
  nlog_set_log_level("RUST", "CONSOLE", "INFO");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  log::write(Level::kError, "failed {}%n%s", 1);
  log::write(Level::kInfo, "told");
  log::write(Level::kDebug, "explained");
  const std::string out = testing::internal::GetCapturedStdout();
  const std::string err = testing::internal::GetCapturedStderr();
  nlog_set_log_level("RUST", "CONSOLE", "ERROR");
  EXPECT_NE(err.find(" ERROR  RUST:sys_trace "), std::string::npos) << err;
  EXPECT_TRUE(err.ends_with(" failed 1%n%s\n")) << err;
  EXPECT_NE(out.find("  INFO  RUST:sys_trace "), std::string::npos) << out;
  EXPECT_TRUE(out.ends_with(" told\n")) << out;
}

// A sink that misuses the engine makes it speak again.
TEST(Log, ASinkThatCausesALineDoesNotComeBackToItself) {
  static int calls = 0;
  log::set_sink({[](void*, int, const char*) {
                   ++calls;
                   log::write(Level::kInfo, "from within");
                 },
                 nullptr});
  log::write(Level::kInfo, "from outside");
  log::set_sink({});
  EXPECT_EQ(calls, 1);
}

// The two halves of a sink are never mixed: each function finds its own context.
TEST(Log, ChangingTheSinkWhileOthersWriteIsSafe) {
  static std::atomic<int> mixed{0};
  static int contexts[2] = {0, 1};
  const log::Sink sinks[] = {
      {[](void* context, int, const char*) { mixed += context != &contexts[0]; }, &contexts[0]},
      {[](void* context, int, const char*) { mixed += context != &contexts[1]; }, &contexts[1]}};
  log::set_sink(sinks[0]);
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i)
    writers.emplace_back([&] {
      while (!stop) log::write(Level::kInfo, "line");
    });
  for (int i = 0; i < 2000; ++i) log::set_sink(sinks[i % 2]);
  stop = true;
  for (std::thread& writer : writers) writer.join();
  log::set_sink({});
  EXPECT_EQ(mixed, 0);
}

TEST(LogDeathTest, FatalIsOneLineOnStderrPastTheSink) {
  EXPECT_DEATH(
      {
        log::set_sink(
            {[](void*, int, const char*) { std::fputs("the sink spoke\n", stderr); }, nullptr});
        log::fatal("core {} is beyond\nreason", 300);
      },
      "^ndtel: fatal: core 300 is beyond\\?reason\n$");
}

TEST(LogDeathTest, ANulInsideALineIsFatal) {
  EXPECT_DEATH(
      {
        CapturedLog log;
        log::write(Level::kInfo, "{}", std::string_view("half\0lost", 9));
      },
      "^ndtel: fatal: a log message has a NUL inside\n$");
}

}  // namespace
}  // namespace ndtel::systrace::test
