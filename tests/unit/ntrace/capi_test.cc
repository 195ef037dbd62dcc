// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "captured_sinks.hpp"
#include "neuron_trace.pb.h"
#include "nrt/nrt_experimental.h"
#include "nrt/ntrace.h"
#include "recorder.hpp"
#include "runtime_state.hpp"

namespace ndtel::ntrace {
namespace {

using runtime::Phase;

// An initialised runtime, and a directory for files.
class Ntrace : public testing::Test {
 protected:
  Ntrace() {
    std::string name = (std::filesystem::temp_directory_path() / "ntraceXXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    runtime::set_phase(Phase::kOpen);
  }
  ~Ntrace() override {
    Recorder::get().discard();
    runtime::set_phase(Phase::kBeforeInit);
    runtime::set_implicit_async(false);
    runtime::set_arch(0);
    ::unsetenv("NEURON_RT_TRACE_NUM_ENTRIES");
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(directory_);
  }

  std::string file(const char* name = "trace.pb") const { return (directory_ / name).string(); }

  ::ntff::ntrace_info read(const char* name = "trace.pb") const {
    std::ifstream in(file(name), std::ios::binary);
    ::ntff::ntrace_info info;
    EXPECT_TRUE(in && info.ParseFromIstream(&in));
    return info;
  }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory_),
                                                  std::filesystem::directory_iterator()));
  }

  std::filesystem::path directory_;
};

TEST_F(Ntrace, WritesEveryTypeAsItWasRecorded) {
  runtime::set_arch(3);
  ASSERT_EQ(nrt_trace_start(true), NRT_SUCCESS);
  for (std::uint32_t type = 0; type < NTRACE_COUNT; ++type)
    ntrace_record_event(type, ~std::uint64_t{type}, type + 1, type + 2,
                        type % 2 == 0 ? nullptr : "hint");
  ASSERT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);

  const auto info = read();
  EXPECT_EQ(info.arch(), 3u);
  EXPECT_EQ(info.pid(), static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(info.data_version(), 5u);
  ASSERT_EQ(info.events_size(), NTRACE_COUNT);
  std::uint64_t before = 0;
  for (std::uint32_t type = 0; type < NTRACE_COUNT; ++type) {
    const auto& event = info.events(static_cast<int>(type));
    EXPECT_EQ(event.event_type(), type);
    EXPECT_EQ(event.type(), 0u);
    EXPECT_EQ(event.data(), ~std::uint64_t{type});
    EXPECT_EQ(event.nd_idx(), type + 1);
    EXPECT_EQ(event.nc_idx(), type + 2);
    EXPECT_EQ(event.hint(), type % 2 == 0 ? "" : "hint");
    EXPECT_GE(event.timestamp(), before);
    before = event.timestamp();
    const bool start =
        type == NTRACE_EXEC_START || type == NTRACE_CC_EXEC_START || type == NTRACE_IO_COPY_START;
    const bool stop =
        type == NTRACE_EXEC_END || type == NTRACE_CC_EXEC_END || type == NTRACE_IO_COPY_END;
    EXPECT_EQ(event.phase(), start  ? ::ntff::NTRACE_EVENT_PHASE_TYPE_START
                             : stop ? ::ntff::NTRACE_EVENT_PHASE_TYPE_STOP
                                    : ::ntff::NTRACE_EVENT_PHASE_TYPE_INSTANT)
        << type;
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(Ntrace, RefusesTypesThatAreNone) {
  nlog::test::CapturedSinks log;
  ASSERT_EQ(nrt_trace_start(true), NRT_SUCCESS);
  for (int i = 0; i < 100; ++i) {
    ntrace_record_event(NTRACE_COUNT, 0, 0, 0, nullptr);
    ntrace_record_event(~0u, 0, 0, 0, nullptr);
  }
  EXPECT_GE(log.console.size(), 1u);
  EXPECT_LE(log.console.size(), 3u) << "a line a second";
  ASSERT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
  EXPECT_EQ(read().events_size(), 0);
}

TEST_F(Ntrace, RecordsMemoryOnlyWhenAsked) {
  for (const bool memory : {false, true}) {
    ASSERT_EQ(nrt_trace_start(memory), NRT_SUCCESS);
    ntrace_record_event(NTRACE_MEM_ALLOC, 4096, 0, 0, "weights");
    ntrace_record_event(NTRACE_EXEC_START, 1, 0, 0, nullptr);
    ntrace_record_event(NTRACE_MEM_FREE, 4096, 0, 0, "weights");
    ASSERT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
    EXPECT_EQ(read().events_size(), memory ? 3 : 1);
  }
}

TEST_F(Ntrace, KeepsTheNewestAndSaysHowManyGaveWay) {
  nlog::test::CapturedSinks log;
  nlog_set_log_level("all", "CONSOLE", "WARN");
  ::setenv("NEURON_RT_TRACE_NUM_ENTRIES", "10", 1);
  ASSERT_EQ(nrt_trace_start(true), NRT_SUCCESS);
  for (std::uint64_t i = 0; i < 25; ++i)
    ntrace_record_event(NTRACE_TENSOR_OP, i, 0, 0, std::to_string(i).c_str());
  ASSERT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
  const auto info = read();
  ASSERT_EQ(info.events_size(), 10);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(info.events(i).data(), static_cast<std::uint64_t>(15 + i));
    EXPECT_EQ(info.events(i).hint(), std::to_string(15 + i));
  }
  ASSERT_EQ(log.console.size(), 1u);
  EXPECT_NE(log.console[0].second.find("15 older ones were overwritten"), std::string::npos)
      << log.console[0].second;
}

TEST_F(Ntrace, HasAGuardOnEachSideOfTheRuntimesLife) {
  nlog::test::CapturedSinks log;
  runtime::set_phase(Phase::kBeforeInit);
  EXPECT_EQ(nrt_trace_start(true), NRT_UNINITIALIZED);
  EXPECT_EQ(nrt_trace_stop(file().c_str()), NRT_UNINITIALIZED);
  runtime::set_phase(Phase::kClosed);
  EXPECT_EQ(nrt_trace_start(true), NRT_CLOSED);
  EXPECT_EQ(nrt_trace_stop(file().c_str()), NRT_CLOSED);
  EXPECT_EQ(nrt_trace_stop(nullptr), NRT_CLOSED);
  EXPECT_EQ(files(), 0u);
}

TEST_F(Ntrace, RefusesWhatMakesNoSenseAndGoesOn) {
  nlog::test::CapturedSinks log;
  EXPECT_EQ(nrt_trace_stop(file().c_str()), NRT_INVALID) << "nothing was started";
  ASSERT_EQ(nrt_trace_start(false), NRT_SUCCESS);
  EXPECT_EQ(nrt_trace_start(true), NRT_INVALID) << "it records";
  ntrace_record_event(NTRACE_MEM_ALLOC, 1, 0, 0, nullptr);
  EXPECT_EQ(nrt_trace_stop(nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_trace_stop(""), NRT_INVALID);
  ntrace_record_event(NTRACE_ERROR, 1, 0, 0, nullptr);
  EXPECT_EQ(log.console.size(), 4u);
  EXPECT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
  EXPECT_EQ(read().events_size(), 1) << "as the first start said: without memory";
  EXPECT_EQ(nrt_trace_stop(file("again.pb").c_str()), NRT_INVALID);
  EXPECT_EQ(files(), 1u);
}

TEST_F(Ntrace, IsUnsupportedInImplicitAsyncExecution) {
  nlog::test::CapturedSinks log;
  runtime::set_implicit_async(true);
  EXPECT_EQ(nrt_trace_start(true), NRT_INVALID);
  runtime::set_implicit_async(false);
  ASSERT_EQ(nrt_trace_start(true), NRT_SUCCESS);
  ntrace_record_event(NTRACE_ERROR, 1, 0, 0, nullptr);
  runtime::set_implicit_async(true);
  EXPECT_EQ(nrt_trace_stop(file().c_str()), NRT_INVALID);
  EXPECT_EQ(files(), 0u);
  ASSERT_EQ(log.console.size(), 2u);
  for (const auto& [level, line] : log.console)
    EXPECT_NE(line.find("unsupported in implicit-async"), std::string::npos) << line;
  runtime::set_implicit_async(false);
  EXPECT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
  EXPECT_EQ(read().events_size(), 1) << "nothing was lost";
}

TEST_F(Ntrace, TakesADepthThatIsANumber) {
  nlog::test::CapturedSinks log;
  ::setenv("NEURON_RT_TRACE_NUM_ENTRIES", "lots", 1);
  EXPECT_EQ(nrt_trace_start(true), NRT_INVALID);
  ASSERT_EQ(log.console.size(), 1u);
  EXPECT_NE(log.console[0].second.find("'lots'"), std::string::npos);
  ::setenv("NEURON_RT_TRACE_NUM_ENTRIES", "18446744073709551615", 1);
  EXPECT_EQ(nrt_trace_start(true), NRT_RESOURCE);
  EXPECT_EQ(nrt_trace_stop(file().c_str()), NRT_INVALID) << "nothing was started";
}

TEST_F(Ntrace, KeepsTheRingWhenTheFileCannotBeWritten) {
  nlog::test::CapturedSinks log;
  ASSERT_EQ(nrt_trace_start(true), NRT_SUCCESS);
  ntrace_record_event(NTRACE_ERROR, 7, 0, 0, "kept");
  EXPECT_EQ(nrt_trace_stop(file("missing/trace.pb").c_str()), NRT_FAILURE);
  ntrace_record_event(NTRACE_ERROR, 8, 0, 0, "too late");
  std::filesystem::create_directory(file("taken.pb"));
  EXPECT_EQ(nrt_trace_stop(file("taken.pb").c_str()), NRT_FAILURE);
  EXPECT_EQ(files(), 1u) << "nothing but the directory";
  EXPECT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
  const auto info = read();
  ASSERT_EQ(info.events_size(), 1);
  EXPECT_EQ(info.events(0).hint(), "kept");
}

TEST_F(Ntrace, StartsAnewAfterAStopThatFailed) {
  nlog::test::CapturedSinks log;
  nlog_set_log_level("all", "CONSOLE", "WARN");
  ASSERT_EQ(nrt_trace_start(true), NRT_SUCCESS);
  ntrace_record_event(NTRACE_ERROR, 7, 0, 0, "given up");
  EXPECT_EQ(nrt_trace_stop(file("missing/trace.pb").c_str()), NRT_FAILURE);
  EXPECT_EQ(nrt_trace_start(true), NRT_SUCCESS);
  ASSERT_EQ(log.console.size(), 2u);
  EXPECT_NE(log.console[1].second.find("1 records that could not be written"), std::string::npos);
  ASSERT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
  EXPECT_EQ(read().events_size(), 0);
}

TEST_F(Ntrace, CountsEveryRecordOfManyThreads) {
  constexpr int kThreads = 8, kEach = 2000;
  ASSERT_EQ(nrt_trace_start(true), NRT_SUCCESS);
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t)
    threads.emplace_back([t] {
      for (std::uint64_t i = 0; i < kEach; ++i)
        ntrace_record_event(NTRACE_TENSOR_OP, i, 0, t, "of a thread");
    });
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
  const auto info = read();
  ASSERT_EQ(info.events_size(), kThreads * kEach);
  std::vector<std::uint64_t> next(kThreads, 0);
  std::uint64_t before = 0;
  for (const auto& event : info.events()) {
    EXPECT_EQ(event.data(), next[event.nc_idx()]++);
    EXPECT_GE(event.timestamp(), before);
    before = event.timestamp();
  }
}

TEST_F(Ntrace, StartsAndStopsWhileOthersRecord) {
  ::setenv("NEURON_RT_TRACE_NUM_ENTRIES", "100", 1);
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&over] {
      while (!over) ntrace_record_event(NTRACE_EXEC_START, 1, 0, 0, "of a thread");
    });
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(nrt_trace_start(true), NRT_SUCCESS);
    std::this_thread::yield();
    EXPECT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
    EXPECT_LE(read().events_size(), 100);
  }
  over = true;
  for (auto& thread : threads) thread.join();
}

TEST_F(Ntrace, BelongsToTheProcessThatStartedIt) {
  ASSERT_EQ(nrt_trace_start(true), NRT_SUCCESS);
  ntrace_record_event(NTRACE_ERROR, 1, 0, 0, "of the parent");
  const pid_t child = ::fork();
  if (child == 0) {
    nlog_set_log_level("all", "CONSOLE", "DISABLED");
    if (nrt_trace_stop(file("child.pb").c_str()) != NRT_INVALID) ::_exit(1);
    if (nrt_trace_start(true) != NRT_SUCCESS) ::_exit(2);
    ntrace_record_event(NTRACE_ERROR, 2, 0, 0, "of the child");
    ntrace_record_event(NTRACE_ERROR, 3, 0, 0, "of the child");
    ::_exit(nrt_trace_stop(file("child.pb").c_str()) == NRT_SUCCESS ? 0 : 3);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(nrt_trace_stop(file().c_str()), NRT_SUCCESS);
  EXPECT_EQ(read().events_size(), 1);
  EXPECT_EQ(read("child.pb").events_size(), 2);
}

}  // namespace
}  // namespace ndtel::ntrace
