// SPDX-License-Identifier: Apache-2.0
//
// The workload on real slabs: statuses from real causes, processes that come and go.
#include <gtest/gtest.h>

#include "command.hpp"
#include "support/debugfs.hpp"
#include "support/file.hpp"
#include "support/fixture.hpp"

namespace ndtel::vm {
namespace {

using CliWorkload = ModuleTest;

std::uint64_t done(const nlohmann::json& worker, const char* counter) {
  return worker["counters"].contains(counter)
             ? worker["counters"][counter]["done"].get<std::uint64_t>()
             : 0;
}

/// A total of device 0, over all its cores.
std::uint64_t sysfs_total(const std::string& counter) {
  const std::string device =
      "/sys/class/" + default_namespace() + "_device/" + default_namespace() + "0/";
  std::uint64_t sum = 0;
  for (int core = 0; core < 8; ++core) {
    const auto text =
        read_file(device + "neuron_core" + std::to_string(core) + "/stats/" + counter + "/total");
    if (!text) throw std::runtime_error("no total of " + counter);
    sum += std::stoull(*text);
  }
  return sum;
}

/// Pids of the workers, once all have been announced.
std::vector<pid_t> pids(const Command& workload, std::size_t processes) {
  std::vector<pid_t> found;
  eventually([&] {
    found.clear();
    std::istringstream lines(workload.err());
    for (std::string line; std::getline(lines, line);) {
      int number = 0, pid = 0;
      char device[32];
      if (sscanf(line.c_str(), "worker %d pid %d ndtel%31s cores", &number, &pid, device) == 3) {
        found.push_back(pid);
      }
    }
    return found.size() == processes;
  });
  return found;
}

TEST_F(CliWorkload, EveryFaultEndsInItsOwnStatus) {
  Command workload({"workload", "--json", "--cores", "2", "--seconds", "4", "--rate", "15",
                    "--faults", "nan=0.2,deadline=0.2,queue=0.1,shape=0.2", "--deadline-ms",
                    "600000"});
  ASSERT_EQ(workload.wait(), 0) << workload.err();
  const auto worker = workload.json()["workers"][0];
  EXPECT_EQ(worker["end"], "exited");
  const auto ok = done(worker, "INFER_COMPLETED"),
             nan = done(worker, "INFER_COMPLETED_WITH_NUM_ERR"),
             late = done(worker, "INFER_TIMED_OUT");
  EXPECT_GT(ok, 0U);
  EXPECT_GT(nan, 0U);
  EXPECT_GT(late, 0U);
  EXPECT_GT(done(worker, "INFER_INCORRECT_INPUT"), 0U);
  EXPECT_GT(done(worker, "INFER_FAILED_TO_QUEUE"), 0U);
  EXPECT_EQ(done(worker, "INFERENCE_COUNT"), ok);
  EXPECT_EQ(done(worker, "MODEL_LOAD_COUNT"), 2U);
  // Every run of the block is as many multiply-accumulates as every other.
  ASSERT_GT(ok + nan + late, 0U);
  EXPECT_EQ(done(worker, "MAC_COUNT") % (ok + nan + late), 0U);
  EXPECT_GT(done(worker, "TIME_IN_USE"), 0U);
  // And the kernel saw the same.
  EXPECT_EQ(Debugfs(0).books_of(200).incremented, ok);
  EXPECT_EQ(Debugfs(0).books_of(213).incremented, nan);
  EXPECT_EQ(Debugfs(0).books_of(205).incremented, late);
  EXPECT_EQ(Debugfs(0).books_of(212).incremented, done(worker, "INFER_INCORRECT_INPUT"));
  EXPECT_EQ(Debugfs(0).books_of(207).incremented, done(worker, "INFER_FAILED_TO_QUEUE"));
  EXPECT_EQ(Debugfs(0).books_of(90).incremented, done(worker, "TIME_IN_USE"));
  // And sysfs shows it.
  EXPECT_EQ(sysfs_total("status/success"), ok);
  EXPECT_EQ(sysfs_total("status/execute_completed_with_num_error"), nan);
  EXPECT_EQ(sysfs_total("status/timeout"), late);
  EXPECT_EQ(sysfs_total("status/exec_bad_input"), done(worker, "INFER_INCORRECT_INPUT"));
  EXPECT_EQ(sysfs_total("status/execute_failed_to_queue"), done(worker, "INFER_FAILED_TO_QUEUE"));
  EXPECT_EQ(sysfs_total("other_info/nc_time_in_use"), done(worker, "TIME_IN_USE"));
  EXPECT_EQ(sysfs_total("other_info/model_load_count"), done(worker, "MODEL_LOAD_COUNT"));
  EXPECT_EQ(sysfs_total("other_info/inference_count"), done(worker, "INFERENCE_COUNT"));
  EXPECT_EQ(sysfs_total("other_info/flop_count"), 2 * done(worker, "MAC_COUNT"));
}

TEST_F(CliWorkload, OneWorkerMayLeaveAndOneMayDie) {
  Command workload({"workload", "--json", "--processes", "3", "--seconds", "600", "--rate", "20"});
  const auto workers = pids(workload, 3);
  ASSERT_EQ(workers.size(), 3U) << workload.err();
  for (const pid_t pid : workers) {
    ASSERT_TRUE(eventually([&] { return Debugfs(0).slab_of(pid) || Debugfs(1).slab_of(pid); }));
  }
  EXPECT_TRUE(Debugfs(1).slab_of(workers[1]));
  ASSERT_EQ(kill(workers[1], SIGTERM), 0);
  ASSERT_EQ(kill(workers[2], SIGKILL), 0);
  EXPECT_TRUE(eventually([&] {
    return workload.err().find("worker 1 pid " + std::to_string(workers[1]) + " exited") !=
               std::string::npos &&
           workload.err().find("worker 2 pid " + std::to_string(workers[2]) +
                               " killed by SIGKILL") != std::string::npos;
  })) << workload.err();
  EXPECT_TRUE(Debugfs(0).slab_of(workers[0]));
  workload.signal(SIGINT);
  EXPECT_EQ(workload.wait(), 0) << workload.err();
  const auto summary = workload.json()["workers"];
  EXPECT_EQ(summary[0]["end"], "exited");
  EXPECT_EQ(summary[1]["end"], "exited");
  EXPECT_EQ(summary[2]["end"], "killed by SIGKILL");
}

TEST_F(CliWorkload, WorkersDoNotOutliveTheirWorkload) {
  Command workload({"workload", "--json", "--processes", "2", "--seconds", "600"});
  const auto workers = pids(workload, 2);
  ASSERT_EQ(workers.size(), 2U);
  workload.signal(SIGKILL);
  EXPECT_EQ(workload.wait(), -SIGKILL);
  EXPECT_TRUE(no_slabs_left());
}

TEST_F(CliWorkload, WorkersSayWhoTheyAre) {
  Command workload({"workload", "--json", "--seconds", "600", "--models", "3"});
  const auto workers = pids(workload, 1);
  ASSERT_EQ(workers.size(), 1U);
  const auto look = [] {
    Command ls({"ls", "--json", "-d", "0"});
    EXPECT_EQ(ls.wait(), 0);
    return ls.json()[0]["owners"];
  };
  ASSERT_TRUE(eventually([&] { return look().size() == 1 && look()[0].contains("tag"); }));
  EXPECT_EQ(look()[0]["pid"], workers[0]);
  EXPECT_EQ(look()[0]["tag"], "workload-0");
  const auto counters = [] {
    Command command({"counters", "--json", "-d", "0"});
    EXPECT_EQ(command.wait(), 0);
    return command.json()["processes"];
  };
  ASSERT_TRUE(eventually([&] {
    const auto processes = counters();
    return processes.size() == 1 && processes[0]["cores"][0]["counters"]["MODEL_LOAD_COUNT"] == 3;
  }));
  const auto process = counters()[0];
  EXPECT_GT(process["cores"][0]["counters"]["MEM_USAGE_CONSTANTS_DEVICE"], 0);
  EXPECT_GT(process["cores"][0]["counters"]["MEM_USAGE_SCRATCHPAD_DEVICE"], 0);
  EXPECT_GT(process["device_counters"]["MEM_USAGE_TENSORS_HOST"], 0);
  EXPECT_NE(process["device_counters"]["AGG_NEFF_ID"], 0);
  EXPECT_NE(process["device_counters"]["RUNTIME_VERSION"], 0);
  workload.signal(SIGTERM);
  EXPECT_EQ(workload.wait(), 0);
}

}  // namespace
}  // namespace ndtel::vm
