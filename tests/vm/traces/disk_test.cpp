// SPDX-License-Identifier: Apache-2.0
//
// Trace files on disks that are full or read-only: file systems of their own, which only root can
// have.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ndtel/trace.hpp"
#include "nrt/nrt.h"
#include "nrt/nrt_profile.h"
#include "nrt/nrt_sys_trace_internal.h"
#include "trace_files.hpp"

namespace ndtel::vm {
namespace {

namespace fs = std::filesystem;
using inspect::test::Number;
using inspect::test::read_files;
using inspect::test::TraceFiles;

constexpr const char* kDisk = "/tmp/disk";
constexpr std::uint64_t kEvents = 60'000;  // five megabytes of files

std::vector<Number> all_numbers() {
  std::vector<Number> all;
  for (std::uint64_t n = 1; n <= kEvents; ++n) all.push_back({1, n});
  return all;
}

bool record() {
  for (const Number& number : all_numbers())
    if (trace::instant<trace::event::ExecPre>(
            0, {.exec_id = number.number, .model_id = number.thread}) == 0)
      return false;
  return true;
}

// What this program is under `ndtel run`: one that records, and is killed.
[[gnu::constructor]] void be_traced() {
  if (::getenv("BE_TRACED") == nullptr) return;
  nrt_sys_trace_set_visible_vnc_count(1);
  if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS || !record()) ::_exit(9);
  ::raise(SIGKILL);
}

// A file system of its own at kDisk; the program records to it.
class TraceDisk : public ::testing::Test {
 protected:
  TraceDisk() {
    ::mkdir(kDisk, 0755);
    ::setenv("NEURON_RT_INSPECT_OUTPUT_DIR", kDisk, 1);
    nrt_sys_trace_set_visible_vnc_count(1);
  }
  ~TraceDisk() override {
    nrt_close();
    if (mounted_) {
      EXPECT_EQ(::umount(kDisk), 0) << errno;
    }
  }

  void mount(const char* size, unsigned long flags = 0) {
    const std::string options = std::string("size=") + size;
    ASSERT_EQ(
        ::mount("tmpfs", kDisk, "tmpfs", flags | (mounted_ ? MS_REMOUNT : 0), options.c_str()), 0)
        << errno;
    mounted_ = true;
  }

  static std::string directory() {
    char text[4096] = {};
    EXPECT_EQ(nrt_inspect_get_instance_output_dir(nullptr, text, sizeof text), NRT_SUCCESS);
    return text;
  }

  /// Exit code, as a shell says it.
  static int ndtel_run(const std::string& program, std::string& said) {
    const std::string log = "/tmp/ndtel-run.txt";
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::dup2(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
      ::setenv("BE_TRACED", "1", 1);
      ::execl("/bin/ndtel", "ndtel", "run", "-q", "--no-host", "-o", kDisk, "--", program.c_str(),
              nullptr);
      ::_exit(126);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    std::ifstream in(log);
    said.assign(std::istreambuf_iterator<char>(in), {});
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  bool mounted_ = false;
};

TEST_F(TraceDisk, AFullOneKeepsWhatFitsAndTheNextStopTheRest) {
  mount("2m");
  ASSERT_EQ(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  const std::string path = directory();
  ASSERT_TRUE(record());
  EXPECT_EQ(nrt_inspect_stop(), NRT_FAILURE);
  TraceFiles files = read_files(path);
  EXPECT_EQ(files.trouble, "");
  EXPECT_FALSE(files.complete);

  mount("64m");
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  files = read_files(path);
  EXPECT_EQ(files.trouble, "");
  EXPECT_TRUE(files.complete);
  EXPECT_EQ(files.events, all_numbers());
  for (const std::string& name : files.names) EXPECT_FALSE(name.ends_with(".part")) << name;
}

TEST_F(TraceDisk, WhatAFullOneCannotTakeIsGivenUpAtTheEnd) {
  mount("2m");
  ASSERT_EQ(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  const std::string path = directory();
  ASSERT_TRUE(record());
  nrt_close();
  const TraceFiles files = read_files(path);
  EXPECT_EQ(files.trouble, "");
  EXPECT_FALSE(files.complete);
  for (const std::string& name : files.names) EXPECT_FALSE(name.ends_with(".part")) << name;
  const std::vector<Number> all = all_numbers();
  EXPECT_GT(files.events.size(), all.size() / 10);
  ASSERT_LE(files.events.size(), all.size());
  EXPECT_TRUE(std::equal(files.events.begin(), files.events.end(), all.begin()));
}

TEST_F(TraceDisk, AReadOnlyOneIsRefusedAtBegin) {
  mount("2m", MS_RDONLY);
  ASSERT_EQ(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), NRT_SUCCESS);
  EXPECT_EQ(nrt_inspect_begin(), NRT_FAILURE);
  EXPECT_FALSE(record());
  EXPECT_TRUE(fs::is_empty(kDisk));
  std::string said;
  EXPECT_EQ(ndtel_run(fs::read_symlink("/proc/self/exe"), said), 3) << said;
  EXPECT_NE(said.find("Read-only file system"), std::string::npos) << said;
}

TEST_F(TraceDisk, RunHarvestsAKilledProgramToADiskWithRoom) {
  mount("64m");
  std::string said;
  EXPECT_EQ(ndtel_run(fs::read_symlink("/proc/self/exe"), said), 128 + SIGKILL) << said;
  const fs::path path = fs::directory_iterator(kDisk)->path();
  const TraceFiles files = read_files(path);
  EXPECT_EQ(files.trouble, "");
  EXPECT_TRUE(files.complete);
  EXPECT_EQ(files.events, all_numbers());
}

TEST_F(TraceDisk, RunSaysWhatAFullOneCouldNotTake) {
  mount("2m");
  std::string said;
  EXPECT_EQ(ndtel_run(fs::read_symlink("/proc/self/exe"), said), 128 + SIGKILL) << said;
  EXPECT_NE(said.find("No space left on device"), std::string::npos) << said;
  const TraceFiles files = read_files(fs::directory_iterator(kDisk)->path());
  EXPECT_EQ(files.trouble, "");
  EXPECT_FALSE(files.complete);
  const std::vector<Number> all = all_numbers();
  EXPECT_GT(files.events.size(), all.size() / 10);
  ASSERT_LE(files.events.size(), all.size());
  EXPECT_TRUE(std::equal(files.events.begin(), files.events.end(), all.begin()));
  for (const std::string& name : files.names) EXPECT_FALSE(name.ends_with(".part")) << name;
}

}  // namespace
}  // namespace ndtel::vm
