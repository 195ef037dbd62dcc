// SPDX-License-Identifier: Apache-2.0
//
// What benchmarks measure and print. Only figures of one run are comparable: what is compared is
// run in turn, round by round, and the ratio is the median of the rounds' ratios.
#ifndef NDTEL_TESTS_BENCH_MEASURE_HPP
#define NDTEL_TESTS_BENCH_MEASURE_HPP

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ndtel::bench {

using Moment = std::chrono::steady_clock::time_point;

/// What one round took.
struct Round {
  double ns_each = 0;
  bool disturbed = false;  // the thread had to leave its processor to somebody else
  Moment start, end;
};

/// Times `loop()`, which makes `count` repetitions, by the wall clock: waiting counts.
template <typename Loop>
Round timed(double count, Loop&& loop) {
  rusage before{}, after{};
  ::getrusage(RUSAGE_THREAD, &before);
  const Moment start = std::chrono::steady_clock::now();
  loop();
  const Moment end = std::chrono::steady_clock::now();
  ::getrusage(RUSAGE_THREAD, &after);
  const std::chrono::duration<double, std::nano> spent = end - start;
  return {spent.count() / count, after.ru_nivcsw != before.ru_nivcsw, start, end};
}

/// A round that was not disturbed, of some; on a busy machine the last one in the end.
template <typename Measure>
double undisturbed(Measure&& measure) {
  constexpr int kTries = 8;
  Round round = measure();
  for (int i = 1; i < kTries && round.disturbed; ++i) round = measure();
  return round.ns_each;
}

/// Nanoseconds of one of `count` repetitions that `loop()` makes.
template <typename Loop>
double nanoseconds_each(double count, Loop&& loop) {
  return undisturbed([&] { return timed(count, loop); });
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Median of a[i] / b[i].
inline double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) ratios.push_back(a[i] / b[i]);
  return median(std::move(ratios));
}

/// Prints ratios and remembers whether all of them were within their bounds.
class Report {
 public:
  void ns(std::string_view name, double value) { fmt::print("ns {} {:.2f}\n", name, value); }

  void ratio(std::string_view name, double value, double bound) {
    const bool ok = value <= bound;
    fmt::print("ratio {} {:.3f} bound {:g} {}\n", name, value, bound, ok ? "ok" : "short");
    all_ok_ = all_ok_ && ok;
  }

  /// A ratio of which nothing is claimed.
  void fact(std::string_view name, double value) { fmt::print("fact {} {:.3f}\n", name, value); }

  /// For what has to be large.
  void at_least(std::string_view name, double value, double bound) {
    const bool ok = value >= bound;
    fmt::print("ratio {} {:.3f} bound {:g} {}\n", name, value, bound, ok ? "ok" : "short");
    all_ok_ = all_ok_ && ok;
  }

  /// A comparison that could not be made is not one that was won.
  void missing(std::string_view name, std::string_view why) {
    fmt::print("ratio {} unknown ({}) short\n", name, why);
    all_ok_ = false;
  }

  int exit_status() const { return all_ok_ ? 0 : 1; }

 private:
  bool all_ok_ = true;
};

}  // namespace ndtel::bench

#endif  // NDTEL_TESTS_BENCH_MEASURE_HPP
