// SPDX-License-Identifier: Apache-2.0
//
// Names in a capture: what is kept, for which core, and how all of them are collected.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <unordered_map>

#include "capi_strings.hpp"
#include "captured_log.hpp"
#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

using Names = std::map<std::uint64_t, std::string>;

// Every capture knows the name of no string.
const std::pair<const std::uint64_t, std::string> kInvalid = {0, "Invalid interned string"};

Names collected() {
  std::unordered_map<std::uint64_t, std::string> names;
  EXPECT_EQ(nrt_sys_trace_get_all_interned_strings(names), NRT_SUCCESS);
  return {names.begin(), names.end()};
}

TEST(InternedStrings, AreKeptForAnyCoreAndCollectedOnce) {
  const Started capture({.cores = 4});
  EXPECT_EQ(nrt_sys_trace_capture_intern_string("model", 0), 402710577667408u);
  EXPECT_EQ(nrt_sys_trace_capture_intern_string("model", 3), 402710577667408u);
  EXPECT_EQ(nrt_sys_trace_capture_intern_string("tensor", 2), 682495977279375u);
  EXPECT_EQ(nrt_sys_trace_capture_intern_string("abcdefgh", 0xFFFFFFFF), 956023883525143u);
  const Names expected = {kInvalid,
                          {402710577667408, "model"},
                          {682495977279375, "tensor"},
                          {956023883525143, "abcdefgh"}};
  EXPECT_EQ(collected(), expected);
}

TEST(InternedStrings, HaveAnIdButAreNotKeptWithoutACaptureOrCore) {
  EXPECT_EQ(nrt_sys_trace_capture_intern_string("model", 0), 402710577667408u);
  EXPECT_TRUE(collected().empty());
  const Started capture({.cores = 1});
  EXPECT_EQ(nrt_sys_trace_capture_intern_string("model", 1), 402710577667408u);
  EXPECT_EQ(collected(), Names{kInvalid});
}

TEST(InternedStrings, ThatAreNoTextHaveNoIdAndChangeNothing) {
  const Started capture({.cores = 1});
  CapturedLog log;
  EXPECT_EQ(nrt_sys_trace_capture_intern_string(nullptr, 0), 0u);
  for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "ab\xFF"})
    EXPECT_EQ(nrt_sys_trace_capture_intern_string(bad, 0), 0u);
  EXPECT_EQ(log.lines().size(), 1u) << "one line a second";
  EXPECT_EQ(collected(), Names{kInvalid});
}

TEST(InternedStrings, EmptyOnesHaveAnIdAndAreNoName) {
  const Started capture({.cores = 1});
  EXPECT_EQ(nrt_sys_trace_capture_intern_string("", 0), 121655548788208u);
  EXPECT_EQ(collected(), Names{kInvalid});
}

TEST(InternedStrings, CollectingKeepsTheNamesOfTheMap) {
  const Started capture({.cores = 1});
  nrt_sys_trace_capture_intern_string("model", 0);
  std::unordered_map<std::uint64_t, std::string> names = {{402710577667408, "mine"}, {4, "four"}};
  EXPECT_EQ(nrt_sys_trace_get_all_interned_strings(names), NRT_SUCCESS);
  EXPECT_EQ(Names(names.begin(), names.end()),
            (Names{kInvalid, {4, "four"}, {402710577667408, "mine"}}));
}

TEST(InternedStrings, CombiningIntoAShardKeepsItsNamesAndCanBeRepeated) {
  const Started capture({.cores = 2});
  nrt_sys_trace_capture_intern_string("model", 1);
  nrt_interned_string_db_shard_t* shard = nrt_interned_string_db_shard_alloc();
  CapturedLog log;
  nrt_interned_string_db_register_entry("mine", 402710577667408, shard);
  EXPECT_EQ(nrt_sys_trace_get_combined_string_db(shard), NRT_SUCCESS);
  EXPECT_EQ(nrt_sys_trace_get_combined_string_db(shard), NRT_SUCCESS);
  EXPECT_EQ(shard->names.size(), 2u);
  EXPECT_EQ(shard->names.find(402710577667408), "mine");
  EXPECT_EQ(log.lines().size(), 1u) << "of the conflict";
  EXPECT_EQ(nrt_sys_trace_get_combined_string_db(nullptr), NRT_INVALID);
  nrt_interned_string_db_shard_free(shard);
}

}  // namespace
}  // namespace ndtel::systrace::test
