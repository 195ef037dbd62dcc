// SPDX-License-Identifier: Apache-2.0
//
// Programs that end in all ways, with and without `ndtel run`: which files there are in the end,
// and that they hold every event once. Documentation/trace-files.md has this as a table.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "trace_files.hpp"

namespace ndtel::cli::test {
namespace {

namespace fs = std::filesystem;
using inspect::test::read_files;
using inspect::test::TraceFiles;
using Names = std::vector<std::string>;

constexpr std::uint64_t kSpans = 100;  // on each of two cores
constexpr std::uint64_t kCores = 2;

const Names kWhole = {"ntrace.pb", "trace_info.pb"};

class KillMatrix : public ::testing::Test {
 protected:
  KillMatrix() {
    char name[] = "/tmp/ndtel_run_XXXXXX";
    EXPECT_NE(::mkdtemp(name), nullptr);
    here_ = name;
  }
  ~KillMatrix() override {
    std::error_code error;
    fs::remove_all(here_, error);
  }

  /// Starts a command; what it prints goes to files of the test's directory.
  pid_t start(const std::vector<std::string>& command, bool by_environment) const {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const auto to = [&](const char* file, int fd) {
      ::dup2(::open((here_ / file).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), fd);
    };
    to("stdout", 1);
    to("stderr", 2);
    if (by_environment) {
      ::setenv("NEURON_RT_INSPECT_ENABLE", "1", 1);
      ::setenv("NEURON_RT_INSPECT_OUTPUT_DIR", base().c_str(), 1);
    }
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(126);
  }

  /// As a shell says it.
  static int exit_code(pid_t pid) {
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  std::vector<std::string> under_run(std::vector<std::string> command) const {
    command.insert(command.begin(), {NDTEL, "run", "-q", "--no-host", "-o", base(), "--"});
    return command;
  }

  /// Ends the program as told. Returns the exit code.
  int run(const std::vector<std::string>& arguments, bool with_run) const {
    std::vector<std::string> command = {TRACED_PROGRAM};
    std::ranges::copy(arguments, std::back_inserter(command));
    return exit_code(start(with_run ? under_run(command) : command, !with_run));
  }

  std::string base() const { return here_ / "traces"; }
  /// Directories of processes, sorted.
  std::vector<fs::path> directories() const {
    std::vector<fs::path> all;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(base(), error)) all.push_back(entry.path());
    std::ranges::sort(all);
    return all;
  }
  fs::path directory() const {
    const auto all = directories();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? fs::path() : all[0];
  }
  std::string text(const char* file) const {
    std::ifstream in(here_ / file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  /// Waits until the program says that it has recorded everything.
  void wait_for_recorded() const {
    for (int i = 0; i < 6000 && text("stdout").find("recorded") == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  fs::path here_;
};

// Each span of `count` has its start once for each core, and its end.
void expect_all_once(const TraceFiles& files, std::uint64_t count) {
  EXPECT_EQ(files.trouble, "");
  EXPECT_EQ(files.events.size(), 2 * kCores * count);
  std::vector<std::uint64_t> times(count);
  for (const auto& event : files.events) {
    if (event.thread == 0) continue;  // an end says nothing but when
    ASSERT_LT(event.number, count);
    ++times[event.number];
  }
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(times[i], kCores) << i;
  EXPECT_EQ(files.starts.size(), kCores * count);
  EXPECT_EQ(files.starts, files.ends);
  EXPECT_EQ(std::ranges::adjacent_find(files.ends), files.ends.end());
}

void expect_complete(const fs::path& directory, const Names& names, std::uint64_t count = kSpans) {
  const TraceFiles files = read_files(directory);
  EXPECT_EQ(files.names, names);
  EXPECT_TRUE(files.complete);
  expect_all_once(files, count);
  EXPECT_EQ(files.losses.size(), kCores);
  for (const std::string& loss : files.losses)
    EXPECT_NE(loss.find("displaced=0"), std::string::npos) << loss;
}

struct End {
  const char* name;
  int code;           ///< as a shell says it
  bool writes_files;  ///< by itself
};

constexpr End kEnds[] = {{"close", 0, true},
                         {"exit", 3, true},
                         {"_exit", 4, false},
                         {"TERM", 128 + SIGTERM, true},
                         {"INT", 128 + SIGINT, true},
                         {"SEGV", 128 + SIGSEGV, false},
                         {"ABRT", 128 + SIGABRT, false},
                         {"KILL", 128 + SIGKILL, false}};

TEST_F(KillMatrix, WithoutRunTheProgramWritesItsFilesIfItCan) {
  for (const End& end : kEnds) {
    SCOPED_TRACE(end.name);
    EXPECT_EQ(run({end.name, std::to_string(kSpans)}, false), end.code);
    if (end.writes_files) {
      expect_complete(directory(), kWhole);
    } else {
      EXPECT_EQ(read_files(directory()).names, Names());
    }
    fs::remove_all(base());
  }
}

TEST_F(KillMatrix, WithRunThereIsEveryEventHoweverItEnds) {
  for (const End& end : kEnds) {
    SCOPED_TRACE(end.name);
    EXPECT_EQ(run({end.name, std::to_string(kSpans)}, true), end.code);
    expect_complete(directory(), kWhole);
    EXPECT_NE(text("stderr").find(end.writes_files ? "written by the process"
                                                   : "harvested from its memory"),
              std::string::npos)
        << text("stderr");
    fs::remove_all(base());
  }
}

TEST_F(KillMatrix, WhatWasExportedStaysAndRunAddsTheRest) {
  EXPECT_EQ(run({"KILL", std::to_string(kSpans), "exported"}, false), 128 + SIGKILL);
  TraceFiles files = read_files(directory());
  EXPECT_EQ(files.names, kWhole);
  expect_all_once(files, kSpans / 2);
  fs::remove_all(base());

  for (const char* end : {"KILL", "close"}) {
    SCOPED_TRACE(end);
    run({end, std::to_string(kSpans), "exported"}, true);
    expect_complete(directory(), {"ntrace.pb", "ntrace_1.pb", "trace_info.pb"});
    fs::remove_all(base());
  }
}

TEST_F(KillMatrix, ProcessesOfOneCommandHaveADirectoryEach) {
  const std::string both =
      std::string(TRACED_PROGRAM) + " KILL 100 & " + TRACED_PROGRAM + " close 100; wait; exit 5";
  EXPECT_EQ(exit_code(start(under_run({"/bin/sh", "-c", both}), false)), 5);
  const auto all = directories();
  ASSERT_EQ(all.size(), 2u);
  for (const fs::path& directory : all) expect_complete(directory, kWhole);
}

TEST_F(KillMatrix, AChildThatOutlivesTheCommandWritesItsFilesToo) {
  EXPECT_EQ(run({"close", std::to_string(kSpans), "detached"}, false), 0);
  const auto complete = [](const fs::path& path) { return fs::exists(path / "trace_info.pb"); };
  for (int i = 0; i < 6000 && std::ranges::count_if(directories(), complete) < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(directories().size(), 2u);
  for (const fs::path& directory : directories()) expect_complete(directory, kWhole);
  fs::remove_all(base());

  // Run waits for it.
  EXPECT_EQ(run({"close", std::to_string(kSpans), "detached"}, true), 0);
  ASSERT_EQ(directories().size(), 2u);
  for (const fs::path& directory : directories()) expect_complete(directory, kWhole);
}

TEST_F(KillMatrix, OfAProgramThatRunsAnotherInItsPlaceRunHasBoth) {
  EXPECT_EQ(run({"again", std::to_string(kSpans)}, false), 0);
  expect_complete(directory(), kWhole);
  fs::remove_all(base());

  EXPECT_EQ(run({"again", std::to_string(kSpans)}, true), 0);
  std::vector<fs::path> inner;
  for (const auto& entry : fs::directory_iterator(directory()))
    if (entry.is_directory()) inner.push_back(entry.path());
  ASSERT_EQ(inner.size(), 1u);
  expect_complete(inner[0], kWhole);
  fs::remove_all(inner[0]);
  expect_complete(directory(), kWhole);
}

// Killed while it writes: what is not whole is not there, and nothing is there twice.
TEST_F(KillMatrix, KilledAtAnyMomentOfItsHarvest) {
  constexpr std::uint64_t kMany = 30'000;
  std::mt19937_64 random(20261130);
  int unwritten = 0, harvested = 0;
  for (int round = 0; round < 24; ++round) {
    const bool with_run = round % 2 == 0;
    SCOPED_TRACE(round);
    const std::vector<std::string> command = {TRACED_PROGRAM, "wait", std::to_string(kMany)};
    fs::remove(here_ / "stdout");
    const pid_t pid = start(with_run ? under_run(command) : command, !with_run);
    wait_for_recorded();
    const fs::path path = directory();
    const std::string name = path.filename();
    const pid_t program = std::atoi(name.c_str() + name.rfind('_') + 1);
    ASSERT_GT(program, 1);
    ::kill(program, SIGTERM);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    ::kill(program, SIGKILL);
    const int code = exit_code(pid);
    EXPECT_TRUE(code == 128 + SIGTERM || code == 128 + SIGKILL) << code;

    TraceFiles files = read_files(path);
    unwritten += !with_run && !files.complete;
    if (with_run) {
      expect_complete(path, kWhole, kMany);
      harvested += text("stderr").find("written by the process") == std::string::npos;
    } else {
      // Files in the making have names that nobody takes for files, and stay.
      std::erase_if(files.names, [](const std::string& file) { return file.ends_with(".part"); });
      EXPECT_EQ(files.trouble, "");
      EXPECT_TRUE(files.names.empty() || files.names == Names{"ntrace.pb"} ||
                  files.names == kWhole);
      if (!files.names.empty()) expect_all_once(files, kMany);
    }
    fs::remove_all(base());
  }
  EXPECT_GT(unwritten, 0) << "none was killed before it had written its files";
  EXPECT_GT(harvested, 0) << "none was killed before it had written its files";
}

// Ten and fifty million events in `make test-long`; the latter take several files.
TEST_F(KillMatrix, MemoryIsTheRingsAndLittleMore) {
  constexpr std::uint64_t kMiB = 1 << 20;
  constexpr std::uint64_t kSlot = 64;  // of the ring, an event
  // Bytes, of a process that has ended and of those it waited for.
  const auto peak_of = [](pid_t pid) {
    rusage usage{};
    int status = 0;
    EXPECT_EQ(::wait4(pid, &status, 0, &usage), pid);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  };
  std::vector<std::uint64_t> sizes = {250'000};
  if (::getenv("NDTEL_TEST_LONG") != nullptr) sizes = {2'500'000, 12'500'000};
  for (const std::uint64_t spans : sizes) {
    const std::uint64_t events = 2 * kCores * spans;
    for (const char* end : {"close", "KILL"}) {
      SCOPED_TRACE(end);
      auto command = under_run({TRACED_PROGRAM, end, std::to_string(spans)});
      command.insert(command.begin() + 2, {"-n", std::to_string(2 * spans)});
      EXPECT_LT(peak_of(start(command, false)), events * kSlot + 64 * kMiB);
      const std::string directory = this->directory();
      EXPECT_EQ(fs::exists(directory + "/ntrace_1.pb"), events > 12'000'000);
      EXPECT_LT(peak_of(start({NDTEL, "view", "--json", directory}, false)), 64 * kMiB);
      const std::string shown = text("stdout");
      EXPECT_NE(shown.find("\"events\": " + std::to_string(events) + ","), std::string::npos)
          << shown;
      fs::remove_all(base());
    }
  }
}

TEST_F(KillMatrix, RunRefusesWhereNothingCanBeWritten) {
  std::ofstream(here_ / "file") << "in the way";
  const pid_t pid = start(
      {NDTEL, "run", "-o", (here_ / "file" / "traces").string(), "--", TRACED_PROGRAM, "close"},
      false);
  EXPECT_EQ(exit_code(pid), 3);
  EXPECT_EQ(text("stdout"), "");
}

TEST_F(KillMatrix, RunEndsLikeAShellWhatCannotBeRun) {
  EXPECT_EQ(exit_code(start(under_run({"/nowhere/at/all"}), false)), 127);
  std::ofstream(here_ / "text") << "no program";
  EXPECT_EQ(exit_code(start(under_run({(here_ / "text").string()}), false)), 126);
}

// The command itself succeeds, and leaves something in the way of what is to be harvested.
TEST_F(KillMatrix, RunFailsWhenTheCommandDoesNotAndFilesCannotBeWritten) {
  const std::string recorded = here_ / "recorded";
  const std::string script = std::string(TRACED_PROGRAM) + " wait 10 >" + recorded +
                             " & until grep -q recorded " + recorded +
                             "; do sleep 0.01; done; rm -r " + base() + "; : >" + base() +
                             "; kill -KILL $!; wait $!; exit 0";
  EXPECT_EQ(exit_code(start(under_run({"/bin/sh", "-c", script}), false)), 1);
  EXPECT_NE(text("stderr").find("Not a directory"), std::string::npos) << text("stderr");
}

TEST_F(KillMatrix, ADirectoryThatIsRemovedIsMadeAgain) {
  for (const bool with_run : {false, true}) {
    for (const int removed_and_signal : {0, 1, 2, 3}) {
      const int signal = removed_and_signal % 2 == 0 ? SIGTERM : SIGKILL;
      const std::vector<std::string> command = {TRACED_PROGRAM, "wait", std::to_string(kSpans)};
      fs::remove(here_ / "stdout");
      const pid_t pid = start(with_run ? under_run(command) : command, !with_run);
      wait_for_recorded();
      const fs::path path = directory();
      const std::string name = path.filename();
      fs::remove_all(removed_and_signal < 2 ? fs::path(base()) : path);
      ::kill(std::atoi(name.c_str() + name.rfind('_') + 1), signal);
      EXPECT_EQ(exit_code(pid), 128 + signal);
      if (with_run || signal == SIGTERM) {
        expect_complete(path, kWhole);
      } else {
        EXPECT_FALSE(fs::exists(path));
      }
      fs::remove_all(base());
    }
  }
}

}  // namespace
}  // namespace ndtel::cli::test
