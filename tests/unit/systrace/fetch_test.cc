// SPDX-License-Identifier: Apache-2.0
//
// Fetching through the C interface, with both engines, read back by an independent parser.
#include <gtest/gtest.h>
#include <simdjson.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "captured_log.hpp"
#include "nrt/nrt_sys_trace_internal.h"
#include "shown_event.hpp"

namespace ndtel::systrace {
namespace {

constexpr std::uint32_t kCores = 3;

struct BufferFree {
  void operator()(char* buffer) const { nrt_sys_trace_buffer_free(buffer); }
};
struct OptionsFree {
  void operator()(nrt_sys_trace_fetch_options_t* options) const {
    nrt_sys_trace_fetch_options_free(options);
  }
};
using Options = std::unique_ptr<nrt_sys_trace_fetch_options_t, OptionsFree>;

Options options() {
  nrt_sys_trace_fetch_options_t* made = nullptr;
  EXPECT_EQ(nrt_sys_trace_fetch_options_allocate(&made), NRT_SUCCESS);
  return Options(made);
}

std::string fetch(const nrt_sys_trace_fetch_options_t* options) {
  char* buffer = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(nrt_sys_trace_fetch_events(&buffer, &size, options), NRT_SUCCESS);
  const std::unique_ptr<char, BufferFree> owner(buffer);
  if (buffer == nullptr) return {};
  EXPECT_EQ(std::strlen(buffer), size);
  return {buffer, size};
}

// Field `key` of all events of a document, in its order.
std::vector<std::uint64_t> column(const std::string& document, const char* key) {
  simdjson::dom::parser parser;
  std::vector<std::uint64_t> values;
  const simdjson::dom::element parsed = parser.parse(document);
  for (const simdjson::dom::element event : parsed["events"].get_array())
    values.push_back(event[key]);
  return values;
}

class Fetch : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ::setenv("NDTEL_TRACE_ENGINE", GetParam(), 1);
    nrt_sys_trace_set_visible_vnc_count(kCores);
  }
  void TearDown() override {
    nrt_sys_trace_capture_close();
    ::unsetenv("NDTEL_TRACE_ENGINE");
  }

  static void start(std::uint64_t capacity = 4096) {
    nrt_sys_trace_config_t* config = nullptr;
    ASSERT_EQ(nrt_sys_trace_config_allocate(&config), NRT_SUCCESS);
    nrt_sys_trace_config_set_max_events_per_nc(config, capacity);
    ASSERT_EQ(nrt_sys_trace_start(config), NRT_SUCCESS);
    nrt_sys_trace_config_free(config);
  }

  // The n-th event of a core says n.
  static void emit(std::uint32_t nc, std::uint64_t n) {
    nrt_sys_trace_event_data_t data{};
    data.exec_tensor_read = {.tensor_id = n, .size = 1};
    ASSERT_NE(nrt_sys_trace_new_event(NRT_SYS_TRACE_EVENT_PHASE_INSTANT,
                                      NRT_SYS_TRACE_EVENT_TYPE_TENSOR_READ, &data, 0, nc),
              0u);
  }

  // The same events in every run, of every type.
  static void emit_history() {
    std::mt19937_64 random(7);
    nrt_sys_trace_capture_intern_string("bert \"large\"", 1);
    const std::uint64_t model = nrt_interned_string_db_get_id("bert \"large\"");
    for (int i = 0; i < 2000; ++i) {
      nrt_sys_trace_event_data_t data{};
      for (auto& word : data.words) word = random() % 3 == 0 ? model : random() >> random() % 64;
      const auto type = static_cast<std::uint32_t>(random() % NRT_SYS_TRACE_EVENT_TYPE_COUNT);
      const auto phase = static_cast<std::uint32_t>(random() % 4);
      const auto nc = static_cast<std::uint32_t>(random() % kCores);
      const std::uint64_t tracking = random() % 2 == 0 ? 0 : random();
      if (random() % 4 == 0) {
        nrt_sys_trace_new_event_with_seq(phase, type, &data, tracking, nc, random());
      } else {
        nrt_sys_trace_new_event(phase, type, &data, tracking, nc);
      }
    }
  }
};

std::uint64_t realtime_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

TEST_P(Fetch, SaysWhatABinaryDrainSays) {
  start();
  emit_history();
  std::vector<nrt_sys_trace_event_t> drained;
  for (std::uint32_t nc = 0; nc < kCores; ++nc) {
    std::vector<nrt_sys_trace_event_t> portion(4096);
    std::uint64_t count = 0;
    ASSERT_EQ(nrt_sys_trace_capture_drain_events(nc, portion.data(), portion.size(), &count),
              NRT_SUCCESS);
    drained.insert(drained.end(), portion.begin(),
                   portion.begin() + static_cast<std::ptrdiff_t>(count));
  }
  ASSERT_EQ(drained.size(), 2000u);
  ASSERT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);

  start();
  const std::uint64_t before = realtime_ns();
  emit_history();
  const std::string document = fetch(nullptr);
  const std::uint64_t after = realtime_ns();
  StringShard names;
  names.add(nrt_interned_string_db_get_id("bert \"large\""), "bert \"large\"");
  names.add(0, "Invalid interned string");
  simdjson::dom::parser parser;
  const simdjson::dom::element parsed = parser.parse(document);
  EXPECT_EQ(std::uint64_t{parsed["data_version"]}, 2u);
  std::size_t n = 0;
  for (const simdjson::dom::element shown : parsed["events"].get_array()) {
    SCOPED_TRACE(n);
    ASSERT_LT(n, drained.size());
    const nrt_sys_trace_event_t& record = drained[n++];
    test::expect_same(shown, record, names);
    EXPECT_EQ(std::uint64_t{shown["thread_id"]}, static_cast<std::uint64_t>(::gettid()));
    EXPECT_EQ(std::int64_t{shown["worker_gid"]}, static_cast<std::int64_t>(record.nc_idx));
    if (host_time_ns(record) != record.timestamp_ns) {
      EXPECT_EQ(std::uint64_t{shown["timestamp_ns"]}, host_time_ns(record));
    } else {
      // To a millisecond: the clock may be adjusted meanwhile.
      EXPECT_GE(std::uint64_t{shown["timestamp_ns"]}, before - 1'000'000);
      EXPECT_LE(std::uint64_t{shown["timestamp_ns"]}, after + 1'000'000);
    }
  }
  EXPECT_EQ(n, drained.size());
  EXPECT_TRUE(column(fetch(nullptr), "id").empty());
}

TEST_P(Fetch, TakesTheOldestUpToTheLimitAndLeavesTheRest) {
  start();
  for (std::uint64_t n = 1; n <= 100; ++n)
    for (std::uint32_t nc = 0; nc < kCores; ++nc) emit(nc, n);
  const Options limited = options();
  nrt_sys_trace_fetch_options_set_max_events_per_nc(limited.get(), 30);
  std::vector<std::uint64_t> expected_cores, expected_ids;
  for (std::uint32_t nc = 0; nc < kCores; ++nc) {
    for (std::uint64_t n = 1; n <= 30; ++n) {
      expected_cores.push_back(nc);
      expected_ids.push_back(n);
    }
  }
  const std::string first = fetch(limited.get());
  EXPECT_EQ(column(first, "nc_idx"), expected_cores);
  EXPECT_EQ(column(first, "nc_local_id"), expected_ids);
  for (auto& id : expected_ids) id += 30;
  EXPECT_EQ(column(fetch(limited.get()), "nc_local_id"), expected_ids);
  EXPECT_EQ(column(fetch(nullptr), "nc_local_id").size(), 40u * kCores);
  EXPECT_TRUE(column(fetch(nullptr), "nc_local_id").empty());
}

TEST_P(Fetch, OneCoreOnly) {
  start();
  for (std::uint32_t nc = 0; nc < kCores; ++nc) emit(nc, nc);
  const Options one = options();
  nrt_sys_trace_fetch_options_set_nc_idx(one.get(), 1);
  EXPECT_EQ(column(fetch(one.get()), "nc_idx"), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(column(fetch(nullptr), "nc_idx"), (std::vector<std::uint64_t>{0, 2}));
}

TEST_P(Fetch, CoresThatAreNotVisibleHaveNoEvents) {
  start();
  emit(0, 1);
  const Options hidden = options();
  for (const std::uint64_t nc :
       {std::uint64_t{kCores}, std::uint64_t{255}, std::uint64_t{256}, std::uint64_t{0x7FFFFFFF}}) {
    test::CapturedLog log;
    nrt_sys_trace_fetch_options_set_nc_idx(hidden.get(), nc);
    EXPECT_EQ(fetch(hidden.get()), R"({"events":[],"data_version":2})");
    ASSERT_EQ(log.lines().size(), 1u);
    EXPECT_EQ(log.lines()[0].first, 2);
  }
  EXPECT_EQ(column(fetch(nullptr), "nc_idx").size(), 1u);
}

TEST_P(Fetch, BadArgumentsTakeNothing) {
  start();
  emit(0, 1);
  test::CapturedLog log;
  char some[] = "mine";
  char* buffer = nullptr;
  char* mine = some;
  std::size_t size = 77;
  EXPECT_EQ(nrt_sys_trace_fetch_events(nullptr, &size, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_events(&buffer, nullptr, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_events(&mine, &size, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_events_internal(nullptr, &size, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_events_internal(&mine, &size, nullptr), NRT_INVALID);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(mine, some);
  EXPECT_EQ(size, 77u);
  EXPECT_FALSE(log.lines().empty());
  EXPECT_EQ(column(fetch(nullptr), "nc_idx").size(), 1u);
  nrt_sys_trace_buffer_free(nullptr);
  nrt_sys_trace_buffer_free_internal(nullptr);
}

TEST_P(Fetch, WithoutACaptureTheListIsEmpty) {
  EXPECT_EQ(fetch(nullptr), R"({"events":[],"data_version":2})");
  start();
  emit(0, 1);
  ASSERT_EQ(nrt_sys_trace_stop(), NRT_SUCCESS);
  EXPECT_EQ(fetch(nullptr), R"({"events":[],"data_version":2})");
}

TEST_P(Fetch, AfterALapTheNewestAreThere) {
  start(1024);
  for (std::uint64_t n = 1; n <= 5000; ++n) emit(0, n);
  const auto ids = column(fetch(nullptr), "nc_local_id");
  ASSERT_FALSE(ids.empty());
  EXPECT_LE(ids.size(), 1024u);
  EXPECT_EQ(ids.back(), 5000u);
  // One thread: no gaps.
  EXPECT_EQ(ids.back() - ids.front() + 1, ids.size());
  EXPECT_EQ(nrt_sys_trace_total_event_count(), 5000u);
}

TEST_P(Fetch, ConcurrentFetchesShareTheEvents) {
  start(1 << 14);
  constexpr std::uint64_t kEvents = 10'000;
  for (std::uint64_t n = 1; n <= kEvents; ++n) emit(1, n);
  std::vector<std::vector<std::uint64_t>> parts(4);
  {
    std::vector<std::jthread> threads;
    for (auto& part : parts) {
      threads.emplace_back([&part] {
        const Options limited = options();
        nrt_sys_trace_fetch_options_set_max_events_per_nc(limited.get(), 100);
        while (true) {
          const auto ids = column(fetch(limited.get()), "nc_local_id");
          if (ids.empty()) return;
          part.insert(part.end(), ids.begin(), ids.end());
        }
      });
    }
  }
  std::set<std::uint64_t> all;
  std::size_t total = 0;
  for (const auto& part : parts) {
    EXPECT_TRUE(std::ranges::is_sorted(part));
    all.insert(part.begin(), part.end());
    total += part.size();
  }
  EXPECT_EQ(total, kEvents);
  EXPECT_EQ(all.size(), kEvents);
}

TEST_P(Fetch, ReturnsWhileAnotherThreadNeverStopsEmitting) {
  start(2048);
  std::atomic<bool> enough = false;
  std::jthread emitter([&enough] {
    for (std::uint64_t n = 1; !enough; ++n) emit(0, n);
  });
  for (int useful = 0; useful < 10;) {
    const auto ids = column(fetch(nullptr), "nc_local_id");
    EXPECT_LE(ids.size(), 2048u);
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    if (!ids.empty()) ++useful;
  }
  enough = true;
}

INSTANTIATE_TEST_SUITE_P(Engines, Fetch, testing::Values("blocks", "classic"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace ndtel::systrace
