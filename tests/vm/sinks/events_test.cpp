// SPDX-License-Identifier: Apache-2.0
//
// The two trace events as tools see them: the layout of the reference, and where a record comes
// from.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sinks_test.hpp"

namespace ndtel::vm {
namespace {

using SinksEvents = SinksTest;

struct Field {
  std::string declaration;
  unsigned offset = 0;
  unsigned size = 0;
};

// Fields of an event's format file, by name.
std::map<std::string, Field> format_of(const std::string& text) {
  std::map<std::string, Field> fields;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    char declaration[128];
    Field field;
    if (std::sscanf(line.c_str(), " field:%127[^;]; offset:%u; size:%u;", declaration,
                    &field.offset, &field.size) != 3) {
      continue;
    }
    field.declaration = declaration;
    const auto name = field.declaration.substr(field.declaration.rfind(' ') + 1);
    fields[name.substr(0, name.find('['))] = field;
  }
  return fields;
}

std::uint32_t u32_at(const std::string& bytes, std::size_t offset) {
  std::uint32_t value = 0;
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, &bytes[offset], sizeof value);
  return value;
}

// Records of one type in a page of the ring: a header of 16 bytes, then events of a word (type and
// time) and data.
std::vector<std::string> records_in(const std::string& page, std::uint16_t type) {
  constexpr std::size_t kPageHeader = 16;
  constexpr std::uint32_t kLastShort = 28;
  constexpr std::uint32_t kPadding = 29;
  std::vector<std::string> records;
  const std::size_t end = kPageHeader + (u32_at(page, 8) & 0xFFFFF);
  for (std::size_t at = kPageHeader; at + 8 <= end && end <= page.size();) {
    const std::uint32_t kind = u32_at(page, at) & 31;
    if (kind == kPadding) break;
    if (kind > kPadding) {  // time
      at += 8;
      continue;
    }
    const std::size_t start = at + (kind == 0 ? 8 : 4);
    const std::size_t size = kind == 0 ? u32_at(page, at + 4) - 4 : 4 * kind;
    static_assert(kLastShort + 1 == kPadding);
    if ((u32_at(page, start) & 0xFFFF) == type) records.push_back(page.substr(start, size));
    at = start + size;
  }
  return records;
}

// All pages that the ring has for any processor.
std::vector<std::string> raw_pages(const std::string& instance) {
  std::vector<std::string> pages;
  for (int cpu = 0;; ++cpu) {
    const auto path = instance + "per_cpu/cpu" + std::to_string(cpu) + "/trace_pipe_raw";
    const Fd raw(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!raw.valid()) return pages;
    char page[4096];
    for (ssize_t got = 0; (got = ::read(raw.get(), page, sizeof page)) > 0;) {
      pages.emplace_back(page, static_cast<std::size_t>(got));
    }
  }
}

TEST_F(SinksEvents, MetricsPostHasTheLayoutOfTheReference) {
  const Trace trace;
  const auto text =
      read_file(trace.directory() + "events/" + module().name() + "/metrics_post/format");
  ASSERT_TRUE(text);
  const auto fields = format_of(*text);
  ASSERT_EQ(fields.count("id") + fields.count("length") + fields.count("value"), 3u) << *text;
  EXPECT_EQ(fields.at("id").offset, 8u);
  EXPECT_EQ(fields.at("id").size, 4u);
  EXPECT_EQ(fields.at("length").offset, 12u);
  EXPECT_EQ(fields.at("length").size, 4u);
  EXPECT_EQ(fields.at("value").offset, 16u);
  EXPECT_EQ(fields.at("value").size, 128u);
  EXPECT_EQ(fields.at("value").declaration, "char value[128]");
}

TEST_F(SinksEvents, RawMetricsPostRecordsHoldIdLengthAndTerminatedText) {
  Trace trace(Events::kPost);
  const auto type_text =
      read_file(trace.directory() + "events/" + module().name() + "/metrics_post/id");
  ASSERT_TRUE(type_text);
  const auto type = static_cast<std::uint16_t>(std::stoul(*type_text));
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, kCompleted, 4711);
  period(kShortPeriod);
  // A page is only handed out when the next one is begun or when it is asked for, and then once.
  std::vector<std::string> records;
  const auto find = [&]() -> const std::string* {
    for (const auto& page : raw_pages(trace.directory())) {
      for (auto& record : records_in(page, type)) records.push_back(std::move(record));
    }
    for (const auto& record : records) {
      if (u32_at(record, 8) == kOk) return &record;
    }
    return nullptr;
  };
  ASSERT_TRUE(eventually([&] { return find() != nullptr; }));
  period(kLongPeriod);
  const auto& record = *find();
  ASSERT_GE(record.size(), 16u + 128u);
  EXPECT_EQ(u32_at(record, 12), 4u);
  EXPECT_STREQ(record.c_str() + 16, "4711");
  EXPECT_EQ(record.substr(20, 124), std::string(124, '\0')) << "nothing behind the text";
}

TEST_F(SinksEvents, LocatedEventNamesDeviceTickSinkAndResult) {
  ASSERT_EQ(module().new_device("v2"), 0);
  Trace trace;
  period(kShortPeriod);
  ASSERT_TRUE(trace.read_until([](const auto& events) {
    return posts_of(events, 0).size() >= 3 && posts_of(events, 1).size() >= 3;
  }));
  period(kLongPeriod);
  for (const auto& event : trace.read()) {
    if (!event.located) continue;
    EXPECT_LE(event.device, 1u);
    EXPECT_LE(event.tick, 1u);
    EXPECT_EQ(event.sink, 1u);
    EXPECT_EQ(event.result, 0u);
    EXPECT_EQ(event.length, event.value.size());
  }
}

// A gap in a device's numbers is a lost event, and nothing else.
TEST_F(SinksEvents, SequenceIsContiguousPerDeviceFromZero) {
  ASSERT_EQ(module().new_device("v3"), 0);
  ASSERT_EQ(module().new_device("v4"), 0);
  Trace trace(Events::kPostNd);
  period(kShortPeriod);
  ASSERT_TRUE(trace.read_until([](const auto& events) {
    return posts_of(events, 0).size() >= 6 && posts_of(events, 1).size() >= 6 &&
           posts_of(events, 2).size() >= 6;
  }));
  period(kLongPeriod);
  std::map<unsigned, std::uint64_t> next;
  for (const auto& event : trace.read()) EXPECT_EQ(event.seq, next[event.device]++);
  EXPECT_EQ(next.size(), 3u);
}

TEST_F(SinksEvents, BothEventsCarryTheSameRecords) {
  Trace trace;
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (std::uint32_t counter = 1; counter < 12; ++counter) slab.add_nc(0, counter, counter);
  slab.add_nc(0, kAborts, 99);
  Posting(module(), trace).run(4);
  std::vector<std::pair<unsigned, std::string>> plain;
  std::vector<std::pair<unsigned, std::string>> located;
  for (const auto& event : trace.read()) {
    (event.located ? located : plain).emplace_back(event.id, event.value);
    EXPECT_EQ(event.length, event.value.size());
  }
  EXPECT_FALSE(plain.empty());
  EXPECT_EQ(plain, located);
}

}  // namespace
}  // namespace ndtel::vm
