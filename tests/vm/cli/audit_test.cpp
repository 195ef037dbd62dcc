// SPDX-License-Identifier: Apache-2.0
//
// The audit on real books: conserved when everything went right, and not when something is missing.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "command.hpp"
#include "support/fixture.hpp"

namespace ndtel::vm {
namespace {

class CliAudit : public ModuleTest {
 protected:
  CliAudit() : ModuleTest("sim_devices=2 nmetric_log_posts=2 nmetric_metric_post_delay=200") {}

  /// Runs a workload of which one process is killed, records its posts, and stops posting.
  void run_workload() {
    Command posts({"posts", "--quiet", "--record", recording()});
    ASSERT_TRUE(listens(posts));
    Command workload({"workload", "--processes", "4", "--seconds", "4", "--rate", "15", "--faults",
                      "nan=0.1,deadline=0.1,queue=0.05,shape=0.1", "--ledger", dir_ / "ledger"});
    pid_t victim = 0;
    ASSERT_TRUE(eventually([&] {
      return sscanf(workload.out().c_str(), "worker 0 pid %d", &victim) == 1 && victim > 0;
    }));
    ASSERT_FALSE(eventually([&] { return workload.pid() < 0; }, std::chrono::milliseconds(2000)));
    ASSERT_EQ(kill(victim, SIGKILL), 0);
    ASSERT_EQ(workload.wait(), 0) << workload.err();
    ASSERT_NE(workload.out().find("killed by SIGKILL"), std::string::npos);
    // The recording may only end when nothing more is posted.
    ASSERT_EQ(module().set_parameter("nmetric_metric_post_delay", "3600000"), 0);
    posts.signal(SIGTERM);
    ASSERT_EQ(posts.wait(), 0) << posts.err();
  }

  std::string recording() const { return dir_ / "posts.jsonl"; }

  std::vector<std::string> lines() const {
    std::ifstream file(recording());
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  /// Audits a recording: the exit code.
  int audit(const std::vector<std::string>& recorded) const {
    {
      std::ofstream file(dir_ / "changed.jsonl");
      for (const auto& line : recorded) file << line << "\n";
    }
    Command command({"audit", "--ledger", dir_ / "ledger", "--posts", dir_ / "changed.jsonl"});
    return command.wait();
  }

  /// Number of the first line that carries a metric.
  static std::size_t line_with(const std::vector<std::string>& all, const std::string& metric) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].find("\"" + metric + "\"") != std::string::npos) return i;
    }
    ADD_FAILURE() << "no " << metric << " was posted";
    return 0;
  }

  TempDir dir_;
};

TEST_F(CliAudit, ConservedIsFoundAndEveryTamperingToo) {
  run_workload();
  if (HasFatalFailure()) return;
  Command good({"audit", "--ledger", dir_ / "ledger", "--posts", recording(), "--json",
                "--json-file", dir_ / "audit.json"});
  EXPECT_EQ(good.wait(), 0) << good.out() << good.err();
  const auto report = good.json();
  EXPECT_EQ(report["conserved"], true);
  EXPECT_EQ(report["lost"], 0);
  bool found = false;
  for (const auto& counter : report["counters"]) {
    if (counter["name"] != "INFER_COMPLETED") continue;
    found = true;
    EXPECT_EQ(counter["posted"], counter["confirmed"]);
    EXPECT_GT(counter["posted"], 0);
  }
  EXPECT_TRUE(found);

  const auto all = lines();
  ASSERT_EQ(audit(all), 0);
  auto lost = all;
  lost.erase(lost.begin() + static_cast<std::ptrdiff_t>(line_with(all, "NERR_OK")));
  EXPECT_EQ(audit(lost), 1);
  auto doubled = all;
  doubled.push_back(all[line_with(all, "NERR_OK")]);
  EXPECT_EQ(audit(doubled), 1);
  auto silent = all;  // an event without a count, from the middle
  silent.erase(silent.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  EXPECT_EQ(audit(silent), 1);
  auto forged = all;
  auto& line = forged[line_with(all, "NERR_OK")];
  line.replace(line.find("\"value\":\"") + 9, 0, "1");
  EXPECT_EQ(audit(forged), 1);
}

}  // namespace
}  // namespace ndtel::vm
