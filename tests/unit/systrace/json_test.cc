// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/resource.h>

#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "captured_log.hpp"
#include "catalogue.hpp"
#include "json_golden.hpp"
#include "ndtel/trace_events.hpp"
#include "shown_event.hpp"
#include "strings.hpp"

namespace ndtel::systrace {
namespace {

using trace::to_data;
namespace event = trace::event;

constexpr std::array<std::int32_t, 4> kGids = {1000, 1001, 1002, 1003};

nrt_sys_trace_event_t make_event(std::uint32_t type, std::uint32_t phase,
                                 const nrt_sys_trace_event_data_t& data = {}) {
  nrt_sys_trace_event_t made{};
  made.trace_type = type;
  made.phase = phase;
  made.data = data;
  made.id = made.nc_local_id = made.tracking_id = 7;
  made.thread_id = 4242;
  made.timestamp_ns = 1'700'000'000'000'000'000;
  return made;
}

std::string document(const JsonContext& context, const std::vector<nrt_sys_trace_event_t>& events) {
  JsonWriter writer(context);
  for (const auto& e : events) EXPECT_TRUE(writer.event(e));
  const JsonBuffer buffer = writer.finish();
  EXPECT_NE(buffer.text, nullptr);
  EXPECT_EQ(std::strlen(buffer.text.get()), buffer.size);
  return {buffer.text.get(), buffer.size};
}

constexpr std::string_view kBefore = "{\"events\":[";
constexpr std::string_view kAfter = "],\"data_version\":2}";

// The text of one event alone.
std::string text_of(const nrt_sys_trace_event_t& e, const JsonContext& context) {
  const std::string whole = document(context, {e});
  if (!whole.starts_with(kBefore) || !whole.ends_with(kAfter)) return whole;
  return whole.substr(kBefore.size(), whole.size() - kBefore.size() - kAfter.size());
}

std::string data_of(const nrt_sys_trace_event_t& e, const JsonContext& context) {
  const std::string text = text_of(e, context);
  const std::size_t from = text.find("\"data\":") + 7;
  return text.substr(from, text.find('}', from) + 1 - from);
}

TEST(JsonWriter, NoEventsAreAnEmptyList) {
  EXPECT_EQ(document({}, {}), R"({"events":[],"data_version":2})");
}

TEST(JsonWriter, TheExampleOfTheFormat) {
  const auto e =
      make_event(NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC, NRT_SYS_TRACE_EVENT_PHASE_START,
                 to_data(event::DeviceExec::Start{
                     .device_core_idx = 1, .exec_id = 3, .sync = {.nc_timestamp_ns = 123}}));
  const std::int32_t gid = 0;
  EXPECT_EQ(document({.worker_gids = {&gid, 1}}, {e}),
            R"({"events":[{"event_type":"nc_exec_running","phase":"start","id":7,"nc_idx":0,)"
            R"("nc_local_id":7,"tracking_id":7,"thread_id":4242,"worker_gid":0,)"
            R"("data":{"device_core_idx":1,"exec_id":3,"nc_timestamp_ns":123},)"
            R"("timestamp_ns":1700000000000000000}],"data_version":2})");
}

TEST(JsonWriter, EveryTypeAndPhaseIsByteExact) {
  const JsonContext context{.worker_gids = kGids};
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::string all(kBefore);
  std::vector<nrt_sys_trace_event_t> events;
  for (const auto& [e, json] : test::golden_events()) {
    EXPECT_EQ(text_of(e, context), json);
    seen.emplace(e.trace_type, e.phase);
    if (!events.empty()) all += ',';
    all += json;
    events.push_back(e);
  }
  EXPECT_EQ(seen.size(), 46u * 3);
  EXPECT_EQ(document(context, events), all + std::string(kAfter));
}

TEST(JsonWriter, UnknownTypesAndPhasesHaveNoKeys) {
  const auto payload = to_data(event::TensorRead::Start{.tensor_id = 1, .size = 2});
  for (const std::uint32_t type : {46u, 47u, 0x80000000u, 0xFFFFFFFFu}) {
    const std::string text = text_of(make_event(type, 0, payload), {});
    EXPECT_TRUE(text.starts_with(R"({"event_type":"unknown","phase":"start","id":7,)")) << text;
    EXPECT_NE(text.find(R"("worker_gid":-1,"data":{},"timestamp_ns":1700000000000000000})"),
              std::string::npos)
        << text;
  }
  for (const std::uint32_t phase : {3u, 4u, 0x80000000u, 0xFFFFFFFFu}) {
    const std::string text =
        text_of(make_event(NRT_SYS_TRACE_EVENT_TYPE_TENSOR_READ, phase, payload), {});
    EXPECT_TRUE(text.starts_with(R"({"event_type":"nrt_tensor_read","phase":"unknown",)")) << text;
    EXPECT_NE(text.find(R"("data":{},)"), std::string::npos) << text;
  }
}

TEST(JsonWriter, UnknownPhasesAreWarnedAboutOnceForAllOfThem) {
  test::CapturedLog captured;
  JsonWriter writer({});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(writer.event(make_event(3, 3)));
  ASSERT_TRUE(writer.event(make_event(3, 0)));
  EXPECT_TRUE(captured.lines().empty());
  (void)writer.finish();
  ASSERT_EQ(captured.lines().size(), 1u);
  EXPECT_EQ(captured.lines()[0].first, 2);
  EXPECT_TRUE(captured.lines()[0].second.starts_with("5 events")) << captured.lines()[0].second;
}

TEST(JsonWriter, WorkerGidIsMinusOneForCoresThatAreNotVisible) {
  auto e = make_event(0, 2);
  for (const auto& [core, gid] : std::map<std::uint32_t, std::string>{
           {0, "1000"}, {3, "1003"}, {4, "-1"}, {255, "-1"}, {0xFFFFFFFF, "-1"}}) {
    e.nc_idx = core;
    EXPECT_NE(text_of(e, {.worker_gids = kGids}).find("\"worker_gid\":" + gid + ","),
              std::string::npos);
  }
  const std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  e.nc_idx = 0;
  EXPECT_NE(text_of(e, {.worker_gids = {&lowest, 1}}).find("\"worker_gid\":-2147483648,"),
            std::string::npos);
}

TEST(JsonWriter, SequenceOfAsynchronousRequestsOnlyWhenSet) {
  auto e = make_event(3, 0);
  e.nrta_seq_id = 5;
  EXPECT_EQ(text_of(e, {}).find("nrta_seq_id"), std::string::npos);
  // Any byte but 0 sets it: records may come out of another process's memory.
  e.has_nrta_seq_id = 0x80;
  EXPECT_TRUE(text_of(e, {}).ends_with(R"("timestamp_ns":1700000000000000000,"nrta_seq_id":5})"));
}

TEST(JsonWriter, HostTimeOfDeviceEventsComesFromTheirPair) {
  const trace::payload::Sync pair{.nc_timestamp_ns = 11, .cpu_timestamp_ns = 22};
  const trace::payload::Sync device_only{.nc_timestamp_ns = 11};
  const auto time_of = [](std::uint32_t type, std::uint32_t phase, const auto& payload) {
    const std::string text = text_of(make_event(type, phase, to_data(payload)), {});
    EXPECT_NE(text.find("\"nc_timestamp_ns\":11"), std::string::npos) << text;
    return text.substr(text.rfind(':') + 1);
  };
  const auto start = NRT_SYS_TRACE_EVENT_PHASE_START;
  const auto stop = NRT_SYS_TRACE_EVENT_PHASE_STOP;
  const auto instant = NRT_SYS_TRACE_EVENT_PHASE_INSTANT;
  const std::string recorded = "1700000000000000000}";
  EXPECT_EQ(time_of(6, start, event::CcExecBarrier::Start{.sync = pair}), "22}");
  EXPECT_EQ(time_of(7, start, event::DeviceExec::Start{.sync = pair}), "22}");
  EXPECT_EQ(time_of(8, start, event::CcExec::Start{.sync = pair}), "22}");
  EXPECT_EQ(time_of(13, instant, event::NumErr::Instant{.sync = pair}), "22}");
  EXPECT_EQ(time_of(24, instant, event::HwNotify::Instant{.sync = pair}), "22}");
  EXPECT_EQ(time_of(25, instant,
                    event::TimestampSync::Instant{.nc_timestamp_ns = 11, .cpu_timestamp_ns = 22}),
            "22}");
  EXPECT_EQ(time_of(26, start, event::NcModelSwitch::Start{.sync = pair}), "22}");
  for (const std::uint32_t type : {6u, 7u, 8u, 26u}) {
    EXPECT_EQ(time_of(type, stop, trace::payload::DeviceTime{.sync = pair}), "22}");
    EXPECT_EQ(time_of(type, stop, trace::payload::DeviceTime{.sync = device_only}), recorded);
  }
  EXPECT_EQ(time_of(7, start, event::DeviceExec::Start{.sync = device_only}), recorded);
  EXPECT_EQ(time_of(25, instant, event::TimestampSync::Instant{.nc_timestamp_ns = 11}), recorded);
}

TEST(JsonWriter, AlgorithmZeroIsShownOnlyWhenAsked) {
  const auto exec = [](std::uint32_t algo) {
    return make_event(
        NRT_SYS_TRACE_EVENT_TYPE_CC_EXEC, NRT_SYS_TRACE_EVENT_PHASE_START,
        to_data(event::CcExec::Start{.gid = 1, .op_id = 2, .exec_id = 3, .algo = algo}));
  };
  const JsonContext asked{.include_default_algorithm = true};
  const std::string plain = R"({"gid":1,"op_id":2,"nc_timestamp_ns":0,"exec_id":3)";
  EXPECT_EQ(data_of(exec(0), {}), plain + "}");
  EXPECT_EQ(data_of(exec(0), asked), plain + R"(,"algorithm":"Ring"})");
  const char* names[] = {"Hier",      "Mesh",
                         "Kangaring", "Invalid",
                         "RDH",       "Single Step Mesh",
                         "RDH",       "UltraServer Mesh",
                         "Mesh",      "Bw Optimal Mesh",
                         "Invalid"};
  std::uint32_t algo = 1;
  for (const char* name : names) {
    const std::string expected = plain + R"(,"algorithm":")" + name + "\"}";
    EXPECT_EQ(data_of(exec(algo), {}), expected);
    EXPECT_EQ(data_of(exec(algo), asked), expected);
    ++algo;
  }
  EXPECT_EQ(data_of(exec(0xFFFFFFFF), {}), plain + R"(,"algorithm":"Invalid"})");
}

TEST(JsonWriter, ModelOfDeviceEventsIsLeftOutWhenNotKnown) {
  const auto exec = [](std::uint64_t model) {
    return make_event(NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC, NRT_SYS_TRACE_EVENT_PHASE_START,
                      to_data(event::DeviceExec::Start{.model_id = model}));
  };
  EXPECT_EQ(data_of(exec(0), {}), R"({"device_core_idx":0,"exec_id":0,"nc_timestamp_ns":0})");
  EXPECT_EQ(data_of(exec(9), {}),
            R"({"device_core_idx":0,"exec_id":0,"nc_timestamp_ns":0,"model_id":9})");
}

TEST(JsonWriter, NamesOfModelsComeLast) {
  StringShard names;
  names.add(9, "bert");
  names.add(0, "nothing");
  const JsonContext context{.names = &names};
  const auto switch_to = [](std::uint64_t model) {
    return make_event(NRT_SYS_TRACE_EVENT_TYPE_NC_MODEL_SWITCH, NRT_SYS_TRACE_EVENT_PHASE_START,
                      to_data(event::NcModelSwitch::Start{.model_id = model, .exec_id = 2}));
  };
  EXPECT_EQ(data_of(switch_to(9), context),
            R"({"device_core_idx":0,"model_id":9,"exec_id":2,"nc_timestamp_ns":0,)"
            R"("model_name":"bert"})");
  EXPECT_EQ(data_of(switch_to(0), context),
            R"({"device_core_idx":0,"model_id":0,"exec_id":2,"nc_timestamp_ns":0,)"
            R"("model_name":"nothing"})");
  EXPECT_EQ(data_of(switch_to(8), context),
            R"({"device_core_idx":0,"model_id":8,"exec_id":2,"nc_timestamp_ns":0})");
  // No key model_id was written, so there is no model to name.
  EXPECT_EQ(data_of(make_event(NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC, 0,
                               to_data(event::DeviceExec::Start{})),
                    context),
            R"({"device_core_idx":0,"exec_id":0,"nc_timestamp_ns":0})");
  // Tensors have names of their own kind.
  EXPECT_EQ(data_of(make_event(NRT_SYS_TRACE_EVENT_TYPE_TENSOR_READ, 0,
                               to_data(event::TensorRead::Start{.tensor_id = 9})),
                    context),
            R"({"tensor_id":9,"size":0})");
}

TEST(JsonWriter, NamesAreEscaped) {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all += static_cast<char>(c);
  all += "h\xC3\xA9llo \xE2\x82\xAC \xF0\x9F\x98\x80";
  StringShard names;
  names.add(1, all);
  names.add(2, std::string(3'000'000, '\x01'));
  const JsonContext context{.names = &names};
  const auto load = [](std::uint64_t model) {
    return make_event(NRT_SYS_TRACE_EVENT_TYPE_MODEL_LOAD, NRT_SYS_TRACE_EVENT_PHASE_STOP,
                      to_data(event::ModelLoad::Stop{.model_id = model}));
  };
  const std::string text = text_of(load(1), context);
  const std::string expected =
      R"("data":{"model_id":1,"model_name":"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n)"
      R"(\u000b\f\r\u000e\u000f\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a)"
      R"(\u001b\u001c\u001d\u001e\u001f !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ)"
      "[\\\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7F"
      "h\xC3\xA9llo \xE2\x82\xAC \xF0\x9F\x98\x80\"}";
  EXPECT_NE(text.find(expected), std::string::npos) << text;

  // A name may be larger than any other part of the document.
  simdjson::dom::parser parser;
  const std::string large = document(context, {load(1), load(2), load(1)});
  const simdjson::dom::element parsed = parser.parse(large);
  EXPECT_EQ(std::string_view(parsed.at_pointer("/events/0/data/model_name")), all);
  EXPECT_EQ(std::string_view(parsed.at_pointer("/events/1/data/model_name")), *names.find(2));
  EXPECT_EQ(std::string_view(parsed.at_pointer("/events/2/data/model_name")), all);
}

std::uint64_t random_value(std::mt19937_64& random) {
  switch (random() % 6) {
    case 0:
      return 0;
    case 1:
      return std::numeric_limits<std::uint64_t>::max();
    case 2:
      return std::uint64_t{1} << random() % 64;
    case 3:
      return random() % 32;
    default:
      return random() >> random() % 64;
  }
}

TEST(JsonWriter, RandomRecordsComeBackThroughAParser) {
  std::mt19937_64 random(20261130);
  StringShard names;
  for (std::uint64_t id = 0; id < 32; id += 2) names.add(id, "model \"" + std::to_string(id) + '"');
  const JsonContext context{.worker_gids = kGids, .names = &names};
  std::vector<nrt_sys_trace_event_t> events(20'000);
  for (auto& e : events) {
    for (auto* field :
         {&e.thread_id, &e.id, &e.nc_local_id, &e.tracking_id, &e.timestamp_ns, &e.nrta_seq_id})
      *field = random_value(random);
    for (auto& word : e.data.words) word = random_value(random);
    e.trace_type = random() % 50 == 0 ? static_cast<std::uint32_t>(random()) : random() % 47;
    e.phase = random() % 50 == 0 ? static_cast<std::uint32_t>(random()) : random() % 4;
    e.nc_idx = random() % 8;
    e.has_nrta_seq_id = static_cast<std::uint8_t>(random() % 3);
  }
  const std::string text = document(context, events);
  simdjson::dom::parser parser;
  const simdjson::dom::element parsed = parser.parse(text);
  EXPECT_EQ(std::uint64_t{parsed["data_version"]}, 2u);
  const simdjson::dom::array list = parsed["events"];
  std::size_t n = 0;
  for (const simdjson::dom::element shown : list) {
    SCOPED_TRACE(n);
    ASSERT_LT(n, events.size());
    const auto& e = events[n++];
    test::expect_same(shown, e, names);
    EXPECT_EQ(std::uint64_t{shown["thread_id"]}, e.thread_id);
    EXPECT_EQ(std::int64_t{shown["worker_gid"]}, e.nc_idx < 4 ? 1000 + std::int64_t{e.nc_idx} : -1);
    EXPECT_EQ(std::uint64_t{shown["timestamp_ns"]}, host_time_ns(e));
  }
  EXPECT_EQ(n, events.size());
}

TEST(JsonWriter, NeverHoldsAMegabyteMoreThanTheText) {
  auto e = make_event(NRT_SYS_TRACE_EVENT_TYPE_DMA_MEM_ALLOC, NRT_SYS_TRACE_EVENT_PHASE_STOP);
  for (auto& word : e.data.words) word = std::numeric_limits<std::uint64_t>::max();
  JsonWriter writer({});
  std::size_t largest = 0;
  for (int i = 0; i < 50'000; ++i) {
    ASSERT_TRUE(writer.event(e));
    ASSERT_LE(writer.capacity(), writer.size() + JsonWriter::kSlack);
    largest = std::max(largest, writer.capacity() - writer.size());
  }
  EXPECT_GT(writer.size(), 16u << 20);
  EXPECT_GT(largest, 0u);
  const JsonBuffer buffer = writer.finish();
  EXPECT_EQ(std::strlen(buffer.text.get()), buffer.size);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Sanitizers need the address space for themselves.
[[noreturn]] void write_until_memory_ends() {
  const auto e = make_event(3, 0);
  const rlimit little{std::size_t{96} << 20, std::size_t{96} << 20};
  if (::setrlimit(RLIMIT_AS, &little) != 0) std::_Exit(2);
  JsonWriter writer({});
  std::size_t written = 0;
  while (writer.event(e)) ++written;
  // It stays so.
  if (writer.event(e) || writer.event(e)) std::_Exit(3);
  const JsonBuffer buffer = writer.finish();
  std::_Exit(written > 1000 && buffer.text == nullptr && buffer.size == 0 ? 0 : 4);
}

TEST(JsonWriterDeathTest, SaysWhenThereIsNoMemory) {
  EXPECT_EXIT(write_until_memory_ends(), testing::ExitedWithCode(0), "");
}
#endif

TEST(JsonWriter, WritersOfSeveralThreadsDoNotMeet) {
  const auto golden = test::golden_events();
  const JsonContext context{.worker_gids = kGids};
  std::array<std::string, 4> texts;
  {
    std::vector<std::jthread> threads;
    for (std::string& text : texts) {
      threads.emplace_back([&] {
        JsonWriter writer(context);
        for (const auto& [e, json] : golden) (void)writer.event(e);
        const JsonBuffer buffer = writer.finish();
        text.assign(buffer.text.get(), buffer.size);
      });
    }
  }
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
  EXPECT_GT(texts[0].size(), 10'000u);
}

}  // namespace
}  // namespace ndtel::systrace
