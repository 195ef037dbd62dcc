// SPDX-License-Identifier: Apache-2.0
//
// What arrives: the same records as in trace events, whole, once, under every setting of
// nmetric_log_posts.
#include "firmware_test.hpp"

namespace ndtel::vm {
namespace {

using FirmwareDelivery = FirmwareTest;

TEST_F(FirmwareDelivery, ArrivesOnceAndEqualsTheTrace) {
  const Firmware firmware;
  Trace trace(Events::kPostNd);
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, kCompleted, 25);
  slab.add_nc(7, kCompleted, 5);
  slab.add_nc(3, kAborts, 7);
  period(kShortPeriod);
  EXPECT_TRUE(eventually([&] { return firmware.posts().size() >= 6; }));
  period(kLongPeriod);
  EXPECT_TRUE(eventually([&] { return Debugfs().books_of(kOk, "fwio").confirmed == 30; }));
  EXPECT_EQ(firmware.received(kOk), 30u);
  EXPECT_EQ(firmware.received(kDmaAbort), 7u);
  EXPECT_EQ(firmware.state().at("mismatched"), 0u) << "the copy in DATA is another";
  EXPECT_EQ(firmware.state().at("rejected"), 0u);
  const auto posts = firmware.posts();
  EXPECT_EQ(posts.front().texts(kOk), std::vector<std::string>{"30"});
  EXPECT_EQ(posts.front().texts(NMETRIC_CW_ID_DRIVER_VERSION).size(), 1u);
  EXPECT_TRUE(trace.read_until([&](const auto&) { return trace.sum(0, kOk) >= 30; }));
}

// The fate of a post to firmware is an event too, so that a listener sees refusals.
TEST_F(FirmwareDelivery, ListenersLearnWhatBecameOfAPost) {
  const Firmware firmware;
  set("nmetric_log_posts", "1");
  Trace trace(Events::kPostNd);
  firmware.set("fail", kForEver);
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, kCompleted, 4);
  period(kShortPeriod);
  const auto fate = [&](unsigned result) {
    return trace.read_until([&](const auto& events) {
      for (const auto& event : events) {
        if (event.id == kOk && event.sink == NMETRIC_SINK_FWIO && event.result == result) {
          return true;
        }
      }
      return false;
    });
  };
  EXPECT_TRUE(fate(NMETRIC_REFUSED));
  firmware.heal();
  EXPECT_TRUE(fate(NMETRIC_ACCEPTED));
  period(kLongPeriod);
  EXPECT_EQ(firmware.received(kOk), 4u);
  EXPECT_EQ(Debugfs().books_of(kOk, "trace").pending, 4u) << "this sink is off";
}

TEST_F(FirmwareDelivery, SinkThatIsOffKeepsItsCountsUntilItIsSwitchedOn) {
  const Firmware firmware;
  set("nmetric_log_posts", "0");
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, kCompleted, 6);
  slab.add_nc(0, kAborts, 7);
  period(kShortPeriod);
  std::this_thread::sleep_for(5 * kShortPeriod);
  EXPECT_TRUE(firmware.posts().empty());
  EXPECT_EQ(Debugfs().books_of(kOk, "fwio").pending, 6u);
  set("nmetric_log_posts", "1");
  EXPECT_TRUE(
      eventually([&] { return firmware.received(kOk) == 6 && firmware.received(kDmaAbort) == 7; }));
  period(kLongPeriod);
}

// K1: one failed call is one error, and it is posted as a difference.
TEST_F(FirmwareDelivery, FailedCallsArePostedAsDifferences) {
  const Firmware firmware;
  firmware.set("fail", 3);  // one call with all its attempts
  period(kShortPeriod);
  const auto errors = [&] { return firmware.received(NMETRIC_CW_ID_FW_IO_ERROR_COUNT); };
  EXPECT_TRUE(eventually([&] { return errors() >= 1; }));
  std::this_thread::sleep_for(6 * kShortPeriod);
  EXPECT_EQ(errors(), 1u);
  period(kLongPeriod);
  EXPECT_EQ(firmware.mailbox().at("failed"), 1u);
  EXPECT_EQ(firmware.mailbox().at("refusals"), 3u);
}

// K22: what a firmware writes into its answer does not end up in later posts.
TEST_F(FirmwareDelivery, AnswersWithAPayloadDoNotChangePosts) {
  const Firmware firmware;
  firmware.set("reply_size", 100);
  firmware.set("bad_size", 4);
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, kCompleted, 9);
  period(kShortPeriod);
  EXPECT_TRUE(eventually([&] { return Debugfs().books_of(kOk, "fwio").confirmed == 9; }));
  period(kLongPeriod);
  for (const auto& post : firmware.posts()) {
    EXPECT_EQ(post.texts(NMETRIC_CW_ID_DRIVER_VERSION).size(), 1u);
    for (const auto& text : post.texts(kOk)) EXPECT_EQ(text, "9");
  }
}

}  // namespace
}  // namespace ndtel::vm
