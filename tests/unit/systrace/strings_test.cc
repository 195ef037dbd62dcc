// SPDX-License-Identifier: Apache-2.0
//
// Ids of strings and the shards that keep their names.
#include "strings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "captured_log.hpp"

namespace ndtel::systrace::test {
namespace {

using namespace std::string_literals;

struct Vector {
  const char* text;
  std::uint64_t hash;
  std::uint64_t id;
};

// Around the length of a word: messages of 8, 9 and 16 bytes, of one and of none beside the 0xFF.
constexpr Vector kVectors[] = {
    {"", 0x30406ea523c53def, 121655548788208},
    {"a", 0x719b50b9a4f0e9f3, 933183196555764},
    {"model", 0x09596e435ceddd4f, 402710577667408},
    {"tensor", 0xe7066cb9fa494f8e, 682495977279375},
    {"input0", 0xe061f3d00203efad, 549549689270190},
    {"abcdefg", 0x2295ef44bd078ae9, 544553484913386},
    {"abcdefgh", 0x5cd7657fa7f96c16, 956023883525143},
    {"nc_exec_running", 0xa85207f2585053c2, 571687398560707},
    {"h\xC3\xA9llo", 0xe73616f26c73b87f, 588180410841216},
    {"0123456789012345678901234567890123456789", 0x8f4a9b662c391d1b, 733813084331292},
};

TEST(StringId, MatchesTheKnownVectors) {
  for (const Vector& vector : kVectors) {
    EXPECT_EQ(siphash13(vector.text), vector.hash) << vector.text;
    EXPECT_EQ(string_id(vector.text), vector.id) << vector.text;
  }
}

TEST(StringId, IsKnownToTheCompiler) {
  static_assert(string_id("model") == 402710577667408);
  static_assert(string_id("") == 121655548788208);
}

TEST(StringId, IsNeverZeroNorAboveTwoToTheFifty) {
  std::mt19937_64 random(1);
  std::uint64_t seen = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t id = string_id(std::to_string(random()));
    EXPECT_GE(id, 1u);
    EXPECT_LE(id, std::uint64_t{1} << 50);
    seen |= id;
  }
  EXPECT_EQ(seen & kStringIdMask, kStringIdMask) << "some bit of the id is always 0";
}

TEST(StringId, EveryByteAndTheLengthCount) {
  const std::string base(23, 'x');
  for (std::size_t i = 0; i < base.size(); ++i) {
    std::string other = base;
    other[i] = 'y';
    EXPECT_NE(string_id(other), string_id(base)) << i;
    EXPECT_NE(string_id(base.substr(0, i)), string_id(base)) << i;
  }
  EXPECT_NE(string_id("a"), string_id("a\0"s));
}

TEST(StringShard, KeepsItsOwnCopyOfAName) {
  StringShard shard;
  std::string name = "layer0";
  EXPECT_EQ(shard.add(string_id(name), name), Added::kNew);
  const std::uint64_t id = string_id("layer0");
  name = "gone";
  EXPECT_EQ(shard.find(id), "layer0");
  EXPECT_EQ(shard.find(id + 1), std::nullopt);
  EXPECT_EQ(shard.size(), 1u);
}

TEST(StringShard, TakesTheSameNameAgainWithoutAWord) {
  CapturedLog log;
  StringShard shard;
  EXPECT_EQ(shard.add(7, "seven"), Added::kNew);
  EXPECT_EQ(shard.add(7, "seven"), Added::kSame);
  EXPECT_EQ(shard.size(), 1u);
  EXPECT_TRUE(log.lines().empty());
}

TEST(StringShard, KeepsTheFirstOfTwoNamesAndWarnsWithBoth) {
  CapturedLog log;
  StringShard shard;
  shard.add(7, "seven");
  EXPECT_EQ(shard.add(7, "sieben"), Added::kConflict);
  EXPECT_EQ(shard.find(7), "seven");
  ASSERT_EQ(log.lines().size(), 1u);
  const auto& [level, text] = log.lines().front();
  EXPECT_EQ(level, 2);
  for (const char* part : {"7", "\"seven\"", "\"sieben\""})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(StringShard, TakesAnyIdAsItIs) {
  StringShard shard;
  shard.add(0, "Invalid interned string");
  shard.add(~std::uint64_t{0}, "largest");
  EXPECT_EQ(shard.find(0), "Invalid interned string");
  EXPECT_EQ(shard.find(~std::uint64_t{0}), "largest");
}

TEST(StringShard, ListsByAscendingId) {
  StringShard shard;
  std::map<std::uint64_t, std::string> model;
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t id = random() % 4000;
    const std::string name = std::to_string(id * 3);
    EXPECT_EQ(shard.add(id, name), model.emplace(id, name).second ? Added::kNew : Added::kSame);
  }
  const auto sorted = shard.sorted();
  ASSERT_EQ(sorted.size(), model.size());
  auto expected = model.begin();
  for (const auto& [id, name] : sorted) {
    EXPECT_EQ(id, expected->first);
    EXPECT_EQ(name, expected->second);
    ++expected;
  }
  std::map<std::uint64_t, std::string> visited;
  shard.for_each([&](std::uint64_t id, std::string_view name) { visited.emplace(id, name); });
  EXPECT_EQ(visited, model);
}

TEST(StringShard, MergesToTheUnionAndMergingAgainChangesNothing) {
  CapturedLog log;
  StringShard target, source;
  target.add(1, "one");
  target.add(2, "two");
  source.add(2, "zwei");
  source.add(3, "three");
  for (int round = 0; round < 3; ++round) {
    target.merge(source);
    EXPECT_EQ(target.size(), 3u);
    EXPECT_EQ(target.find(1), "one");
    EXPECT_EQ(target.find(2), "two");
    EXPECT_EQ(target.find(3), "three");
  }
  target.merge(target);
  EXPECT_EQ(target.size(), 3u);
  EXPECT_EQ(source.size(), 2u);
  EXPECT_FALSE(log.lines().empty());
}

}  // namespace
}  // namespace ndtel::systrace::test
