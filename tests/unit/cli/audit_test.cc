// SPDX-License-Identifier: Apache-2.0
#include "audit/audit.hpp"

#include <gtest/gtest.h>
#include <ndtel/cw.h>
#include <ndtel/nds.h>
#include <unistd.h>

#include <filesystem>

#include "failure.hpp"

namespace ndtel::cli {
namespace {

const DeviceKey kDevice{"ndtel", 0};

PostEvent post(std::uint64_t seq, std::uint32_t id, const std::string& value) {
  return {"ndtel", seq * 1000, seq, 0, 0, 1, 0, id, value};
}

/// One device, two counters, everything right: 100 completed (30 + 45 posted, 25 pending), time in
/// use, an inference count that is never posted.
AuditInput balanced() {
  AuditInput input;
  input.ledger[kDevice] = {{NDS_NC_COUNTER_INFER_COMPLETED, {100, 100}},
                           {NDS_NC_COUNTER_TIME_IN_USE, {9000, 9000}},
                           {NDS_NC_COUNTER_INFERENCE_COUNT, {100, 100}}};
  input.books[kDevice] = {{"trace", 6, 200, "NERR_OK", 100, 75, 25, 0, 0, 0, 0},
                          {"trace", 33, 90, "NC_UTILIZATION", 9000, 9000, 0, 0, 0, 0, 0},
                          {"fwio", 6, 200, "NERR_OK", 100, 0, 100, 0, 0, 0, 0}};
  input.recording.posts = {post(1, 13, "0.1.0"), post(2, 200, "30"), post(3, 90, "40"),
                           post(4, 13, "0.1.0"), post(5, 200, "45"), post(6, 90, "50")};
  return input;
}

const AuditRow& row(const AuditReport& report, std::uint32_t counter) {
  for (const AuditRow& r : report.rows) {
    if (r.counter == counter) return r;
  }
  throw std::out_of_range("no such row");
}

TEST(Audit, BalancedBooksAreConserved) {
  const AuditReport report = audit(balanced());
  EXPECT_TRUE(report.conserved()) << audit_text(report, true);
  ASSERT_EQ(report.rows.size(), 3U);
  const AuditRow& ok = row(report, NDS_NC_COUNTER_INFER_COMPLETED);
  EXPECT_EQ(ok.posted, 75U);
  EXPECT_EQ(ok.confirmed, 75U);
  EXPECT_EQ(ok.pending, 25U);
  EXPECT_EQ(ok.seen, 100U);
}

TEST(Audit, TimeInUseIsJudgedByTheBooksAlone) {
  AuditInput input = balanced();
  EXPECT_FALSE(row(audit(input), NDS_NC_COUNTER_TIME_IN_USE).posted);
  input.books[kDevice][1].confirmed = 8999;
  EXPECT_FALSE(audit(input).conserved());
}

TEST(Audit, CountersWithoutAnIdAreShownAndNotJudged) {
  const AuditReport report = audit(balanced());
  const AuditRow& never = row(report, NDS_NC_COUNTER_INFERENCE_COUNT);
  EXPECT_FALSE(never.cw);
  EXPECT_FALSE(never.posted);
  EXPECT_NE(audit_text(report, false).find("not posted: no CloudWatch id"), std::string::npos);
}

TEST(Audit, CatchesALostPost) {
  AuditInput input = balanced();
  input.recording.posts.erase(input.recording.posts.begin() + 4);
  const AuditReport report = audit(input);
  EXPECT_FALSE(report.conserved());
  EXPECT_FALSE(row(report, NDS_NC_COUNTER_INFER_COMPLETED).conserved());
  EXPECT_EQ(report.lost, 1U);
}

TEST(Audit, CatchesTheLastPostLost) {
  AuditInput input = balanced();
  input.recording.posts.resize(4);  // no hole in the numbers
  const AuditReport report = audit(input);
  EXPECT_EQ(report.lost, 0U);
  EXPECT_FALSE(report.conserved());
}

TEST(Audit, CatchesADuplicatedPost) {
  AuditInput input = balanced();
  input.recording.posts.push_back(post(7, 200, "45"));
  EXPECT_FALSE(audit(input).conserved());
}

TEST(Audit, CatchesAnEventThatArrivedTwice) {
  AuditInput input = balanced();
  input.recording.posts.push_back(input.recording.posts[0]);
  EXPECT_FALSE(audit(input).conserved());
}

TEST(Audit, CatchesAMissingEventThatCarriedNoCount) {
  AuditInput input = balanced();
  input.recording.posts.erase(input.recording.posts.begin() + 3);
  const AuditReport report = audit(input);
  EXPECT_TRUE(row(report, NDS_NC_COUNTER_INFER_COMPLETED).conserved());
  EXPECT_EQ(report.lost, 1U);
  EXPECT_FALSE(report.conserved());
}

TEST(Audit, CatchesWhatTheRecorderLost) {
  AuditInput input = balanced();
  input.recording.lost = 2;
  EXPECT_FALSE(audit(input).conserved());
  input.recording.lost = 0;
  input.recording.losses = {"CPU 0 was overrun"};
  EXPECT_FALSE(audit(input).conserved());
}

TEST(Audit, CatchesCountsTheKernelNeverSaw) {
  AuditInput input = balanced();
  input.ledger[kDevice][NDS_NC_COUNTER_INFER_COMPLETED] = {101, 101};
  EXPECT_FALSE(audit(input).conserved());
  input.ledger[kDevice][NDS_NC_COUNTER_INFER_COMPLETED] = {99, 99};
  EXPECT_FALSE(audit(input).conserved());
}

TEST(Audit, AcceptsAnyCountWithinTheMarksOfAKilledProcess) {
  const std::tuple<std::uint64_t, std::uint64_t, bool> cases[] = {
      {99, 101, true}, {100, 101, true}, {99, 100, true}, {98, 99, false}, {101, 103, false}};
  for (const auto& [done, intent, good] : cases) {
    AuditInput input = balanced();
    input.ledger[kDevice][NDS_NC_COUNTER_INFER_COMPLETED] = {done, intent};
    EXPECT_EQ(audit(input).conserved(), good) << done << ".." << intent;
  }
}

TEST(Audit, CatchesAmountsThatVanishInTheKernel) {
  AuditInput input = balanced();
  input.books[kDevice][0].pending = 24;
  EXPECT_FALSE(audit(input).conserved());
}

TEST(Audit, DiscardedAmountsBalanceAndAreShownWithTheReason) {
  AuditInput input = balanced();
  input.books[kDevice][0].pending = 20;
  input.books[kDevice][0].removed = 4;
  input.books[kDevice][0].implausible = 1;
  const AuditReport report = audit(input);
  EXPECT_TRUE(report.conserved());
  const std::string text = audit_text(report, false);
  EXPECT_NE(text.find("1 implausible, 4 device removed"), std::string::npos) << text;
}

TEST(Audit, RefusedPostsDoNotCount) {
  AuditInput input = balanced();
  PostEvent refused = post(7, 200, "25");
  refused.result = NMETRIC_REFUSED;
  input.recording.posts.push_back(refused);
  EXPECT_TRUE(audit(input).conserved());
}

TEST(Audit, OtherSinksAreJudgedByTheirOwnBooks) {
  AuditInput input = balanced();
  PostEvent elsewhere = post(7, 200, "1000");
  elsewhere.sink = NMETRIC_SINK_FWIO;
  input.recording.posts.push_back(elsewhere);
  EXPECT_TRUE(audit(input).conserved());
  input.sink = "fwio";
  EXPECT_FALSE(audit(input).conserved());
}

TEST(Audit, NeedsBooksForWhatWasCounted) {
  AuditInput input = balanced();
  input.books.clear();
  EXPECT_FALSE(audit(input).conserved());
  AuditInput other = balanced();
  other.ledger[{"ndtel", 1}] = {{NDS_NC_COUNTER_INFER_COMPLETED, {1, 1}}};
  EXPECT_FALSE(audit(other).conserved());
}

TEST(Audit, NeedsToKnowWhosePostItIs) {
  AuditInput input = balanced();
  PostEvent anonymous = post(7, 200, "1");
  anonymous.device.reset();
  input.recording.posts.push_back(anonymous);
  EXPECT_FALSE(audit(input).conserved());
}

TEST(Audit, NothingIsNotConserved) { EXPECT_FALSE(audit({}).conserved()); }

TEST(Audit, ValuesMustBeNumbers) {
  AuditInput input = balanced();
  input.recording.posts[1].value = "30x";
  EXPECT_FALSE(audit(input).conserved());
}

TEST(Audit, BaselineTakesOffWhatWasThereBefore) {
  AuditInput input = balanced();
  input.baseline[kDevice] = {{"trace", 6, 200, "NERR_OK", 40, 30, 10, 0, 0, 0, 0},
                             {"trace", 33, 90, "NC_UTILIZATION", 0, 0, 0, 0, 0, 0, 0}};
  input.ledger[kDevice][NDS_NC_COUNTER_INFER_COMPLETED] = {60, 60};
  input.recording.posts.erase(input.recording.posts.begin(), input.recording.posts.begin() + 3);
  const AuditReport report = audit(input);
  EXPECT_TRUE(report.conserved()) << audit_text(report, true);
}

TEST(Audit, AddsDevicesUpByCounter) {
  AuditInput input = balanced();
  const DeviceKey second{"ndtel", 1};
  input.ledger[second] = {{NDS_NC_COUNTER_INFER_COMPLETED, {7, 8}}};
  input.books[second] = {{"trace", 6, 200, "NERR_OK", 8, 0, 8, 0, 0, 0, 0}};
  const AuditReport report = audit(input);
  EXPECT_TRUE(report.conserved()) << audit_text(report, true);
  const auto sums = by_counter(report.rows);
  ASSERT_EQ(sums.size(), 3U);
  EXPECT_EQ(sums[0].counter, static_cast<std::uint32_t>(NDS_NC_COUNTER_TIME_IN_USE));
  EXPECT_EQ(sums[1].incremented.done, 107U);
  EXPECT_EQ(sums[1].incremented.intent, 108U);
  EXPECT_EQ(sums[1].pending, 33U);
}

TEST(Audit, ReadsLedgersOfADirectory) {
  const std::string dir = testing::TempDir() + "ledgers." + std::to_string(getpid());
  std::filesystem::create_directories(dir);
  for (const std::uint32_t device : {0U, 1U, 1U}) {
    static int number = 0;
    auto ledger = workload::Ledger::create(dir + "/" + std::to_string(number++) + ".ledger", 2,
                                           "ndtel", device);
    workload::ledger_add(ledger.cell(1, 3, NDS_NC_COUNTER_INFER_COMPLETED), 5, [] { return true; });
  }
  const LedgerSums sums = read_ledgers(dir);
  EXPECT_EQ(sums.at({"ndtel", 0}).at(NDS_NC_COUNTER_INFER_COMPLETED).done, 5U);
  EXPECT_EQ(sums.at({"ndtel", 1}).at(NDS_NC_COUNTER_INFER_COMPLETED).done, 10U);
  EXPECT_EQ(read_ledgers(dir + "/0.ledger").size(), 1U);
  std::filesystem::remove_all(dir);
  EXPECT_THROW(read_ledgers(dir), Failure);
}

TEST(Audit, FirmwareMustHaveWhatItConfirmedAndNoMoreThanWasSent) {
  AuditInput input = balanced();
  BookLine& fwio = input.books[kDevice][2];
  fwio.confirmed = 60;
  fwio.pending = 40;
  fwio.unknown = 15;
  const auto received = [&](std::uint64_t sum) {
    input.firmware[kDevice] = {{200, sum}};
    return audit(input);
  };
  EXPECT_FALSE(audit(input).rows.at(0).fw_received) << "nobody asked";
  EXPECT_TRUE(received(60).conserved());
  EXPECT_TRUE(received(75).conserved());
  EXPECT_FALSE(received(59).conserved());
  EXPECT_FALSE(received(76).conserved());
  EXPECT_EQ(row(received(75), NDS_NC_COUNTER_INFER_COMPLETED).fw_received, 75U);
  EXPECT_NE(audit_text(received(75), false).find("fw received"), std::string::npos);
  EXPECT_EQ(audit_text(audit(balanced()), false).find("fw received"), std::string::npos);
  fwio.pending = 39;
  EXPECT_FALSE(received(75).conserved()) << "one count vanished on the way to firmware";
}

TEST(Audit, FirmwareThatReceivedNothingOfACounterIsZeroNotAbsent) {
  AuditInput input = balanced();
  input.firmware[kDevice] = {};
  EXPECT_EQ(row(audit(input), NDS_NC_COUNTER_INFER_COMPLETED).fw_received, 0U);
}

}  // namespace
}  // namespace ndtel::cli
