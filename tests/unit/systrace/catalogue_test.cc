// SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>
#include <string>

#include "ndtel/trace_events.hpp"

namespace ndtel::systrace {
namespace {

std::size_t width(Storage storage) {
  switch (storage) {
    case Storage::kU8:
    case Storage::kBool:
      return 1;
    case Storage::kU16:
      return 2;
    case Storage::kU32:
    case Storage::kI32:
      return 4;
    case Storage::kU64:
      return 8;
  }
  return 0;
}

TEST(Catalogue, EveryNameAndEveryAliasMeansOneType) {
  std::map<std::string, std::uint32_t> meaning;
  for (const EventType& type : event_types()) {
    EXPECT_EQ(event_type_name(type.type), type.name);
    for (const char* name : {type.name, type.alias}) {
      const auto [known, is_new] = meaning.emplace(name, type.type);
      EXPECT_EQ(known->second, type.type) << name;
      EXPECT_EQ(find_event_type(name), type.type);
    }
    EXPECT_EQ(&event_types()[type.type], &type);
  }
}

TEST(Catalogue, NamesAreMatchedExactly) {
  EXPECT_EQ(find_event_type("nc_exec_running"), NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC);
  EXPECT_EQ(find_event_type("device_exec"), NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC);
  EXPECT_EQ(find_event_type("runtime_execute"), NRT_SYS_TRACE_EVENT_TYPE_RUNTIME_EXECUTE);
  EXPECT_EQ(find_event_type("kmgr_exec"), NRT_SYS_TRACE_EVENT_TYPE_RUNTIME_EXECUTE);
  for (const char* wrong : {"", "NC_EXEC_RUNNING", "nc_exec_runnin", "nc_exec_running ", "unknown",
                            " nc_exec_running", "DEVICE_EXEC", "count", "hardware", "0"})
    EXPECT_EQ(find_event_type(wrong), std::nullopt) << wrong;
}

TEST(Catalogue, CategoriesFollowTheMask) {
  const std::set<std::uint32_t> hardware = {6, 7, 8, 13, 24, 25, 26};
  for (std::uint32_t type = 0; type < NRT_SYS_TRACE_EVENT_TYPE_COUNT; ++type) {
    EXPECT_EQ(event_category(type), hardware.contains(type) ? NRT_SYS_TRACE_EVENT_CATEGORY_HARDWARE
                                                            : NRT_SYS_TRACE_EVENT_CATEGORY_SOFTWARE)
        << type;
  }
  for (const std::uint32_t type : {46u, 64u, 0xFFFFFFFFu})
    EXPECT_EQ(event_category(type), NRT_SYS_TRACE_EVENT_CATEGORY_UNKNOWN);
}

TEST(Catalogue, OnlyDeviceEventsShowDeviceTime) {
  for (const EventType& type : event_types()) {
    bool shows = false;
    for (const auto keys : type.keys)
      for (const Key& key : keys) shows |= key.rule == Rule::kDeviceTime;
    EXPECT_EQ(shows, event_category(type.type) == NRT_SYS_TRACE_EVENT_CATEGORY_HARDWARE)
        << type.name;
  }
}

TEST(Catalogue, KeysLieInThePayloadAndDoNotOverlap) {
  for (const EventType& type : event_types()) {
    for (const auto keys : type.keys) {
      std::set<std::size_t> taken;
      std::set<std::string> names;
      for (const Key& key : keys) {
        SCOPED_TRACE(std::string(type.name) + "." + key.name);
        EXPECT_TRUE(names.insert(key.name).second);
        // The host time beside a device time is read, too, and has a key of its own at most.
        const std::size_t all =
            key.rule == Rule::kDeviceTime ? 2 * width(key.storage) : width(key.storage);
        EXPECT_LE(key.offset + all, sizeof(nrt_sys_trace_event_data_t));
        EXPECT_EQ(key.offset % width(key.storage), 0u);
        for (std::size_t byte = 0; byte < width(key.storage); ++byte)
          EXPECT_TRUE(taken.insert(key.offset + byte).second);
      }
    }
  }
}

template <typename Payload>
std::size_t bytes() {
  return std::is_empty_v<Payload> ? 0 : sizeof(Payload);
}

// What is beyond the payload of a phase must not be shown.
TEST(Catalogue, KeysStayWithinTheTypedPayloads) {
  std::uint32_t next = 0;
  trace::event::for_each_type([&next]<typename Event>() {
    SCOPED_TRACE(event_type_name(Event::kType));
    EXPECT_EQ(Event::kType, next++);
    const std::size_t sizes[] = {bytes<typename Event::Start>(), bytes<typename Event::Stop>(),
                                 bytes<typename Event::Instant>()};
    for (std::uint32_t phase = 0; phase < NRT_SYS_TRACE_EVENT_PHASE_COUNT; ++phase) {
      const auto keys = payload_keys(Event::kType, phase);
      EXPECT_EQ(keys.empty(), sizes[phase] == 0) << phase;
      for (const Key& key : keys)
        EXPECT_LE(key.offset + width(key.storage), sizes[phase]) << key.name;
    }
  });
  EXPECT_EQ(next, NRT_SYS_TRACE_EVENT_TYPE_COUNT);
}

TEST(Catalogue, NumbersWithoutANameHaveOne) {
  EXPECT_EQ(event_type_name(46), "unknown");
  EXPECT_EQ(event_type_name(0xFFFFFFFF), "unknown");
  EXPECT_EQ(phase_name(3), "unknown");
  EXPECT_EQ(usage_type_name(0), "Generic");
  EXPECT_EQ(usage_type_name(17), "XT CC");
  EXPECT_EQ(usage_type_name(21), "DMA Rings Collectives");
  EXPECT_EQ(usage_type_name(22), "UNKNOWN");
  EXPECT_EQ(usage_type_name(~std::uint64_t{0}), "UNKNOWN");
  EXPECT_EQ(mem_type_name(2), "TONGA_DRAM");
  EXPECT_EQ(mem_type_name(3), "UNKNOWN");
  EXPECT_EQ(algorithm_name(10), "Bw Optimal Mesh");
  EXPECT_EQ(algorithm_name(11), "Invalid");
  EXPECT_TRUE(payload_keys(46, 0).empty());
  EXPECT_TRUE(payload_keys(3, 3).empty());
  EXPECT_TRUE(payload_keys(0xFFFFFFFF, 0xFFFFFFFF).empty());
}

TEST(TraceEvents, PayloadsGoIntoRecordsAndComeBack) {
  nrt_sys_trace_event_t record{};
  record.trace_type = NRT_SYS_TRACE_EVENT_TYPE_HW_NOTIFY;
  record.phase = NRT_SYS_TRACE_EVENT_PHASE_INSTANT;
  record.data = trace::to_data(trace::event::HwNotify::Instant{
      .device_core_idx = 1, .hint = 2, .custom_data = 3, .exec_id = 4, .sync = {5, 6}});
  EXPECT_EQ(record.data.hw_notify.device_core_idx, 1u);
  EXPECT_EQ(record.data.hw_notify.hint, 2u);
  EXPECT_EQ(record.data.hw_notify.custom_data, 3u);
  EXPECT_EQ(record.data.hw_notify.exec_id, 4u);
  EXPECT_EQ(record.data.hw_notify.sync.nc_timestamp_ns, 5u);
  EXPECT_EQ(record.data.hw_notify.sync.cpu_timestamp_ns, 6u);

  const auto back = trace::instant_of<trace::event::HwNotify>(record);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->custom_data, 3u);
  EXPECT_FALSE(trace::start_of<trace::event::HwNotify>(record));
  EXPECT_FALSE(trace::stop_of<trace::event::HwNotify>(record));
  EXPECT_FALSE(trace::instant_of<trace::event::NumErr>(record));

  const auto nothing = trace::to_data(trace::event::Generic::Start{});
  for (const std::uint64_t word : nothing.words) EXPECT_EQ(word, 0u);
}

}  // namespace
}  // namespace ndtel::systrace
