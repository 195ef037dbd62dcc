// SPDX-License-Identifier: Apache-2.0
#include "ownership/owner.hpp"

#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "support/eventually.hpp"

namespace ndtel::vm {

std::string end_name(End end) { return end == End::kExit ? "Exit" : "Kill"; }

void end_when_told(const Channel& channel) {
  channel.receive(std::chrono::hours(1));
  ::_exit(0);
}

::testing::AssertionResult ends(Child& child, End end) {
  const int result = end == End::kKill ? child.kill() : (child.send(), child.wait());
  const int expected = end == End::kKill ? -SIGKILL : 0;
  if (result == expected) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "the process ended with " << result;
}

SlabOwner::SlabOwner(int device, std::uint64_t completed)
    : child([device, completed](Channel& channel) -> int {
        const Node node(device);
        nd_ioctl_ds_info info{};
        CHILD_CHECK(node.acquire(0, &info) == 0);
        const Mapping slab = Mapping::map(node.fd(), info.mmap_offset);
        CHILD_CHECK(slab.valid());
        slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, completed);
        channel.send(info.mmap_offset);
        end_when_told(channel);
      }) {
  const auto cookie = child.receive();
  if (!cookie) throw std::runtime_error("an owner could not acquire its slab");
  cookie_ = *cookie;
}

::testing::AssertionResult owners_are(int device, std::vector<pid_t> pids) {
  std::sort(pids.begin(), pids.end());
  std::vector<pid_t> found;
  const bool good = eventually([&] {
    found.clear();
    for (const auto& row : Debugfs(device).owned()) found.push_back(row.pid);
    std::sort(found.begin(), found.end());
    return found == pids;
  });
  if (good) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "owners are " << ::testing::PrintToString(found)
                                       << ", not " << ::testing::PrintToString(pids);
}

::testing::AssertionResult counted(int device, std::uint64_t completed) {
  BooksRow row;
  const bool good = eventually([&] {
    row = Debugfs(device).books_of(kCwCompleted);
    return row.incremented == completed;
  });
  if (good) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "not " << completed << " but: " << row;
}

INSTANTIATE_TEST_SUITE_P(By, OwnershipEnd, ::testing::Values(End::kExit, End::kKill),
                         [](const auto& info) { return end_name(info.param); });

}  // namespace ndtel::vm
