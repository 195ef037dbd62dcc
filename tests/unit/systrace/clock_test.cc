// SPDX-License-Identifier: Apache-2.0
//
// Ticks against CLOCK_REALTIME: with a simulated machine, whose clock drifts, is slewed, steps, and
// whose thread is preempted, and with this one.
#include "clock.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace ndtel::systrace::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kEpoch = 1'900'000'000 * kSecond;

// A machine with a counter of 2.1 GHz and a clock that runs `ppm` too fast against it.
class Machine {
 public:
  void run(std::int64_t ns) {
    true_ns_ += ns;
    const __int128 drift = static_cast<__int128>(ns) * ppb_ + carry_;
    realtime_ += ns + static_cast<std::int64_t>(drift / kSecond);
    carry_ = static_cast<std::int64_t>(drift % kSecond);
  }
  void set_ppm(int ppm) { ppb_ = std::int64_t{ppm} * 1000; }
  void step(std::int64_t ns) { realtime_ += ns; }
  // Each read of a clock takes a little while; one of `odds` up to `ns` more.
  void delay_one_of(unsigned odds, unsigned ns) {
    odds_ = odds;
    delay_ = ns;
  }

  std::int64_t elapsed() const { return true_ns_; }
  std::uint64_t ticks() const {
    return 77'000'000'000ULL + static_cast<std::uint64_t>(true_ns_) * 21 / 10;
  }
  std::int64_t realtime() const { return realtime_; }

  void pass_a_read() {
    run(15 + static_cast<std::int64_t>(random_() % 10));
    if (odds_ != 0 && random_() % odds_ == 0)
      run(1000 + static_cast<std::int64_t>(random_() % delay_));
  }

 private:
  std::int64_t true_ns_ = 0;
  std::int64_t realtime_ = kEpoch;
  std::int64_t ppb_ = 0;
  std::int64_t carry_ = 0;
  unsigned odds_ = 0;
  unsigned delay_ = 0;
  std::minstd_rand random_{42};
};

struct SimulatedClocks {
  Machine* machine;

  TickSource source() const { return TickSource::kTsc; }
  std::uint64_t ordered_ticks() {
    machine->pass_a_read();
    return machine->ticks();
  }
  std::int64_t realtime_ns() {
    machine->pass_a_read();
    const std::int64_t now = machine->realtime();
    machine->pass_a_read();
    return now;
  }
};

// Records what the clock truly said at each event, and compares at read-out.
class Simulation {
 public:
  Simulation() { data_ = std::make_unique<TimelineData>(); }

  void start() { ASSERT_TRUE(clock_.start(*data_)); }

  // Events `gap` apart on average, for `ns`.
  void emit_for(std::int64_t ns, std::int64_t gap = 50'000) {
    for (const std::int64_t end = machine.elapsed() + ns; machine.elapsed() < end; event())
      machine.run(gap / 2 + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(gap)));
  }

  void event() {
    events_.push_back({machine.ticks(), machine.realtime()});
    if (clock_.due(events_.back().ticks)) clock_.anchor();
  }

  // Errors in ns of all events so far, smallest first.
  std::vector<std::int64_t> errors() {
    clock_.anchor();
    auto converter = std::make_unique<TickConverter>();
    EXPECT_TRUE(converter->load(*data_));
    segments_ = converter->segments();
    std::vector<std::int64_t> errors;
    for (const Anchor& event : events_)
      errors.push_back(
          std::abs(static_cast<std::int64_t>(converter->to_ns(event.ticks)) - event.ns));
    std::sort(errors.begin(), errors.end());
    return errors;
  }

  void expect_within_a_microsecond() {
    const auto sorted = errors();
    ASSERT_FALSE(sorted.empty());
    EXPECT_LT(sorted[sorted.size() * 999 / 1000], 1000)
        << "of " << sorted.size() << " events, worst " << sorted.back();
  }

  std::size_t segments() const { return segments_; }
  std::size_t events() const { return events_.size(); }
  const TimelineData& data() const { return *data_; }

  Machine machine;

 private:
  std::unique_ptr<TimelineData> data_;
  BasicClock<SimulatedClocks> clock_{SimulatedClocks{&machine}};
  std::vector<Anchor> events_;
  std::size_t segments_ = 0;
  std::minstd_rand random_{7};
};

TEST(Clock, SteadyDriftNeedsOneSegment) {
  for (const int ppm : {-500, -37, 0, 37, 500}) {
    Simulation simulation;
    simulation.machine.set_ppm(ppm);
    simulation.start();
    simulation.emit_for(20 * kSecond);
    const auto errors = simulation.errors();
    EXPECT_LT(errors.back(), 400) << ppm << " ppm";
    EXPECT_LE(simulation.segments(), 3u) << ppm << " ppm";
    // One anchor in ten milliseconds, not one an event.
    EXPECT_LT(simulation.data().anchors.load(), 2100u);
    EXPECT_GT(simulation.data().anchors.load(), 1500u);
  }
}

TEST(Clock, SlewingIsFollowed) {
  Simulation simulation;
  simulation.start();
  for (const int ppm : {500, -500, 0, 120, -333, 500, 499, 470, 350}) {
    simulation.machine.set_ppm(ppm);
    simulation.emit_for(12 * kSecond, 200'000);
  }
  simulation.expect_within_a_microsecond();
  EXPECT_LE(simulation.segments(), 40u);
}

TEST(Clock, StepsOpenAnotherLine) {
  for (const std::int64_t step : {std::int64_t{30'000}, std::int64_t{-30'000}, kSecond, -kSecond,
                                  3'600 * kSecond, -3'600 * kSecond, -kEpoch / 2}) {
    Simulation simulation;
    simulation.machine.set_ppm(-41);
    simulation.start();
    simulation.emit_for(6 * kSecond, 100'000);
    simulation.machine.step(step);
    simulation.emit_for(6 * kSecond, 100'000);
    simulation.expect_within_a_microsecond();
    EXPECT_LE(simulation.segments(), 5u) << step;
  }
}

TEST(Clock, BurstsAfterPausesAreExactThoughTheClockChangedMeanwhile) {
  Simulation simulation;
  simulation.start();
  simulation.emit_for(kSecond / 10);
  const std::int64_t steps[] = {0, 5 * kSecond, 0, -7 * kSecond, 0, 40'000};
  const int rates[] = {500, -500, 100};
  for (int burst = 0; burst < 60; ++burst) {
    simulation.machine.set_ppm(rates[burst % 3]);
    simulation.machine.run(kSecond / 2);
    simulation.machine.step(steps[burst % 6]);
    simulation.machine.run(kSecond * 3 + burst * 1'000'000);
    simulation.emit_for(30'000'000, 20'000);
  }
  simulation.expect_within_a_microsecond();
}

TEST(Clock, EveryReadOutConvertsWhatCameBefore) {
  Simulation simulation;
  simulation.machine.set_ppm(250);
  simulation.start();
  // Right after the start, and in the middle of an interval.
  for (const std::int64_t ns : {1'000, 40'000, 500'000, 7'000'000, 13'000'000}) {
    simulation.emit_for(ns, 500);
    EXPECT_LT(simulation.errors().back(), 1000) << ns;
  }
}

TEST(Clock, PreemptedAnchorsAreNotTaken) {
  Simulation simulation;
  simulation.machine.set_ppm(20);
  simulation.start();
  simulation.machine.delay_one_of(4, 5'000'000);
  simulation.emit_for(20 * kSecond, 100'000);
  const auto errors = simulation.errors();
  EXPECT_LT(errors[errors.size() * 999 / 1000], 1000);
  EXPECT_GT(simulation.data().rejected.load(), 20u);
  EXPECT_GT(simulation.data().anchors.load(), 500u);
}

TEST(Clock, AMachineThatBecomesSlowGetsAnchorsNonetheless) {
  Simulation simulation;
  simulation.start();
  const auto before = simulation.data().anchors.load();
  // From now on no read is quick.
  simulation.machine.delay_one_of(1, 4'000);
  simulation.machine.set_ppm(300);
  simulation.emit_for(20 * kSecond, 1'000'000);
  EXPECT_GT(simulation.data().rejected.load(), 0u);
  EXPECT_GT(simulation.data().anchors.load(), before + 500);
  EXPECT_LT(simulation.errors().back(), 20'000);
}

TEST(Clock, TheNewestSegmentsSurviveOverflow) {
  Simulation simulation;
  simulation.start();
  // A clock that steps all the time.
  for (int i = 0; i < 400; ++i) {
    simulation.emit_for(25'000'000, 1'000'000);
    simulation.machine.step(kSecond);
  }
  auto converter = std::make_unique<TickConverter>();
  ASSERT_TRUE(converter->load(simulation.data()));
  EXPECT_GT(converter->forgotten(), 100u);
  EXPECT_EQ(converter->segments(), kClosedSegments);
  // Each line covers 25 ms of the last 400; what is older is wrong by steps, and is said to be.
  const auto errors = simulation.errors();
  EXPECT_LT(errors[errors.size() / 2], 1000);
  EXPECT_GT(errors.back(), kSecond);
}

TEST(Clock, ClocksThatStandStillAreRefused) {
  struct Stopped {
    TickSource source() const { return TickSource::kTsc; }
    std::uint64_t ordered_ticks() { return 5; }
    std::int64_t realtime_ns() { return kEpoch; }
  };
  auto data = std::make_unique<TimelineData>();
  BasicClock<Stopped> clock;
  EXPECT_FALSE(clock.start(*data));
  auto converter = std::make_unique<TickConverter>();
  EXPECT_FALSE(converter->load(*data));
}

TEST(Ticks, OnlyThisMachinesSourcesCanBeUsed) {
  const TickSource before = tick_source();
  EXPECT_TRUE(use_tick_source(TickSource::kMonotonic));
  EXPECT_EQ(tick_source(), TickSource::kMonotonic);
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto monotonic = static_cast<std::uint64_t>(now.tv_sec * kSecond + now.tv_nsec);
  EXPECT_GE(ticks(), monotonic);
#if defined(__x86_64__)
  EXPECT_FALSE(use_tick_source(TickSource::kCntvct));
#elif defined(__aarch64__)
  EXPECT_FALSE(use_tick_source(TickSource::kTsc));
#endif
  EXPECT_FALSE(use_tick_source(static_cast<TickSource>(99)));
  EXPECT_EQ(tick_source(), TickSource::kMonotonic);
  EXPECT_TRUE(use_tick_source(best_tick_source()));
  EXPECT_EQ(tick_source(), best_tick_source());
  EXPECT_TRUE(use_tick_source(before));
}

TEST(Ticks, TheyNeverGoBackOnAThread) {
  for (const TickSource source : {TickSource::kMonotonic, best_tick_source()}) {
    ASSERT_TRUE(use_tick_source(source));
    std::uint64_t last = ordered_ticks();
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t now = ordered_ticks();
      ASSERT_GE(now, last);
      last = now;
    }
  }
}

// The clock as it is: two threads read it between two reads of CLOCK_REALTIME, so that a preempted
// read is no error.
void compare_with_this_machine(TickSource source) {
  const bool long_run = std::getenv("NDTEL_TEST_LONG") != nullptr;
  const auto length = long_run ? std::chrono::seconds(600) : std::chrono::seconds(2);
  ASSERT_TRUE(use_tick_source(source));
  auto data = std::make_unique<TimelineData>();
  Clock clock;
  ASSERT_TRUE(clock.start(*data));

  struct Sample {
    std::int64_t before;
    std::uint64_t ticks;
    std::int64_t after;
  };
  const auto end = std::chrono::steady_clock::now() + length;
  const auto collect = [&](bool anchors, std::vector<Sample>& samples) {
    while (std::chrono::steady_clock::now() < end) {
      const std::int64_t before = realtime_ns();
      const std::uint64_t now = ticks();
      samples.push_back({before, now, realtime_ns()});
      if (anchors && clock.due(now)) clock.anchor();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  };
  std::vector<Sample> mine, others;
  std::thread other([&] { collect(false, others); });
  collect(true, mine);
  other.join();
  clock.anchor();

  auto converter = std::make_unique<TickConverter>();
  ASSERT_TRUE(converter->load(*data));
  std::vector<std::int64_t> errors;
  for (const auto* samples : {&mine, &others}) {
    for (const Sample& sample : *samples) {
      const auto ns = static_cast<std::int64_t>(converter->to_ns(sample.ticks));
      // The two reads of the clock may themselves have a step between them.
      if (sample.after < sample.before) continue;
      errors.push_back(std::max({std::int64_t{0}, sample.before - ns, ns - sample.after}));
    }
  }
  ASSERT_GT(errors.size(), 500u);
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() * 999 / 1000], 1000)
      << "of " << errors.size() << " samples, worst " << errors.back();
  ::testing::Test::RecordProperty("segments", static_cast<int>(converter->segments()));
  ::testing::Test::RecordProperty("anchors", static_cast<int>(data->anchors.load()));
  ::testing::Test::RecordProperty("rejected", static_cast<int>(data->rejected.load()));
  ::testing::Test::RecordProperty("median_ns", static_cast<int>(errors[errors.size() / 2]));
  ::testing::Test::RecordProperty("p999_ns", static_cast<int>(errors[errors.size() * 999 / 1000]));
  ::testing::Test::RecordProperty("worst_ns", static_cast<int>(errors.back()));
}

TEST(Clock, TheBestSourceAgreesWithTheClockOfThisMachine) {
  compare_with_this_machine(best_tick_source());
}

TEST(Clock, TheMonotonicClockAgreesWithTheClockOfThisMachine) {
  compare_with_this_machine(TickSource::kMonotonic);
  use_tick_source(best_tick_source());
}

}  // namespace
}  // namespace ndtel::systrace::test
