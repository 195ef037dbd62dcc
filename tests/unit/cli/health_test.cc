// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "health/rules.hpp"

namespace ndtel::cli {
namespace {

const std::string kClass = "/sys/class/ndtel_device/ndtel0/";
const std::string kDebug = "/sys/kernel/debug/ndtel/ndtel0/";
const std::string kLogPosts = "/sys/module/ndtel/parameters/nmetric_log_posts";
const std::string kBooks =
    "sink row cw name incremented confirmed pending unknown implausible overflow removed\n";

/// A machine with one device, in files. A healthy simulated one at first.
class Health : public ::testing::Test {
 protected:
  Health() {
    node_.path = "/dev/ndtel0";
    node_.name_space = "ndtel";
    node_.index = 0;
    node_.driver = Driver::kNdtel;
    files_[kClass + "state"] = {"ready\n", 0};
    files_[kClass + "stats/hardware/sram_ecc_uncorrected"] = {"0\n", 0};
    files_[kClass + "stats/hardware/mem_ecc_uncorrected"] = {"0\n", 0};
    files_[kClass + "stats/hardware/mem_ecc_repairable_uncorrected"] = {"0\n", 0};
    files_[kClass + "stats/power/utilization"] = {"POWER_STATUS_VALID,1764450000,1.00,3.00,2.00\n",
                                                  0};
    for (int core = 0; core < 8; ++core) files_[failures(core)] = {"0\n", 0};
    files_[kLogPosts] = {"3\n", 0};
    files_[kDebug + "pending"] = {kBooks + "fwio 6 200 NERR_OK 100 75 25 0 0 0 0\n", 0};
    files_[kDebug + "posting"] = {"pause_votes 0\nfirmware_failed 0\n", 0};
    files_[kDebug + "fwio"] = {fwio(0, 0, 0), 0};
    files_[kDebug + "anomalies"] = {
        "words_down 0\nconst_conflicts 0\nsink0 posts 9 refused 0 unknown 0 deferred 0\n", 0};
  }

  static std::string failures(int core) {
    return kClass + "neuron_core" + std::to_string(core) +
           "/stats/other_info/reset_fail_count/total";
  }
  static std::string fwio(int failed, int timeouts, int bad) {
    return "calls 50\ndoorbells 60\nfailed " + std::to_string(failed) + "\ntimeouts " +
           std::to_string(timeouts) + "\nbad_replies " + std::to_string(bad) +
           "\nrefusals 1\nsilences 2\n";
  }
  void make_companion() {
    for (const char* gone :
         {"sram_ecc_uncorrected", "mem_ecc_uncorrected", "mem_ecc_repairable_uncorrected"}) {
      files_.erase(kClass + "stats/hardware/" + gone);
    }
    files_.erase(kClass + "stats/power/utilization");
    files_.erase(kDebug + "fwio");
    files_[kDebug + "posting"] = {"pause_votes 0\n", 0};
    files_[kDebug + "pending"] = {kBooks + "relay 6 200 NERR_OK 100 75 25 0 0 0 0\n", 0};
    files_[kDebug + "relay"] = {"agent 77\nseq 5\npost idle\n", 0};
  }

  std::vector<Finding> findings() const {
    return examine(node_, [this](const std::string& path) {
      const auto found = files_.find(path);
      return found == files_.end() ? Fact{{}, ENOENT} : found->second;
    });
  }
  /// The only finding there is.
  Finding finding() const {
    const auto all = findings();
    if (all.size() != 1) {
      ADD_FAILURE() << all.size() << " findings";
      for (const auto& f : all) ADD_FAILURE() << f.what;
      return {};
    }
    return all[0];
  }

  Node node_;
  std::map<std::string, Fact> files_;
};

TEST_F(Health, AHealthyDeviceHasNoFindings) {
  EXPECT_TRUE(findings().empty());
  EXPECT_EQ(verdict({}), Exit::kOk);
  make_companion();
  EXPECT_TRUE(findings().empty());
}

TEST_F(Health, States) {
  files_[kClass + "state"].text = "invalid\n";
  EXPECT_EQ(finding().severity, Severity::kCritical);
  EXPECT_EQ(finding().evidence, kClass + "state: invalid");
  files_[kClass + "state"].text = "reset\n";
  EXPECT_EQ(finding().severity, Severity::kWarning);
  files_[kClass + "state"].text = "dreaming\n";
  EXPECT_EQ(finding().severity, Severity::kUnknown);
}

TEST_F(Health, TheVendorsDriverSaysItsStateByNumber) {
  node_.driver = Driver::kVendor;
  std::erase_if(files_, [](const auto& file) { return file.first.starts_with(kDebug); });
  files_.erase(kClass + "state");
  files_[kClass + "reset"] = {"1\n", 0};
  EXPECT_TRUE(findings().empty());
  files_[kClass + "reset"].text = "2\n";
  EXPECT_EQ(finding().severity, Severity::kCritical);
  files_[kClass + "reset"].text = "busy\n";
  EXPECT_EQ(finding().severity, Severity::kUnknown);
}

TEST_F(Health, FirmwareThatTakesNoPosts) {
  files_[kDebug + "posting"].text = "pause_votes 0\nfirmware_failed 4\n";
  files_[kDebug + "fwio"].text = fwio(0, 4, 0);
  EXPECT_EQ(finding().severity, Severity::kCritical);
  EXPECT_NE(finding().what.find("silent"), std::string::npos);
  EXPECT_NE(finding().evidence.find("firmware_failed 4"), std::string::npos);
  EXPECT_NE(finding().evidence.find("timeouts 4"), std::string::npos);
  files_[kDebug + "fwio"].text = fwio(4, 1, 0);
  EXPECT_NE(finding().what.find("refuses"), std::string::npos);
  files_[kDebug + "fwio"].text = fwio(0, 1, 4);
  EXPECT_NE(finding().what.find("garbage"), std::string::npos);
  // It has recovered: nothing is wrong now.
  files_[kDebug + "posting"].text = "pause_votes 0\nfirmware_failed 0\n";
  EXPECT_EQ(finding().severity, Severity::kNote);
  EXPECT_EQ(verdict(findings()), Exit::kOk);
}

TEST_F(Health, MemoryErrors) {
  files_[kClass + "stats/hardware/mem_ecc_uncorrected"].text = "2\n";
  EXPECT_EQ(finding().severity, Severity::kCritical);
  EXPECT_NE(finding().what.find("2 uncorrected errors"), std::string::npos);
  files_[kClass + "stats/hardware/mem_ecc_uncorrected"].text = "0\n";
  files_[kClass + "stats/hardware/mem_ecc_repairable_uncorrected"].text = "1\n";
  EXPECT_EQ(finding().severity, Severity::kWarning);
  EXPECT_NE(finding().advice.find("reset"), std::string::npos);
}

TEST_F(Health, ATallyThatCannotBeReadIsNotZero) {
  files_[kClass + "stats/hardware/sram_ecc_uncorrected"] = {{}, EAGAIN};
  EXPECT_EQ(finding().severity, Severity::kUnknown);
  EXPECT_EQ(verdict(findings()), Exit::kMissing);
  files_[kClass + "stats/hardware/sram_ecc_uncorrected"] = {"many\n", 0};
  EXPECT_EQ(finding().severity, Severity::kUnknown);
}

TEST_F(Health, NoPowerReading) {
  files_[kClass + "stats/power/utilization"].text = "POWER_STATUS_NO_DATA,0,0.00,0.00,0.00\n";
  files_[kDebug + "fwio"].text += "power_accepted 12\npower_stale 3\npower_failed 4\n";
  EXPECT_EQ(finding().severity, Severity::kNote);
  EXPECT_NE(finding().evidence.find("12 samples taken, 3 old ones, 4 failed"), std::string::npos);
}

TEST_F(Health, ResetsThatFailed) {
  files_[failures(3)].text = "2\n";
  EXPECT_EQ(finding().severity, Severity::kWarning);
  EXPECT_EQ(finding().evidence, failures(3) + ": 2");
  files_[failures(3)].text = "0\n";
  files_[failures(0)] = {{}, EIO};
  EXPECT_EQ(finding().severity, Severity::kUnknown);
}

TEST_F(Health, Switches) {
  files_[kLogPosts].text = "0\n";
  EXPECT_EQ(finding().severity, Severity::kWarning);
  files_[kLogPosts].text = "2\n";
  EXPECT_EQ(finding().severity, Severity::kNote);
  EXPECT_NE(finding().advice.find("write 3"), std::string::npos);
}

TEST_F(Health, Votes) {
  files_[kDebug + "posting"].text = "pause_votes 2\nfirmware_failed 0\n";
  EXPECT_EQ(finding().severity, Severity::kWarning);
  EXPECT_NE(finding().what.find("2 open files"), std::string::npos);
}

TEST_F(Health, Agents) {
  make_companion();
  files_[kDebug + "relay"].text = "agent 0\nseq 5\npost idle\n";
  EXPECT_EQ(finding().severity, Severity::kWarning);
  EXPECT_NE(finding().advice.find("ndtel companion"), std::string::npos);
  files_[kDebug + "relay"].text = "agent 77\nseq 5\npost read\nwaits_ms 59000\n";
  EXPECT_TRUE(findings().empty());
  files_[kDebug + "relay"].text = "agent 77\nseq 5\npost read\nwaits_ms 61000\n";
  EXPECT_NE(finding().what.find("process 77"), std::string::npos);
}

TEST_F(Health, WhatBecameOfPostsAndCounts) {
  files_[kDebug + "anomalies"].text =
      "words_down 3\nconst_conflicts 0\nsink0 posts 9 refused 2 unknown 1 deferred 0\n";
  const auto all = findings();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(std::all_of(all.begin(), all.end(),
                          [](const Finding& f) { return f.severity == Severity::kNote; }));
  files_[kDebug + "anomalies"].text = "words_down 0\n";
  files_[kDebug + "pending"].text = kBooks + "fwio 6 200 NERR_OK 100 75 20 0 5 0 0\n";
  EXPECT_EQ(finding().severity, Severity::kWarning);
  EXPECT_NE(finding().evidence.find("implausible 5"), std::string::npos);
}

TEST_F(Health, BooksThatCannotBeReadAreUnknownOnce) {
  for (auto& [path, fact] : files_) {
    if (path.starts_with(kDebug)) fact = {{}, EACCES};
  }
  EXPECT_EQ(finding().severity, Severity::kUnknown);
  EXPECT_EQ(finding().advice, "run as root");
  EXPECT_EQ(verdict(findings()), Exit::kMissing);
  std::erase_if(files_, [](const auto& file) { return file.first.starts_with(kDebug); });
  EXPECT_NE(finding().advice.find("mount debugfs"), std::string::npos);
  files_[kDebug + "pending"] = {"something else\n", 0};
  EXPECT_EQ(finding().severity, Severity::kUnknown);
}

TEST_F(Health, ANodeWithoutADriver) {
  node_.driver = Driver::kUnknown;
  files_.clear();
  EXPECT_EQ(finding().severity, Severity::kCritical);
}

TEST_F(Health, WhatIsWrongOutweighsWhatIsUnknown) {
  EXPECT_EQ(verdict({{Severity::kUnknown, "", "", "", ""}, {Severity::kWarning, "", "", "", ""}}),
            Exit::kFailed);
}

}  // namespace
}  // namespace ndtel::cli
