// SPDX-License-Identifier: Apache-2.0
//
// Memory errors from the firmware's tallies to posts: differences, never what cannot be read.
#include "firmware_test.hpp"

namespace ndtel::vm {
namespace {

constexpr unsigned kUnrepairable = 222;
constexpr unsigned kRepairable = 229;

class FirmwareEcc : public FirmwareTest {
 protected:
  FirmwareEcc() : FirmwareTest("no_reset=1") {}

  /// Lets posts of both bands come and returns the texts under an id.
  static std::vector<std::string> texts(Posting& posting, unsigned id) {
    return texts_of(posting.run(3), id);
  }
};

TEST_F(FirmwareEcc, DifferencesArePostedAndTheFirstReadingIsTheBase) {
  const Firmware firmware;
  set("nmetric_log_posts", "2");
  ASSERT_EQ(firmware.command("0x44 0x2003"), 0);
  Trace trace(Events::kPostNd);
  Posting posting(module(), trace);
  EXPECT_EQ(sum_of(posting.run(3), kUnrepairable), 0u) << "counted before the module was loaded";
  ASSERT_EQ(firmware.command("0x44 0x3007"), 0);
  ASSERT_EQ(firmware.command("0x50 0x1001"), 0);
  const auto posts = posting.run(4);
  EXPECT_EQ(sum_of(posts, kUnrepairable), 2u);
  EXPECT_EQ(sum_of(posts, kRepairable), 5u);
}

// K17, F15, F16: neither a busy register nor a lost link is a tally of zero.
TEST_F(FirmwareEcc, UnreadableTalliesPostNothingAndLoseNothing) {
  const Firmware firmware;
  set("nmetric_log_posts", "2");
  Trace trace(Events::kPostNd);
  Posting posting(module(), trace);
  EXPECT_EQ(texts(posting, kUnrepairable).front(), "0");
  for (const char* fault : {"0x48 busy", "0x4c gone", "0x64 busy", "all gone"}) {
    ASSERT_EQ(firmware.command("0x44 0x1000"), 0);
    ASSERT_EQ(firmware.command(fault), 0);
    posting.run(2);  // what was read before the fault is posted
    EXPECT_TRUE(texts(posting, kUnrepairable).empty()) << fault;
    ASSERT_EQ(firmware.command("all normal"), 0);
    ASSERT_EQ(firmware.command(std::string(fault).substr(0, 4) + " normal"), 0);
  }
  EXPECT_EQ(sum_of(posting.run(4), kUnrepairable), 1u);
}

TEST_F(FirmwareEcc, TransientLowReadingRepostsNothing) {
  const Firmware firmware;
  set("nmetric_log_posts", "2");
  Trace trace(Events::kPostNd);
  Posting posting(module(), trace);
  posting.run(3);
  ASSERT_EQ(firmware.command("0x44 0x5000"), 0);
  EXPECT_EQ(sum_of(posting.run(4), kUnrepairable), 5u);
  ASSERT_EQ(firmware.command("0x44 0x0"), 0);
  EXPECT_EQ(sum_of(posting.run(4), kUnrepairable), 0u);
  ASSERT_EQ(firmware.command("0x44 0x6000"), 0);
  EXPECT_EQ(sum_of(posting.run(4), kUnrepairable), 1u);
}

}  // namespace
}  // namespace ndtel::vm
