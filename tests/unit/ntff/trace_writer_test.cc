// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>

#include "captured_log.hpp"
#include "files.hpp"
#include "full_disk.hpp"
#include "host_trace.hpp"
#include "neuron_trace.pb.h"

namespace ndtel::ntff {
namespace {

using Names = std::map<std::uint64_t, std::string>;

const systrace::StringShard& no_names() {
  static const systrace::StringShard none;
  return none;
}

nrt_sys_trace_event_t numbered(std::uint64_t i) {
  nrt_sys_trace_event_t event{};
  event.trace_type = NRT_SYS_TRACE_EVENT_TYPE_TENSOR_READ;
  event.nc_idx = i % 4;
  event.id = i;
  event.tracking_id = i;
  event.timestamp_ns = 1'700'000'000'000'000'000 + i;
  event.data.exec_tensor_read = {i, i * i};
  return event;
}

::ntff::ntrace_info parse(const std::string& path) {
  ::ntff::ntrace_info info;
  EXPECT_TRUE(info.ParseFromString(test::read_file(path))) << path;
  EXPECT_TRUE(info.GetReflection()->GetUnknownFields(info).empty());
  return info;
}

Names names_in(const ::ntff::ntrace_info& info) {
  Names all;
  for (const auto& db : info.interned_data()) {
    EXPECT_EQ(db.data_type(), "strings");
    for (const auto& [id, name] : db.id_map()) all[id] = name;
  }
  return all;
}

// Ids of the events of all files, in the order of the files; each file is what it is said to be.
std::vector<std::uint64_t> ids_in(const test::TemporaryDirectory& directory,
                                  const std::vector<DataFile>& files) {
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(files[i].name, i == 0 ? "ntrace.pb" : "ntrace_" + std::to_string(i) + ".pb");
    EXPECT_EQ(files[i].kind, DataKind::kNtrace);
    EXPECT_EQ(files[i].bytes, std::filesystem::file_size(directory / files[i].name));
    const auto info = parse(directory / files[i].name);
    EXPECT_EQ(info.data_version(), kDataVersion);
    EXPECT_EQ(files[i].messages, static_cast<std::uint64_t>(info.events_size()));
    for (const auto& event : info.events()) ids.push_back(event.id());
  }
  return ids;
}

std::vector<std::uint64_t> up_to(std::uint64_t count) {
  std::vector<std::uint64_t> ids(count);
  for (std::uint64_t i = 0; i < count; ++i) ids[i] = i;
  return ids;
}

TEST(TraceWriter, WritesOneFileWithEverything) {
  test::TemporaryDirectory directory;
  systrace::StringShard names;
  names.add(3, "three");
  names.add(2, "");
  TraceWriter writer(directory.path(), {});
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(writer.add(numbered(i)));
  EXPECT_TRUE(writer.files().empty());
  ASSERT_TRUE(writer.cut(names));
  EXPECT_EQ(directory.list(), std::vector<std::string>{"ntrace.pb"});
  EXPECT_EQ(ids_in(directory, writer.files()), up_to(1000));
  EXPECT_EQ(writer.tally().events, 1000u);
  EXPECT_EQ(writer.tally().unplaced, 0u);
  EXPECT_EQ(names_in(parse(directory / "ntrace.pb")),
            (Names{{0, "Invalid interned string"}, {2, ""}, {3, "three"}}));
}

TEST(TraceWriter, AFileIsWhatAParserWritesInAFixedOrder) {
  test::TemporaryDirectory directory;
  systrace::StringShard names;
  for (std::uint64_t id = 1; id < 50; ++id) names.add(id * 7919 % 51, std::string(id, 'n'));
  TraceWriter writer(directory.path(), {.names = &names});
  for (std::uint64_t i = 0; i < 300; ++i) {
    auto event = numbered(i);
    event.trace_type = i % NRT_SYS_TRACE_EVENT_TYPE_COUNT;
    event.phase = i % 3;
    ASSERT_TRUE(writer.add(event));
  }
  ASSERT_TRUE(writer.cut(names));
  std::string again;
  {
    google::protobuf::io::StringOutputStream out(&again);
    google::protobuf::io::CodedOutputStream coded(&out);
    coded.SetSerializationDeterministic(true);
    parse(directory / "ntrace.pb").SerializeToCodedStream(&coded);
  }
  EXPECT_EQ(again, test::read_file(directory / "ntrace.pb"));
}

TEST(TraceWriter, TheFirstFileIsWrittenWithoutEvents) {
  test::TemporaryDirectory directory;
  TraceWriter writer(directory.path(), {});
  ASSERT_TRUE(writer.cut(no_names()));
  EXPECT_EQ(ids_in(directory, writer.files()), up_to(0));
  EXPECT_EQ(names_in(parse(directory / "ntrace.pb")), (Names{{0, "Invalid interned string"}}));
  ASSERT_TRUE(writer.cut(no_names()));
  EXPECT_EQ(writer.files().size(), 1u);
}

TEST(TraceWriter, EachCutEndsAPart) {
  test::TemporaryDirectory directory;
  TraceWriter writer(directory.path(), {});
  for (std::uint64_t i = 0; i < 30; ++i) {
    ASSERT_TRUE(writer.add(numbered(i)));
    if (i % 10 == 9) {
      ASSERT_TRUE(writer.cut(no_names()));
      ASSERT_TRUE(writer.cut(no_names()));
    }
  }
  EXPECT_EQ(writer.files().size(), 3u);
  EXPECT_EQ(ids_in(directory, writer.files()), up_to(30));
}

TEST(TraceWriter, PartsEndBeforeTheyAreTooLarge) {
  for (const std::uint64_t part_bytes : {1u, 100u, 1000u, 4096u, 100'000u}) {
    test::TemporaryDirectory directory;
    systrace::StringShard names;
    for (std::uint64_t id = 1; id <= 20; ++id) names.add(id, "name " + std::to_string(id));
    TraceWriter writer(directory.path(), {.names = &names}, {.part_bytes = part_bytes});
    const std::uint64_t count = part_bytes < 1000 ? 50 : 3000;
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(writer.add(numbered(i)));
    ASSERT_TRUE(writer.cut(names));
    EXPECT_EQ(ids_in(directory, writer.files()), up_to(count));
    Names seen;
    for (const auto& file : writer.files()) {
      // One event and one name are written whatever the limit is.
      if (part_bytes >= 1000) {
        EXPECT_LE(file.bytes, part_bytes);
      } else {
        EXPECT_LE(file.messages, 1u);
      }
      seen.merge(names_in(parse(directory / file.name)));
    }
    EXPECT_EQ(seen.size(), 21u);
    EXPECT_GT(writer.files().size(), part_bytes == 100'000 ? 2u : 10u);
  }
}

TEST(TraceWriter, FullPartsHaveTheNamesThatAreKnown) {
  test::TemporaryDirectory directory;
  systrace::StringShard names;
  names.add(1, "one");
  TraceWriter writer(directory.path(), {.names = &names}, {.part_bytes = 20'000});
  for (std::uint64_t i = 0; i < 1000; ++i) {
    if (i == 500) names.add(2, "two");
    ASSERT_TRUE(writer.add(numbered(i)));
  }
  ASSERT_TRUE(writer.cut(names));
  EXPECT_EQ(ids_in(directory, writer.files()), up_to(1000));
  const Names first = {{0, "Invalid interned string"}, {1, "one"}};
  EXPECT_EQ(names_in(parse(directory / "ntrace.pb")), first);
  EXPECT_EQ(names_in(parse(directory / writer.files().back().name)).at(2), "two");
}

TEST(TraceWriter, ManyNamesAreSplit) {
  test::TemporaryDirectory directory;
  systrace::StringShard names;
  Names expected = {{0, "Invalid interned string"}};
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    const std::string name(i == 777 ? 2'000'000 : i % 300, 'x');
    names.add(i << 30, name);
    expected[i << 30] = name;
  }
  TraceWriter writer(directory.path(), {});
  ASSERT_TRUE(writer.cut(names));
  const auto info = parse(directory / "ntrace.pb");
  EXPECT_GT(info.interned_data_size(), 10);
  for (const auto& db : info.interned_data()) {
    if (db.id_map_size() > 1) {
      EXPECT_LE(db.ByteSizeLong(), std::size_t{1} << 18);
    }
  }
  EXPECT_EQ(names_in(info), expected);
}

TEST(TraceWriter, DelimitedFilesAreEventsAlone) {
  test::TemporaryDirectory directory;
  systrace::StringShard names;
  names.add(1, "one");
  TraceWriter writer(directory.path(), {}, {.framing = Framing::kDelimited});
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(writer.add(numbered(i)));
  ASSERT_TRUE(writer.cut(names));
  const std::string bytes = test::read_file(directory / "ntrace.pb");
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  std::vector<std::uint64_t> ids;
  for (std::uint32_t size = 0; in.ReadVarint32(&size);) {
    const auto limit = in.PushLimit(static_cast<int>(size));
    ::ntff::ntrace_event event;
    ASSERT_TRUE(event.ParseFromCodedStream(&in));
    in.PopLimit(limit);
    ids.push_back(event.id());
  }
  EXPECT_EQ(static_cast<std::size_t>(in.CurrentPosition()), bytes.size());
  EXPECT_EQ(ids, up_to(100));
  EXPECT_EQ(writer.files().at(0).messages, 100u);
}

TEST(TraceWriter, AFullDiskKeepsWhatIsWrittenAndWhatIsNot) {
  test::TemporaryDirectory directory;
  systrace::StringShard names;
  names.add(1, "one");
  TraceWriter writer(directory.path(), {});
  std::uint64_t added = 0;
  {
    const test::FullDisk full(5'000'000);
    Result<void> result;
    while (result) result = writer.add(numbered(added++));
    EXPECT_EQ(result.error().code, EFBIG);
    EXPECT_EQ(writer.tally().events, added);
    // Refused without being kept.
    EXPECT_FALSE(writer.add(numbered(added)));
    EXPECT_EQ(writer.tally().events, added);
    EXPECT_TRUE(writer.files().empty());

    // What is written becomes a file; the rest does not fit into another.
    const auto cut = writer.cut(names);
    ASSERT_FALSE(cut);
    ASSERT_EQ(writer.files().size(), 1u);
    EXPECT_GT(writer.files()[0].bytes, 4'000'000u);
    const auto ids = ids_in(directory, writer.files());
    EXPECT_EQ(ids, up_to(ids.size()));
    EXPECT_LT(ids.size(), added);
    EXPECT_EQ(directory.list(), std::vector<std::string>{"ntrace.pb"});
  }
  ASSERT_TRUE(writer.cut(names));
  ASSERT_TRUE(writer.add(numbered(added++)));
  ASSERT_TRUE(writer.cut(names));
  EXPECT_EQ(writer.files().size(), 3u);
  EXPECT_EQ(ids_in(directory, writer.files()), up_to(added));
  for (const auto& file : writer.files())
    EXPECT_EQ(names_in(parse(directory / file.name)).at(1), "one");
}

TEST(TraceWriter, WithoutRoomForTheNamesTheEventsStay) {
  test::TemporaryDirectory directory;
  systrace::StringShard names;
  names.add(1, std::string(100'000, 'n'));
  TraceWriter writer(directory.path(), {});
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(writer.add(numbered(i)));
  {
    const test::FullDisk full(50'000);
    ASSERT_FALSE(writer.cut(names));
  }
  EXPECT_EQ(ids_in(directory, writer.files()), up_to(100));
  EXPECT_TRUE(names_in(parse(directory / "ntrace.pb")).size() <= 1);
  ASSERT_TRUE(writer.cut(names));
  ASSERT_EQ(writer.files().size(), 2u);
  EXPECT_EQ(names_in(parse(directory / "ntrace_1.pb")).at(1).size(), 100'000u);
}

TEST(TraceWriter, AFullDiskWhereAPartEndsLosesNothing) {
  systrace::StringShard names;
  names.add(1, std::string(3000, 'n'));
  // Wherever room ends: among the events of a part, in its names, or in the next part.
  for (rlim_t room = 100; room < 9000; room += 700) {
    test::TemporaryDirectory directory;
    TraceWriter writer(directory.path(), {.names = &names}, {.part_bytes = 8192});
    std::uint64_t added = 0;
    {
      const test::FullDisk full(room);
      Result<void> result;
      while (result && added < 200) result = writer.add(numbered(added++));
      (void)writer.cut(names);
    }
    ASSERT_TRUE(writer.cut(names));
    EXPECT_EQ(ids_in(directory, writer.files()), up_to(added)) << room;
    // At most one file has names alone: what was cut off from a part.
    std::size_t without_events = 0;
    for (const auto& file : writer.files()) without_events += file.messages == 0 ? 1 : 0;
    EXPECT_LE(without_events, 1u) << room;
    EXPECT_EQ(directory.list().size(), writer.files().size());
  }
}

TEST(TraceWriter, WithoutADirectoryEverythingIsKept) {
  test::TemporaryDirectory directory;
  const std::string place = directory / "later";
  TraceWriter writer(place, {});
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(writer.add(numbered(i)));
  const auto cut = writer.cut(no_names());
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ENOENT);
  std::filesystem::create_directory(place);
  ASSERT_TRUE(writer.cut(no_names()));
  EXPECT_EQ(parse(place + "/ntrace.pb").events_size(), 100);
}

TEST(TraceWriter, SaysWhatIsLostWithADirectory) {
  test::TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "sub");
  TraceWriter writer(directory / "sub", {});
  for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_TRUE(writer.add(numbered(i)));
  std::filesystem::remove_all(directory / "sub");
  const auto cut = writer.cut(no_names());
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find("20000 events are lost"), std::string::npos)
      << cut.error().message;
  EXPECT_TRUE(writer.files().empty());
}

TEST(TraceWriter, GivenUpItLeavesNothing) {
  test::TemporaryDirectory directory;
  {
    TraceWriter writer(directory.path(), {});
    for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_TRUE(writer.add(numbered(i)));
    EXPECT_EQ(directory.list().size(), 1u);
  }
  EXPECT_TRUE(directory.list().empty());
}

TEST(TraceWriter, PhasesThatNoOneKnowsAreReportedOnce) {
  test::TemporaryDirectory directory;
  systrace::test::CapturedLog log;
  TraceWriter writer(directory.path(), {});
  auto event = numbered(1);
  event.phase = 3;
  ASSERT_TRUE(writer.add(event));
  ASSERT_TRUE(writer.add(event));
  ASSERT_TRUE(writer.cut(no_names()));
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_EQ(log.lines()[0].second.substr(0, 8), "2 events");
}

// ---- device time to host time ----

nrt_sys_trace_event_t sync_point(std::uint32_t core, std::uint64_t exec, std::uint64_t nc,
                                 std::uint64_t cpu) {
  nrt_sys_trace_event_t event{};
  event.trace_type = NRT_SYS_TRACE_EVENT_TYPE_TIMESTAMP_SYNC;
  event.phase = NRT_SYS_TRACE_EVENT_PHASE_INSTANT;
  event.nc_idx = core;
  event.timestamp_ns = 1;
  event.data.timestamp_sync = {exec, nc, cpu};
  return event;
}

nrt_sys_trace_event_t exec_start(std::uint32_t core, std::uint32_t exec, std::uint64_t nc,
                                 std::uint64_t tracking = 0, std::uint64_t cpu = 0) {
  nrt_sys_trace_event_t event{};
  event.trace_type = NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC;
  event.phase = NRT_SYS_TRACE_EVENT_PHASE_START;
  event.nc_idx = core;
  event.tracking_id = tracking;
  event.timestamp_ns = 1;
  event.data.nc_exec_start = {0, exec, {nc, cpu}, 0};
  return event;
}

nrt_sys_trace_event_t exec_stop(std::uint32_t core, std::uint64_t nc, std::uint64_t tracking) {
  nrt_sys_trace_event_t event{};
  event.trace_type = NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC;
  event.phase = NRT_SYS_TRACE_EVENT_PHASE_STOP;
  event.nc_idx = core;
  event.tracking_id = tracking;
  event.timestamp_ns = 1;
  event.data.nc_exec_stop = {{nc, 0}};
  return event;
}

struct Placed {
  std::vector<std::uint64_t> times;
  std::uint64_t unplaced;
};

Placed place(const std::vector<nrt_sys_trace_event_t>& events) {
  test::TemporaryDirectory directory;
  TraceWriter writer(directory.path(), {});
  EXPECT_TRUE(writer.add(events));
  EXPECT_TRUE(writer.cut(no_names()));
  Placed placed{{}, writer.tally().unplaced};
  const auto info = parse(directory / "ntrace.pb");
  EXPECT_EQ(static_cast<std::size_t>(info.events_size()), events.size());
  for (const auto& event : info.events()) placed.times.push_back(event.timestamp());
  return placed;
}

using Times = std::vector<std::uint64_t>;

TEST(DeviceTimes, TheirOwnHostTimeWins) {
  const auto placed =
      place({sync_point(0, 1, 1000, 5000), exec_start(0, 1, 1100, 0, 77), exec_start(0, 1, 1100)});
  EXPECT_EQ(placed.times, (Times{5000, 77, 5100}));
  EXPECT_EQ(placed.unplaced, 0u);
}

TEST(DeviceTimes, ASyncPointMayComeAfterwards) {
  const auto placed =
      place({exec_start(0, 1, 1100), exec_start(0, 1, 900), sync_point(0, 1, 1000, 5000)});
  EXPECT_EQ(placed.times, (Times{5100, 4900, 5000}));
  EXPECT_EQ(placed.unplaced, 0u);
}

TEST(DeviceTimes, TheLastBeforeWinsAndElseTheFirstAfter) {
  const auto placed =
      place({exec_start(0, 1, 1000), sync_point(0, 1, 1000, 5000), sync_point(0, 1, 1000, 6000),
             exec_start(0, 1, 1000), sync_point(0, 1, 1000, 7000)});
  EXPECT_EQ(placed.times, (Times{5000, 5000, 6000, 6000, 7000}));
}

TEST(DeviceTimes, OthersSyncPointsDoNotCount) {
  const auto placed = place({exec_start(0, 1, 1000), sync_point(1, 1, 1000, 5000),
                             sync_point(0, 2, 1000, 6000), exec_start(1, 1, 1001)});
  EXPECT_EQ(placed.times, (Times{1, 5000, 6000, 5001}));
  EXPECT_EQ(placed.unplaced, 1u);
}

TEST(DeviceTimes, TheEndOfASpanIsOfTheExecutionOfItsStart) {
  const auto placed =
      place({exec_start(0, 1, 1000, 70), exec_start(0, 2, 1010, 71), exec_stop(0, 1500, 71),
             exec_stop(0, 1600, 70), sync_point(0, 1, 1000, 5000), sync_point(0, 2, 1000, 9000),
             exec_stop(0, 1700, 99)});
  EXPECT_EQ(placed.times, (Times{5000, 9010, 9500, 5600, 5000, 9000, 1}));
  EXPECT_EQ(placed.unplaced, 1u);
}

// The payload of an end has its time where that of a start has its execution.
TEST(DeviceTimes, AnEndWithoutItsStartIsOfNoExecution) {
  const auto placed = place({sync_point(0, 0, 1000, 5000), exec_stop(0, 1500, 99)});
  EXPECT_EQ(placed.times, (Times{5000, 1}));
  EXPECT_EQ(placed.unplaced, 1u);
}

TEST(DeviceTimes, WhatCannotBeReckonedStaysWhenItWasRecorded) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const auto placed = place(
      {sync_point(0, 1, 1000, 5000), exec_start(0, 1, kMax), sync_point(0, 2, kMax, 5000),
       exec_start(0, 2, 1), sync_point(0, 3, 1, kMax), exec_start(0, 3, 2), exec_start(0, 3, 1),
       exec_start(0, 1, 0), sync_point(0, 4, 1000, 0), exec_start(0, 4, 1000)});
  EXPECT_EQ(placed.times, (Times{5000, 1, 5000, 1, kMax, 1, kMax, 1, 1, 1}));
  EXPECT_EQ(placed.unplaced, 6u);
}

TEST(DeviceTimes, OrderIsKeptAndTheWindowIsBounded) {
  std::vector<nrt_sys_trace_event_t> events;
  events.push_back(exec_start(0, 1, 1000));  // its sync point comes too late
  for (std::uint64_t i = 0; i < 20'000; ++i) events.push_back(numbered(i));
  events.push_back(exec_start(0, 2, 1000));  // its sync point comes in time
  for (std::uint64_t i = 0; i < 10'000; ++i) events.push_back(numbered(i));
  events.push_back(sync_point(0, 1, 1000, 5000));
  events.push_back(sync_point(0, 2, 1000, 6000));
  const auto placed = place(events);
  Times expected;
  for (const auto& event : events) expected.push_back(event.timestamp_ns);
  expected[20'001] = 6000;
  expected[30'002] = 5000;
  expected[30'003] = 6000;
  EXPECT_EQ(placed.times, expected);
  EXPECT_EQ(placed.unplaced, 1u);
}

TEST(DeviceTimes, ManyExecutionsThatWaitAtOnce) {
  std::vector<nrt_sys_trace_event_t> events;
  constexpr std::uint32_t kExecutions = 8000;
  for (std::uint32_t i = 0; i < kExecutions; ++i)
    events.push_back(exec_start(i % 256, i, 1000 + i));
  for (std::uint32_t i = kExecutions; i-- > 0;)
    events.push_back(sync_point(i % 256, i, 1000, 1'000'000 + i));
  const auto placed = place(events);
  EXPECT_EQ(placed.unplaced, 0u);
  for (std::uint32_t i = 0; i < kExecutions; ++i)
    ASSERT_EQ(placed.times[i], 1'000'000u + 2 * i) << i;
}

// ---- memory ----

std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}

// In a process of its own: what other tests held once is not counted.
int write_many(const std::string& directory, std::uint64_t count) {
  const std::uint64_t before = peak_bytes();
  TraceWriter writer(directory, {}, {.part_bytes = 64u << 20});
  for (std::uint64_t i = 0; i < count; ++i) {
    // Events of the device wait, so that the window is full all the time.
    const auto event =
        i % 3 == 0 ? exec_start(i % 4, static_cast<std::uint32_t>(i), i + 1, i) : numbered(i);
    if (!writer.add(event)) return 2;
    // The files are not what is measured.
    static std::size_t removed = 0;
    while (removed + 1 < writer.files().size())
      std::filesystem::remove(directory + "/" + writer.files()[removed++].name);
  }
  if (!writer.cut(no_names())) return 3;
  std::uint64_t messages = 0;
  for (const auto& file : writer.files()) messages += file.messages;
  if (messages != count) return 4;
  const std::uint64_t peak = peak_bytes();
  if (before == 0 || peak < before) return 5;
  return peak - before < (32u << 20) ? 0 : 6;
}

TEST(TraceWriter, MemoryIsBoundedHoweverManyEventsThereAre) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have memory of their own";
#endif
  std::vector<std::uint64_t> counts = {1'000'000};
  if (const char* is_long = std::getenv("NDTEL_TEST_LONG"); is_long != nullptr && *is_long == '1')
    counts = {10'000'000, 50'000'000};
  for (const std::uint64_t count : counts) {
    test::TemporaryDirectory directory;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(write_many(directory.path(), count));
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << count << " events";
  }
}

}  // namespace
}  // namespace ndtel::ntff
