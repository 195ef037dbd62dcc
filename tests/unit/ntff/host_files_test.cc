// SPDX-License-Identifier: Apache-2.0
//
// The small files: series of the host, trace_info.pb and the ntrace ring. And golden files, which
// protoc reads as the text beside them.
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>

#include "files.hpp"
#include "host_trace.hpp"
#include "neuron_trace.pb.h"
#include "wire_walker.hpp"

namespace ndtel::ntff {
namespace {

template <typename Message>
Message parse(const std::string& path) {
  Message message;
  EXPECT_TRUE(message.ParseFromString(test::read_file(path))) << path;
  EXPECT_TRUE(message.GetReflection()->GetUnknownFields(message).empty());
  return message;
}

HostSeries some_series() {
  return {.num_cpus = 3,
          .cpu_name = "Some CPU \xC2\xAE",
          .mem_capacity = 1u << 30,
          .period_s = 0.5f,
          .timestamp_ns = {1'000'000'000, 1'500'000'000},
          .util = {0, 12.5f, 100, 50, -0.0f, 99.9f},
          .usage = {0, 5'000'000'000}};
}

TEST(HostSeriesFiles, LoadsOfCpusComeBack) {
  test::TemporaryDirectory directory;
  const HostSeries series = some_series();
  const auto file = write_cpu_util(directory.path(), series);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->kind, DataKind::kCpuUtil);
  EXPECT_EQ(file->name, "cpu_util.pb");
  EXPECT_EQ(file->messages, 6u);
  EXPECT_EQ(file->bytes, std::filesystem::file_size(directory / "cpu_util.pb"));
  const auto read = parse<::ntff::host_stats>(directory / "cpu_util.pb");
  EXPECT_EQ(read.num_cpus(), 3u);
  EXPECT_EQ(read.cpu_name(), series.cpu_name);
  EXPECT_EQ(read.mem_capacity(), series.mem_capacity);
  EXPECT_EQ(read.sample_period_sec(), 0.5f);
  EXPECT_EQ(read.mem_usage_size(), 0);
  ASSERT_EQ(read.cpu_util_size(), 6);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(read.cpu_util(i).cpu_id(), static_cast<std::uint32_t>(i % 3));
    EXPECT_EQ(read.cpu_util(i).util(), series.util[static_cast<std::size_t>(i)]);
    EXPECT_EQ(read.cpu_util(i).timestamp(), series.timestamp_ns[static_cast<std::size_t>(i / 3)]);
  }
  EXPECT_EQ(read.SerializeAsString(), test::read_file(directory / "cpu_util.pb"));
}

TEST(HostSeriesFiles, SizesOfMemoryComeBack) {
  test::TemporaryDirectory directory;
  HostSeries series = some_series();
  series.usage = {0, std::numeric_limits<std::int64_t>::max()};
  const auto file = write_host_mem(directory.path(), series);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->kind, DataKind::kHostMem);
  EXPECT_EQ(file->messages, 2u);
  const auto read = parse<::ntff::host_stats>(directory / "host_mem.pb");
  EXPECT_EQ(read.cpu_util_size(), 0);
  ASSERT_EQ(read.mem_usage_size(), 2);
  EXPECT_EQ(read.mem_usage(0).usage(), series.usage[0]);
  EXPECT_EQ(read.mem_usage(1).usage(), series.usage[1]);
  EXPECT_EQ(read.mem_usage(1).timestamp(), series.timestamp_ns[1]);
  EXPECT_EQ(read.SerializeAsString(), test::read_file(directory / "host_mem.pb"));
}

TEST(HostSeriesFiles, WhatWasNotSeenHasNoRow) {
  test::TemporaryDirectory directory;
  HostSeries series = some_series();
  series.usage = {-1, 7};
  series.util[1] = std::numeric_limits<float>::quiet_NaN();
  const auto loads = write_cpu_util(directory.path(), series);
  const auto sizes = write_host_mem(directory.path(), series);
  ASSERT_TRUE(loads && sizes);
  EXPECT_EQ(loads->messages, 5u);
  EXPECT_EQ(sizes->messages, 1u);
  const auto read_loads = parse<::ntff::host_stats>(directory / "cpu_util.pb");
  ASSERT_EQ(read_loads.cpu_util_size(), 5);
  EXPECT_EQ(read_loads.cpu_util(1).cpu_id(), 2u);
  const auto read_sizes = parse<::ntff::host_stats>(directory / "host_mem.pb");
  ASSERT_EQ(read_sizes.mem_usage_size(), 1);
  EXPECT_EQ(read_sizes.mem_usage(0).usage(), 7);
}

TEST(HostSeriesFiles, DelimitedTheyAreRowsAlone) {
  test::TemporaryDirectory directory;
  const HostSeries series = some_series();
  ASSERT_TRUE(write_cpu_util(directory.path(), series, Framing::kDelimited));
  ASSERT_TRUE(write_host_mem(directory.path(), series, Framing::kDelimited));
  std::string loads, sizes;
  const auto append = [](std::string* to, const google::protobuf::Message& row) {
    const std::string bytes = row.SerializeAsString();
    to->push_back(static_cast<char>(bytes.size()));  // all are short
    to->append(bytes);
  };
  for (std::size_t i = 0; i < series.util.size(); ++i) {
    ::ntff::cpu_util row;
    row.set_cpu_id(static_cast<std::uint32_t>(i % 3));
    row.set_util(series.util[i]);
    row.set_timestamp(series.timestamp_ns[i / 3]);
    append(&loads, row);
  }
  for (std::size_t i = 0; i < series.usage.size(); ++i) {
    ::ntff::host_mem_usage row;
    row.set_usage(series.usage[i]);
    row.set_timestamp(series.timestamp_ns[i]);
    append(&sizes, row);
  }
  EXPECT_EQ(test::read_file(directory / "cpu_util.pb"), loads);
  EXPECT_EQ(test::read_file(directory / "host_mem.pb"), sizes);
}

TEST(HostSeriesFiles, WithoutTicksThereAreTheScalars) {
  test::TemporaryDirectory directory;
  const HostSeries series{
      .num_cpus = 2, .cpu_name = {}, .timestamp_ns = {}, .util = {}, .usage = {}};
  ASSERT_TRUE(write_cpu_util(directory.path(), series));
  EXPECT_EQ(parse<::ntff::host_stats>(directory / "cpu_util.pb").num_cpus(), 2u);
}

TEST(HostSeriesFiles, LongSeriesPassThroughTheBuffer) {
  test::TemporaryDirectory directory;
  HostSeries series = some_series();
  series.timestamp_ns.assign(10'000, 1'764'547'200'000'000'000);
  series.util.assign(30'000, 1.5f);
  const auto file = write_cpu_util(directory.path(), series);
  ASSERT_TRUE(file);
  EXPECT_EQ(parse<::ntff::host_stats>(directory / "cpu_util.pb").cpu_util_size(), 30'000);
}

TEST(HostSeriesFiles, SeriesThatDoNotFitTheirTicksAreRefused) {
  test::TemporaryDirectory directory;
  HostSeries series = some_series();
  series.util.pop_back();
  series.usage.push_back(1);
  EXPECT_EQ(write_cpu_util(directory.path(), series).error().code, EINVAL);
  EXPECT_EQ(write_host_mem(directory.path(), series).error().code, EINVAL);
  EXPECT_TRUE(directory.list().empty());
}

TraceInfo some_info(const HostSeries* host) {
  TraceInfo info;
  info.arch = 3;
  info.pid = 4242;
  info.session_id = 7;
  info.logical_nc_size = 2;
  info.runtime_version = {2, 31, 24, 0, "detail", "0123abcd"};
  info.start_time_ns = 1'764'547'200'000'000'000;
  info.stop_time_ns = 1'764'547'201'000'000'000;
  info.hbm_capacity_bytes = std::uint64_t{24} << 30;
  info.instance_id = "i-0123456789abcdef0";
  info.instance_type = "trn2.48xlarge";
  info.hostname = "host";
  info.framework = "none";
  info.host = host;
  info.files = {{DataKind::kNtrace, "ntrace.pb", 10, 1000},
                {DataKind::kCpuUtil, "cpu_util.pb", 6, 80},
                {DataKind::kHostMem, "host_mem.pb", 0, 0}};
  info.loss = {{.nc = 0,
                .created = 10,
                .pushed = 9,
                .drained = 8,
                .displaced = 1,
                .in_flight = 1,
                .damaged = 0},
               {.nc = 255, .created = 1, .pushed = 1, .drained = 1, .damaged = 3}};
  info.warnings = {"the first", "the second"};
  return info;
}

TEST(TraceInfoFile, EverythingComesBack) {
  test::TemporaryDirectory directory;
  const HostSeries host = some_series();
  systrace::StringShard names;
  names.add(17, "seventeen");
  ASSERT_TRUE(write_trace_info(directory.path(), some_info(&host), names));
  const auto read = parse<::ntff::ntrace_info>(directory / "trace_info.pb");
  EXPECT_EQ(read.events_size(), 0);
  EXPECT_EQ(read.data_version(), 5u);
  EXPECT_EQ(read.arch(), 3u);
  EXPECT_EQ(read.pid(), 4242u);
  EXPECT_EQ(read.session_id(), 7u);
  EXPECT_EQ(read.logical_nc_size(), 2u);
  EXPECT_EQ(read.neuron_runtime_version().minor(), 31u);
  EXPECT_EQ(read.neuron_runtime_version().git_hash(), "0123abcd");
  EXPECT_EQ(read.host_stats().num_cpus(), 3u);
  EXPECT_EQ(read.host_stats().cpu_util_size(), 0);
  EXPECT_FALSE(read.has_ultraserver());
  EXPECT_EQ(read.instance_id(), "i-0123456789abcdef0");
  EXPECT_EQ(read.instance_type(), "trn2.48xlarge");
  EXPECT_EQ(read.hostname(), "host");
  EXPECT_EQ(read.framework(), "none");
  EXPECT_EQ(read.start_time_ns(), 1'764'547'200'000'000'000u);
  EXPECT_EQ(read.stop_time_ns(), 1'764'547'201'000'000'000u);
  EXPECT_EQ(read.hbm_capacity_bytes(), std::uint64_t{24} << 30);
  ASSERT_EQ(read.collected_profiles_size(), 3);
  EXPECT_EQ(read.collected_profiles(0).name(), "ntrace.pb");
  EXPECT_EQ(read.collected_profiles(0).num_messages(), 10u);
  EXPECT_EQ(read.collected_profiles(0).size(), 1000u);
  EXPECT_EQ(read.collected_profiles(2).type(), 3u);
  constexpr std::uint64_t kNoString = std::uint64_t{1} << 63;
  std::map<std::string, std::map<std::uint64_t, std::string>> dbs;
  for (const auto& db : read.interned_data())
    dbs[db.data_type()].insert(db.id_map().begin(), db.id_map().end());
  EXPECT_EQ(dbs.size(), 3u);
  EXPECT_EQ(dbs["strings"].at(17), "seventeen");
  EXPECT_EQ(dbs["ndtel.loss"].at(kNoString),
            "created=10 pushed=9 drained=8 displaced=1 in_flight=1 damaged=0");
  EXPECT_EQ(dbs["ndtel.loss"].at(kNoString + 255),
            "created=1 pushed=1 drained=1 displaced=0 in_flight=0 damaged=3");
  EXPECT_EQ(dbs["ndtel.warning"].at(kNoString + (std::uint64_t{1} << 32) + 1), "the second");
}

TEST(TraceInfoFile, WhatIsNotKnownIsNotThere) {
  test::TemporaryDirectory directory;
  ASSERT_TRUE(write_trace_info(directory.path(), {}, {}));
  std::vector<std::uint64_t> tags;
  for (const auto& field : test::walk(test::read_file(directory / "trace_info.pb")))
    tags.push_back(field.tag);
  EXPECT_EQ(tags, (std::vector<std::uint64_t>{0x1a, 0x38}));
}

TEST(NtraceFile, EachTypeHasItsPhase) {
  test::TemporaryDirectory directory;
  auto writer = NtraceWriter::create(directory / "ring.pb", 2);
  ASSERT_TRUE(writer);
  for (std::uint32_t type = 0; type < 16; ++type) {
    const std::string hint = type == 9 ? "bad \xff" : "hint " + std::to_string(type);
    ASSERT_TRUE(writer->add({type, 100 + type, std::numeric_limits<std::uint64_t>::max() - type,
                             type, 15 - type, type == 7 ? nullptr : hint.c_str()}));
  }
  EXPECT_NE(directory.list(), std::vector<std::string>{"ring.pb"});
  ASSERT_TRUE(writer->commit());
  const auto read = parse<::ntff::ntrace_info>(directory / "ring.pb");
  EXPECT_EQ(read.arch(), 2u);
  EXPECT_EQ(read.pid(), static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(read.data_version(), 5u);
  EXPECT_EQ(read.interned_data_size(), 0);
  ASSERT_EQ(read.events_size(), 16);
  // INVALID, then starts and ends in turn, then the instants.
  constexpr int kPhases[16] = {3, 1, 2, 1, 2, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3};
  for (std::uint32_t type = 0; type < 16; ++type) {
    const auto& event = read.events(static_cast<int>(type));
    EXPECT_EQ(event.event_type(), type);
    EXPECT_EQ(event.type(), 0u);
    EXPECT_EQ(event.phase(), kPhases[type]) << type;
    EXPECT_EQ(event.timestamp(), 100u + type);
    EXPECT_EQ(event.data(), std::numeric_limits<std::uint64_t>::max() - type);
    EXPECT_EQ(event.nd_idx(), type);
    EXPECT_EQ(event.nc_idx(), 15 - type);
    EXPECT_EQ(event.hint(), type == 7   ? ""
                            : type == 9 ? "bad \xEF\xBF\xBD"
                                        : "hint " + std::to_string(type));
  }
  EXPECT_EQ(read.SerializeAsString(), test::read_file(directory / "ring.pb"));
}

// ---- golden files ----

// One event of each type and phase, for two of three cores with a device of their own.
void write_golden(const std::string& directory) {
  systrace::StringShard names;
  names.add(1001, "bert/fwd");
  names.add(1002, "größe");
  const std::vector<std::int32_t> gids = {10, 11};
  const std::vector<std::uint32_t> devices = {0, 1};
  TraceWriter writer(directory, {.names = &names, .worker_gid = gids, .device = devices});
  for (std::uint32_t type = 0; type < NRT_SYS_TRACE_EVENT_TYPE_COUNT; ++type) {
    for (std::uint32_t phase = 0; phase < NRT_SYS_TRACE_EVENT_PHASE_COUNT; ++phase) {
      nrt_sys_trace_event_t event{};
      event.trace_type = type;
      event.phase = phase;
      event.nc_idx = type % 3;
      event.nc_local_id = type * 3 + phase + 1;
      event.id = event.nc_local_id | std::uint64_t{event.nc_idx} << NRT_SYS_TRACE_ID_BITS;
      event.tracking_id = event.id;
      event.thread_id = 4000 + type;
      event.timestamp_ns = 1'764'547'200'000'000'000 + event.nc_local_id * 1000;
      event.has_nrta_seq_id = type % 5 == 0;
      event.nrta_seq_id = type;
      for (std::uint64_t i = 0; i < 5; ++i) event.data.words[i] = 1000 + i + phase;
      ASSERT_TRUE(writer.add(event));
    }
  }
  ASSERT_TRUE(writer.cut(names));
  HostSeries host = some_series();
  const auto loads = write_cpu_util(directory, host);
  const auto sizes = write_host_mem(directory, host);
  ASSERT_TRUE(loads && sizes);
  TraceInfo info = some_info(&host);
  info.files = writer.files();
  info.files.push_back(*loads);
  info.files.push_back(*sizes);
  ASSERT_TRUE(write_trace_info(directory, info, names));
}

constexpr std::pair<const char*, const char*> kGolden[] = {{"ntrace", "ntff.ntrace_info"},
                                                           {"trace_info", "ntff.ntrace_info"},
                                                           {"cpu_util", "ntff.host_stats"},
                                                           {"host_mem", "ntff.host_stats"}};

// With NDTEL_WRITE_GOLDEN=DIR this writes the files that are compared here, to look at them and to
// put them there.
TEST(GoldenFiles, TheSameInputGivesTheSameBytes) {
  if (const char* to = std::getenv("NDTEL_WRITE_GOLDEN"); to != nullptr) {
    write_golden(to);
    GTEST_SKIP() << "wrote " << to;
  }
  test::TemporaryDirectory directory;
  write_golden(directory.path());
  for (const auto& [name, root] : kGolden) {
    EXPECT_EQ(test::read_file(directory / (name + std::string(".pb"))),
              test::read_file(NDTEL_TEST_DATA "/ntff/" + std::string(name) + ".pb"))
        << name;
  }
}

std::string decoded(const std::string& path, const std::string& root) {
  const std::string command = "'" NDTEL_PROTOC "' --proto_path='" NDTEL_PROTO "' --decode=" + root +
                              " '" NDTEL_PROTO "/neuron_trace.proto' < '" + path + "'";
  FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return text;
}

TEST(GoldenFiles, ProtocReadsWhatTheClassesRead) {
  for (const auto& [name, root] : kGolden) {
    const std::string path = NDTEL_TEST_DATA "/ntff/" + std::string(name) + ".pb";
    const std::string text = decoded(path, root);
    EXPECT_GT(text.size(), 100u);
    std::string expected;
    if (root == std::string("ntff.host_stats")) {
      google::protobuf::TextFormat::PrintToString(parse<::ntff::host_stats>(path), &expected);
    } else {
      google::protobuf::TextFormat::PrintToString(parse<::ntff::ntrace_info>(path), &expected);
    }
    EXPECT_EQ(text, expected);
  }
}

}  // namespace
}  // namespace ndtel::ntff
