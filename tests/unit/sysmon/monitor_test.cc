// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "proc_tree.hpp"
#include "sysmon.hpp"

namespace ndtel::sysmon {
namespace {

using namespace std::chrono_literals;

// Samples until there are `rows`; false when they do not come within 20 s.
bool wait_for_rows(const Monitor& monitor, std::size_t rows) {
  for (int i = 0; i < 2000; ++i) {
    if (monitor.series().timestamp_ns.size() >= rows) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(Monitor, SamplesTheRealHost) {
  auto monitor = Monitor::start({.max_samples = 10000, .period = 10ms});
  ASSERT_TRUE(monitor) << monitor.error().message;
  ASSERT_TRUE(wait_for_rows(**monitor, 3));
  (*monitor)->stop();
  const ntff::HostSeries series = (*monitor)->series();
  EXPECT_GE(series.num_cpus, 1u);
  EXPECT_EQ(series.util.size(), series.num_cpus * series.timestamp_ns.size());
  EXPECT_EQ(series.usage.size(), series.timestamp_ns.size());
  for (std::size_t i = 0; i < series.usage.size(); ++i) {
    EXPECT_GT(series.usage[i], 0);
    EXPECT_LT(static_cast<std::uint64_t>(series.usage[i]), series.mem_capacity);
    if (i > 0) {
      EXPECT_GE(series.timestamp_ns[i], series.timestamp_ns[i - 1]);
    }
  }
  for (const float util : series.util) EXPECT_TRUE(!(util < 0) && !(util > 100)) << util;
}

TEST(Monitor, StopsAtItsMostSamplesAndKeepsThem) {
  auto monitor = Monitor::start({.max_samples = 3, .period = 2ms});
  ASSERT_TRUE(monitor);
  ASSERT_TRUE(wait_for_rows(**monitor, 3));
  const ntff::HostSeries first = (*monitor)->series();
  std::this_thread::sleep_for(20ms);  // many more ticks
  (*monitor)->stop();
  const ntff::HostSeries last = (*monitor)->series();
  EXPECT_EQ(last.timestamp_ns.size(), 3u);
  EXPECT_EQ(last.timestamp_ns, first.timestamp_ns);
  EXPECT_EQ(last.usage, first.usage);
}

TEST(Monitor, StopsWithoutWaitingForTheNextTick) {
  auto monitor = Monitor::start({.max_samples = 10, .period = 1h});
  ASSERT_TRUE(monitor);
  (*monitor)->stop();
  (*monitor)->stop();
  EXPECT_TRUE((*monitor)->series().timestamp_ns.empty());
}

TEST(Monitor, RefusesAPeriodThatIsNone) {
  EXPECT_EQ(Monitor::start({.period = 0ms}).error().code, EINVAL);
  EXPECT_EQ(Monitor::start({.period = -1ms}).error().code, EINVAL);
}

TEST(Monitor, ItsThreadTakesNoSignals) {
  auto monitor = Monitor::start({.max_samples = 10, .period = 1h});
  ASSERT_TRUE(monitor);
  // Of the threads of this process all but this one are the monitor's.
  std::string others;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(::gettid())) continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("SigBlk:")) others += line;
    }
  }
  // The signals up to 28, but for the two that nobody can block.
  EXPECT_NE(others.find("ffbfeff"), std::string::npos) << others;
}

TEST(Monitor, IsHarmlessInAForkedChild) {
  auto monitor = Monitor::start({.max_samples = 10000, .period = 1ms});
  ASSERT_TRUE(monitor);
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      monitor->reset();
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

TEST(Monitor, StartsAndStopsManyTimes) {
  for (int i = 0; i < 100; ++i) {
    auto monitor = Monitor::start({.max_samples = 10, .period = 1ms});
    ASSERT_TRUE(monitor);
  }
}

}  // namespace
}  // namespace ndtel::sysmon
