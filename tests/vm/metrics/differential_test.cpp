// SPDX-License-Identifier: Apache-2.0
//
// Posts are differences: nothing twice, nothing lost, whatever processes do to their words and
// however they end.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "metrics_test.hpp"

namespace ndtel::vm {
namespace {

constexpr unsigned kOk = 200;        // INFER_COMPLETED, tick 0
constexpr unsigned kDmaAbort = 224;  // HW_ERR_DMA_ABORT, tick 1
constexpr std::uint32_t kCompleted = NDS_NC_COUNTER_INFER_COMPLETED;
constexpr std::uint32_t kAborts = NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT;
constexpr std::uint64_t kPlausible = std::uint64_t{1} << 60;

using MetricsDifferential = MetricsTest;

// The worked example: A counts 100; A reaches 120 and dies while B counts 5; nothing; B reaches 9.
TEST_F(MetricsDifferential, DeathsAndBirthsPost100Then25ThenNothingThen4) {
  const Node node(0);
  Child a([](Channel& channel) {
    const Node own(0);
    const auto slab = own.map_slab();
    CHILD_CHECK(slab.valid());
    slab.add_nc(1, kCompleted, 100);
    channel.send();
    channel.receive();
    slab.add_nc(1, kCompleted, 20);
    channel.send();
    sleep_for_ever();
    return 0;
  });
  ASSERT_TRUE(a.receive());
  EXPECT_EQ(texts_of(run(4), kOk), Texts{"100"});

  ASSERT_TRUE(a.send());
  ASSERT_TRUE(a.receive());
  EXPECT_EQ(a.kill(), -SIGKILL);
  const auto b = node.map_slab();
  ASSERT_TRUE(b.valid());
  b.add_nc(3, kCompleted, 5);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{"25"});

  EXPECT_EQ(texts_of(run(4), kOk), Texts{});

  b.add_nc(3, kCompleted, 4);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{"4"});
  EXPECT_EQ(Debugfs().books_of(kOk).confirmed, 129u);
}

// What a process that dies before a tick-1 post counted for tick 0 waits for tick 0, untouched, and
// the other way round.
TEST_F(MetricsDifferential, DeathBeforeTheOtherBandsTickIsPostedOnceOnItsOwnTick) {
  for (const unsigned next : {1u, 0u}) {
    posting().align(next);
    Owner owner([](const Mapping& slab) {
      slab.add_nc(0, kCompleted, 11);
      slab.add_nc(0, kAborts, 13);
    });
    owner.kill();
    const auto posts = run(4);
    ASSERT_EQ(posts.front().tick, next);
    EXPECT_EQ(texts_of(posts, kOk), Texts{"11"});
    EXPECT_EQ(texts_of(posts, kDmaAbort), Texts{"13"});
    for (const auto& post : posts) {
      EXPECT_FALSE(post.has(kOk) && post.tick != 0);
      EXPECT_FALSE(post.has(kDmaAbort) && post.tick != 1);
    }
  }
}

// The reference subtracts what a slab it forgot to capture had posted before, from everybody (1010
// against 60).
TEST_F(MetricsDifferential, OneProcessEndingDoesNotTakeAnotherOnesCounts) {
  const Node node(0);
  const auto q = node.map_slab();
  ASSERT_TRUE(q.valid());
  Owner p([](const Mapping& slab) { slab.add_nc(0, kCompleted, 1000); });
  q.add_nc(0, kCompleted, 10);
  EXPECT_EQ(sum_of(run(2), kOk), 1010u);
  p.kill();
  q.add_nc(0, kCompleted, 50);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{"50"});
}

// Normal exit, exit of a process that released first, and a process without any count.
TEST_F(MetricsDifferential, CountsOfProcessesThatExitOrReleaseAreKept) {
  Child exits([](Channel&) {
    const Node node(0);
    node.map_slab().add_nc(0, kCompleted, 3);
    return 0;
  });
  EXPECT_EQ(exits.wait(), 0);
  Child releases([](Channel&) {
    const Node node(0);
    const auto slab = node.map_slab();
    slab.add_nc(0, kCompleted, 30);
    return node.release();
  });
  EXPECT_EQ(releases.wait(), 0);
  Child idles([](Channel&) { return Node(0).acquire(); });
  EXPECT_EQ(idles.wait(), 0);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{"33"});
}

// Between release and unmap a process can still count; that belongs to nobody else and is not lost.
TEST_F(MetricsDifferential, CountsMadeAfterReleaseArePostedWhenTheMappingGoes) {
  const Node node(0);
  auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, kCompleted, 1);
  ASSERT_EQ(node.release(), 0);
  slab.add_nc(0, kCompleted, 20);
  auto next = node.map_slab();
  ASSERT_TRUE(next.valid());
  EXPECT_EQ(next.nc(0, kCompleted), 0u);
  EXPECT_EQ(texts_of(run(2), kOk), Texts{"1"});
  slab.reset();
  EXPECT_EQ(texts_of(run(4), kOk), Texts{"20"});
}

TEST_F(MetricsDifferential, FallingWordAddsNothingAndIsAnAnomaly) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  const int word = ::nds_nc_word(2, kCompleted);
  store(slab, word, 50);
  EXPECT_EQ(texts_of(run(2), kOk), Texts{"50"});
  store(slab, word, 20);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{});
  EXPECT_EQ(Debugfs().anomalies().at("words_down"), 1u);
  store(slab, word, 25);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{"5"});
  EXPECT_EQ(Debugfs().books_of(kOk).incremented, 55u);
}

TEST_F(MetricsDifferential, FallingWordOfOneCoreDoesNotHideAnothersGrowth) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, kCompleted, 1000);
  EXPECT_EQ(texts_of(run(2), kOk), Texts{"1000"});
  store(slab, ::nds_nc_word(0, kCompleted), 0);
  slab.add_nc(1, kCompleted, 7);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{"7"});
}

TEST_F(MetricsDifferential, ImplausibleJumpIsDiscardedWithItsReason) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  const int word = ::nds_nc_word(6, kCompleted);
  store(slab, word, kPlausible + 1);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{});
  auto books = Debugfs().books_of(kOk);
  EXPECT_EQ(books.implausible, kPlausible + 1) << books;
  EXPECT_EQ(books.incremented, kPlausible + 1) << books;
  slab.add(word, 3);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{"3"});
  // A wrapped decrement of a fresh word is such a jump too.
  store(slab, ::nds_nc_word(0, kAborts), ~std::uint64_t{0});
  EXPECT_EQ(texts_of(run(4), kDmaAbort), Texts{});
  books = Debugfs().books_of(kDmaAbort);
  EXPECT_EQ(books.implausible, ~std::uint64_t{0}) << books;
}

TEST_F(MetricsDifferential, LargestPlausibleJumpIsPosted) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  store(slab, ::nds_nc_word(6, kCompleted), kPlausible);
  EXPECT_EQ(texts_of(run(4), kOk), Texts{std::to_string(kPlausible)});
}

// Nobody takes posts while pending passes 2^64 - 1: what does not fit is booked as overflow.
TEST_F(MetricsDifferential, PendingThatWouldWrapIsBookedAsOverflow) {
  ASSERT_EQ(module().set_parameter("nmetric_log_posts", "0"), 0);
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  const Debugfs debugfs;
  for (std::uint64_t round = 1; round <= 3; ++round) {
    for (std::uint32_t core = 0; core < 8; ++core) slab.add_nc(core, kCompleted, kPlausible);
    debugfs.books();  // a look collects
  }
  const auto books = debugfs.books_of(kOk);
  EXPECT_EQ(books.pending, ~std::uint64_t{0}) << books;
  // 24 times 2^60 is 2^64 + 2^63, of which 2^64 - 1 are pending.
  EXPECT_EQ(books.overflow, (std::uint64_t{1} << 63) + 1) << books;
  EXPECT_TRUE(books.conserved()) << books;
}

// Processes count, exit and are killed while posts go out all the time; the sum of the posts is
// what they counted.
TEST_F(MetricsDifferential, SumOfPostsIsWhatWasCountedThroughManyLives) {
  constexpr std::uint64_t kLives = 12;
  posting().start();
  std::uint64_t counted = 0;
  for (std::uint64_t life = 1; life <= kLives; ++life) {
    Owner owner([life](const Mapping& slab) {
      for (std::uint64_t i = 0; i < 50; ++i) {
        slab.add_nc(i % 8, kCompleted, life);
        slab.add_nc(i % 8, kAborts, 2 * life);
      }
    });
    counted += 50 * life;
  }
  const bool all = trace().read_until([&](const auto&) {
    return trace().sum(0, kOk) >= counted && trace().sum(0, kDmaAbort) >= 2 * counted;
  });
  posting().stop();
  trace().read();
  EXPECT_TRUE(all);
  EXPECT_EQ(trace().sum(0, kOk), counted);
  EXPECT_EQ(trace().sum(0, kDmaAbort), 2 * counted);
}

}  // namespace
}  // namespace ndtel::vm
