// SPDX-License-Identifier: Apache-2.0
//
// What a capture costs in memory: nothing for cores that are not used, little beyond the records
// for full ones, and nothing after it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include "ndtel/trace_harvest.hpp"
#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::ptrdiff_t open_files() {
  using Files = std::filesystem::directory_iterator;
  return std::distance(Files("/proc/self/fd"), Files());
}

std::uint64_t mapped_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  file >> size;
  return size * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The memory of a capture as a reader gets it, and what it occupies.
class SharedCapture {
 public:
  SharedCapture(const Setup& wanted)
      : path_("@ndtel-memory-test-" + std::to_string(::getpid())),
        socket_(trace::HandoverSocket::listen(path_)) {
    Setup setup = wanted;
    setup.socket = path_;
    EXPECT_TRUE(socket_);
    EXPECT_EQ(start(setup), NRT_SUCCESS);
    auto received = socket_->receive();
    EXPECT_TRUE(received && received->has_value());
    memfd_ = (*received)->memfd;
  }
  ~SharedCapture() {
    Engine::get().close();
    ::close(memfd_);
  }
  std::uint64_t bytes() const {
    struct stat status {};
    EXPECT_EQ(::fstat(memfd_, &status), 0);
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
  }

 private:
  std::string path_;
  Result<trace::HandoverSocket> socket_;
  int memfd_ = -1;
};

class Memory : public ::testing::TestWithParam<EngineKind> {};

TEST_P(Memory, CoresThatAreNotUsedCostNothing) {
  const SharedCapture capture({GetParam(), NRT_SYS_TRACE_DEFAULT_EVENTS_PER_NC, 128});
  EXPECT_LE(capture.bytes(), kMiB);
  for (std::uint32_t nc = 0; nc < 128; ++nc) drain(1, nc);
  EXPECT_LE(capture.bytes(), kMiB);
}

TEST_P(Memory, AFullRingCostsLittleMoreThanItsRecords) {
  constexpr std::uint64_t kCapacity = 1 << 17;
  const SharedCapture capture({GetParam(), kCapacity, 1});
  for (std::uint64_t n = 1; n <= 3 * kCapacity; ++n) emit_stamp({0, n});
  EXPECT_LE(capture.bytes(), 128 * kCapacity + kMiB / 4);
  EXPECT_GE(capture.bytes(), 64 * kCapacity);
}

TEST_P(Memory, AfterTheCaptureEverythingIsGivenBack) {
  const auto cycle = [] {
    const SharedCapture capture({GetParam(), 8192, 16});
    std::thread([] {
      for (std::uint64_t n = 1; n <= 20'000; ++n)
        emit_stamp({1, n}, static_cast<std::uint32_t>(n % 16));
    }).join();
    nrt_sys_trace_capture_intern_string("name", 3);
    drain(100);
  };
  cycle();  // what a process has once
  const std::ptrdiff_t files = open_files();
  const std::uint64_t mapped = mapped_bytes();
  for (int i = 0; i < 10; ++i) cycle();
  EXPECT_EQ(open_files(), files);
  // A single lost capture would be 16 MiB of names alone.
  if (!kSanitized) {
    EXPECT_LE(mapped_bytes(), mapped + 4 * kMiB);
  }
}

// Sanitizers keep shadows of memory, and their resident size says nothing.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

TEST_P(Memory, PrivateCapturesCostNoMoreThanSharedOnes) {
  const std::uint64_t before = resident_bytes();
  {
    const Started started({GetParam(), NRT_SYS_TRACE_DEFAULT_EVENTS_PER_NC, 128});
    EXPECT_LE(resident_bytes(), before + kMiB);
  }
  constexpr std::uint64_t kCapacity = 1 << 17;
  {
    const Started started({GetParam(), kCapacity, 1});
    for (std::uint64_t n = 1; n <= 3 * kCapacity; ++n) emit_stamp({0, n});
    EXPECT_LE(resident_bytes(), before + 128 * kCapacity + kMiB);
  }
  EXPECT_LE(resident_bytes(), before + kMiB);
}

TEST_P(Memory, ThreadsThatEndedLeaveNothingBehind) {
  const Started started({GetParam(), 1024});
  const auto wave = [] {
    for (int i = 0; i < 200; ++i) std::thread([] { emit_stamp({1, 1}); }).join();
  };
  wave();
  const std::uint64_t resident = resident_bytes();
  const std::uint64_t mapped = mapped_bytes();
  for (int i = 0; i < 5; ++i) wave();
  EXPECT_LE(resident_bytes(), resident + kMiB);
  EXPECT_LE(mapped_bytes(), mapped + kMiB);
}

#endif

INSTANTIATE_TEST_SUITE_P(Engines, Memory,
                         ::testing::Values(EngineKind::kBlocks, EngineKind::kClassic),
                         [](const auto& engine) { return std::string(name_of(engine.param)); });

}  // namespace
}  // namespace ndtel::systrace::test
