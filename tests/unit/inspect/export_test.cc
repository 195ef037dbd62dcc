// SPDX-License-Identifier: Apache-2.0
//
// Files that are written while a session records: no event twice, and none left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include "scene.hpp"

namespace ndtel::inspect::test {
namespace {

class Export : public Scene {
 protected:
  Export() {
    EXPECT_EQ(init(), NRT_SUCCESS);
    EXPECT_EQ(nrt_inspect_begin(), NRT_SUCCESS);
  }
};

TEST_F(Export, EachCallWritesWhatCameSinceTheLast) {
  std::vector<Number> all;
  const auto emit_next = [&](int count) {
    for (; count > 0; --count) {
      all.push_back({1, all.size() + 1});
      ASSERT_TRUE(emit(1, all.size()));
    }
  };
  for (int i = 0; i < 3; ++i) {
    emit_next(100);
    EXPECT_EQ(nrt_inspect_export(NRT_INSPECT_ACTIVITY_ALL), NRT_SUCCESS);
    // With nothing new there is no new file.
    EXPECT_EQ(nrt_inspect_export(NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE), NRT_SUCCESS);
    const TraceFiles files = read_files(directory());
    EXPECT_EQ(files.trouble, "");
    EXPECT_TRUE(files.complete);
    EXPECT_EQ(files.events, all);
    EXPECT_EQ(files.listed.size(), static_cast<std::size_t>(i + 1));
  }
  emit_next(10);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  const TraceFiles files = read_files(directory());
  EXPECT_EQ(files.names, (std::vector<std::string>{"ntrace.pb", "ntrace_1.pb", "ntrace_2.pb",
                                                   "ntrace_3.pb", "trace_info.pb"}));
  EXPECT_EQ(files.events, all);
  EXPECT_EQ(files.losses,
            std::vector<std::string>{
                "created=310 pushed=310 drained=310 displaced=0 in_flight=0 damaged=0"});
}

TEST_F(Export, TellsWhatItCannotDo) {
  EXPECT_EQ(nrt_inspect_export(0), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_export(NRT_INSPECT_ACTIVITY_CPU_UTIL), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_export(256), NRT_INVALID);
  EXPECT_EQ(read_files(directory()).names, std::vector<std::string>{});
}

TEST_F(Export, OnlyTheChosenFilesAreWritten) {
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  Options options;
  ASSERT_EQ(nrt_inspect_begin_with_options(options), NRT_SUCCESS);
  char directory[4096] = {};
  nrt_inspect_get_instance_output_dir(nullptr, directory, sizeof directory);
  EXPECT_EQ(nrt_inspect_export(NRT_INSPECT_ACTIVITY_CPU_UTIL), NRT_SUCCESS);
  EXPECT_EQ(read_files(directory).names,
            (std::vector<std::string>{"cpu_util.pb", "trace_info.pb"}));
  EXPECT_EQ(nrt_inspect_export(NRT_INSPECT_ACTIVITY_HOST_MEMORY), NRT_SUCCESS);
  EXPECT_EQ(read_files(directory).names,
            (std::vector<std::string>{"cpu_util.pb", "host_mem.pb", "trace_info.pb"}));
  EXPECT_EQ(read_files(directory).listed.size(), 2u);
  EXPECT_EQ(read_files(directory).trouble, "");
}

TEST_F(Export, NoEventIsWrittenTwiceAndNoneIsLostWhileThreadsEmit) {
  constexpr std::size_t kThreads = 4;
  std::atomic<bool> over{false};
  std::vector<std::uint64_t> accepted(kThreads);
  std::vector<std::thread> emitters;
  for (std::size_t i = 0; i < kThreads; ++i) {
    emitters.emplace_back([&, i] {
      while (!over.load(std::memory_order_relaxed)) {
        // Slowly enough that nothing is displaced between two exports.
        for (int n = 0; n < 10; ++n) accepted[i] += emit(i, accepted[i] + 1) ? 1 : 0;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(nrt_inspect_export(NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE), NRT_SUCCESS);
  }
  over.store(true);
  for (std::thread& emitter : emitters) emitter.join();
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);

  const TraceFiles files = read_files(directory());
  EXPECT_EQ(files.trouble, "");
  std::vector<std::vector<std::uint64_t>> found(kThreads);
  for (const Number& event : files.events) found.at(event.thread).push_back(event.number);
  for (std::size_t i = 0; i < kThreads; ++i) {
    ASSERT_EQ(found[i].size(), accepted[i]) << i;
    for (std::uint64_t n = 0; n < found[i].size(); ++n) ASSERT_EQ(found[i][n], n + 1) << i;
  }
}

TEST_F(Export, WhatCannotBeWrittenFollowsWithTheNextFiles) {
  std::vector<Number> all;
  const auto emit_next = [&](int count) {
    for (; count > 0; --count) {
      all.push_back({1, all.size() + 1});
      ASSERT_TRUE(emit(1, all.size()));
    }
  };
  emit_next(10);
  ASSERT_EQ(nrt_inspect_export(255), NRT_SUCCESS);
  const std::string directory = this->directory();
  fs::rename(directory, "aside");
  std::ofstream(directory) << "in the way";
  // Enough for the writer to need its file before all is taken.
  emit_next(20'000);
  EXPECT_EQ(nrt_inspect_export(255), NRT_FAILURE);
  emit_next(10);
  EXPECT_EQ(nrt_inspect_export(255), NRT_FAILURE);
  fs::remove(directory);
  fs::rename("aside", directory);
  EXPECT_EQ(nrt_inspect_export(255), NRT_SUCCESS);
  EXPECT_EQ(read_files(directory).events, all);
  emit_next(10);
  EXPECT_EQ(nrt_inspect_stop(), NRT_SUCCESS);
  const TraceFiles files = read_files(directory);
  EXPECT_EQ(files.trouble, "");
  EXPECT_EQ(files.events, all);
}

}  // namespace
}  // namespace ndtel::inspect::test
