// SPDX-License-Identifier: Apache-2.0
#include "container.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "container_samples.hpp"
#include "device_record.hpp"

namespace ndtel::ntff::read {
namespace {

using test::container;
using test::small_data;
using test::small_info;

Container read_bytes(const std::string& bytes) {
  ByteSource source = ByteSource::over("profile.ntff", bytes);
  auto result = read_container(source);
  EXPECT_TRUE(result.ok());
  return result.ok() ? std::move(*result) : Container();
}

std::vector<std::uint64_t> times(const std::string& bytes, const Container& container) {
  ByteSource source = ByteSource::over("profile.ntff", bytes);
  std::vector<std::uint64_t> times;
  for (const auto& trace : container.traces)
    each_record(source, trace,
                [&](const char* at) { times.push_back(decode_device_record(at).timestamp_ps); });
  return times;
}

TEST(Container, ReadsMessageAndBlobs) {
  for (std::uint64_t version = 1; version <= 6; ++version) {
    const std::string bytes = container(small_info(), small_data(), 40, version);
    const Container read = read_bytes(bytes);
    ASSERT_FALSE(read.fault) << read.fault->sentence();
    EXPECT_EQ(read.version, version);
    EXPECT_EQ(read.whole, bytes.size());
    EXPECT_EQ(read.info->SerializeAsString(), small_info().SerializeAsString());
    ASSERT_EQ(read.instructions.size(), 1u);
    EXPECT_EQ(bytes.substr(read.instructions[0].offset, 40), std::string(40, 'i'));
    EXPECT_EQ(times(bytes, read), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  }
}

TEST(Container, NothingIsAnEmptyProfile) {
  const Container read = read_bytes("");
  EXPECT_FALSE(read.fault);
  EXPECT_EQ(read.size, 0u);
  EXPECT_TRUE(read.traces.empty());
  const Container without_data = read_bytes(container({}, "", 0));
  EXPECT_FALSE(without_data.fault);
}

TEST(Container, AFileThatEndsAnywhereGivesWhatIsWhole) {
  const std::string all = container(small_info(), small_data(), 40);
  const std::size_t data = all.size() - small_data().size();
  for (std::size_t size = 1; size < all.size(); ++size) {
    const std::string bytes = all.substr(0, size);
    const Container read = read_bytes(bytes);
    ASSERT_TRUE(read.fault) << size;
    EXPECT_EQ(read.fault->kind, size < 16 ? FaultKind::kForeign : FaultKind::kTruncated) << size;
    EXPECT_EQ(read.fault->offset, size < 16 ? 0 : size);
    std::size_t whole = 0;
    if (size >= data) whole = 1;  // the trace within the message
    if (size >= data + 40 + 32) whole = 3;
    EXPECT_EQ(times(bytes, read).size(), whole) << size;
  }
  // Of a message that is cut off: the fields before.
  EXPECT_EQ(read_bytes(all.substr(0, 128 + 13)).info->id(), "a profile");
}

TEST(Container, RefusesWhatIsNewerButShowsIt) {
  const Container read = read_bytes(container(small_info(), small_data(), 40, 7));
  ASSERT_TRUE(read.fault);
  EXPECT_EQ(read.fault->kind, FaultKind::kNewer);
  EXPECT_EQ(read.fault->sentence(),
            "profile.ntff: at byte 0: expected at most version 6, found version 7: a newer release "
            "reads it");
  EXPECT_EQ(read.info->id(), "a profile");
  EXPECT_EQ(read.traces.size(), 3u);
}

TEST(Container, KnowsFilesOfAnotherKind) {
  for (const auto& bytes : {std::string("a text that is no profile\n"), std::string(4096, '\0'),
                            std::string(4096, '\xff'), small_info().SerializeAsString()}) {
    const Container read = read_bytes(bytes);
    ASSERT_TRUE(read.fault);
    EXPECT_EQ(read.fault->kind, FaultKind::kForeign);
    EXPECT_EQ(read.fault->offset, 0u);
  }
}

void expect_corrupt(const std::string& bytes, std::uint64_t offset, const std::string& words) {
  const Container read = read_bytes(bytes);
  ASSERT_TRUE(read.fault) << words;
  EXPECT_EQ(read.fault->kind, FaultKind::kCorrupt) << words;
  EXPECT_EQ(read.fault->offset, offset) << words;
  EXPECT_NE(read.fault->expected.find(words), std::string::npos) << read.fault->expected;
}

TEST(Container, NoticesSizesThatDoNotAddUp) {
  const std::string good = container(small_info(), small_data(), 40);
  expect_corrupt(good + "x", good.size(), "found 1 more bytes");
  std::string bytes = good;
  bytes[0x17] = '\x7f';  // size of the message
  expect_corrupt(bytes, 0x10, "a message of at most");
  bytes = good;
  bytes[0x1f] = '\x7f';  // size of the data
  expect_corrupt(bytes, 0x18, "the size of all data");
  expect_corrupt(container(small_info(), small_data(), 1000), 0x18, "the size of all data");
}

TEST(Container, NoticesAMessageThatIsNone) {
  std::string bytes = container(small_info(), small_data(), 40);
  bytes[128 + 11] = '\x0f';  // behind the id
  expect_corrupt(bytes, 128 + 11, "a field of an ntff_info");
  EXPECT_EQ(read_bytes(bytes).info->id(), "a profile");
}

::ntff::trace_info& trace_of(::ntff::ntff_info& info, int index) {
  return *info.mutable_neff_nodes(0)->mutable_nd_node()->mutable_graphs(0)->mutable_traces(index);
}

TEST(Container, NoticesBlobsThatLieWhereTheyCannot) {
  auto info = small_info();
  trace_of(info, 1).set_trace_offset(80);
  expect_corrupt(container(info, small_data(), 40), 128, "found 16 bytes at 80");
  info = small_info();
  trace_of(info, 1).set_trace_offset(~0ULL - 7);
  expect_corrupt(container(info, small_data(), 40), 128, "a trace within 40 to 88");
  info = small_info();
  trace_of(info, 1).set_trace_offset(56);
  auto bytes = container(info, small_data(), 40);
  expect_corrupt(bytes, bytes.size() - small_data().size() + 56, "blobs apart from one another");
  info = small_info();
  trace_of(info, 0).set_trace_size(24);
  expect_corrupt(container(info, small_data(), 40), 128, "whole records of 16 bytes");
  // What is of instructions lies before all traces.
  expect_corrupt(container(small_info(), small_data(), 24), 128, "instructions within 0 to 24");
  info = small_info();
  trace_of(info, 0).set_trace_offset(24);
  EXPECT_EQ(read_bytes(container(info, small_data(), 40)).traces.size(), 2u);
}

}  // namespace
}  // namespace ndtel::ntff::read
