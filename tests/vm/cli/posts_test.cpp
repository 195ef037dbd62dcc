// SPDX-License-Identifier: Apache-2.0
//
// Following posts: complete, beside whoever else traces, and honest about what was lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "command.hpp"
#include "support/file.hpp"
#include "support/fixture.hpp"
#include "support/owner.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {
namespace {

class CliPosts : public ModuleTest {
 protected:
  explicit CliPosts(const std::string& devices = "sim_devices=2")
      : ModuleTest(devices + " nmetric_log_posts=2 nmetric_metric_post_delay=100") {}
};

TEST_F(CliPosts, DeliversEveryCountOnce) {
  Command posts({"posts", "--json", "--device", "0"});
  ASSERT_TRUE(listens(posts));
  std::uint64_t expected = 0;
  for (int i = 1; i <= 5; ++i) {
    Owner owner([i](const Mapping& slab) {
      slab.add_nc(static_cast<std::uint32_t>(i), NDS_NC_COUNTER_INFER_COMPLETED, 1000);
      slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, static_cast<std::uint64_t>(i));
    });
    expected += 1000 + static_cast<std::uint64_t>(i);
    owner.kill();
  }
  const auto sum = [&] {
    std::uint64_t total = 0;
    for (const auto& post : posts.json_lines()) {
      if (post["name"] == "NERR_OK") total += std::stoull(post["value"].get<std::string>());
    }
    return total;
  };
  EXPECT_TRUE(eventually([&] { return sum() >= expected; }));
  posts.signal(SIGINT);
  EXPECT_EQ(posts.wait(), 0) << posts.err();
  EXPECT_EQ(sum(), expected);
  std::uint64_t seq = posts.json_lines().at(0)["seq"];
  for (const auto& post : posts.json_lines()) {
    EXPECT_EQ(post["seq"], seq++);
    EXPECT_EQ(post["device"], 0);
    EXPECT_EQ(post["sink"], "trace");
    EXPECT_EQ(post["result"], "accepted");
    EXPECT_TRUE(post["tick"] == 0 || post["tick"] == 1);
  }
}

TEST_F(CliPosts, EndsAfterACountAndAfterATime) {
  Command counted({"posts", "--json", "--count", "3"});
  EXPECT_EQ(counted.wait(), 0) << counted.err();
  EXPECT_EQ(counted.json_lines().size(), 3U);
  Command timed({"posts", "--seconds", "0.5"});
  EXPECT_EQ(timed.wait(), 0) << timed.err();
  EXPECT_NE(timed.out().find("DRIVER_VERSION="), std::string::npos);
}

TEST_F(CliPosts, CompactPutsAPostInALine) {
  Command posts({"posts", "--compact", "--device", "0", "--seconds", "1"});
  ASSERT_EQ(posts.wait(), 0) << posts.err();
  const auto lines = split(posts.out(), '\n');
  const auto whole = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("INSTANCE_ID=") != std::string::npos &&
           line.find("DRIVER_VERSION=") != std::string::npos;
  });
  EXPECT_GT(whole, 0);
  EXPECT_EQ(posts.out().find('\x1b'), std::string::npos);  // no terminal, no colours
}

TEST_F(CliPosts, LeavesOtherPeoplesTracingAlone) {
  Trace mine(Events::kPost);
  const auto events = read_file("/sys/kernel/tracing/set_event");
  const auto clock = read_file("/sys/kernel/tracing/trace_clock");
  {
    Command posts({"posts", "--json", "--count", "2"});
    ASSERT_EQ(posts.wait(), 0) << posts.err();
  }
  EXPECT_EQ(read_file("/sys/kernel/tracing/set_event"), events);
  EXPECT_EQ(read_file("/sys/kernel/tracing/trace_clock"), clock);
  mine.clear();
  EXPECT_TRUE(mine.read_until([](const auto& all) { return all.size() > 4; }));
}

TEST_F(CliPosts, LeavesNoInstanceBehind) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Command posts({"posts"});
    ASSERT_TRUE(listens(posts));
    EXPECT_EQ(posts_instances().size(), 1U);
    posts.signal(signal);
    EXPECT_EQ(posts.wait(), 0);
    EXPECT_TRUE(posts_instances().empty());
  }
}

TEST_F(CliPosts, RemovesTheInstanceOfOneThatWasKilled) {
  Command killed({"posts"});
  ASSERT_TRUE(listens(killed));
  killed.signal(SIGKILL);
  EXPECT_EQ(killed.wait(), -SIGKILL);
  ASSERT_EQ(posts_instances().size(), 1U);
  Command next({"posts", "--count", "1"});
  EXPECT_EQ(next.wait(), 0) << next.err();
  EXPECT_TRUE(posts_instances().empty());
}

TEST_F(CliPosts, TwoFollowersBothGetEverything) {
  Command one({"posts", "--json"}), two({"posts", "--json"});
  ASSERT_TRUE(listens(one));
  ASSERT_TRUE(listens(two));
  const auto get = [](const Command& command) {
    std::vector<std::uint64_t> seqs;
    for (const auto& post : command.json_lines()) {
      if (post["device"] == 0) seqs.push_back(post["seq"]);
    }
    return seqs;
  };
  ASSERT_TRUE(eventually([&] { return get(one).size() > 20 && get(two).size() > 20; }));
  for (Command* command : {&one, &two}) {
    command->signal(SIGTERM);
    EXPECT_EQ(command->wait(), 0);
    const auto seqs = get(*command);
    for (std::size_t i = 1; i < seqs.size(); ++i) EXPECT_EQ(seqs[i], seqs[i - 1] + 1);
  }
}

class CliOverrun : public CliPosts {
 protected:
  CliOverrun() : CliPosts("sim_devices=16") {}
};

TEST_F(CliOverrun, SaysThatEventsWereLost) {
  const TempDir dir;
  Command posts({"posts", "--quiet", "--record", dir / "posts.jsonl"});
  ASSERT_TRUE(listens(posts));
  posts.signal(SIGSTOP);
  const std::string instance = posts_instances().at(0);
  ASSERT_EQ(write_file(instance + "/buffer_size_kb", "4"), 0);
  // A stopped reader and the smallest buffer: the ring must overrun.
  ASSERT_TRUE(eventually([&] {
    for (const char* cpu : {"cpu0", "cpu1"}) {
      const auto stats = read_file(instance + "/per_cpu/" + cpu + "/stats").value_or("");
      const auto at = stats.find("\noverrun: ");
      if (at != std::string::npos && stats[at + 10] != '0') return true;
    }
    return false;
  }));
  posts.signal(SIGCONT);
  ASSERT_TRUE(eventually([&] { return posts.err().find("lost") != std::string::npos; }))
      << posts.err();
  posts.signal(SIGTERM);
  EXPECT_EQ(posts.wait(), 1);
  EXPECT_NE(read_file(dir / "posts.jsonl").value_or("").find("{\"lost\":"), std::string::npos);
}

}  // namespace
}  // namespace ndtel::vm
