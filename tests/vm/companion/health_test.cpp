// SPDX-License-Identifier: Apache-2.0
//
// What health, the firmware's log and ls say of real devices.
#include "companion_test.hpp"
#include "support/privileges.hpp"

namespace ndtel::vm {
namespace {

class CliHealth : public CompanionTest {
 protected:
  /// Runs health on one device of a namespace until a finding has `text`, which it is expected to.
  static ::testing::AssertionResult finds(const std::string& space, int device,
                                          const std::string& text, int code) {
    std::string last;
    int ended = -1;
    const bool found = eventually([&] {
      Command health({"health", "--json", "--namespace", space, "-d", std::to_string(device)});
      ended = health.wait();
      last = health.out() + health.err();
      return ended == code && last.find(text) != std::string::npos;
    });
    if (found) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "exit " << ended << ": " << last;
  }
};

TEST_F(CliHealth, NamesWhatIsWrongWithACompanion) {
  ASSERT_EQ(ours().write_new_device("companion 0 v3"), 0);
  EXPECT_TRUE(finds(kOurs, 0, "no agent is attached", 1));
  {
    Command agent = run_agent();
    EXPECT_TRUE(finds(kOurs, 0, "\"healthy\"", 0));
    ASSERT_EQ(ours().set_parameter("nmetric_log_posts", "0"), 0);
    EXPECT_TRUE(finds(kOurs, 0, "no sink is switched on", 1));
    ASSERT_EQ(ours().set_parameter("nmetric_log_posts", "1"), 0);
    Command pause({"pause", "--namespace", kOurs, "-d", "0"});
    EXPECT_TRUE(finds(kOurs, 0, "posting is paused by 1 open file", 1));
  }
  EXPECT_TRUE(finds(kOurs, 0, "no agent is attached", 1));
}

TEST_F(CliHealth, NamesWhatIsWrongWithFirmware) {
  const Firmware firmware(0, kTwin);
  ASSERT_EQ(twin().set_parameter("nmetric_log_posts", "1"), 0);
  ASSERT_EQ(twin().set_parameter("nmetric_metric_post_delay", "100"), 0);
  EXPECT_TRUE(finds(kTwin, 0, "\"healthy\"", 0));
  firmware.set("ignore_requests", kForEver);
  EXPECT_TRUE(finds(kTwin, 0, "the firmware is silent", 1));
  firmware.heal();
  EXPECT_TRUE(finds(kTwin, 0, "did not always answer well", 0));
  EXPECT_EQ(firmware.command("0x40 0x3"), 0);
  EXPECT_TRUE(finds(kTwin, 0, "on-chip memory had 3 uncorrected errors", 1));
}

TEST_F(CliHealth, DoesNotTakeWhatItCannotReadForHealthy) {
  ASSERT_EQ(twin().set_parameter("nmetric_log_posts", "1"), 0);
  Node::allow_everybody(0, kTwin);
  Command health({"health", "--namespace", kTwin, "-d", "0"},
                 [] { drop_privileges(65534, 65534); });
  EXPECT_EQ(health.wait(), 3) << health.out();
  EXPECT_NE(health.out().find("cannot tell where the counts are"), std::string::npos)
      << health.out();
  EXPECT_NE(health.out().find("run as root"), std::string::npos) << health.out();
}

TEST_F(CliHealth, FirmwareLogShowsWhatWasTaken) {
  Command agent = run_agent();
  Command follow({"firmware", "log", "--namespace", kTwin, "-d", "0", "--json", "--follow"});
  count(0, 7);
  ASSERT_TRUE(all_confirmed(0, 7));
  const auto sum = [](const Command& command) {
    std::uint64_t total = 0;
    for (const auto& post : command.json_lines()) {
      for (const auto& record : post["records"]) {
        if (record["name"] == "NERR_OK") total += std::stoull(record["value"].get<std::string>());
      }
    }
    return total;
  };
  EXPECT_TRUE(eventually([&] { return sum(follow) == 7; })) << follow.err();
  follow.signal(SIGTERM);
  EXPECT_EQ(follow.wait(), 0) << follow.err();
  Command log({"firmware", "log", "--namespace", kTwin, "--json"});
  ASSERT_EQ(log.wait(), 0) << log.err();
  EXPECT_EQ(sum(log), 7u);
  Command none({"firmware", "log", "--namespace", kOurs});
  EXPECT_EQ(none.wait(), 3);
  EXPECT_NE(none.err().find("only simulated devices"), std::string::npos) << none.err();
}

}  // namespace
}  // namespace ndtel::vm
