// SPDX-License-Identifier: Apache-2.0
//
// The C++ interface: spans, instants, names and captures.
#include "ndtel/trace.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <thread>
#include <vector>

#include "nrt/nrt_sys_trace_internal.h"

namespace {

namespace trace = ndtel::trace;
namespace event = ndtel::trace::event;

class Trace : public testing::Test {
 protected:
  void SetUp() override { nrt_sys_trace_set_visible_vnc_count(2); }
  void TearDown() override { nrt_sys_trace_capture_close(); }

  static std::vector<nrt_sys_trace_event_t> drained(std::uint32_t nc) {
    std::vector<nrt_sys_trace_event_t> events(1 << 16);
    events.resize(trace::drain(nc, events));
    return events;
  }
};

TEST_F(Trace, ASpanHasAStartAndAnEndThatBelongTogether) {
  ASSERT_TRUE(trace::start({}));
  {
    trace::Span<event::DmaMemAlloc> span(1, {.hbm_idx = 3, .usage_type = 5});
    EXPECT_NE(span.tracking_id(), 0u);
    span.set_stop({.allocated_bytes = 4096, .return_code = 2});
    EXPECT_EQ(drained(1).size(), 1u);
  }
  const auto ends = drained(1);
  ASSERT_EQ(ends.size(), 1u);
  const auto stop = trace::stop_of<event::DmaMemAlloc>(ends[0]);
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->allocated_bytes, 4096u);
  EXPECT_EQ(stop->return_code, 2u);
  EXPECT_EQ(ends[0].tracking_id >> NRT_SYS_TRACE_ID_BITS, 1u);
}

TEST_F(Trace, ASpanThatIsMovedOrEndedEndsOnce) {
  ASSERT_TRUE(trace::start({}));
  {
    trace::Span<event::ExecPre> first(0, {.exec_id = 1, .model_id = 2});
    trace::Span<event::ExecPre> second(std::move(first));
    second.end();
    EXPECT_EQ(second.tracking_id(), 0u);
  }
  const auto events = drained(0);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].tracking_id, events[1].tracking_id);
  EXPECT_EQ(events[1].phase, NRT_SYS_TRACE_EVENT_PHASE_STOP);
}

TEST_F(Trace, AnEndWithoutARecordedStartIsNotRecorded) {
  std::optional<trace::Span<event::ExecPre>> span;
  span.emplace(0u);  // nothing is captured yet
  ASSERT_TRUE(trace::start({}));
  span.reset();
  EXPECT_TRUE(drained(0).empty());
  EXPECT_EQ(trace::counts(0)->created, 0u);
}

TEST_F(Trace, ASpanMayEndInAnotherThread) {
  ASSERT_TRUE(trace::start({}));
  const std::uint64_t id = trace::start<event::ModelLoad>(0);
  std::thread([id] { trace::stop<event::ModelLoad>(0, id, {.model_id = 9}); }).join();
  const auto events = drained(0);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].phase, NRT_SYS_TRACE_EVENT_PHASE_START);
  EXPECT_EQ(events[1].tracking_id, id);
  EXPECT_NE(events[0].thread_id, events[1].thread_id);
  EXPECT_LE(events[0].timestamp_ns, events[1].timestamp_ns);
}

TEST_F(Trace, OnlyWhatIsAskedForIsRecorded) {
  trace::Config config;
  config.types.reset(event::ExecPre::kType);
  config.cores.reset(1);
  ASSERT_TRUE(trace::start(config));
  EXPECT_FALSE(trace::enabled(0, event::ExecPre::kType));
  EXPECT_TRUE(trace::enabled(0, event::ExecWait::kType));
  EXPECT_FALSE(trace::enabled(1, event::ExecWait::kType));
  EXPECT_FALSE(trace::enabled(NRT_SYS_TRACE_MAX_NC, event::ExecWait::kType));
  EXPECT_EQ(trace::start<event::ExecPre>(0), 0u);
  EXPECT_NE(trace::instant<event::NumErr>(0, {.device_core_idx = 1}), 0u);
  EXPECT_FALSE(trace::counts(1).has_value());
  EXPECT_EQ(trace::counts(0)->created, 1u);
}

TEST_F(Trace, ANameIsKeptAndShown) {
  ASSERT_TRUE(trace::start({}));
  const std::uint64_t id = trace::intern("resnet \"50\"");
  EXPECT_EQ(id, nrt_interned_string_db_get_id("resnet \"50\""));
  trace::Span<event::ModelSubmit>(0, {.model_id = id}).end();
  const auto json = trace::fetch_json(0);
  ASSERT_TRUE(json);
  EXPECT_NE(json->find(R"("model_name":"resnet \"50\"")"), std::string::npos) << *json;
  EXPECT_EQ(trace::intern("\xff"), 0u);
  EXPECT_EQ(trace::intern(std::string_view("a\0b", 3)), 0u);
}

TEST_F(Trace, StartAndStopSayWhatIsWrong) {
  EXPECT_EQ(trace::stop().error().code, EALREADY);
  trace::Config config;
  config.events_per_core = std::uint64_t{NRT_SYS_TRACE_MAX_EVENTS_PER_NC} + 1;
  EXPECT_EQ(trace::start(config).error().code, EINVAL);
  config.events_per_core = 1;
  ASSERT_TRUE(trace::start(config));
  EXPECT_EQ(trace::start(config).error().code, EBUSY);
  EXPECT_EQ(nrt_sys_trace_ring_size(), std::uint64_t{NRT_SYS_TRACE_MIN_EVENTS_PER_NC});
  EXPECT_TRUE(trace::stop());
}

TEST_F(Trace, BothRingsGiveTheSame) {
  for (const trace::Ring ring : {trace::Ring::kBlocks, trace::Ring::kClassic}) {
    trace::Config config;
    config.ring = ring;
    config.events_per_core = 1024;
    ASSERT_TRUE(trace::start(config));
    for (std::uint64_t i = 0; i < 5000; ++i)
      trace::instant<event::TimestampSync>(0, {.exec_id = i});
    const auto counts = trace::counts(0);
    EXPECT_EQ(counts->displaced, 3976u);
    EXPECT_EQ(counts->left, 1024u);
    const auto events = drained(0);
    ASSERT_EQ(events.size(), 1024u);
    for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events[i].nc_local_id, 3977 + i);
    ASSERT_TRUE(trace::stop());
  }
}

// Words that a payload does not have are not written, and a full ring holds older events there.
TEST_F(Trace, APayloadIsAllThatAnEventSays) {
  trace::Config config;
  config.events_per_core = 1024;
  ASSERT_TRUE(trace::start(config));
  const auto words_of = [](const nrt_sys_trace_event_t& event) {
    return std::vector<std::uint64_t>(std::begin(event.data.words), std::end(event.data.words));
  };
  nrt_sys_trace_event_data_t junk;
  std::memset(&junk, 0xEE, sizeof junk);
  for (int i = 0; i < 5000; ++i)
    nrt_sys_trace_new_event(NRT_SYS_TRACE_EVENT_PHASE_INSTANT, NRT_SYS_TRACE_EVENT_TYPE_GENERIC,
                            &junk, 0, 0);
  const std::vector<std::uint64_t> all(5, 0xEEEE'EEEE'EEEE'EEEE);
  for (const auto& event : drained(0)) ASSERT_EQ(words_of(event), all);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    trace::stop<event::ExecPre>(0, 1);                               // no word
    trace::start<event::ModelSubmit>(0, {.model_id = i});            // one
    trace::start<event::ExecPre>(0, {.exec_id = i, .model_id = 7});  // two
    trace::start<event::NcModelSwitch>(
        0, {.device_core_idx = 1, .model_id = 2, .exec_id = i, .sync = {3, 4}});  // all
  }
  const auto events = drained(0);
  ASSERT_EQ(events.size(), 1024u);
  const auto self = static_cast<std::uint32_t>(::gettid());
  for (const auto& event : events) ASSERT_EQ(event.thread_id, self);
  for (std::size_t at = 0; at < events.size(); at += 4) {
    const std::uint64_t i = 3000 - 256 + at / 4;
    using Words = std::vector<std::uint64_t>;
    ASSERT_EQ(words_of(events[at]), (Words{0, 0, 0, 0, 0})) << at;
    ASSERT_EQ(words_of(events[at + 1]), (Words{i, 0, 0, 0, 0})) << at;
    ASSERT_EQ(words_of(events[at + 2]), (Words{i, 7, 0, 0, 0})) << at;
    ASSERT_EQ(words_of(events[at + 3]), (Words{1, 2, i, 3, 4})) << at;
  }
}

TEST_F(Trace, EventsOfCoresThatCannotBeCountAsThoseOfCore0) {
  EXPECT_EQ(trace::instant<event::Generic>(NRT_SYS_TRACE_MAX_NC), 0u);
  trace::Config config;
  config.types.reset(event::ExecWait::kType);
  ASSERT_TRUE(trace::start(config));
  for (const std::uint32_t nc : {256u, 257u, 0xFFFF'FFFFu}) {
    EXPECT_EQ(trace::instant<event::ExecWait>(nc), 0u);
    const std::uint64_t id = trace::instant<event::ExecPre>(nc, {.exec_id = nc, .model_id = 5});
    EXPECT_NE(id, 0u);
    EXPECT_EQ(id >> NRT_SYS_TRACE_ID_BITS, 0u);
  }
  const auto events = drained(0);
  ASSERT_EQ(events.size(), 3u);
  for (const auto& event : events) EXPECT_EQ(event.nc_idx, 0u);
  EXPECT_EQ(trace::start_of<event::ExecPre>(events[2]).has_value(), false);
  EXPECT_EQ(events[2].data.words[0], 0xFFFF'FFFFu);
  EXPECT_EQ(events[2].data.words[1], 5u);
  ASSERT_TRUE(trace::stop());
  EXPECT_EQ(trace::instant<event::ExecPre>(256), 0u);
}

TEST_F(Trace, ThreadsLoseNothing) {
  constexpr std::uint64_t kThreads = 4, kSpans = 2000;
  ASSERT_TRUE(trace::start({}));
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      for (std::uint64_t i = 0; i < kSpans; ++i)
        trace::Span<event::ExecPre> span(0, {.exec_id = i, .model_id = t});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::array<std::uint64_t, kThreads> next{};
  std::uint64_t ends = 0;
  for (const auto& event : drained(0)) {
    if (event.phase == NRT_SYS_TRACE_EVENT_PHASE_STOP) {
      ++ends;
      continue;
    }
    const auto start = trace::start_of<event::ExecPre>(event);
    ASSERT_TRUE(start);
    ASSERT_EQ(start->exec_id, next.at(start->model_id)++);
  }
  EXPECT_EQ(ends, kThreads * kSpans);
  for (const std::uint64_t count : next) EXPECT_EQ(count, kSpans);
}

TEST_F(Trace, AForkedChildRecordsNothing) {
  ASSERT_TRUE(trace::start({}));
  ASSERT_NE(trace::instant<event::Generic>(0), 0u);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool quiet = trace::instant<event::Generic>(0) == 0 &&
                       trace::instant<event::Generic>(NRT_SYS_TRACE_MAX_NC) == 0;
    const bool again =
        static_cast<bool>(trace::start({})) && trace::instant<event::Generic>(1) != 0;
    ::_exit(quiet && again ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(drained(0).size(), 1u);
}

}  // namespace
