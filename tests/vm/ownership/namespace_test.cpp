// SPDX-License-Identifier: Apache-2.0
//
// Process numbers are those of the caller's pid namespace.
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "ownership/owner.hpp"
#include "support/eventually.hpp"

namespace ndtel::vm {
namespace {

/// Pids of the owners as apps info shows them to the caller.
std::vector<pid_t> apps(const Node& node) {
  struct {
    nd_ioctl_apps_info_hdr header;
    nd_ioctl_app_record records[NDS_SLABS_PER_DEVICE];
  } info{};
  info.header.flags = ND_APPS_ALL;
  info.header.capacity = NDS_SLABS_PER_DEVICE;
  std::vector<pid_t> pids;
  if (node.apps_info(&info.header) != 0) return pids;
  for (unsigned i = 0; i < info.header.size; ++i) pids.push_back(info.records[i].pid);
  return pids;
}

/// A process that is the first of a new pid namespace and runs `body`; `outer` gets its number out
/// here.
Child in_new_namespace(const Child::Body& body, pid_t* outer) {
  Child launcher([&body](Channel& channel) -> int {
    CHILD_CHECK(::unshare(CLONE_NEWPID) == 0);
    // Both write to one channel: the number goes first.
    Child first([&](Channel& start) -> int {
      start.receive();
      return body(channel);
    });
    channel.send(static_cast<std::uint64_t>(first.pid()));
    first.send();
    sleep_for_ever();
  });
  *outer = static_cast<pid_t>(launcher.receive().value_or(0));
  return launcher;
}

TEST_P(OwnershipEnd, OwnerInsideAPidNamespaceIsSeenByItsNumberOutside) {
  pid_t outer = 0;
  Child launcher = in_new_namespace(
      [](Channel& channel) -> int {
        CHILD_CHECK(::getpid() == 1);
        const Node node(0);
        const Mapping slab = node.map_slab();
        CHILD_CHECK(slab.valid());
        slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 30);
        channel.send();
        end_when_told(channel);
      },
      &outer);
  ASSERT_GT(outer, 1);
  ASSERT_TRUE(launcher.receive());

  const Node monitor(0, O_RDONLY);
  EXPECT_EQ(Debugfs(0).owned().at(0).pid, outer);
  EXPECT_EQ(apps(monitor), std::vector<pid_t>{outer});
  const Mapping view = monitor.map_slab(outer);
  ASSERT_TRUE(view.valid());
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 30U);
  EXPECT_EQ(monitor.acquire(1), -ENOENT) << "number 1 is somebody else out here";

  if (GetParam() == End::kKill) {
    ASSERT_EQ(::kill(outer, SIGKILL), 0);
  } else {
    launcher.send();
  }
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(counted(0, 30));
}

TEST_F(Ownership, MonitorInsideAPidNamespaceNamesOnlyWhatIsInside) {
  const SlabOwner outside(0, 50);
  pid_t outer = 0;
  Child launcher = in_new_namespace(
      [pid = outside.pid()](Channel& channel) -> int {
        SlabOwner inside(0, 60);  // number 2 in here
        const Node monitor(0, O_RDONLY);
        channel.send(static_cast<std::uint64_t>(inside.pid()));
        const auto listed = apps(monitor);
        channel.send(listed.size());
        channel.send(static_cast<std::uint64_t>(listed.at(0)));
        const Mapping view = monitor.map_slab(inside.pid());
        channel.send(view.valid() ? view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED) : 0);
        channel.send(static_cast<std::uint64_t>(-monitor.acquire(pid)));
        channel.send(static_cast<std::uint64_t>(-monitor.release(pid)));
        end_when_told(channel);
      },
      &outer);
  ASSERT_GT(outer, 1);
  const auto inside = launcher.receive();
  ASSERT_TRUE(inside);
  ASSERT_NE(static_cast<pid_t>(*inside), outside.pid());
  EXPECT_EQ(launcher.receive(), 1U) << "apps info leaves out who cannot be named";
  EXPECT_EQ(launcher.receive(), *inside);
  EXPECT_EQ(launcher.receive(), 60U);
  EXPECT_EQ(launcher.receive(), std::uint64_t{ENOENT});
  EXPECT_EQ(launcher.receive(), std::uint64_t{ENOENT});
  EXPECT_EQ(apps(Node(0, O_RDONLY)).size(), 2U) << "out here both have numbers";
  // The death of a namespace's first process is the death of all in it.
  ASSERT_EQ(::kill(outer, SIGKILL), 0);
  EXPECT_TRUE(owners_are(0, {outside.pid()}));
}

}  // namespace
}  // namespace ndtel::vm
