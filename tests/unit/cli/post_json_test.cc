// SPDX-License-Identifier: Apache-2.0
#include "trace/post_json.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "failure.hpp"

namespace ndtel::cli {
namespace {

Recording read(const std::string& text) {
  std::istringstream in(text);
  return read_recording(in, "posts.jsonl");
}

TEST(PostJson, HasNamesForPeopleAndKeepsEverything) {
  const PostEvent post{"ndtel", 123456789, 7, 1, 0, 1, 0, 200, "25"};
  EXPECT_EQ(post_to_json(post),
            R"({"namespace":"ndtel","device":1,"time_ns":123456789,"tick":0,"sink":"trace",)"
            R"("result":"accepted","seq":7,"id":200,"name":"NERR_OK","value":"25"})");
  const auto back = read(post_to_json(post) + "\n");
  ASSERT_EQ(back.posts.size(), 1U);
  EXPECT_EQ(back.posts[0], post);
}

TEST(PostJson, LeavesOutWhatIsMissing) {
  PostEvent post;
  post.space = "neuron";
  post.id = 13;
  post.value = "2.27.4.0";
  EXPECT_EQ(post_to_json(post), R"({"namespace":"neuron","time_ns":0,"id":13,)"
                                R"("name":"DRIVER_VERSION","value":"2.27.4.0"})");
  EXPECT_EQ(read(post_to_json(post)).posts.at(0), post);
}

TEST(PostJson, SurvivesUnknownNumbersAndBytes) {
  PostEvent post{"ndtel", 1, 1, 0, 0, 9, 200, 999, "\xff"};
  const auto back = read(post_to_json(post));
  EXPECT_EQ(back.posts.at(0).sink, 9);
  EXPECT_EQ(back.posts.at(0).result, 200);
  EXPECT_EQ(metric_name(999), "id 999");
  EXPECT_EQ(metric_name(203), "id 203");
}

TEST(PostJson, CarriesLosses) {
  const auto back =
      read(loss_to_json(3, "CPU 1 was overrun") + "\n" + loss_to_json(0, "more") + "\n");
  EXPECT_EQ(back.lost, 3U);
  EXPECT_EQ(back.losses, (std::vector<std::string>{"CPU 1 was overrun", "more"}));
}

TEST(PostJson, NamesTheBadLine) {
  const PostEvent good{"ndtel", 1, 1, 0, 0, 1, 0, 200, "1"};
  try {
    read(post_to_json(good) + "\n{\"namespace\":\"ndtel\"\n");
    FAIL() << "a cut line was taken";
  } catch (const Failure& e) {
    EXPECT_NE(std::string(e.what()).find("posts.jsonl: line 2"), std::string::npos) << e.what();
  }
  EXPECT_THROW(read("{\"namespace\":\"ndtel\",\"time_ns\":1,\"id\":200}"), Failure);
  EXPECT_THROW(read("[]"), Failure);
}

}  // namespace
}  // namespace ndtel::cli
