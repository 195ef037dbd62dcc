// SPDX-License-Identifier: Apache-2.0
//
// Devices come and go under load: processes open, acquire, count, look at each other, vote and are
// killed at any moment, posts go out, debugfs is read. Everything gets an answer it must expect,
// and nothing is left.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>

#include "support/child.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {
namespace {

using std::chrono::steady_clock;

constexpr int kIndices = 6;
constexpr int kAtLoad = 3;
constexpr int kWorkers = 4;
constexpr int kOfEach = 3;
constexpr std::chrono::seconds kDuration{8};

std::uint64_t seed() {
  const char* text = std::getenv("HOT_PLUG_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 4711;
}

class LifecycleHotPlug : public ModuleTest {
 protected:
  LifecycleHotPlug()
      : ModuleTest("sim_devices=3 nmetric_log_posts=2 nmetric_metric_post_delay=100") {}
};

/// What one process does until it is killed.
class Worker {
 public:
  explicit Worker(std::uint64_t seed) : random_(seed) {}

  [[noreturn]] void run() {
    for (;;) turn();
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  void turn() {
    const int flags = pick(4) == 0 ? O_RDONLY : O_RDWR;
    const int fd = Node::try_open(static_cast<int>(pick(kIndices)), flags);
    CHILD_CHECK(fd >= 0 || fd == -ENOENT || fd == -ENXIO || fd == -ENODEV);
    if (fd < 0) return;
    const Node node{Fd(fd)};
    if (flags == O_RDWR) own(node);
    look(node);
    if (pick(3) == 0) {
      const int result = node.metrics_ctrl(static_cast<std::uint32_t>(pick(2)));
      CHILD_CHECK(result == 0 || result == -ENODEV);
    }
    // Half of the time what was acquired goes with the file, or with the process.
    if (pick(2) == 0) {
      const int result = node.release();
      CHILD_CHECK(result == 0 || result == -ENOENT || result == -ENODEV);
    }
  }

  void own(const Node& node) {
    nd_ioctl_ds_info info{};
    const int result = node.acquire(0, &info);
    CHILD_CHECK(result == 0 || result == -ENODEV);
    if (result != 0) return;
    const auto slab = Mapping::map(node.fd(), info.mmap_offset);
    // Removal can come between the two calls; the cookie then names nothing any more.
    CHILD_CHECK(slab.valid() || slab.error() == -ENODEV || slab.error() == -ENXIO);
    if (!slab.valid()) return;
    CHILD_CHECK(slab.nc(0, 1) == 0 || slab.nc(0, 1) == marked_);
    const auto turns = pick(200);
    for (std::uint64_t i = 0; i < turns; ++i) {
      slab.add_nc(static_cast<std::uint32_t>(pick(8)), static_cast<std::uint32_t>(2 + pick(38)), 1);
    }
    // A slab of this process or a fresh one: never the bytes of somebody else.
    std::atomic_ref(slab.words()[::nds_nc_word(0, 1)]).store(marked_);
  }

  void look(const Node& node) {
    nd_ioctl_apps_info_hdr header[1 + 16 * 152 / 16] = {};
    header->flags = ND_APPS_ALL;
    header->capacity = 16;
    const int result = node.apps_info(header);
    CHILD_CHECK(result == 0 || result == -ENODEV);
    const auto* record = reinterpret_cast<const nd_ioctl_app_record*>(header + 1);
    for (std::uint32_t i = 0; result == 0 && i < header->size; ++i) {
      if (record[i].pid == ::getpid()) continue;
      nd_ioctl_ds_info info{};
      const int found = node.acquire(record[i].pid, &info);
      CHILD_CHECK(found == 0 || found == -ENOENT || found == -ENODEV);
      if (found != 0) continue;
      const auto foreign = Mapping::map(node.fd(), info.mmap_offset, PROT_READ);
      CHILD_CHECK(foreign.valid() || foreign.error() == -ENODEV || foreign.error() == -ENXIO);
    }
  }

  std::mt19937_64 random_;
  const std::uint64_t marked_ = static_cast<std::uint64_t>(::getpid());
};

TEST_F(LifecycleHotPlug, DevicesComeAndGoUnderLoad) {
  std::printf("HOT_PLUG_SEED=%llu\n", static_cast<unsigned long long>(seed()));
  std::mt19937_64 random(seed());
  std::uint64_t next_seed = seed();
  const auto spawn = [&] {
    return Child([worker_seed = ++next_seed](Channel&) -> int { Worker(worker_seed).run(); });
  };
  // Makes posts go out; the ring overwrites what nobody reads.
  const Trace trace(Events::kPostNd);
  std::deque<Child> workers;
  for (int i = 0; i < kWorkers; ++i) workers.push_back(spawn());

  int made = 0;
  int removed = 0;
  int killed = 0;
  const auto begin = steady_clock::now();
  // A slow machine takes longer to have done something of each kind.
  const auto done = [&] {
    const auto elapsed = steady_clock::now() - begin;
    const bool all = made >= kOfEach && removed >= kOfEach && killed >= kOfEach;
    return (elapsed >= kDuration && all) || elapsed >= kPatience;
  };
  while (!done()) {
    switch (random() % 4) {
      case 0: {
        if (made - removed == kIndices - kAtLoad) break;
        const int result = module().new_device("v" + std::to_string(2 + random() % 3));
        EXPECT_TRUE(result == 0 || result == -ENOSPC) << result;
        made += result == 0;
        break;
      }
      case 1: {
        const int result = module().del_device(static_cast<int>(random() % kIndices));
        EXPECT_TRUE(result == 0 || result == -ENODEV) << result;
        removed += result == 0;
        break;
      }
      case 2: {
        // It must still have been alive: a worker that saw something wrong has exited.
        EXPECT_EQ(workers.front().kill(), -SIGKILL);
        workers.pop_front();
        workers.push_back(spawn());
        ++killed;
        break;
      }
      default: {
        const Debugfs debugfs(static_cast<int>(random() % kIndices));
        for (const auto& row : debugfs.books()) EXPECT_TRUE(row.conserved()) << row;
        debugfs.slabs();
        debugfs.locks();
        debugfs.anomalies();
        break;
      }
    }
  }
  while (!workers.empty()) {
    EXPECT_EQ(workers.front().kill(), -SIGKILL);
    workers.pop_front();
  }
  std::printf("%d devices made, %d removed, %d processes killed\n", made, removed, killed);
  EXPECT_GE(made, kOfEach);
  EXPECT_GE(removed, kOfEach);
  EXPECT_GE(killed, kOfEach);
  EXPECT_TRUE(no_slabs_left());
}

}  // namespace
}  // namespace ndtel::vm
