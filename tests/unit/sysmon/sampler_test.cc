// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "proc_tree.hpp"

namespace ndtel::sysmon {
namespace {

using test::ProcTree;

TEST(Stat, ReadsFourFieldsOfEachProcessor) {
  const auto cpus = parse_stat(
      "cpu  10 20 30 40 50 60 70 80 90 100\n"
      "cpu0 1 2 3 4 5 6 7 8 9 10\n"
      "cpu1 11 12 13 14 15 16 17 18 19 20\n"
      "intr 12345 1 2 3\n"
      "cpu2 1 1 1 1\n");  // not where processors are
  ASSERT_EQ(cpus.size(), 2u);
  EXPECT_EQ(cpus[0]->busy, 6u);
  EXPECT_EQ(cpus[0]->idle, 4u);
  EXPECT_EQ(cpus[1]->busy, 36u);
  EXPECT_EQ(cpus[1]->idle, 14u);
}

TEST(Stat, LeavesOutWhatIsNotThere) {
  const auto cpus = parse_stat("cpu 1 1 1 1\ncpu0 1 1 1 1\ncpu3 2 2 2 2\n");
  ASSERT_EQ(cpus.size(), 4u);
  EXPECT_TRUE(cpus[0].has_value());
  EXPECT_FALSE(cpus[1].has_value());
  EXPECT_FALSE(cpus[2].has_value());
  EXPECT_EQ(cpus[3]->busy, 6u);
}

TEST(Stat, SurvivesNonsense) {
  EXPECT_TRUE(parse_stat("").empty());
  EXPECT_TRUE(parse_stat("cpu").empty());
  EXPECT_TRUE(
      parse_stat("cpux 1 2 3 4\ncpu0 1 2 3\ncpu4294967295 1 2 3 4\ncpu99999 1 1 1 1").empty());
  EXPECT_TRUE(parse_stat("cpu0 1 2 -3 4\n").empty());
}

TEST(Utilisation, IsTheBusyShareOfTheTimeBetween) {
  EXPECT_FLOAT_EQ(utilisation({100, 100}, {125, 175}), 25.0f);
  EXPECT_FLOAT_EQ(utilisation({100, 100}, {150, 100}), 100.0f);
  EXPECT_FLOAT_EQ(utilisation({100, 100}, {100, 150}), 0.0f);
  EXPECT_FLOAT_EQ(utilisation({100, 100}, {100, 100}), 0.0f) << "no time passed";
  EXPECT_FLOAT_EQ(utilisation({100, 100}, {50, 150}), 0.0f) << "counts that went back";
  EXPECT_FLOAT_EQ(utilisation({100, 100}, {150, 20}), 100.0f) << "counts that went back";
}

TEST(Resident, IsTheSecondField) {
  EXPECT_EQ(resident_bytes("1000 300 200 10 0 100 0\n", 4096), 300 * 4096);
  EXPECT_FALSE(resident_bytes("1000\n", 4096).has_value());
  EXPECT_FALSE(resident_bytes("", 4096).has_value());
  EXPECT_FALSE(resident_bytes("1000 -1 1", 4096).has_value());
  EXPECT_FALSE(resident_bytes("1 9223372036854775807 1", 4096).has_value());
}

TEST(ModelName, IsTheFirstAndBounded) {
  EXPECT_EQ(model_name("processor\t: 0\nmodel name\t: Quick 3000\nmodel name\t: Other\n"),
            "Quick 3000");
  EXPECT_EQ(model_name("processor : 0\nBogoMIPS : 50.0\n"), "");
  EXPECT_EQ(model_name("model name\t: " + std::string(300, 'x')), std::string(255, 'x'));
  EXPECT_EQ(model_name("model name: a\xC3\xA9z"), "a??z");
}

TEST(Sampler, AppendsOneRowOfAllProcessorsATick) {
  ProcTree proc;
  proc.write("cpuinfo", "model name : Quick 3000\n");
  proc.write("stat", "cpu 0 0 0 0\ncpu0 100 0 0 100\ncpu1 0 0 0 0\n");
  proc.write("self/statm", "1000 300 0 0 0 0 0\n");
  Sampler sampler(proc.path(), 10, 0.5f);
  EXPECT_EQ(sampler.series().num_cpus, 2u);
  EXPECT_EQ(sampler.series().cpu_name, "Quick 3000");
  EXPECT_GT(sampler.series().mem_capacity, 0u);
  EXPECT_EQ(sampler.series().period_s, 0.5f);
  EXPECT_TRUE(sampler.series().timestamp_ns.empty()) << "the baseline is no sample";

  proc.write("stat", "cpu 0 0 0 0\ncpu0 110 10 5 175\ncpu1 0 0 0 100\n");
  ASSERT_TRUE(sampler.tick());
  proc.write("stat", "cpu 0 0 0 0\ncpu0 110 10 105 175\ncpu1 50 0 0 150\n");
  proc.write("self/statm", "1000 400 0 0 0 0 0\n");
  ASSERT_TRUE(sampler.tick());

  const auto& series = sampler.series();
  EXPECT_EQ(series.util, (std::vector<float>{25, 0, 100, 50}));
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  EXPECT_EQ(series.usage, (std::vector<std::int64_t>{300 * page, 400 * page}));
  ASSERT_EQ(series.timestamp_ns.size(), 2u);
  EXPECT_LE(series.timestamp_ns[0], series.timestamp_ns[1]);
}

TEST(Sampler, SaysOfAnOfflineProcessorThatItDoesNotKnow) {
  ProcTree proc;
  proc.write("stat", "cpu0 100 0 0 100\ncpu1 100 0 0 100\n");
  Sampler sampler(proc.path(), 10, 1);
  proc.write("stat", "cpu0 150 0 0 150\n");
  ASSERT_TRUE(sampler.tick());
  proc.write("stat", "cpu0 150 0 0 200\ncpu1 0 0 0 10\ncpu2 1 1 1 1\n");
  ASSERT_TRUE(sampler.tick());
  proc.write("stat", "cpu0 150 0 0 200\ncpu1 10 0 0 20\ncpu2 1 1 1 1\n");
  ASSERT_TRUE(sampler.tick());
  const auto& util = sampler.series().util;
  ASSERT_EQ(util.size(), 6u) << "as many as there were at the start";
  EXPECT_EQ(util[0], 50);
  EXPECT_TRUE(std::isnan(util[1])) << "offline";
  EXPECT_EQ(util[2], 0);
  EXPECT_TRUE(std::isnan(util[3])) << "nothing to compare it with";
  EXPECT_EQ(util[5], 50);
}

TEST(Sampler, DoesWithoutFiles) {
  ProcTree proc;
  Sampler none(proc.path(), 10, 1);
  EXPECT_EQ(none.series().num_cpus, 0u);
  EXPECT_EQ(none.series().cpu_name, "");
  ASSERT_TRUE(none.tick());
  EXPECT_EQ(none.series().usage, (std::vector<std::int64_t>{-1})) << "missing is not zero";
  EXPECT_EQ(none.series().timestamp_ns.size(), 1u);

  proc.write("stat", "cpu0 100 0 0 100\n");
  Sampler vanishing(proc.path(), 10, 1);
  proc.remove("stat");
  ASSERT_TRUE(vanishing.tick());
  ASSERT_EQ(vanishing.series().util.size(), 1u);
  EXPECT_TRUE(std::isnan(vanishing.series().util[0]));
}

TEST(Sampler, IsFullWhenItIsAndOverwritesNothing) {
  ProcTree proc;
  proc.write("stat", "cpu0 0 0 0 0\n");
  Sampler sampler(proc.path(), 3, 1);
  for (int i = 1; i <= 6; ++i) {
    proc.write("stat", "cpu0 " + std::to_string(10 * i) + " 0 0 " + std::to_string(i < 4 ? 0 : 99));
    proc.write("self/statm", "9 " + std::to_string(i) + " 0");
    EXPECT_EQ(sampler.tick(), i <= 3);
  }
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  EXPECT_EQ(sampler.series().timestamp_ns.size(), 3u);
  EXPECT_EQ(sampler.series().util, (std::vector<float>{100, 100, 100}));
  EXPECT_EQ(sampler.series().usage, (std::vector<std::int64_t>{page, 2 * page, 3 * page}));
}

}  // namespace
}  // namespace ndtel::sysmon
