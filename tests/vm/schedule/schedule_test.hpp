// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the posting schedule share: a device, an instance that listens, and the grid
// read from posts.
#ifndef NDTEL_TESTS_VM_SCHEDULE_SCHEDULE_TEST_HPP
#define NDTEL_TESTS_VM_SCHEDULE_SCHEDULE_TEST_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/posting.hpp"
#include "support/thread.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {

class ScheduleTest : public ModuleTest {
 protected:
  ScheduleTest()
      : ModuleTest("sim_devices=1 nmetric_log_posts=2 nmetric_metric_post_delay=3600000") {}

  void SetUp() override {
    ModuleTest::SetUp();
    trace_.emplace(Events::kPostNd);
    posting_.emplace(module(), *trace_);
  }
  void TearDown() override {
    posting_.reset();
    trace_.reset();
    ModuleTest::TearDown();
  }

  Trace& trace() { return *trace_; }
  Posting& posting() { return *posting_; }
  std::vector<Post> posts() { return posts_of(trace().read()); }
  /// Waits for posts, counted since the last clear().
  bool wait_for_posts(std::size_t count) {
    return trace().read_until(
        [count](const auto& events) { return posts_of(events).size() >= count; });
  }
  /// Lets time pass in which nothing may happen. Not a synchronisation: more of it proves more.
  static void let_pass(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

 private:
  std::optional<Trace> trace_;
  std::optional<Posting> posting_;
};

/// The grid that posts lie on. A post is never early but may be late by any time on a busy machine,
/// so the grid goes through the post that leaves the others least late, all in all.
class Grid {
 public:
  Grid(const std::vector<Post>& posts, double period_s) : period_(period_s) {
    double least = -1;
    for (const auto& candidate : posts) {
      double total = 0;
      for (const auto& post : posts) total += behind(post.time_s, candidate.time_s);
      if (least < 0 || total < least) {
        least = total;
        origin_ = candidate.time_s;
      }
    }
  }

  /// How far apart two grids of the same period are, at most half a period.
  double distance(const Grid& other) const {
    const double ahead = behind(origin_, other.origin_);
    return std::min(ahead, period_ - ahead);
  }
  /// Number of the grid point nearest to a moment.
  long nearest_point(double time_s) const { return std::lround((time_s - origin_) / period_); }
  /// How far behind the nearest grid point a moment is; negative: ahead of it.
  double lateness(double time_s) const { return time_s - nearest(time_s); }
  /// The moment half way between two grid points that comes after `time_s`.
  double middle_after(double time_s) const {
    return origin_ + (std::floor((time_s - origin_) / period_ + 0.5) + 0.5) * period_;
  }

 private:
  double nearest(double time_s) const {
    return origin_ + std::round((time_s - origin_) / period_) * period_;
  }
  /// How far a moment is behind the last point of the grid through `origin`.
  double behind(double time_s, double origin) const {
    const double intervals = (time_s - origin) / period_;
    return (intervals - std::floor(intervals)) * period_;
  }

  double period_;
  double origin_ = 0;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SCHEDULE_SCHEDULE_TEST_HPP
