// SPDX-License-Identifier: Apache-2.0
//
// Arguments that cannot be: the C functions refuse them, say so, and take no event.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "captured_log.hpp"
#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

class Capi : public ::testing::TestWithParam<EngineKind> {
 protected:
  void begin(std::uint64_t capacity = 1024, std::uint32_t cores = 3) {
    ASSERT_EQ(start({GetParam(), capacity, cores}), NRT_SUCCESS);
  }
  void TearDown() override { Engine::get().close(); }
  static void emit(int count, std::uint32_t nc = 0) {
    for (int i = 1; i <= count; ++i) emit_stamp({0, static_cast<std::uint64_t>(i)}, nc);
  }
  static void fetch(std::uint64_t limit, std::int64_t nc) {
    const nrt_sys_trace_fetch_options_t options{limit, nc};
    char* text = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(nrt_sys_trace_fetch_events(&text, &size, &options), NRT_SUCCESS);
    nrt_sys_trace_buffer_free(text);
  }
};

TEST_P(Capi, BadArgumentsTakeNothing) {
  begin();
  emit(7);
  const CapturedLog log;
  char* text = nullptr;
  std::size_t size = 99;
  char other = 'x';
  char* used = &other;
  std::uint64_t count = 99;
  nrt_sys_trace_event_t event;
  EXPECT_EQ(nrt_sys_trace_fetch_events(nullptr, &size, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_events(&text, nullptr, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_events(nullptr, nullptr, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_events(&used, &size, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_events_internal(&used, &size, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_events_internal(nullptr, &size, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_capture_drain_events(0, nullptr, 1, &count), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_capture_drain_events(0, &event, 1, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_capture_drain_events(256, &event, 1, &count), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_capture_drain_events(~0u, &event, 1, &count), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_start(nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_capture_start(nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_get_combined_string_db(nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_capture_intern_string(nullptr, 0), 0u);
  EXPECT_EQ(nrt_sys_trace_capture_intern_string("\xC0\x80", 0), 0u);
  nrt_sys_trace_buffer_free(nullptr);
  nrt_sys_trace_buffer_free_internal(nullptr);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(size, 99u);
  EXPECT_EQ(used, &other);
  EXPECT_EQ(count, 99u);
  // One line for each place that complains, not for each call.
  EXPECT_GE(log.lines().size(), 1u);
  std::set<std::string> lines;
  for (const auto& [level, line] : log.lines()) {
    EXPECT_LE(level, static_cast<int>(log::Level::kWarn)) << line;
    EXPECT_TRUE(lines.insert(line).second) << line;
  }
  EXPECT_EQ(counts_at_rest().left, 7u);
  EXPECT_EQ(counts_at_rest().drained, 0u);
}

TEST_P(Capi, ADrainOfNoneTakesNone) {
  begin();
  emit(3);
  nrt_sys_trace_event_t event;
  std::uint64_t count = 99;
  EXPECT_EQ(nrt_sys_trace_capture_drain_events(0, &event, 0, &count), NRT_SUCCESS);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(counts_at_rest().left, 3u);
}

TEST_P(Capi, ACoreIsReadAs32BitsOfItsIndex) {
  begin();
  emit(3, 0);
  emit(4, 1);
  fetch(0, (std::int64_t{1} << 32) | 1);
  EXPECT_EQ(counts_at_rest(0).left, 3u);
  EXPECT_EQ(counts_at_rest(1).left, 0u);
  fetch(0, std::int64_t{1} << 31);  // negative: all
  EXPECT_EQ(counts_at_rest(0).left, 0u);
}

TEST_P(Capi, DrainsAtOnceShareTheEvents) {
  begin(65536, 1);
  emit(30'000);
  std::vector<std::vector<std::uint64_t>> taken(4);
  std::vector<std::thread> readers;
  for (auto& mine : taken)
    readers.emplace_back([&mine] {
      for (;;) {
        const auto events = drain(250);
        if (events.empty()) return;
        for (const auto& event : events) mine.push_back(event.nc_local_id);
      }
    });
  for (std::thread& reader : readers) reader.join();
  std::set<std::uint64_t> all;
  for (const auto& part : taken) {
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    for (const std::uint64_t sequence : part) EXPECT_TRUE(all.insert(sequence).second);
  }
  EXPECT_EQ(all.size(), 30'000u);
}

INSTANTIATE_TEST_SUITE_P(Engines, Capi,
                         ::testing::Values(EngineKind::kBlocks, EngineKind::kClassic),
                         [](const auto& engine) { return std::string(name_of(engine.param)); });

}  // namespace
}  // namespace ndtel::systrace::test
