// SPDX-License-Identifier: Apache-2.0
//
// Both framings, whole and damaged in every way there is.
#include "pb_reader.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "samples.hpp"

namespace ndtel::ntff::read {
namespace {

using test::delimited;
using test::event;
using test::small_trace;

/// Keeps everything.
struct Collector final : PbVisitor {
  void on_event(const EventView& event, std::string_view bytes) override {
    events.push_back(event);
    events.back().hint = {};
    messages.emplace_back(bytes);
    attributes.push_back(attributes_of(bytes).size());
  }
  void on_cpu(const CpuRow& row) override { cpu.push_back(row); }
  void on_memory(const MemoryRow& row) override { memory.push_back(row); }
  void on_interned(std::string_view database, const InternedEntry& entry) override {
    interned[{std::string(database), entry.id}] = entry.text;
  }
  void on_root(const ::ntff::ntrace_info& root) override { trace = root; }
  void on_root(const ::ntff::host_stats& root) override { host = root; }

  std::vector<EventView> events;
  std::vector<std::string> messages;
  std::vector<std::size_t> attributes;
  std::vector<CpuRow> cpu;
  std::vector<MemoryRow> memory;
  std::map<std::pair<std::string, std::uint64_t>, std::string> interned;
  ::ntff::ntrace_info trace;
  ::ntff::host_stats host;
};

struct Reading {
  PbOutcome outcome;
  Collector got;
};

Reading read_bytes(const std::string& bytes, const std::string& name = "ntrace.pb") {
  Reading reading;
  ByteSource source = ByteSource::over(name, bytes);
  auto outcome = read_pb(source, reading.got);
  EXPECT_TRUE(outcome.ok());
  if (outcome.ok()) reading.outcome = std::move(*outcome);
  return reading;
}

/// The kind of what is wrong, or -1.
int kind(const Reading& reading) {
  return reading.outcome.fault ? static_cast<int>(reading.outcome.fault->kind) : -1;
}
constexpr int kWhole = -1;
constexpr int kTruncated = static_cast<int>(FaultKind::kTruncated);
constexpr int kCorrupt = static_cast<int>(FaultKind::kCorrupt);
constexpr int kForeign = static_cast<int>(FaultKind::kForeign);

TEST(PbReader, ReadsATraceFieldByField) {
  auto info = small_trace();
  auto& first = *info.mutable_events(0);
  first.set_data(~0ULL);
  first.set_hint("a hint");
  first.set_duration(12);
  first.set_parent_id(13);
  first.set_status(1202);
  first.set_type(3);
  first.set_nrta_seq_id(0);
  const auto reading = read_bytes(info.SerializeAsString());
  ASSERT_EQ(kind(reading), kWhole);
  EXPECT_EQ(reading.outcome.shape, Shape::kTrace);
  EXPECT_EQ(reading.outcome.whole, reading.outcome.size);
  EXPECT_EQ(reading.outcome.unknown, 0u);
  ASSERT_EQ(reading.got.events.size(), 3u);
  const EventView& view = reading.got.events[0];
  EXPECT_EQ(view.timestamp, first.timestamp());
  EXPECT_EQ(view.data, ~0ULL);
  EXPECT_EQ(view.nc_idx, 1u);
  EXPECT_EQ(view.event_type, 17u);
  EXPECT_EQ(view.duration, 12u);
  EXPECT_EQ(view.thread_id, 4711u);
  EXPECT_EQ(view.id, 1'000'005u);
  EXPECT_EQ(view.parent_id, 13u);
  EXPECT_EQ(view.status, 1202u);
  EXPECT_EQ(view.phase, 1);
  EXPECT_EQ(view.tracking_id, 5u);
  EXPECT_EQ(view.type, 3u);
  EXPECT_EQ(view.nrta_seq_id, 0u);
  EXPECT_FALSE(reading.got.events[1].nrta_seq_id.has_value());
  EXPECT_EQ(reading.got.attributes[0], 1u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(reading.got.messages[static_cast<std::size_t>(i)],
              info.events(i).SerializeAsString());
  EXPECT_EQ(reading.got.interned.size(), 3u);
  EXPECT_EQ(reading.got.interned.at({"strings", 402710577667408}), "model");
  EXPECT_EQ(reading.got.trace.data_version(), 5u);
  EXPECT_EQ(reading.got.trace.events_size(), 0) << "events are not kept";
}

TEST(PbReader, ReadsFragmentsAsOneMessage) {
  ::ntff::ntrace_info end;
  end.set_pid(7);
  const auto reading = read_bytes(small_trace().SerializeAsString() +
                                  small_trace().SerializeAsString() + end.SerializeAsString());
  EXPECT_EQ(kind(reading), kWhole);
  EXPECT_EQ(reading.got.events.size(), 6u);
  EXPECT_EQ(reading.got.trace.pid(), 7u);
}

::ntff::host_stats host_series() {
  ::ntff::host_stats host;
  host.set_num_cpus(2);
  host.set_cpu_name("a processor");
  host.set_mem_capacity(1 << 30);
  host.set_sample_period_sec(1);
  for (unsigned i = 0; i < 6; ++i) {
    auto& row = *host.add_cpu_util();
    row.set_cpu_id(i % 2);
    row.set_util(12.5f * static_cast<float>(i));
    row.set_timestamp(test::kStartNs + i / 2);
  }
  return host;
}

TEST(PbReader, ReadsSeriesOfTheHostInBothFramings) {
  const auto host = host_series();
  const auto single = read_bytes(host.SerializeAsString(), "cpu_util.pb");
  EXPECT_EQ(kind(single), kWhole);
  EXPECT_EQ(single.outcome.shape, Shape::kHost);
  EXPECT_EQ(single.got.host.cpu_name(), "a processor");
  std::string rows;
  for (const auto& row : host.cpu_util()) rows += delimited(row);
  const auto many = read_bytes(rows, "cpu_util.pb");
  EXPECT_EQ(kind(many), kWhole);
  EXPECT_EQ(many.outcome.shape, Shape::kCpuRows);
  for (const auto* got : {&single.got, &many.got}) {
    ASSERT_EQ(got->cpu.size(), 6u);
    EXPECT_EQ(got->cpu[5].cpu_id, 1u);
    EXPECT_EQ(got->cpu[5].util, 62.5f);
    EXPECT_EQ(got->cpu[5].timestamp, test::kStartNs + 2);
  }
}

TEST(PbReader, ReadsMemoryInBothFramings) {
  ::ntff::host_stats host;
  std::string rows;
  for (const std::int64_t usage : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    auto& row = *host.add_mem_usage();
    row.set_usage(usage);
    row.set_timestamp(test::kStartNs);
    rows += delimited(row);
  }
  for (const auto& bytes : {host.SerializeAsString(), rows}) {
    const auto reading = read_bytes(bytes, "host_mem.pb");
    EXPECT_EQ(kind(reading), kWhole);
    ASSERT_EQ(reading.got.memory.size(), 3u);
    EXPECT_EQ(reading.got.memory[1].usage, -1);
    EXPECT_EQ(reading.got.memory[2].usage, std::int64_t{1} << 40);
    EXPECT_EQ(reading.got.memory[2].timestamp, test::kStartNs);
  }
}

TEST(PbReader, ReadsDelimitedEventsWhateverTheNameOfTheFile) {
  std::string bytes;
  const auto info = small_trace();
  for (const auto& event : info.events()) bytes += delimited(event);
  for (const char* name : {"ntrace.pb", "something", "host_mem.pb"}) {
    const auto reading = read_bytes(bytes, name);
    EXPECT_EQ(kind(reading), kWhole) << name;
    EXPECT_EQ(reading.outcome.shape, Shape::kEvents) << name;
    EXPECT_EQ(reading.got.events.size(), 3u) << name;
  }
}

TEST(PbReader, AFileThatEndsAnywhereIsWholeUpToItsLastRecord) {
  const auto info = small_trace();
  const std::string all = info.SerializeAsString();
  // Where records end; strings are records within another.
  std::vector<std::size_t> ends{0};
  for (const auto& event : info.events()) ends.push_back(ends.back() + 1 + delimited(event).size());
  for (std::size_t size = 1; size < all.size(); ++size) {
    const auto reading = read_bytes(all.substr(0, size));
    std::size_t whole = 0;
    while (whole + 1 < ends.size() && ends[whole + 1] <= size) ++whole;
    EXPECT_EQ(reading.got.events.size(), whole) << size;
    if (size == ends[whole]) {
      EXPECT_EQ(kind(reading), kWhole) << size;
      continue;
    }
    if (size >= all.size() - 2 && kind(reading) == kWhole) continue;  // before the last field
    ASSERT_EQ(kind(reading), kTruncated) << size;
    const Fault& fault = *reading.outcome.fault;
    const std::uint64_t last = size > all.size() - 2 ? all.size() - 2 : ends[whole];
    EXPECT_EQ(fault.offset, last) << size;
    EXPECT_EQ(reading.outcome.whole, last) << size;
    const std::string lost = "after " + std::to_string(size - last) + " byte";
    EXPECT_NE(fault.sentence().find(lost), std::string::npos) << fault.sentence();
    EXPECT_NE(fault.sentence().find("ntrace.pb: at byte " + std::to_string(last)),
              std::string::npos);
  }
}

TEST(PbReader, DelimitedEventsThatEndAnywhereAreWholeUpToTheLast) {
  std::string all;
  std::vector<std::size_t> ends{0};
  const auto info = small_trace();
  for (const auto& event : info.events()) {
    all += delimited(event);
    ends.push_back(all.size());
  }
  for (std::size_t size = 1; size < all.size(); ++size) {
    const auto reading = read_bytes(all.substr(0, size));
    std::size_t whole = 0;
    while (ends[whole + 1] <= size) ++whole;
    if (size == ends[whole]) {
      EXPECT_EQ(kind(reading), kWhole) << size;
    } else {
      ASSERT_EQ(kind(reading), kTruncated) << size;
      EXPECT_EQ(reading.outcome.fault->offset, ends[whole]) << size;
    }
    EXPECT_EQ(reading.got.events.size(), whole) << size;
  }
}

TEST(PbReader, AStringThatIsCutOffLosesNoneBeforeIt) {
  ::ntff::ntrace_info info;
  auto& strings = *info.add_interned_data();
  strings.set_data_type("strings");
  for (std::uint64_t id = 1; id <= 100; ++id) (*strings.mutable_id_map())[id] = "a string";
  const std::string all = info.SerializeAsString();
  const auto reading = read_bytes(all.substr(0, all.size() - 1), "trace_info.pb");
  EXPECT_EQ(kind(reading), kTruncated);
  EXPECT_EQ(reading.outcome.interned, 99u);
  EXPECT_EQ(reading.got.interned.size(), 99u);
}

TEST(PbReader, SkipsOneDamagedRecordAndSaysWhere) {
  const auto info = small_trace();
  std::string all = info.SerializeAsString();
  const std::size_t second = 1 + delimited(info.events(0)).size();
  all[second + 2] = '\x0f';  // its first tag: of a wire type that is none
  const auto reading = read_bytes(all);
  ASSERT_EQ(kind(reading), kCorrupt);
  EXPECT_EQ(reading.outcome.fault->offset, second);
  EXPECT_EQ(reading.outcome.damaged, 1u);
  EXPECT_EQ(reading.got.events.size(), 2u);
  EXPECT_EQ(reading.got.interned.size(), 3u);
  EXPECT_EQ(reading.outcome.whole, all.size());
}

TEST(PbReader, StopsWhereNothingMakesSense) {
  const std::string good = small_trace().SerializeAsString();
  for (const char* bad : {"\x0f", "\x07zzzzzz", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
                          "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
    const auto reading = read_bytes(good + bad + good);
    ASSERT_EQ(kind(reading), kCorrupt);
    EXPECT_EQ(reading.outcome.fault->offset, good.size());
    EXPECT_EQ(reading.outcome.whole, good.size());
    EXPECT_EQ(reading.got.events.size(), 3u);
    EXPECT_EQ(reading.got.trace.data_version(), 5u);
  }
}

TEST(PbReader, SaysThatAFileIsEmptyOrOfAnotherKind) {
  const auto empty = read_bytes("");
  ASSERT_TRUE(empty.outcome.fault);
  EXPECT_EQ(empty.outcome.fault->kind, FaultKind::kEmpty);
  EXPECT_EQ(empty.outcome.fault->sentence(),
            "ntrace.pb: at byte 0: expected a message of a trace, found an empty file");
  const std::string text = "# A text,\n\nof some lines.\n";
  const std::string elf = std::string("\x7f") + "ELF\x02\x01\x01" + std::string(200, '\0');
  for (const auto& bytes : {text, elf, std::string(4096, '\0'), std::string("{\"a\": [1, 2]}\n"),
                            std::string(500, '\xff'), std::string("PK\x03\x04\x14\0\0\0", 8)}) {
    for (const char* name : {"ntrace.pb", "cpu_util.pb", "host_mem.pb", "trace_info.pb", "x"}) {
      const auto reading = read_bytes(bytes, name);
      EXPECT_EQ(kind(reading), kForeign) << name << ": " << bytes.substr(0, 8);
      EXPECT_EQ(reading.got.events.size() + reading.got.cpu.size() + reading.got.memory.size(), 0u);
    }
  }
}

TEST(PbReader, SkipsFieldsOfLaterVersionsAndCountsThem) {
  auto info = small_trace();
  info.set_data_version(99);
  std::string all;
  for (const auto& event : info.events()) {
    // Field 40: a number; 41: a text.
    const std::string later = event.SerializeAsString() + "\xc0\x02\x07\xca\x02\x03new";
    all += '\x0a';
    test::put_varint(all, later.size());
    all += later;
  }
  info.clear_events();
  all += info.SerializeAsString() + "\xca\x02\x03new";
  const auto reading = read_bytes(all);
  EXPECT_EQ(kind(reading), kWhole);
  EXPECT_EQ(reading.got.events.size(), 3u);
  EXPECT_EQ(reading.outcome.unknown, 7u);
  EXPECT_EQ(reading.got.trace.data_version(), 99u);
}

TEST(PbReader, ReadsRecordsThatAreLargerThanItsWindow) {
  const test::TemporaryDirectory directory;
  ::ntff::ntrace_info info;
  for (std::size_t size :
       {std::size_t{3}, ByteSource::kWindow, 3 * ByteSource::kWindow, std::size_t{1}}) {
    *info.add_events() = event(0, 3, 1, size, 1);
    (*info.mutable_events(info.events_size() - 1)->mutable_attributes())["x"] =
        std::string(size, 'y');
  }
  // And more of them than fit into it.
  for (std::uint64_t i = 0; i < 20'000; ++i) *info.add_events() = event(0, 3, 2, i, i);
  auto& strings = *info.add_interned_data();
  strings.set_data_type("strings");
  for (std::uint64_t id = 1; id <= 3; ++id)
    (*strings.mutable_id_map())[id] = std::string(ByteSource::kWindow, 'z');
  const std::string path = directory.write("ntrace.pb", info.SerializeAsString());
  auto source = ByteSource::open(path);
  ASSERT_TRUE(source);
  Collector got;
  const auto outcome = read_pb(*source, got);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->fault);
  ASSERT_EQ(got.messages.size(), static_cast<std::size_t>(info.events_size()));
  for (int i = 0; i < info.events_size(); ++i) {
    EXPECT_EQ(got.events[static_cast<std::size_t>(i)].tracking_id, info.events(i).tracking_id());
    EXPECT_EQ(got.messages[static_cast<std::size_t>(i)].size(), info.events(i).ByteSizeLong());
  }
  EXPECT_EQ(got.interned.size(), 3u);
}

TEST(PbReader, RefusesARecordThatIsTooLargeForItsMemory) {
  ::ntff::ntrace_info info;
  *info.add_events() = event(0, 3, 1, 1, 1);
  info.add_events()->set_hint(std::string(ByteSource::kLargest, 'y'));
  const auto reading = read_bytes(info.SerializeAsString());
  ASSERT_EQ(kind(reading), kCorrupt);
  EXPECT_EQ(reading.got.events.size(), 1u);
  EXPECT_NE(reading.outcome.fault->expected.find("at most 16777216 bytes"), std::string::npos);
}

TEST(PbReader, SaysWhyAFileCannotBeOpened) {
  const test::TemporaryDirectory directory;
  const auto missing = ByteSource::open(directory.path("ntrace.pb"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ENOENT);
  const auto folder = ByteSource::open(directory.path());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, EINVAL);
}

}  // namespace
}  // namespace ndtel::ntff::read
