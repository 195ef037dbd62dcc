// SPDX-License-Identifier: Apache-2.0
#include "firmware/firmware_log.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "failure.hpp"

namespace ndtel::cli {
namespace {

const std::string kHeader = "index at_ns size data\n";

TEST(FirmwareLog, DecodesRecords) {
  const auto posts = parse_firmware_posts(
      kHeader + "0 1500000000 8 c80232355a023337\n1 2000000000 3 c80135\n", "here");
  ASSERT_EQ(posts.size(), 2U);
  EXPECT_EQ(posts[0].index, 0U);
  EXPECT_EQ(posts[0].time_ns, 1500000000U);
  EXPECT_TRUE(posts[0].whole);
  EXPECT_EQ(posts[0].records, (std::vector<PostRecord>{{200, "25"}, {90, "37"}}));
  EXPECT_EQ(posts[1].records, (std::vector<PostRecord>{{200, "5"}}));
  EXPECT_TRUE(parse_firmware_posts(kHeader, "here").empty());
}

TEST(FirmwareLog, KeepsWhatIsNoRecord) {
  const auto posts = parse_firmware_posts(kHeader + "7 1 5 c80135c809\n", "here");
  ASSERT_EQ(posts.size(), 1U);
  EXPECT_EQ(posts[0].records, (std::vector<PostRecord>{{200, "5"}}));
  EXPECT_FALSE(posts[0].whole);
  EXPECT_NE(firmware_post_text("ndtel0", posts[0]).find("no record"), std::string::npos);
}

TEST(FirmwareLog, NamesWhatItCannotParse) {
  EXPECT_THROW(parse_firmware_posts("", "here"), Failure);
  EXPECT_THROW(parse_firmware_posts("index data\n", "here"), Failure);
  for (const char* bad : {"0 1 3\n", "0 1 3 c80135 9\n", "0 1 4 c80135\n", "0 1 3 c8013\n",
                          "0 1 3 c8013g\n", "x 1 3 c80135\n", "0 -1 3 c80135\n", "\n"}) {
    try {
      parse_firmware_posts(kHeader + bad, "posts of neuron0");
      FAIL() << bad;
    } catch (const Failure& e) {
      EXPECT_NE(std::string(e.what()).find("posts of neuron0: line 2"), std::string::npos);
    }
  }
}

TEST(FirmwareLog, JsonHasEveryRecord) {
  const auto posts = parse_firmware_posts(kHeader + "3 42 7 c8023235030141\n", "here");
  const auto json = nlohmann::json::parse(firmware_post_json("neuron1", posts.at(0)));
  EXPECT_EQ(json["device"], "neuron1");
  EXPECT_EQ(json["index"], 3);
  EXPECT_EQ(json["time_ns"], 42);
  EXPECT_EQ(json["size"], 7);
  EXPECT_EQ(json["whole"], true);
  EXPECT_EQ(json["records"][0]["name"], "NERR_OK");
  EXPECT_EQ(json["records"][0]["value"], "25");
  EXPECT_EQ(json["records"][1]["name"], "id 3");  // not known to this version
}

TEST(FirmwareLog, BytesThatAreNoTextDoNotEndIt) {
  const auto posts = parse_firmware_posts(kHeader + "0 1 3 c801ff\n", "here");
  EXPECT_TRUE(nlohmann::json::parse(firmware_post_json("neuron0", posts.at(0))).is_object());
}

}  // namespace
}  // namespace ndtel::cli
