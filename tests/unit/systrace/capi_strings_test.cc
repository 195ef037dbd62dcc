// SPDX-License-Identifier: Apache-2.0
//
// The string database as C programs use it: arguments, statuses, ownership.
#include "capi_strings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "captured_log.hpp"

namespace ndtel::systrace::test {
namespace {

struct FreeShard {
  void operator()(nrt_interned_string_db_shard_t* shard) const noexcept {
    nrt_interned_string_db_shard_free(shard);
  }
};
using Shard = std::unique_ptr<nrt_interned_string_db_shard_t, FreeShard>;

Shard new_shard() { return Shard(nrt_interned_string_db_shard_alloc()); }

// What an export holds, released by plain free() as a program may do.
struct Entries {
  explicit Entries(const Shard& shard) {
    status = nrt_interned_string_db_get_entries(shard.get(), &ids, &names, &count);
  }
  ~Entries() {
    for (std::size_t i = 0; i < count; ++i) std::free(names[i]);
    std::free(names);
    std::free(ids);
  }
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;

  NRT_STATUS status = NRT_FAILURE;
  uint64_t* ids = nullptr;
  char** names = nullptr;
  std::size_t count = 0;
};

TEST(StringsCApi, GetIdIsTheHashOfTheTextUpToItsNul) {
  EXPECT_EQ(nrt_interned_string_db_get_id("model"), 402710577667408u);
  EXPECT_EQ(nrt_interned_string_db_get_id("model\0more"), 402710577667408u);
  EXPECT_EQ(nrt_interned_string_db_get_id(""), 121655548788208u);
  EXPECT_EQ(nrt_interned_string_db_get_id("h\xC3\xA9llo"), 588180410841216u);
}

TEST(StringsCApi, GetIdOfWhatIsNoTextIsZeroWithOneLineASecond) {
  CapturedLog log;
  EXPECT_EQ(nrt_interned_string_db_get_id(nullptr), 0u);
  for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "ab\xFF"})
    EXPECT_EQ(nrt_interned_string_db_get_id(bad), 0u);
  EXPECT_EQ(log.lines().size(), 1u);
}

TEST(StringsCApi, RegisterRefusesWhatIsNoNameWithOneLineAndChangesNothing) {
  const Shard shard = new_shard();
  struct {
    const char* name;
    nrt_interned_string_db_shard_t* shard;
  } const refused[] = {{nullptr, shard.get()},    {"name", nullptr},
                       {nullptr, nullptr},        {"", shard.get()},
                       {"\xC0\xAF", shard.get()}, {"\xED\xA0\x80", shard.get()},
                       {"\xE2\x82", shard.get()}, {"\xF5\x80\x80\x80", shard.get()}};
  for (const auto& [name, to] : refused) {
    CapturedLog log;
    EXPECT_EQ(nrt_interned_string_db_register_entry(name, 5, to), NRT_INVALID);
    ASSERT_EQ(log.lines().size(), 1u);
    EXPECT_EQ(log.lines().front().first, 2);
  }
  EXPECT_EQ(Entries(shard).count, 0u);
}

TEST(StringsCApi, RegisterTrustsTheIdAndKeepsTheFirstName) {
  CapturedLog log;
  const Shard shard = new_shard();
  EXPECT_EQ(nrt_interned_string_db_register_entry("b", 9, shard.get()), NRT_SUCCESS);
  EXPECT_EQ(nrt_interned_string_db_register_entry("a", 0, shard.get()), NRT_SUCCESS);
  EXPECT_EQ(nrt_interned_string_db_register_entry("b", 9, shard.get()), NRT_SUCCESS);
  EXPECT_TRUE(log.lines().empty());
  EXPECT_EQ(nrt_interned_string_db_register_entry("c", 9, shard.get()), NRT_SUCCESS);
  EXPECT_EQ(log.lines().size(), 1u);

  const Entries entries(shard);
  ASSERT_EQ(entries.status, NRT_SUCCESS);
  ASSERT_EQ(entries.count, 2u);
  EXPECT_EQ(entries.ids[0], 0u);
  EXPECT_STREQ(entries.names[0], "a");
  EXPECT_EQ(entries.ids[1], 9u);
  EXPECT_STREQ(entries.names[1], "b");
}

TEST(StringsCApi, AnEmptyShardHasArraysAllTheSame) {
  const Shard shard = new_shard();
  uint64_t* ids = nullptr;
  char** names = nullptr;
  std::size_t count = 77;
  ASSERT_EQ(nrt_interned_string_db_get_entries(shard.get(), &ids, &names, &count), NRT_SUCCESS);
  EXPECT_EQ(count, 0u);
  EXPECT_NE(ids, nullptr);
  EXPECT_NE(names, nullptr);
  nrt_interned_string_db_free_entries(ids, names, count);
}

TEST(StringsCApi, GetEntriesRefusesNullAndLeavesTheOthersAlone) {
  const Shard shard = new_shard();
  uint64_t id = 1;
  char* name = nullptr;
  uint64_t* ids = &id;
  char** names = &name;
  std::size_t count = 77;
  for (int missing = 0; missing < 4; ++missing) {
    CapturedLog log;
    EXPECT_EQ(nrt_interned_string_db_get_entries(
                  missing == 0 ? nullptr : shard.get(), missing == 1 ? nullptr : &ids,
                  missing == 2 ? nullptr : &names, missing == 3 ? nullptr : &count),
              NRT_INVALID);
    EXPECT_EQ(log.lines().size(), 1u);
  }
  EXPECT_EQ(ids, &id);
  EXPECT_EQ(names, &name);
  EXPECT_EQ(count, 77u);
}

TEST(StringsCApi, FreeEntriesWithNullReleasesNothing) {
  const Shard shard = new_shard();
  nrt_interned_string_db_register_entry("kept", 1, shard.get());
  const Entries entries(shard);
  for (int missing = 0; missing < 2; ++missing) {
    CapturedLog log;
    nrt_interned_string_db_free_entries(missing == 0 ? nullptr : entries.ids,
                                        missing == 1 ? nullptr : entries.names, entries.count);
    EXPECT_EQ(log.lines().size(), 1u);
  }
  EXPECT_STREQ(entries.names[0], "kept");
}

TEST(StringsCApi, CombineIsTheUnionAndTakesItself) {
  CapturedLog log;
  const Shard to = new_shard(), from = new_shard();
  nrt_interned_string_db_register_entry("one", 1, to.get());
  nrt_interned_string_db_register_entry("one", 1, from.get());
  nrt_interned_string_db_register_entry("two", 2, from.get());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(nrt_interned_string_db_combine_shards(to.get(), from.get()), NRT_SUCCESS);
    EXPECT_EQ(nrt_interned_string_db_combine_shards(to.get(), to.get()), NRT_SUCCESS);
    EXPECT_EQ(Entries(to).count, 2u);
  }
  EXPECT_TRUE(log.lines().empty());
  EXPECT_EQ(nrt_interned_string_db_combine_shards(nullptr, from.get()), NRT_INVALID);
  EXPECT_EQ(nrt_interned_string_db_combine_shards(to.get(), nullptr), NRT_INVALID);
  EXPECT_EQ(log.lines().size(), 1u) << "one line a second from one place";
  EXPECT_EQ(Entries(to).count, 2u);
}

TEST(StringsCApi, AShardIsFreedOnceAndNullIgnored) {
  nrt_interned_string_db_shard_free(nullptr);
  nrt_interned_string_db_shard_t* shard = nrt_interned_string_db_shard_alloc();
  ASSERT_NE(shard, nullptr);
  nrt_interned_string_db_shard_free(shard);
}

// C++ can keep a name that C cannot spell: handing out half of it would be a lie.
TEST(StringsCApiDeathTest, ANulInsideANameEndsTheProcess) {
  const Shard shard = new_shard();
  shard->names.add(42, std::string_view("half\0lost", 9));
  EXPECT_DEATH(Entries{shard}, "^ndtel: fatal: interned string 42 has a NUL inside[^\n]*\n$");
}

}  // namespace
}  // namespace ndtel::systrace::test
