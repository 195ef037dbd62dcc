// SPDX-License-Identifier: Apache-2.0
//
// What ls and counters show of a device and of the processes that count on it.
#include <gtest/gtest.h>

#include "command.hpp"
#include "support/fixture.hpp"
#include "support/owner.hpp"

namespace ndtel::vm {
namespace {

using CliView = ModuleTest;

TEST_F(CliView, LsShowsDevicesAndOwners) {
  const Owner owner([](const Mapping& slab) { slab.add_nc(1, NDS_NC_COUNTER_INFER_COMPLETED, 3); });
  Command ls({"ls", "--json"});
  ASSERT_EQ(ls.wait(), 0) << ls.err();
  const auto devices = ls.json();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0]["node"], "/dev/ndtel0");
  EXPECT_EQ(devices[0]["driver"], "ndtel");
  EXPECT_EQ(devices[0]["cores"], 8);
  ASSERT_EQ(devices[0]["owners"].size(), 1U);
  EXPECT_EQ(devices[0]["owners"][0]["pid"], owner.pid());
  EXPECT_FALSE(devices[0]["owners"][0].contains("tag"));  // it published no process record
  EXPECT_TRUE(devices[1]["owners"].empty());
  EXPECT_EQ(devices[0]["state"], "ready");
}

TEST_F(CliView, LsShowsWhoHasLockedCores) {
  Child holder([](Channel& channel) {
    const Node node(1);
    for (const std::uint32_t core : {2U, 5U}) {
      nd_ioctl_crwl lock{};
      lock.nc_id = core;
      CHILD_CHECK(node.control(ND_IOC_CRWL_WRITER_ENTER, &lock) == 0);
    }
    channel.send();
    sleep_for_ever();
    return 0;
  });
  ASSERT_TRUE(holder.receive());
  Command json({"ls", "--json", "-d", "1"});
  ASSERT_EQ(json.wait(), 0) << json.err();
  const auto owners = json.json()[0]["owners"];
  ASSERT_EQ(owners.size(), 1U) << owners;
  EXPECT_EQ(owners[0]["pid"], holder.pid());
  EXPECT_EQ(owners[0]["locked_cores"], nlohmann::json({2, 5}));
  Command text({"ls", "-d", "1"});
  ASSERT_EQ(text.wait(), 0);
  EXPECT_NE(text.out().find(std::to_string(holder.pid()) + " on cores 2 5"), std::string::npos)
      << text.out();
  EXPECT_NE(text.out().find("ready"), std::string::npos) << text.out();
}

TEST_F(CliView, LsForPeopleNamesTheSame) {
  Command ls({"ls", "-d", "1"});
  ASSERT_EQ(ls.wait(), 0) << ls.err();
  EXPECT_NE(ls.out().find("/dev/ndtel1"), std::string::npos);
  EXPECT_EQ(ls.out().find("/dev/ndtel0"), std::string::npos);
  EXPECT_NE(ls.out().find("none"), std::string::npos);
}

TEST_F(CliView, CountersAreThoseOfTheSlab) {
  Owner owner([](const Mapping& slab) {
    slab.add_nc(5, NDS_NC_COUNTER_MAC_COUNT, 12345678901);
    slab.add_nc(0, NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT, 2);
    store_nd(slab, NDS_ND_COUNTER_MEM_USAGE_CODE_HOST, 4096);
    store(slab, 0, NDS_HEADER_WORD);
  });
  {
    Command counters({"counters", "--json"});
    ASSERT_EQ(counters.wait(), 0) << counters.err();
    const auto processes = counters.json()["processes"];
    ASSERT_EQ(processes.size(), 1U) << processes;
    const auto& process = processes[0];
    EXPECT_EQ(process["pid"], owner.pid());
    EXPECT_EQ(process["device"], 0);
    EXPECT_EQ(process["device_counters"]["MEM_USAGE_CODE_HOST"], 4096);
    ASSERT_EQ(process["cores"].size(), 8U);
    EXPECT_EQ(process["cores"][5]["counters"]["MAC_COUNT"], 12345678901);
    EXPECT_EQ(process["cores"][5]["counters"]["HW_ERR_DMA_ABORT"], 0);
    EXPECT_EQ(process["cores"][0]["counters"]["HW_ERR_DMA_ABORT"], 2);
  }
  Command other({"counters", "--json", "--device", "1"});
  ASSERT_EQ(other.wait(), 0);
  EXPECT_TRUE(other.json()["processes"].empty());
  owner.kill();
  Command after({"counters", "--json"});
  ASSERT_EQ(after.wait(), 0);
  EXPECT_TRUE(after.json()["processes"].empty());
}

TEST_F(CliView, WatchReadsAgainAndAgain) {
  const Owner owner([](const Mapping& slab) {
    slab.add_nc(0, NDS_NC_COUNTER_OOB, 1);
    store(slab, 0, NDS_HEADER_WORD);
  });
  Command counters({"counters", "--json", "--watch", "0.1"});
  ASSERT_TRUE(eventually([&] { return counters.json_lines().size() >= 3; })) << counters.err();
  counters.signal(SIGINT);
  EXPECT_EQ(counters.wait(), 0);
  for (const auto& line : counters.json_lines()) EXPECT_EQ(line["processes"].size(), 1U);
}

TEST_F(CliView, PauseHoldsPostingWhileItRuns) {
  ASSERT_EQ(module().set_parameter("nmetric_metric_post_delay", "100"), 0);
  Command posts({"posts", "--json", "--device", "0"});
  ASSERT_TRUE(listens(posts));
  ASSERT_TRUE(eventually([&] { return !posts.out().empty(); }));
  Command pause({"pause", "--device", "0"});
  ASSERT_TRUE(eventually([&] { return !pause.out().empty(); })) << pause.err();
  // A post that had begun may still arrive; after it there is silence.
  ASSERT_TRUE(eventually([&] {
    const auto before = posts.out().size();
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    return posts.out().size() == before;
  }));
  const auto held = posts.out().size();
  pause.signal(SIGTERM);
  EXPECT_EQ(pause.wait(), 0);
  EXPECT_TRUE(eventually([&] { return posts.out().size() > held; }));
  posts.signal(SIGTERM);
  EXPECT_EQ(posts.wait(), 0) << posts.err();
}

}  // namespace
}  // namespace ndtel::vm
