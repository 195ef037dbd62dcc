// SPDX-License-Identifier: Apache-2.0
//
// Sessions from begin to their files, begins that fail at each step, and stops that do.
#include "session.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

#include "inspector.hpp"
#include "ndtel/trace_harvest.hpp"
#include "nrt/nrt_experimental.h"
#include "nrt/ntrace.h"
#include "scene.hpp"

namespace ndtel::inspect::test {
namespace {

using Names = std::vector<std::string>;

// A sanitizer may have one of its own, from the first that the program starts.
std::ptrdiff_t threads() {
  std::thread([] {}).join();
  return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
}

// One that was joined may be seen for a moment.
bool settle_to(std::ptrdiff_t count) {
  for (int i = 0; i < 1000 && threads() != count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return threads() == count;
}

std::vector<Number> numbers(std::uint64_t thread, std::uint64_t first, std::uint64_t last) {
  std::vector<Number> all;
  for (std::uint64_t n = first; n <= last; ++n) all.push_back({thread, n});
  return all;
}

void emit_all(const std::vector<Number>& numbers) {
  for (const Number& number : numbers) ASSERT_TRUE(emit(number.thread, number.number));
}

class Session : public Scene {
 protected:
  ~Session() override {
    Inspector::get().surround([](Surroundings& all) {
      all.devices = nullptr;
      all.sampler = {};
    });
  }

  // The session that runs.
  static std::string its_directory() {
    char text[4096] = {};
    EXPECT_EQ(nrt_inspect_get_instance_output_dir(nullptr, text, sizeof text), NRT_SUCCESS);
    return text;
  }
};

TEST_F(Session, FunctionsWaitForInitAndEndWithClose) {
  Options options;
  const auto expect_all = [&](NRT_STATUS status) {
    EXPECT_EQ(nrt_inspect_begin(), status);
    EXPECT_EQ(nrt_inspect_begin_with_options(options), status);
    EXPECT_EQ(nrt_inspect_begin_with_options(nullptr), status);
    EXPECT_EQ(nrt_inspect_export(255), status);
    EXPECT_EQ(nrt_inspect_stop(), status);
  };
  // A test before this one may have closed.
  if (nrt_inspect_stop() != NRT_CLOSED) expect_all(NRT_UNINITIALIZED);
  EXPECT_EQ(nrt_init(NRT_FRAMEWORK_TYPE_INVALID, nullptr, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_init(static_cast<nrt_framework_type_t>(6), nullptr, nullptr), NRT_INVALID);
  EXPECT_NE(nrt_inspect_stop(), NRT_SUCCESS);
  EXPECT_EQ(init(), NRT_SUCCESS);
  EXPECT_EQ(init(), NRT_SUCCESS);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  EXPECT_EQ(nrt_inspect_begin_with_options(nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_export(255), NRT_INVALID);
  nrt_close();
  expect_all(NRT_CLOSED);
  nrt_close();
  EXPECT_EQ(everything(), Names{});
}

TEST_F(Session, TheEnvironmentAloneGivesACompleteTree) {
  set("ENABLE", "1");
  ASSERT_EQ(init(), NRT_SUCCESS);
  trace::intern("a model");
  emit_all(numbers(1, 1, 1000));
  nrt_close();
  EXPECT_FALSE(emit(1, 1001));

  const TraceFiles files = read_files(directory());
  EXPECT_EQ(files.trouble, "");
  EXPECT_EQ(files.names, (Names{"ntrace.pb", "trace_info.pb"}));
  EXPECT_EQ(files.events, numbers(1, 1, 1000));
  EXPECT_EQ(files.listed, (std::map<std::string, std::uint64_t>{{"ntrace.pb", 1000}}));
  EXPECT_EQ(files.losses,
            Names{"created=1000 pushed=1000 drained=1000 displaced=0 in_flight=0 damaged=0"});
  EXPECT_EQ(files.warnings, Names{});
  EXPECT_EQ(files.pid, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(files.session_id, 1u);
  EXPECT_EQ(files.framework, "PyTorch 2.9");
  EXPECT_EQ(files.instance_id + "_pid_" + std::to_string(::getpid()),
            fs::path(directory()).filename());
  EXPECT_LT(files.start_ns, files.stop_ns);
  EXPECT_TRUE(std::ranges::any_of(files.strings,
                                  [](const auto& entry) { return entry.second == "a model"; }));
}

TEST_F(Session, WithoutTheSwitchNothingBegins) {
  set("EVENT_FILTER_NC", "nonsense");
  ASSERT_EQ(init(), NRT_SUCCESS);
  EXPECT_FALSE(emit(1, 1));
  nrt_close();
  EXPECT_EQ(everything(), Names{});
}

TEST_F(Session, OptionsRecordEverythingInADirectoryOfTheirOwn) {
  using namespace std::chrono_literals;
  ASSERT_EQ(init(), NRT_SUCCESS);
  Inspector::get().surround([](Surroundings& all) { all.sampler.period = 10ms; });
  Options options;
  nrt_inspect_config_set_output_dir(options, "a/b");
  nrt_inspect_config_set_session_id(options, 7);
  // Variables have no say in it.
  set("SYSTEM_PROFILE", "0");
  set("OUTPUT_DIR", "elsewhere");
  ASSERT_EQ(nrt_inspect_begin_with_options(options), NRT_SUCCESS);
  const std::string directory = its_directory();
  EXPECT_EQ(fs::path(directory).parent_path(), directory_of(::getpid(), "a/b"));
  emit_all(numbers(1, 1, 3));
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);

  const TraceFiles files = read_files(directory);
  EXPECT_EQ(files.trouble, "");
  EXPECT_EQ(files.names, (Names{"cpu_util.pb", "host_mem.pb", "ntrace.pb", "trace_info.pb"}));
  EXPECT_EQ(files.events, numbers(1, 1, 3));
  EXPECT_EQ(fs::path(directory).filename(), std::to_string(files.start_ns));
  EXPECT_EQ(files.session_id, 7u);
  ASSERT_GT(files.mem_rows, 0);
  EXPECT_EQ(files.cpu_rows % files.mem_rows, 0);
  EXPECT_EQ(files.listed.size(), 3u);
}

TEST_F(Session, EachActivityHasItsFile) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  const std::pair<const char*, Names> kFiles[] = {
      {"system_profile", {"ntrace.pb", "trace_info.pb"}},
      {"device_profile", {"trace_info.pb"}},
      {"host_memory", {"host_mem.pb", "trace_info.pb"}},
      {"cpu_util", {"cpu_util.pb", "trace_info.pb"}},
  };
  for (const auto& [activity, names] : kFiles) {
    Options options;
    nrt_inspect_config_set_activity(options, "all", false);
    nrt_inspect_config_set_activity(options, activity, true);
    ASSERT_EQ(nrt_inspect_begin_with_options(options), NRT_SUCCESS) << activity;
    const std::string directory = its_directory();
    EXPECT_EQ(emit(1, 1), std::string(activity) == "system_profile");
    EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
    EXPECT_EQ(read_files(directory).names, names) << activity;
    EXPECT_EQ(read_files(directory).trouble, "") << activity;
  }
}

TEST_F(Session, FiltersChooseCoresAndTypes) {
  nrt_sys_trace_set_visible_vnc_count(4);
  set("EVENT_FILTER_NC", "1,3");
  set("EVENT_FILTER_TYPE", "software,^nrt_tensor_read");
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  EXPECT_FALSE(emit(1, 1, 0));
  EXPECT_TRUE(emit(1, 2, 1));
  EXPECT_FALSE(emit(1, 3, 2));
  EXPECT_TRUE(emit(1, 4, 3));
  EXPECT_FALSE(trace::enabled(1, NRT_SYS_TRACE_EVENT_TYPE_TENSOR_READ));
  EXPECT_FALSE(trace::enabled(1, NRT_SYS_TRACE_EVENT_TYPE_HW_NOTIFY));
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  const TraceFiles files = read_files(directory());
  EXPECT_EQ(files.events, (std::vector<Number>{{1, 2}, {1, 4}}));
  EXPECT_EQ(files.losses.size(), 2u);
}

TEST_F(Session, ASecondStopWritesNothing) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  for (const auto& file : fs::directory_iterator(directory())) fs::remove(file);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  nrt_close();
  EXPECT_EQ(read_files(directory()).names, Names{});
}

TEST_F(Session, ASecondBeginLeavesTheFirstAlone) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  const Names before = everything();
  emit_all(numbers(1, 1, 2));
  EXPECT_EQ(nrt_inspect_begin(), NRT_INVALID);
  Options options;
  EXPECT_EQ(nrt_inspect_begin_with_options(options), NRT_INVALID);
  EXPECT_EQ(everything(), before);
  emit_all(numbers(1, 3, 4));
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  EXPECT_EQ(read_files(directory()).events, numbers(1, 1, 4));
}

TEST_F(Session, FilesOfAnEarlierSessionAreNotReplaced) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  for (std::uint64_t session = 1; session <= 2; ++session) {
    ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
    emit_all(numbers(session, 1, 2));
    EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  }
  const TraceFiles first = read_files(directory());
  ASSERT_EQ(first.names.size(), 3u);
  EXPECT_EQ(first.events, numbers(1, 1, 2));
  EXPECT_EQ(read_files(directory() + "/" + first.names[0]).events, numbers(2, 1, 2));
}

TEST_F(Session, AHundredTimesLeaveNothingBehind) {
  set("SYS_TRACE_MAX_EVENTS_PER_NC", "1024");
  set("CPU_UTIL", "1");
  ASSERT_EQ(init(), NRT_SUCCESS);
  std::ptrdiff_t before = 0;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS) << i;
    emit_all(numbers(i, 1, 10));
    const std::string directory = its_directory();
    ASSERT_EQ(nrt_inspect_stop(), NRT_SUCCESS) << i;
    const TraceFiles files = read_files(directory);
    ASSERT_EQ(files.trouble, "") << i;
    ASSERT_EQ(files.events, numbers(i, 1, 10)) << i;
    if (i == 1) before = threads();
  }
  EXPECT_TRUE(settle_to(before));
}

TEST_F(Session, SixtyFourThreadsEmitWhileItStops) {
  constexpr std::size_t kThreads = 64;
  set("SYS_TRACE_MAX_EVENTS_PER_NC", "1048576");
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  std::vector<std::uint64_t> accepted(kThreads);
  std::atomic<std::size_t> busy{0};
  std::vector<std::thread> emitters;
  for (std::size_t i = 0; i < kThreads; ++i) {
    emitters.emplace_back([&, i] {
      constexpr std::uint64_t kMost = 10'000;  // fewer than the ring holds
      while (accepted[i] < kMost && emit(i, accepted[i] + 1)) {
        if (++accepted[i] == 10) ++busy;
      }
    });
  }
  while (busy.load() < kThreads) std::this_thread::yield();
  std::thread other([] { EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS); });
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  other.join();
  for (std::thread& emitter : emitters) emitter.join();

  const TraceFiles files = read_files(directory());
  EXPECT_EQ(files.trouble, "");
  std::vector<std::uint64_t> found(kThreads);
  for (const Number& event : files.events) {
    ASSERT_LT(event.thread, kThreads);
    ASSERT_EQ(event.number, ++found[event.thread]);
  }
  EXPECT_EQ(found, accepted);
}

// ---- begins that fail ----

TEST_F(Session, WhatTheEnvironmentAsksForInVainEndsInit) {
  const std::pair<const char*, const char*> kBad[] = {
      {"EVENT_FILTER_NC", "0,x"}, {"EVENT_FILTER_NC", "1"},     {"EVENT_FILTER_TYPE", "nothing"},
      {"CPU_UTIL", "maybe"},      {"OUTPUT_DIR", "/dev/null"},  {"OUTPUT_DIR", "/tmp"},
      {"OUTPUT_DIR", "/tmp/"},    {"OUTPUT_DIR", "tmp"},        {"OUTPUT_DIR", "./tmp"},
      {"OUTPUT_DIR", "./tmp//"},  {"OUTPUT_DIR", "x/../tmp/."},
  };
  set("ENABLE", "1");
  const auto before = threads();
  for (const auto& [name, value] : kBad) {
    ::setenv((std::string("NEURON_RT_INSPECT_") + name).c_str(), value, 1);
    EXPECT_EQ(init(), NRT_INVALID) << name << " " << value;
    EXPECT_NE(nrt_inspect_stop(), NRT_SUCCESS) << name;
    EXPECT_FALSE(emit(1, 1));
    ::unsetenv((std::string("NEURON_RT_INSPECT_") + name).c_str());
  }
  set("ENABLE", "maybe");
  EXPECT_EQ(init(), NRT_INVALID);
  EXPECT_TRUE(settle_to(before));
  EXPECT_EQ(everything(), Names{});
}

TEST_F(Session, ADirectoryThatCannotBeMadeKeepsNobodyFromRunning) {
  std::ofstream("occupied") << "by a file";
  const auto before = threads();
  set("ENABLE", "1");
  set("OUTPUT_DIR", "occupied/deeper");
  EXPECT_EQ(init(), NRT_SUCCESS);
  EXPECT_FALSE(emit(1, 1));
  EXPECT_EQ(nrt_inspect_begin(), NRT_FAILURE);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  EXPECT_EQ(everything(), Names{"occupied"});
  EXPECT_TRUE(settle_to(before));
}

TEST_F(Session, SomebodyElsesCaptureIsNotTouched) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_TRUE(trace::start({}));
  emit_all(numbers(1, 1, 1));
  EXPECT_EQ(nrt_inspect_begin(), NRT_FAILURE);
  EXPECT_EQ(everything(), Names{});
  emit_all(numbers(1, 2, 2));
  EXPECT_EQ(trace::counts(0)->created, 2u);
  EXPECT_TRUE(trace::stop());
  EXPECT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
}

// Devices that write down what they are asked.
class Devices : public DeviceSessions {
 public:
  explicit Devices(std::uint32_t failing = UINT32_MAX) : failing_(failing) {}

  NRT_STATUS start(std::uint32_t vnc) noexcept override {
    if (vnc == failing_) return NRT_TIMEOUT;
    calls.push_back("start " + std::to_string(vnc));
    return NRT_SUCCESS;
  }
  NRT_STATUS stop(std::uint32_t vnc, std::uint64_t& id) noexcept override {
    calls.push_back("stop " + std::to_string(vnc));
    if (vnc == stop_failing) return NRT_FAILURE;
    id = std::uint64_t{vnc} << 32 | 5;
    return NRT_SUCCESS;
  }
  NRT_STATUS serialize(std::uint64_t id, const std::string& path) noexcept override {
    calls.push_back("serialize " + std::to_string(id >> 32));
    std::ofstream(path) << id;
    return NRT_SUCCESS;
  }
  NRT_STATUS drop(std::uint64_t id) noexcept override {
    calls.push_back("drop " + std::to_string(id >> 32));
    return NRT_SUCCESS;
  }

  Names calls;
  std::uint32_t stop_failing = UINT32_MAX;

 private:
  const std::uint32_t failing_;
};

TEST_F(Session, ADeviceThatDoesNotStartUndoesEverything) {
  nrt_sys_trace_set_visible_vnc_count(4);
  ASSERT_EQ(init(), NRT_SUCCESS);
  set("DEVICE_PROFILE", "session");
  set("CPU_UTIL", "1");
  for (std::uint32_t failing = 0; failing < 4; ++failing) {
    Devices devices(failing);
    Inspector::get().surround([&](Surroundings& all) { all.devices = &devices; });
    // The thread sanitizer adds one of its own to the first of a process.
    std::thread([] {}).join();
    const auto before = threads();
    EXPECT_EQ(nrt_inspect_begin(), NRT_TIMEOUT);
    Names wanted;
    for (std::uint32_t vnc = 0; vnc < failing; ++vnc)
      wanted.push_back("start " + std::to_string(vnc));
    for (std::uint32_t vnc = 0; vnc < failing; ++vnc) {
      wanted.push_back("stop " + std::to_string(vnc));
      wanted.push_back("drop " + std::to_string(vnc));
    }
    EXPECT_EQ(devices.calls, wanted);
    EXPECT_FALSE(emit(1, 1));
    EXPECT_TRUE(settle_to(before));
    EXPECT_EQ(everything(), Names{});
    EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  }
}

TEST_F(Session, DevicesAreStoppedAndWrittenCoreByCore) {
  nrt_sys_trace_set_visible_vnc_count(4);
  ASSERT_EQ(init(), NRT_SUCCESS);
  set("DEVICE_PROFILE", "session");
  set("EVENT_FILTER_NC", "0,2,3");
  Devices devices;
  devices.stop_failing = 2;
  Inspector::get().surround([&](Surroundings& all) { all.devices = &devices; });
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  EXPECT_EQ(devices.calls, (Names{"start 0", "start 2", "start 3", "stop 0", "serialize 0",
                                  "stop 2", "stop 3", "serialize 3"}));
  EXPECT_EQ(read_files(directory()).names, (Names{"ntrace.pb", "profile_nc_0_session_5.ntff",
                                                  "profile_nc_3_session_5.ntff", "trace_info.pb"}));
}

TEST_F(Session, WhatCannotBeRecordedIsSaidInTheFiles) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  Inspector::get().surround(
      [](Surroundings& all) { all.sampler.period = std::chrono::milliseconds(0); });
  set("CPU_UTIL", "1");
  set("DEVICE_PROFILE", "model");
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  nrt_sys_trace_stop();
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  const TraceFiles files = read_files(directory());
  EXPECT_EQ(files.names, (Names{"ntrace.pb", "trace_info.pb"}));
  ASSERT_EQ(files.warnings.size(), 3u);
  EXPECT_NE(files.warnings[0].find("not sampled"), std::string::npos);
  EXPECT_NE(files.warnings[1].find("not profiled"), std::string::npos);
  EXPECT_NE(files.warnings[2].find("ended the capture"), std::string::npos);
}

// ---- stops that fail ----

TEST_F(Session, WhatCannotBeWrittenIsKeptForTheNextStop) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  const std::string directory = its_directory();
  emit_all(numbers(1, 1, 5000));
  fs::remove_all(directory);
  std::ofstream(directory) << "in the way";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(nrt_inspect_stop(), NRT_FAILURE);
    EXPECT_EQ(nrt_inspect_begin(), NRT_INVALID);
    EXPECT_EQ(nrt_inspect_export(255), NRT_INVALID);
    EXPECT_FALSE(emit(1, 5001));
    EXPECT_EQ(nrt_sys_trace_stop(), NRT_FAILURE);
  }
  fs::remove(directory);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  const TraceFiles files = read_files(directory);
  EXPECT_EQ(files.trouble, "");
  EXPECT_TRUE(files.complete);
  EXPECT_EQ(files.events, numbers(1, 1, 5000));
  EXPECT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
}

TEST_F(Session, WhatAFullDiskTakesIsNotWrittenAgain) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  const std::string directory = its_directory();
  emit_all(numbers(1, 1, 60'000));
  // Some megabytes: the first of them fit, and the rest follows when there is room again.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t megabytes : {2, 1}) {
    const rlimit little{megabytes << 20, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
    EXPECT_EQ(nrt_inspect_stop(), NRT_FAILURE);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  const TraceFiles files = read_files(directory);
  EXPECT_EQ(files.trouble, "");
  EXPECT_TRUE(files.complete);
  EXPECT_EQ(files.listed.size(), 3u);
  EXPECT_EQ(files.events, numbers(1, 1, 60'000));
}

TEST_F(Session, WhoeverHasItsMemoryIsToldThatItIsWritten) {
  auto socket = trace::HandoverSocket::listen("handover");
  ASSERT_TRUE(socket);
  ::setenv("NDTEL_TRACE_SOCKET", (here_ / "handover").c_str(), 1);
  ASSERT_EQ(init(), NRT_SUCCESS);
  for (const bool in_the_way : {false, true}) {
    ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
    emit_all(numbers(1, 1, 10));
    const auto received = socket->receive();
    ASSERT_TRUE(received && received->has_value());
    if (in_the_way) {
      const std::string directory = its_directory();
      fs::remove_all(directory);
      std::ofstream(directory) << "in the way";
      nrt_close();
    } else {
      EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
    }
    const auto harvester = trace::Harvester::open((*received)->memfd);
    ::close((*received)->memfd);
    ASSERT_TRUE(harvester);
    EXPECT_TRUE(harvester->summary().stopped);
    EXPECT_NE(harvester->summary().written, in_the_way);
    EXPECT_EQ(harvester->summary().cores.at(0).left, 10u);
  }
  ::unsetenv("NDTEL_TRACE_SOCKET");
}

TEST_F(Session, CloseGivesUpWhatCannotBeWritten) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  const std::string directory = its_directory();
  fs::remove_all(directory);
  std::ofstream(directory) << "in the way";
  nrt_close();
  ASSERT_EQ(init(), NRT_SUCCESS);
  fs::remove(directory);
  EXPECT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
}

TEST_F(Session, CloseEndsTheNtraceRingToo) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(init(), NRT_SUCCESS);
    EXPECT_EQ(nrt_trace_start(true), NRT_SUCCESS);
    ntrace_record_event(1, 2, 0, 0, nullptr);
    nrt_close();
  }
  EXPECT_FALSE(fs::exists("output"));
}

TEST_F(Session, ADirectoryThatWasRemovedIsMadeAgain) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  emit_all(numbers(1, 1, 3));
  fs::remove_all("output");
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  EXPECT_EQ(read_files(directory()).events, numbers(1, 1, 3));
}

TEST_F(Session, AWorkingDirectoryThatChangesDoesNotMoveIt) {
  ASSERT_EQ(init(), NRT_SUCCESS);
  ASSERT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  fs::create_directory("elsewhere");
  fs::current_path("elsewhere");
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  EXPECT_TRUE(read_files(directory()).complete);
  EXPECT_FALSE(fs::exists("output"));
}

// ---- where it is ----

TEST_F(Session, ItSaysWhereItsFilesGo) {
  char text[4096] = {};
  EXPECT_EQ(nrt_inspect_get_instance_output_dir("x", nullptr, 10), NRT_INVALID);
  ASSERT_EQ(nrt_inspect_get_instance_output_dir("x", text, sizeof text), NRT_SUCCESS);
  const std::string path = text;
  EXPECT_EQ(fs::path(path).parent_path(), here_ / "x");
  EXPECT_TRUE(path.ends_with("_pid_" + std::to_string(::getpid())));
  EXPECT_EQ(nrt_inspect_get_instance_output_dir("x", text, path.size()), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_get_instance_output_dir("x", text, path.size() + 1), NRT_SUCCESS);
  EXPECT_EQ(nrt_inspect_get_instance_output_dir("/dev/null", text, sizeof text), NRT_INVALID);
  for (const char* none : {"", static_cast<const char*>(nullptr)}) {
    ASSERT_EQ(nrt_inspect_get_instance_output_dir(none, text, sizeof text), NRT_SUCCESS);
    EXPECT_EQ(std::string(text), directory());
  }
}

}  // namespace
}  // namespace ndtel::inspect::test
