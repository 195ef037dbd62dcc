// SPDX-License-Identifier: Apache-2.0
//
// What reading the whole tree of a device costs: all its files, descriptors kept open, against as
// many bare preads of a constant file of sysfs, in interleaved rounds of one run. And how long a
// tick holds the pool lock, with one sink and with all.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <string>
#include <vector>

#include "support/debugfs.hpp"
#include "support/owner.hpp"
#include "support/trace.hpp"
#include "sysfs.hpp"

namespace {

using namespace ndtel::vm;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 21;
constexpr int kOwners = 4;
constexpr double kBound = 2;
constexpr unsigned kTicks = 40;

// Whose content never changes.
const char kConstant[] = "/sys/devices/system/cpu/kernel_max";

Fd open_file(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) fail_errno(path);
  return fd;
}

void read_again(const Fd& fd) {
  char buffer[4096];
  if (::pread(fd.get(), buffer, sizeof buffer, 0) < 0) fail_errno("reading");
}

template <typename Action>
double seconds(Action action) {
  const auto begin = Clock::now();
  action();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::deque<Owner> owners() {
  std::deque<Owner> some;
  for (int i = 0; i < kOwners; ++i) {
    some.emplace_back([](const Mapping& slab) {
      for (std::uint32_t core = 0; core < 8; ++core) slab.add_nc(core, 1, 1);
    });
  }
  return some;
}

bool whole_tree() {
  const Module module("sim_devices=1 nmetric_log_posts=2 nmetric_metric_post_delay=3600000");
  if (!ready()) throw std::runtime_error("the device does not become ready");
  const auto processes = owners();
  std::vector<Fd> tree;
  for (const auto& [path, mode] : files_below(device_directory(0))) {
    tree.push_back(open_file(device_directory(0) + path));
  }
  const auto constant = open_file(kConstant);

  std::vector<double> ratios;
  std::vector<double> each;
  for (int round = 0; round < kRounds; ++round) {
    const double bare = seconds([&] {
      for (std::size_t i = 0; i < tree.size(); ++i) read_again(constant);
    });
    const double whole = seconds([&] {
      for (const auto& fd : tree) read_again(fd);
    });
    ratios.push_back(whole / bare);
    each.push_back(whole);
  }
  const double ratio = median(ratios);
  std::printf("sysfs_tree %zu files, %d processes, %.2f ms\n", tree.size(), kOwners,
              1e3 * median(each));
  std::printf("ratio sysfs_tree %.2f bound %.0f %s\n", ratio, kBound,
              ratio <= kBound ? "ok" : "short");
  return ratio <= kBound;
}

void lock_holds(unsigned sinks, const char* what) {
  const Module module("sim_devices=1 nmetric_metric_post_delay=100 nmetric_log_posts=" +
                      std::to_string(sinks));
  if (!ready()) throw std::runtime_error("the device does not become ready");
  const auto processes = owners();
  // Makes the trace events a sink that somebody listens to; the ring overwrites what is not read.
  const Trace trace(Events::kPostNd);
  const Debugfs debugfs;
  if (!eventually([&] { return debugfs.locks()["tick"].count >= kTicks; })) {
    throw std::runtime_error("no ticks");
  }
  const auto tick = debugfs.locks()["tick"];
  std::printf("lock tick %s count %llu mean_ns %llu max_ns %llu\n", what,
              static_cast<unsigned long long>(tick.count),
              static_cast<unsigned long long>(tick.mean_ns),
              static_cast<unsigned long long>(tick.max_ns));
}

}  // namespace

int main() {
  try {
    const bool ok = whole_tree();
    lock_holds(2, "one sink");
    lock_holds(3, "all sinks");
    return ok ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "guest_bench_sysfs: %s\n", error.what());
    return 2;
  }
}
