// SPDX-License-Identifier: Apache-2.0
//
// Utilisation: percent of the cores' time, between 0 and 100 whatever is written, consistent with
// the amounts.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "metrics_test.hpp"

namespace ndtel::vm {
namespace {

constexpr unsigned kUtilization = 90;
constexpr std::uint32_t kTimeInUse = NDS_NC_COUNTER_TIME_IN_USE;
constexpr int kCores = 8;

using MetricsUtilization = MetricsTest;

TEST_F(MetricsUtilization, IdleDevicePostsZeroEachTick) {
  for (const auto& post : run(4)) EXPECT_EQ(post.texts(kUtilization), Texts{"0"});
}

TEST_F(MetricsUtilization, MoreTimeThanThereIsPosts100) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (std::uint32_t core = 0; core < kCores; ++core) {
    slab.add_nc(core, kTimeInUse, std::uint64_t{1} << 60);
  }
  const auto texts = texts_of(run(3), kUtilization);
  EXPECT_EQ(texts.at(0), "100");
  EXPECT_EQ(texts.at(1), "0");
}

// The first record after loading covers the time since the device was made, not since boot.
TEST_F(MetricsUtilization, FirstRecordCoversTheTimeSinceTheDeviceWasMade) {
  const double before = monotonic_s();
  ASSERT_EQ(module().new_device("v3"), 0);
  const double after = monotonic_s();
  const Node second(1);
  const auto slab = second.map_slab();
  ASSERT_TRUE(slab.valid());
  // A tenth of a second of each core.
  constexpr double kBusy = 0.1;
  for (std::uint32_t core = 0; core < kCores; ++core) {
    slab.add_nc(core, kTimeInUse, static_cast<std::uint64_t>(kBusy * 1e12));
  }
  Posting posting(module(), trace(), 1);
  const auto first = posting.run(1).front();
  const auto percent = std::stod(first.texts(kUtilization).at(0));
  const auto expect = [&](double start) {
    return std::min(100.0, kBusy * 100 / (first.time_s - start));
  };
  // The post's time is read a moment before its first record is traced, and the value is cut.
  EXPECT_GE(percent + 1, expect(before));
  EXPECT_LE(percent, expect(after) * 2 + 1);
}

// A quarter of the time at most. For each record the time in use it stands for is known to a
// percent of its window; all together they account for what was confirmed. No value leaves 0..100,
// also when the process dies in between.
TEST_F(MetricsUtilization, RecordsAccountForTheTimeInUseAcrossADeath) {
  Child worker([](Channel& channel) {
    const Node node(0);
    const auto slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    channel.send();
    double last = monotonic_s();
    // What a stalled process missed is not made up, so that no window gets more than its time.
    for (std::uint32_t turn = 0;; ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      const double now = monotonic_s();
      slab.add_nc(turn % kCores, kTimeInUse,
                  static_cast<std::uint64_t>(std::min(now - last, 0.1) * 1e12 * kCores / 4));
      last = now;
    }
    return 0;
  });
  ASSERT_TRUE(worker.receive());
  run(1);  // the window of what follows begins with this post
  const auto base = Debugfs().books_of(kUtilization).confirmed;
  const double begin = posts_of(trace().read()).back().time_s;
  auto posts = run(8);
  worker.kill();
  for (const auto& post : run(2)) posts.push_back(post);

  const double total = static_cast<double>(Debugfs().books_of(kUtilization).confirmed - base);
  double least = 0;
  double most = 0;
  double last = begin;
  for (const auto& post : posts) {
    const auto value = std::stoull(post.texts(kUtilization).at(0));
    ASSERT_LE(value, 100u);
    const double window = (post.time_s - last) * 1e12 * kCores;
    least += static_cast<double>(value) / 100 * window;
    most += static_cast<double>(value + 1) / 100 * window;
    last = post.time_s;
  }
  // Traced a moment after the window's end, so windows are known to a few percent.
  const double slack = 0.05 * most;
  EXPECT_LE(least, total + slack);
  EXPECT_GE(most, total - slack);
  EXPECT_GT(total, 0);
}

}  // namespace
}  // namespace ndtel::vm
