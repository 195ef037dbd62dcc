// SPDX-License-Identifier: Apache-2.0
//
// Timelines as a reader finds them: lines and the gaps between, a writer that was killed, and bytes
// that no writer wrote.
#include "clock_timeline.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <thread>

namespace ndtel::systrace::test {
namespace {

constexpr std::int64_t kBase = 1'000'000'000'000'000'000;
constexpr std::uint64_t kInterval = 20'000'000;

class Timeline : public ::testing::Test {
 protected:
  // Two ticks a nanosecond.
  void SetUp() override {
    ASSERT_TRUE(
        writer_.start(*data_, TickSource::kTsc, {1000, kBase}, {1'001'000, kBase + 500'000}));
  }

  bool load() { return converter_->load(*data_); }
  std::uint64_t at(std::uint64_t ticks) { return converter_->to_ns(ticks); }
  static std::uint64_t base(std::int64_t offset) {
    return static_cast<std::uint64_t>(kBase + offset);
  }

  std::unique_ptr<TimelineData> data_ = std::make_unique<TimelineData>();
  std::unique_ptr<TickConverter> converter_ = std::make_unique<TickConverter>();
  TimelineWriter writer_;
};

TEST_F(Timeline, InterpolatesAndContinuesBothWays) {
  ASSERT_TRUE(load());
  EXPECT_EQ(converter_->segments(), 1u);
  EXPECT_EQ(at(1000), base(0));
  EXPECT_EQ(at(1002), base(1));
  EXPECT_EQ(at(501'000), base(250'000));
  EXPECT_EQ(at(1'001'000), base(500'000));
  EXPECT_EQ(at(2'001'000), base(1'000'000));
  EXPECT_EQ(at(0), base(-500));
  EXPECT_EQ(data_->interval_ticks, kInterval);
  EXPECT_EQ(writer_.ticks_in(1000), 2000u);
}

TEST_F(Timeline, NoNanosecondIsLostInLongSpans) {
  // 100 days at one anchor each 10 s, exactly on the line.
  std::uint64_t ticks = 1'001'000;
  std::int64_t ns = 500'000;
  for (int i = 0; i < 864'000; ++i) {
    ticks += 20'000'000'000;
    ns += 10'000'000'000;
    writer_.add({ticks, kBase + ns});
  }
  ASSERT_TRUE(load());
  EXPECT_EQ(converter_->segments(), 1u);
  EXPECT_EQ(at(ticks - 2), base(ns - 1));
  EXPECT_EQ(at(ticks / 2 / 1000 * 1000 + 2),
            base(static_cast<std::int64_t>(ticks / 2 / 1000 * 1000 + 2 - 1000) / 2));
}

TEST_F(Timeline, TheNearerLineCountsWhereTwoDoNotMeet) {
  const std::uint64_t stepped = 1'001'000 + kInterval;
  writer_.add({stepped, kBase + 70'000'000'000});
  writer_.add({stepped + kInterval, kBase + 70'010'000'000});
  ASSERT_TRUE(load());
  ASSERT_EQ(converter_->segments(), 2u);
  EXPECT_EQ(at(1'001'000 + kInterval / 2 - 2), base(500'000 + 4'999'999));
  EXPECT_EQ(at(1'001'000 + kInterval / 2 + 2), base(70'000'000'000 - 4'999'999));
  EXPECT_EQ(at(stepped - 2), base(70'000'000'000 - 1));
  EXPECT_EQ(at(stepped), base(70'000'000'000));
  EXPECT_EQ(at(stepped + 2), base(70'000'000'001));
}

TEST_F(Timeline, ALineOfOneAnchorBorrowsTheLastRate) {
  writer_.add({1'001'000 + kInterval, kBase - 5'000'000'000});
  ASSERT_TRUE(load());
  ASSERT_EQ(converter_->segments(), 2u);
  EXPECT_EQ(at(1'001'000 + kInterval + 2'000), base(-5'000'000'000 + 1'000));
}

TEST_F(Timeline, AnchorsOutOfOrderAreIgnored) {
  writer_.add({1'001'000, kBase + 77});
  writer_.add({5, kBase + 77});
  ASSERT_TRUE(load());
  EXPECT_EQ(converter_->segments(), 1u);
  EXPECT_EQ(data_->anchors.load(), 2u);
  EXPECT_EQ(at(1'001'000), base(500'000));
}

TEST_F(Timeline, NoiseOfCloseAnchorsMakesNoRate) {
  std::uint64_t ticks = 1'001'000;
  for (int i = 0; i < 100; ++i) {
    ticks += 2'000;
    writer_.add(
        {ticks, kBase + static_cast<std::int64_t>(ticks - 1000) / 2 + (i % 2 == 0 ? 400 : -400)});
  }
  ASSERT_TRUE(load());
  EXPECT_EQ(converter_->segments(), 1u);
  EXPECT_NEAR(static_cast<double>(at(ticks + kInterval) - base(0)),
              static_cast<double>(ticks - 1000 + kInterval) / 2, 3000);
}

TEST_F(Timeline, TimeBeforeTheEpochIsZeroAndTheFarEndIsKept) {
  auto data = std::make_unique<TimelineData>();
  TimelineWriter writer;
  ASSERT_TRUE(writer.start(*data, TickSource::kTsc, {1'000'000, 500}, {1'002'000, 1'500}));
  ASSERT_TRUE(converter_->load(*data));
  EXPECT_EQ(at(1'000'000), 500u);
  EXPECT_EQ(at(999'002), 1u);
  EXPECT_EQ(at(998'000), 0u);
  EXPECT_EQ(at(0), 0u);
  EXPECT_EQ(at(std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::uint64_t>::max() / 2 - 500'000 + 500);
}

TEST_F(Timeline, StartRefusesAnchorsThatMakeNoLine) {
  auto data = std::make_unique<TimelineData>();
  TimelineWriter writer;
  const Anchor first{1000, kBase};
  for (const Anchor second :
       {Anchor{1000, kBase}, Anchor{1000, kBase + 5}, Anchor{2000, kBase}, Anchor{2000, kBase - 1},
        Anchor{999, kBase + 1}, Anchor{1001, kBase + 1'000'000}})
    EXPECT_FALSE(writer.start(*data, TickSource::kTsc, first, second))
        << second.ticks << ' ' << second.ns;
  EXPECT_FALSE(converter_->load(*data));
  EXPECT_EQ(at(1234), 0u);
}

// A process may be killed between any two stores. The copy that is not published is scribbled over,
// as is the slot that would be written next: the reader must not look at either.
TEST_F(Timeline, AnUnfinishedChangeIsNotSeen) {
  std::uint64_t ticks = 1'001'000;
  std::int64_t ns = 500'000;
  for (int i = 0; i < 1000; ++i) {
    ticks += kInterval;
    ns += 10'000'000 + (i % 3 == 0 ? 20'000'000 : 0);
    writer_.add({ticks, kBase + ns});
    const std::uint64_t published = data_->published.load();
    auto torn = std::make_unique<TimelineData>();
    std::memcpy(static_cast<void*>(torn.get()), data_.get(), sizeof *torn);
    std::memset(static_cast<void*>(&torn->newest[~published & 1]), 0xa5, sizeof(TimeSegment));
    std::memset(static_cast<void*>(&torn->closed[published / 2 % kClosedSegments]), 0x5a,
                sizeof(TimeSegment));
    ASSERT_TRUE(converter_->load(*torn)) << i;
    EXPECT_EQ(at(ticks), base(ns)) << i;
  }
  EXPECT_EQ(converter_->segments(), kClosedSegments);
  EXPECT_EQ(converter_->forgotten(), data_->published.load() / 2 - (kClosedSegments - 1));
}

// Whatever a reader catches of a busy writer is whole: each line is the same but for whole seconds.
TEST_F(Timeline, AReaderBesideTheWriterSeesWholeLines) {
  std::atomic<bool> done{false};
  std::thread writing([&] {
    std::uint64_t ticks = 1'001'000;
    std::int64_t seconds = 0;
    for (int i = 0; i < 30'000; ++i) {
      ticks += kInterval;
      if (i % 2 == 0) seconds += 1;  // every other anchor opens a line
      writer_.add(
          {ticks, kBase + static_cast<std::int64_t>(ticks - 1000) / 2 + seconds * 1'000'000'000});
      if (i % 64 == 0) std::this_thread::yield();
    }
    done = true;
  });
  int loaded = 0;
  while (!done || loaded == 0) {
    if (!load()) continue;
    ++loaded;
    const std::uint64_t ticks = 1'001'000 + kInterval * static_cast<std::uint64_t>(loaded % 30'000);
    EXPECT_EQ((at(ticks) - base(0)) % 1'000'000'000, (ticks - 1000) / 2 % 1'000'000'000);
  }
  writing.join();
  EXPECT_TRUE(load());
}

TEST_F(Timeline, BytesThatMakeNoSenseAreRefused) {
  for (int i = 0; i < 5; ++i)
    writer_.add({1'001'000 + kInterval * static_cast<std::uint64_t>(i + 1),
                 kBase + 70'000'000'000 * (i + 1)});
  ASSERT_TRUE(load());
  const auto refused = [&](auto change) {
    auto data = std::make_unique<TimelineData>();
    std::memcpy(static_cast<void*>(data.get()), data_.get(), sizeof *data);
    change(*data);
    const bool loaded = converter_->load(*data);
    EXPECT_EQ(at(2'000'000) != 0, loaded);
    return !loaded;
  };
  EXPECT_FALSE(refused([](TimelineData&) {}));
  EXPECT_TRUE(refused([](TimelineData& d) { d.version = 2; }));
  EXPECT_TRUE(refused([](TimelineData& d) { d.source = static_cast<TickSource>(0); }));
  EXPECT_TRUE(refused([](TimelineData& d) { d.source = static_cast<TickSource>(4); }));
  EXPECT_TRUE(
      refused([](TimelineData& d) { d.published = std::numeric_limits<std::uint64_t>::max(); }));
  EXPECT_TRUE(refused([](TimelineData& d) { d.published = 0; }));
  EXPECT_TRUE(refused([](TimelineData& d) { d.closed[0].last.ticks = 999; }));
  EXPECT_TRUE(refused([](TimelineData& d) { d.closed[0].last.ns = kBase; }));
  EXPECT_TRUE(refused([](TimelineData& d) { d.closed[0].last.ns = d.closed[0].first.ns - 1; }));
  EXPECT_TRUE(refused(
      [](TimelineData& d) { d.closed[0].first.ns = std::numeric_limits<std::int64_t>::min(); }));
  EXPECT_TRUE(refused(
      [](TimelineData& d) { d.closed[0].last.ns = std::numeric_limits<std::int64_t>::max(); }));
  EXPECT_TRUE(refused(
      [](TimelineData& d) { d.closed[0].last.ticks = std::numeric_limits<std::uint64_t>::max(); }));
  EXPECT_TRUE(refused([](TimelineData& d) { std::swap(d.closed[0], d.closed[1]); }));
  EXPECT_TRUE(refused([](TimelineData& d) { d.closed[1].last.ns += 1; }));
  // Without its only rate.
  EXPECT_TRUE(refused([](TimelineData& d) { d.closed[0].last = d.closed[0].first; }));
}

TEST_F(Timeline, RandomBytesAreReadWithoutHarm) {
  std::mt19937_64 random(2026);
  auto data = std::make_unique<TimelineData>();
  int loaded = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::memcpy(static_cast<void*>(data.get()), data_.get(), sizeof *data);
    auto* bytes = reinterpret_cast<unsigned char*>(data.get());
    // Mostly the part that is in use, so that some make sense.
    const std::size_t used = round % 4 == 0 ? sizeof *data : 200;
    for (unsigned n = 1 + random() % 8; n > 0; --n)
      bytes[random() % used] = static_cast<unsigned char>(random());
    if (!converter_->load(*data)) continue;
    ++loaded;
    for (int i = 0; i < 4; ++i) at(random() >> (random() % 64));
    at(0);
    at(std::numeric_limits<std::uint64_t>::max());
  }
  EXPECT_GT(loaded, 100);
}

}  // namespace
}  // namespace ndtel::systrace::test
