// SPDX-License-Identifier: Apache-2.0
//
// Readers of the whole tree while devices come, go and are reset, and processes die: every access
// gives what it must, and nothing is left.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "support/child.hpp"
#include "support/file.hpp"
#include "support/node.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

using std::chrono::steady_clock;

constexpr int kReaders = 32;
constexpr int kOwners = 4;
constexpr int kIndices = 6;
/// Nobody opens it, so that it can be reset.
constexpr int kUnused = 3;
constexpr std::chrono::seconds kDuration{10};
constexpr std::chrono::milliseconds kRest{20};

std::uint64_t seed() {
  const char* text = std::getenv("STORM_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 815;
}

bool expected_of_open(int error) { return error == ENOENT || error == ENODEV; }
bool expected_of_read(int error) { return error == ENODEV || error == EAGAIN || error == EIO; }

void read_one(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    if (!expected_of_open(errno)) std::fprintf(stderr, "open %s: %d\n", path.c_str(), errno);
    CHILD_CHECK(expected_of_open(errno));
    return;
  }
  char buffer[4096];
  const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
  if (got < 0 && !expected_of_read(errno)) {
    std::fprintf(stderr, "read %s: %d\n", path.c_str(), errno);
  }
  CHILD_CHECK(got >= 0 || expected_of_read(errno));
}

// Reads all that is there; directories may go while they are listed.
void read_below(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), ::closedir);
  if (!listing) {
    CHILD_CHECK(expected_of_open(errno));
    return;
  }
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || name == "power" || name == "subsystem") continue;
    if (entry->d_type == DT_DIR) read_below(directory + name + "/");
    if (entry->d_type == DT_REG) read_one(directory + name);
  }
}

int reader(unsigned first) {
  for (unsigned device = first;; ++device) {
    read_below(device_directory(static_cast<int>(device % kIndices)));
    read_one(class_directory() + "current_perf_profile");
    // Makers and removers must get their turn among so many, also on a slow machine.
    std::this_thread::sleep_for(kRest);
  }
}

int owner(std::uint64_t own_seed) {
  std::mt19937_64 random(own_seed);
  for (;;) {
    const int fd = Node::try_open(static_cast<int>(random() % kUnused), O_RDWR);
    if (fd < 0) continue;
    const Node node{Fd(fd)};
    nd_ioctl_ds_info info{};
    const int result = node.acquire(0, &info);
    // The device may go at any moment, also right after it was opened.
    CHILD_CHECK(result == 0 || result == -ENODEV);
    if (result != 0) continue;
    const auto slab = Mapping::map(node.fd(), info.mmap_offset, PROT_READ | PROT_WRITE, info.size);
    if (!slab.valid()) continue;
    slab.add(::nds_nd_word(11), random());
    for (int i = 0; i < 200; ++i) {
      slab.add_nc(static_cast<std::uint32_t>(random() % 8),
                  static_cast<std::uint32_t>(random() % 41), 1);
    }
  }
}

class SysfsStorm : public ModuleTest {
 protected:
  SysfsStorm()
      : ModuleTest("sim_devices=4 sim_arch=v2 nmetric_log_posts=2 nmetric_metric_post_delay=100") {}
};

// Sysfs10: nodes were removed under counters that still pointed at them.
TEST_F(SysfsStorm, Sysfs10ReadersWhileDevicesComeAndGo) {
  std::printf("STORM_SEED=%llu\n", static_cast<unsigned long long>(seed()));
  std::mt19937_64 random(seed());
  std::deque<Child> readers;
  std::deque<Child> owners;
  std::uint64_t next_seed = seed();
  const auto spawn = [&] {
    owners.emplace_back([own_seed = ++next_seed](Channel&) { return owner(own_seed); });
  };
  for (unsigned i = 0; i < kReaders; ++i) {
    readers.emplace_back([i](Channel&) { return reader(i); });
  }
  for (int i = 0; i < kOwners; ++i) spawn();

  int made = 0;
  int removed = 0;
  int resets = 0;
  int killed = 0;
  const auto begin = steady_clock::now();
  // In turn, so that each happens soon also where a single one takes long.
  for (int turn = 0; turn < 5 || steady_clock::now() - begin < kDuration; ++turn) {
    const int device = static_cast<int>(random() % kIndices);
    switch (turn % 5) {
      case 0: {
        const int result = module().del_device(turn == 0 ? 0 : device);
        EXPECT_TRUE(result == 0 || result == -ENODEV) << result;
        removed += result == 0;
        break;
      }
      case 1: {
        const int result = module().new_device(random() % 4 == 0 ? "v3" : "v2");
        EXPECT_TRUE(result == 0 || result == -ENOSPC) << result;
        made += result == 0;
        break;
      }
      case 2: {
        const int result = Attributes(kUnused).write("reset", "1");
        EXPECT_TRUE(result == 0 || result == -EBUSY || result == -ENOENT || result == -ENODEV)
            << result;
        resets += result == 0;
        break;
      }
      case 3: {
        EXPECT_EQ(owners.front().kill(), -SIGKILL);
        owners.pop_front();
        spawn();
        ++killed;
        break;
      }
      default: {
        const int result =
            Attributes(device).write("info/notify_delay", random() % 2 == 0 ? "0" : "-1");
        EXPECT_TRUE(result == 0 || result == -ENOENT || result == -ENODEV) << result;
        break;
      }
    }
  }
  // Whoever saw something wrong has exited, and cannot be killed any more.
  for (auto& child : owners) EXPECT_EQ(child.kill(), -SIGKILL);
  for (auto& child : readers) EXPECT_EQ(child.kill(), -SIGKILL);
  std::printf("%d devices made, %d removed, %d resets, %d processes killed\n", made, removed,
              resets, killed);
  EXPECT_GT(made, 0);
  EXPECT_GT(removed, 0);
  EXPECT_GT(killed, 0);
  EXPECT_GT(resets, 0);
  EXPECT_TRUE(no_slabs_left());
}

}  // namespace
}  // namespace ndtel::vm
