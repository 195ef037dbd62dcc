// SPDX-License-Identifier: Apache-2.0
//
// nlog as a program uses it.
#include "nrt/nlog.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "api_guard.hpp"
#include "block.hpp"
#include "captured_sinks.hpp"

namespace ndtel::nlog::test {
namespace {

void error(const char* text, bool coaleced = false, bool api = false) {
  nlog_write("TDRV", "test", NRT_LOG_LEVEL_ERROR, coaleced, api, "%s", text);
}

// A format that the compiler does not look at.
void vwrite(const char* format, ...) {
  va_list args;
  va_start(args, format);
  nlog_vwrite("NRT", "f", NRT_LOG_LEVEL_ERROR, false, false, format, args);
  va_end(args);
}

// The text behind the prefix, whose columns are looked at.
std::string body(const std::string& line) {
  constexpr std::string_view kTime = "0000-Aaa-00 00:00:00.000000 ";
  for (std::size_t i = 0; i < kTime.size(); ++i) {
    const auto c = static_cast<unsigned char>(i < line.size() ? line[i] : '\0');
    const char wanted = kTime[i];
    EXPECT_TRUE(wanted == '0'   ? std::isdigit(c)
                : wanted == 'A' ? std::isupper(c)
                : wanted == 'a' ? std::islower(c)
                                : c == wanted)
        << line;
  }
  int pid = 0, tid = 0, at = 0;
  char level[8] = "", origin[64] = "";
  const std::string rest = line.substr(std::min(kTime.size(), line.size()));
  EXPECT_EQ(std::sscanf(rest.c_str(), "%d:%d %7s %63s %n", &pid, &tid, level, origin, &at), 4)
      << line;
  return rest.substr(static_cast<std::size_t>(at));
}

std::string dump(std::uint32_t core) {
  std::string text(NLOG_ERROR_RING_SIZE + 1, '?');
  std::size_t length = 0;
  EXPECT_EQ(nlog_error_ring_dump(core, text.data(), text.size(), &length, nullptr), NRT_SUCCESS);
  text.resize(length);
  return text;
}

TEST(Nlog, AnErrorIsWrittenOnceWithItsPrefix) {
  CapturedSinks sinks;
  nlog_write("TDRV", "load", NRT_LOG_LEVEL_ERROR, false, false, "core %d of %s", 3, "eight");
  ASSERT_EQ(sinks.console.size(), 1u);
  const auto& [level, line] = sinks.console.front();
  EXPECT_EQ(level, NRT_LOG_LEVEL_ERROR);
  EXPECT_EQ(body(line), "core 3 of eight");
  EXPECT_NE(line.find(" ERROR  TDRV:load "), std::string::npos) << line;
  EXPECT_NE(line.find(' ' + std::to_string(::getpid()) + ':' +
                      std::to_string(::syscall(SYS_gettid)) + ' '),
            std::string::npos)
      << line;
  EXPECT_TRUE(sinks.syslog.empty());
}

TEST(Nlog, LevelsAndLocationsChooseTheSinks) {
  CapturedSinks sinks;
  EXPECT_EQ(nlog_set_log_level("HAL", "syslog", "info"), NRT_SUCCESS);
  EXPECT_EQ(nlog_set_log_level("ENC", "syslog,console", "debug"), NRT_SUCCESS);
  for (const char* submodule : {"HAL", "ENC", "NRT"})
    for (const auto level :
         {NRT_LOG_LEVEL_ERROR, NRT_LOG_LEVEL_INFO, NRT_LOG_LEVEL_DEBUG, NRT_LOG_LEVEL_TRACE})
      nlog_write(submodule, "f", level, false, false, "%s", submodule);
  const auto bodies = [](const CapturedSinks::Lines& lines) {
    std::vector<std::pair<int, std::string>> result;
    for (const auto& [level, line] : lines) result.emplace_back(level, body(line));
    return result;
  };
  const std::vector<std::pair<int, std::string>> syslog = {
      {1, "HAL"}, {3, "HAL"}, {1, "ENC"}, {3, "ENC"}, {4, "ENC"}};
  const std::vector<std::pair<int, std::string>> console = {
      {1, "ENC"}, {3, "ENC"}, {4, "ENC"}, {1, "NRT"}};
  EXPECT_EQ(bodies(sinks.syslog), syslog);
  EXPECT_EQ(bodies(sinks.console), console);
}

TEST(Nlog, TheKernelHearsOfErrorsOnly) {
  CapturedSinks sinks;
  nlog_set_log_level("all", "CONSOLE", "TRACE");
  for (const auto level : {NRT_LOG_LEVEL_ERROR, NRT_LOG_LEVEL_WARN, NRT_LOG_LEVEL_TRACE})
    nlog_write("NRT", "f", level, false, false, "text");
  EXPECT_EQ(sinks.console.size(), 3u);
  EXPECT_EQ(sinks.kernel.size(), 1u);
}

TEST(Nlog, OddArgumentsAreHarmless) {
  CapturedSinks sinks;
  nlog_write(nullptr, nullptr, NRT_LOG_LEVEL_ERROR, false, false, "no names");
  nlog_write("a submodule that nobody knows", "f", NRT_LOG_LEVEL_ERROR, false, false, "unknown");
  vwrite(nullptr);
  nlog_write("NRT", "f", NRT_LOG_LEVEL_DISABLED, false, false, "disabled");
  nlog_write("NRT", "f", static_cast<nrt_log_level_t>(6), false, false, "six");
  nlog_write("NRT", "f", static_cast<nrt_log_level_t>(-1), false, false, "minus one");
  ASSERT_EQ(sinks.console.size(), 2u);
  EXPECT_EQ(body(sinks.console[0].second), "no names");
  EXPECT_TRUE(sinks.console[1].second.ends_with("unknown"));
}

TEST(Nlog, ErrnoStays) {
  CapturedSinks sinks;
  errno = EXDEV;
  error("text");
  EXPECT_EQ(errno, EXDEV);
  nlog_write("NRT", "f", NRT_LOG_LEVEL_ERROR, false, false, "%m");
  EXPECT_EQ(body(sinks.console.back().second), std::strerror(EXDEV));
}

TEST(Nlog, SettingALevelChecksTheSubmodule) {
  CapturedSinks sinks;
  nlog_set_log_level("NLOG", "CONSOLE", "WARN");
  EXPECT_EQ(nlog_set_log_level(nullptr, "CONSOLE", "INFO"), NRT_INVALID);
  EXPECT_EQ(nlog_set_log_level("XYZ", "CONSOLE", "INFO"), NRT_INVALID);
  EXPECT_EQ(nlog_set_log_level("", "CONSOLE", "INFO"), NRT_INVALID);
  ASSERT_EQ(sinks.console.size(), 1u) << "one line a second";
  EXPECT_EQ(sinks.console.front().first, NRT_LOG_LEVEL_WARN);
}

TEST(Nlog, GettingALevelLeavesTheOutputAloneWhenThereIsNone) {
  CapturedSinks sinks;
  auto level = NRT_LOG_LEVEL_TRACE;
  EXPECT_EQ(nlog_get_log_level("XYZ", &level), NRT_INVALID);
  EXPECT_EQ(nlog_get_log_level(nullptr, &level), NRT_INVALID);
  EXPECT_EQ(nlog_get_log_level("all", &level), NRT_INVALID);
  EXPECT_EQ(nlog_get_log_level("NRT", nullptr), NRT_INVALID);
  EXPECT_EQ(level, NRT_LOG_LEVEL_TRACE);
  EXPECT_EQ(nlog_get_log_level("NRT", &level), NRT_SUCCESS);
  EXPECT_EQ(level, NRT_LOG_LEVEL_ERROR);
  nlog_set_log_level("NRT", "SYSLOG", "DEBUG");
  EXPECT_EQ(nlog_get_log_level("NRT", &level), NRT_SUCCESS);
  EXPECT_EQ(level, NRT_LOG_LEVEL_DEBUG);
}

TEST(Nlog, InitialisingTwiceIsWarnedAbout) {
  CapturedSinks sinks;
  nlog_set_log_level("NLOG", "CONSOLE", "WARN");
  process_log().initialised = false;
  EXPECT_EQ(nlog_init(), NRT_SUCCESS);
  EXPECT_TRUE(sinks.console.empty());
  EXPECT_EQ(nlog_init(), NRT_SUCCESS);
  EXPECT_EQ(sinks.console.size(), 1u);
}

TEST(Nlog, TheErrorRingHasWhatWasWrittenAndWhatWasNot) {
  CapturedSinks sinks;
  nlog_set_thread_core(17);
  error("kept");
  nlog_write("TDRV", "test", NRT_LOG_LEVEL_WARN, false, false, "no error");
  nlog_set_thread_core(NLOG_ERROR_RINGS);
  error("of core 0");
  EXPECT_TRUE(dump(17).ends_with(" kept\n")) << dump(17);
  EXPECT_EQ(dump(17).find("no error"), std::string::npos);
  EXPECT_TRUE(dump(0).ends_with(" of core 0\n"));
  EXPECT_EQ(dump(18), "");
}

TEST(Nlog, DumpingTheErrorRingChecksItsArguments) {
  char text[8] = "";
  std::size_t length = 0;
  std::uint64_t wrapped = 9;
  EXPECT_EQ(nlog_error_ring_dump(NLOG_ERROR_RINGS, text, sizeof text, &length, &wrapped),
            NRT_INVALID);
  EXPECT_EQ(nlog_error_ring_dump(0, nullptr, sizeof text, &length, &wrapped), NRT_INVALID);
  EXPECT_EQ(nlog_error_ring_dump(0, text, 0, &length, &wrapped), NRT_INVALID);
  EXPECT_EQ(nlog_error_ring_dump(0, text, sizeof text, nullptr, &wrapped), NRT_INVALID);
  EXPECT_EQ(wrapped, 9u);
  EXPECT_EQ(nlog_error_ring_dump(200, text, 1, &length, &wrapped), NRT_SUCCESS);
  EXPECT_EQ(length, 0u);
  EXPECT_EQ(wrapped, 0u);
}

/* ---- causes ---- */

TEST(Coalescing, ACallThatFailsWritesOneBlockTheLastCauseFirst) {
  CapturedSinks sinks;
  process_log().coalescing = true;
  const ApiGuard call("nrt_load");
  error("the root", true);
  error("because of it", true);
  EXPECT_TRUE(sinks.console.empty());
  nlog_set_cause(NRT_RESOURCE);
  error("could not load", false, true);
  ASSERT_EQ(sinks.console.size(), 1u);
  EXPECT_EQ(body(sinks.console.front().second),
            "could not load Resolution: " + std::string(resolution_of(NRT_RESOURCE)) +
                "\n\tTDRV:test because of it\n\tTDRV:test the root");
  EXPECT_EQ(sinks.kernel.size(), 1u);
}

TEST(Coalescing, CausesThatNobodyWroteAreTheFailureOfTheCall) {
  CapturedSinks sinks;
  process_log().coalescing = true;
  {
    const ApiGuard call("nrt_execute");
    {
      const ApiGuard inner("nrt_inner");
      error("the root", true);
    }
    EXPECT_TRUE(sinks.console.empty()) << "the outermost call counts";
  }
  ASSERT_EQ(sinks.console.size(), 1u);
  EXPECT_EQ(body(sinks.console.front().second), "nrt_execute failed\n\tTDRV:test the root");
  EXPECT_NE(sinks.console.front().second.find("  NRT:nrt_execute "), std::string::npos);
  // The next call begins anew.
  { const ApiGuard call("nrt_execute"); }
  EXPECT_EQ(sinks.console.size(), 1u);
}

// Kept back, they would be hidden, and make a call look failed that was not.
TEST(Coalescing, OnlyErrorsAreKeptBack) {
  CapturedSinks sinks;
  process_log().coalescing = true;
  nlog_set_log_level("all", "CONSOLE", "TRACE");
  {
    const ApiGuard call("nrt_load");
    for (const auto level :
         {NRT_LOG_LEVEL_WARN, NRT_LOG_LEVEL_INFO, NRT_LOG_LEVEL_DEBUG, NRT_LOG_LEVEL_TRACE})
      nlog_write("RUST", "sys_trace", level, true, false, "level %u", level);
    EXPECT_EQ(sinks.console.size(), 4u);
  }
  EXPECT_EQ(sinks.console.size(), 4u);
}

TEST(Coalescing, ErrorsAreWrittenAtOnceWhenTheyMustOrNothingKeepsThem) {
  CapturedSinks sinks;
  {
    const ApiGuard call("nrt_load");
    error("switched off", true);
  }
  EXPECT_EQ(sinks.console.size(), 1u);
  process_log().coalescing = true;
  error("outside a call", true);
  EXPECT_EQ(sinks.console.size(), 2u);
  error("failed outside a call", false, true);
  EXPECT_EQ(sinks.console.size(), 3u);
  const ApiGuard call("nrt_load");
  error("not to be kept back");
  EXPECT_EQ(sinks.console.size(), 4u);
}

TEST(Coalescing, EndingWhatNeverBeganIsHarmless) {
  CapturedSinks sinks;
  process_log().coalescing = true;
  nlog_api_end();
  nlog_set_cause(NRT_RESOURCE);
  nlog_api_begin(nullptr);
  nlog_api_end();
  nlog_api_end();
  EXPECT_TRUE(sinks.console.empty());
}

TEST(Coalescing, CausesBeyondTheRoomAreCounted) {
  CapturedSinks sinks;
  process_log().coalescing = true;
  {
    const ApiGuard call("nrt_load");
    for (int i = 0; i < 100; ++i) error(std::string(1000, 'x').c_str(), true);
    nlog_set_cause(NRT_CLOSED);
  }
  ASSERT_EQ(sinks.console.size(), 1u);
  const std::string& text = sinks.console.front().second;
  EXPECT_LT(text.size(), Block::kTextSize);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_NE(text.find("nrt_load failed (" + std::to_string(100 - lines) +
                      " more causes were left out) Resolution: "),
            std::string::npos)
      << text.substr(0, 300);
  EXPECT_GE(lines, 10);
}

TEST(Coalescing, CausesAreInTheErrorRingAtOnce) {
  CapturedSinks sinks;
  process_log().coalescing = true;
  nlog_set_thread_core(23);
  nlog_api_begin("nrt_load");
  error("a crash follows", true);
  EXPECT_EQ(dump(23), "TDRV:test a crash follows\n");
  nlog_api_end();
  nlog_set_thread_core(0);
}

TEST(Coalescing, AThreadThatEndsInACallLosesNothing) {
  CapturedSinks sinks;
  process_log().coalescing = true;
  std::thread([] {
    nlog_api_begin("nrt_load");
    error("left behind", true);
  }).join();
  ASSERT_EQ(sinks.console.size(), 1u);
  EXPECT_EQ(body(sinks.console.front().second), "nrt_load failed\n\tTDRV:test left behind");
}

/* ---- threads and processes ---- */

TEST(NlogThreads, EveryLineArrivesWhole) {
  CapturedSinks sinks;
  process_log().coalescing = true;
  constexpr int kThreads = 4, kLines = 300;
  std::atomic<bool> stop{false};
  std::thread setter([&] {
    while (!stop) {
      nlog_set_log_level("HAL", "SYSLOG", "TRACE");
      nlog_set_log_level("HAL", "CONSOLE", "ERROR");
      auto level = NRT_LOG_LEVEL_DISABLED;
      nlog_get_log_level("HAL", &level);
      dump(0);
    }
  });
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t)
    writers.emplace_back([t] {
      for (int i = 0; i < kLines; ++i) {
        const ApiGuard call("nrt_load");
        nlog_write("NRT", "f", NRT_LOG_LEVEL_ERROR, true, false, "cause %d.%d", t, i);
        nlog_write("NRT", "f", NRT_LOG_LEVEL_ERROR, false, true, "failure %d.%d", t, i);
        nlog_write("HAL", "f", NRT_LOG_LEVEL_TRACE, true, false, "noise");
      }
    });
  for (std::thread& writer : writers) writer.join();
  stop = true;
  setter.join();
  int whole = 0;
  for (const auto& [level, line] : sinks.console) {
    const std::size_t at = line.find("failure ");
    if (at == std::string::npos) continue;
    const std::string id = line.substr(at + 8, line.find('\n') - at - 8);
    whole += line.ends_with("\n\tNRT:f cause " + id);
  }
  EXPECT_EQ(whole, kThreads * kLines);
}

TEST(NlogFork, AChildLogsThoughTheLockWasBusy) {
  CapturedSinks sinks;
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) error("busy");
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      replace_sinks(nullptr);
      ::alarm(30);
      nlog_set_log_level("all", "SYSLOG", "ERROR");
      dump(0);
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace ndtel::nlog::test
