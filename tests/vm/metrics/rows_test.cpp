// SPDX-License-Identifier: Apache-2.0
//
// The registry at work: which word turns up under which id, on which tick, and what stays silent.
// The table below is the specification's, not the module's.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "metrics_test.hpp"

namespace ndtel::vm {
namespace {

constexpr unsigned kTick0 = 0;
constexpr unsigned kTick1 = 1;
constexpr unsigned kAlways = 0xF;

// A row that a core counter feeds.
struct CounterRow {
  unsigned cw;
  unsigned tick;
  std::uint32_t counter;
};

constexpr CounterRow kCounterRows[] = {
    {200, kTick0, 1},  {201, kTick0, 16}, {205, kTick0, 4},  {212, kTick0, 5},  {215, kTick0, 8},
    {216, kTick0, 9},  {217, kTick0, 10}, {206, kTick0, 11}, {218, kTick0, 12}, {214, kTick0, 2},
    {213, kTick0, 3},  {219, kTick0, 7},  {204, kTick0, 17}, {208, kTick0, 18}, {207, kTick0, 6},
    {202, kTick0, 19}, {209, kTick0, 20}, {220, kTick0, 30}, {221, kTick1, 31}, {223, kTick1, 33},
    {224, kTick1, 34}, {253, kTick1, 35}, {225, kTick1, 36}, {226, kTick1, 37}, {227, kTick1, 38},
    {228, kTick1, 39},
};

// Every id of the 48 rows in registry order, with its tick.
struct IdTick {
  unsigned cw;
  unsigned tick;
};

constexpr IdTick kRegistry[] = {
    {12, kAlways}, {13, kAlways}, {56, kTick0},  {180, kAlways}, {181, kAlways}, {190, kTick1},
    {191, kTick1}, {192, kTick1}, {193, kTick1}, {195, kTick1},  {196, kTick1},  {200, kTick0},
    {201, kTick0}, {205, kTick0}, {212, kTick0}, {215, kTick0},  {216, kTick0},  {217, kTick0},
    {206, kTick0}, {218, kTick0}, {214, kTick0}, {213, kTick0},  {219, kTick0},  {204, kTick0},
    {208, kTick0}, {207, kTick0}, {202, kTick0}, {209, kTick0},  {11, kTick0},   {220, kTick0},
    {221, kTick1}, {223, kTick1}, {224, kTick1}, {253, kTick1},  {225, kTick1},  {226, kTick1},
    {227, kTick1}, {228, kTick1}, {90, kAlways}, {222, kTick1},  {229, kTick1},  {250, kTick1},
    {0, kTick1},   {252, kTick1}, {80, kTick1},  {50, kTick1},   {51, kTick1},   {52, kTick1},
    {53, kTick1},  {54, kTick1},  {55, kTick1},  {57, kTick0},   {58, kTick0},
};

// Rows that have nothing to say about a device that nothing happened to: FW-IO, resets,
// ultraserver, and id 0.
const std::set<unsigned> kWithoutSource = {0, 11, 50, 51, 52, 53, 54, 55, 57, 58};

// Rows that need no process: constants, utilisation, and ECC tallies, where zero is a fact.
const std::set<unsigned> kOfTheDevice = {12, 13, 56, 90, 222, 229};

int registry_place(unsigned cw) {
  for (int i = 0; i < static_cast<int>(std::size(kRegistry)); ++i) {
    if (kRegistry[i].cw == cw) return i;
  }
  return -1;
}

std::set<unsigned> ids_of(const std::vector<Post>& posts) {
  std::set<unsigned> ids;
  for (const auto& post : posts) {
    for (const auto& record : post.records) ids.insert(record.id);
  }
  return ids;
}

using MetricsRows = MetricsTest;

class MetricsRowsV2 : public MetricsTest {
 protected:
  MetricsRowsV2() : MetricsTest("v2") {}
};

// Small amounts, so that a post of all rows does not overflow and order and ticks are the
// registry's.
TEST_F(MetricsRows, EachCounterIsPostedOnceUnderItsIdOnItsTick) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (std::uint64_t i = 0; i < std::size(kCounterRows); ++i) {
    slab.add_nc(i % 8, kCounterRows[i].counter, 11 + i);
  }
  const auto posts = run(6);
  for (std::uint64_t i = 0; i < std::size(kCounterRows); ++i) {
    const auto& row = kCounterRows[i];
    EXPECT_EQ(texts_of(posts, row.cw), Texts{std::to_string(11 + i)}) << "id " << row.cw;
    for (const auto& post : posts) {
      EXPECT_TRUE(!post.has(row.cw) || post.tick == row.tick)
          << "id " << row.cw << " on tick " << post.tick;
    }
    const auto books = Debugfs().books_of(row.cw);
    EXPECT_EQ(books.confirmed, 11 + i) << books;
    EXPECT_EQ(books.pending, 0u) << books;
  }
}

// The same amount on each core of the device: the sum is posted, from all three bands of the slab.
TEST_F(MetricsRows, CountersAreSummedOverAllCoresAndBothBands) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  std::uint64_t power = 1;
  for (std::uint32_t core = 0; core < 8; ++core, power *= 3) {
    slab.add_nc(core, 1, power);
    slab.add_nc(core, 34, 2 * power);
  }
  const std::uint64_t all = (power - 1) / 2;
  const auto posts = run(4);
  EXPECT_EQ(texts_of(posts, 200), Texts{std::to_string(all)});
  EXPECT_EQ(texts_of(posts, 224), Texts{std::to_string(2 * all)});
}

TEST_F(MetricsRows, AlwaysRowsAreInEachPostAndTheProfileInTick0Only) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  store_nd(slab, NDS_ND_COUNTER_RUNTIME_VERSION, version(2, 31, 24));
  for (const auto& post : run(4)) {
    for (const unsigned cw : {12, 13, 90, 180}) {
      EXPECT_EQ(post.texts(cw).size(), 1u) << "id " << cw << " on tick " << post.tick;
    }
    EXPECT_EQ(post.has(56), post.tick == kTick0);
  }
}

TEST_F(MetricsRows, TicksAlternateStartingWithTick0) {
  std::vector<unsigned> ticks;
  for (const auto& post : run(4)) ticks.push_back(post.tick);
  ASSERT_GE(ticks.size(), 4u);
  for (std::size_t i = 0; i < ticks.size(); ++i) EXPECT_EQ(ticks[i], i % 2) << "post " << i;
}

TEST_F(MetricsRows, RecordsOfAPostAreInRegistryOrderAndOnItsTick) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (const auto& row : kCounterRows) slab.add_nc(2, row.counter, 1);
  store_nd(slab, NDS_ND_COUNTER_RUNTIME_VERSION, version(1, 2, 3));
  store_nd(slab, NDS_ND_COUNTER_FRAMEWORK_VERSION, version(1, 2, 3, 1));
  store_nd(slab, NDS_ND_COUNTER_FAL_VERSION, version(1, 2, 3));
  store_nd(slab, NDS_ND_COUNTER_FEATURE_BITMAP, 1);
  store_nd(slab, NDS_ND_COUNTER_DEVICE_CLUSTER_ID, 5);
  store_nd(slab, NDS_ND_COUNTER_AGG_NEFF_ID, 5);
  for (const auto& post : run(2)) {
    int before = -1;
    for (const auto& record : post.records) {
      const int place = registry_place(record.id);
      ASSERT_GE(place, 0) << "id " << record.id;
      EXPECT_GT(place, before) << "id " << record.id << " on tick " << post.tick;
      EXPECT_TRUE(kRegistry[place].tick == kAlways || kRegistry[place].tick == post.tick)
          << "id " << record.id << " on tick " << post.tick;
      before = place;
    }
  }
}

// Everything a process can write is non-zero: no row without a source says anything, and no record
// has id 0.
TEST_F(MetricsRows, RowsWithoutASourceStaySilent) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (std::uint32_t core = 0; core < NDS_MAX_NC; ++core) {
    for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_COUNT; ++counter) {
      slab.add_nc(core, counter, 1);
    }
  }
  for (std::uint32_t counter = 0; counter < NDS_ND_COUNTER_COUNT; ++counter) {
    store_nd(slab, counter, version(1, 1, 1, 1));
  }
  const auto ids = ids_of(run(10));
  for (const unsigned cw : kWithoutSource) EXPECT_EQ(ids.count(cw), 0u) << "id " << cw;
  for (const unsigned cw : ids) EXPECT_GE(registry_place(cw), 0) << "id " << cw;
  EXPECT_EQ(ids.count(250), 1u);
}

TEST_F(MetricsRows, DynamicSysfsBitmapIsNeverPosted) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  store_nd(slab, NDS_ND_COUNTER_DYNAMIC_SYSFS_METRIC_BITMAP, 0xFFFF);
  const auto ids = ids_of(run(4));
  EXPECT_EQ(ids, kOfTheDevice);
}

TEST_F(MetricsRows, HbmErrorWordsOfTheSlabAreNotPosted) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, NDS_EXT_NC_COUNTER_HW_ERR_HBM_UE, 7);
  slab.add_nc(5, NDS_EXT_NC_COUNTER_HW_ERR_REPAIRABLE_HBM_UE, 9);
  const auto ids = ids_of(run(4));
  EXPECT_EQ(ids, kOfTheDevice);
}

TEST_F(MetricsRows, CountersWithoutARowAndReservedOnesFeedNothing) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  std::set<std::uint32_t> posted{0};
  for (const auto& row : kCounterRows) posted.insert(row.counter);
  for (std::uint32_t core = 0; core < NDS_MAX_NC; ++core) {
    for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_COUNT; ++counter) {
      if (posted.count(counter) == 0) slab.add_nc(core, counter, 1 + counter);
    }
  }
  const auto ids = ids_of(run(4));
  EXPECT_EQ(ids, kOfTheDevice);
  for (const auto& row : Debugfs().books()) EXPECT_EQ(row.incremented, 0u) << row;
}

TEST_F(MetricsRows, CoresTheDeviceDoesNotHaveFeedNothing) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (std::uint32_t core = 8; core < NDS_MAX_NC; ++core) slab.add_nc(core, 1, 1000);
  slab.add_nc(7, 1, 1);
  EXPECT_EQ(texts_of(run(4), 200), Texts{"1"});
}

TEST_F(MetricsRowsV2, CoresTheDeviceDoesNotHaveFeedNothing) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (std::uint32_t core = 2; core < NDS_MAX_NC; ++core) slab.add_nc(core, 1, 1000);
  slab.add_nc(1, 1, 1);
  EXPECT_EQ(texts_of(run(4), 200), Texts{"1"});
}

TEST_F(MetricsRows, ConstantsNameTheInstanceTheDriverAndTheProfile) {
  auto tag = read_file("/sys/devices/virtual/dmi/id/board_asset_tag").value_or("");
  tag = tag.substr(0, 63);
  while (!tag.empty() && std::isspace(static_cast<unsigned char>(tag.back()))) tag.pop_back();
  auto driver = read_file("/sys/module/" + module().name() + "/version").value_or("");
  ASSERT_FALSE(driver.empty());
  driver.pop_back();
  const auto posts = run(2);
  for (const auto& post : posts) {
    // An empty tag has nothing to say; without one the id is "0".
    const bool present = exists("/sys/devices/virtual/dmi/id/board_asset_tag");
    if (present && tag.empty()) {
      EXPECT_EQ(post.texts(12), Texts{});
    } else {
      EXPECT_EQ(post.texts(12), Texts{present ? tag : "0"});
    }
    EXPECT_EQ(post.texts(13), Texts{driver});
  }
  EXPECT_EQ(posts.front().texts(56), Texts{"0"});
}

}  // namespace
}  // namespace ndtel::vm
