// SPDX-License-Identifier: Apache-2.0
//
// quirks=1 posts the reference's numbers: each test shows one of its defects at work, which the
// default does not have.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/child.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/owner.hpp"
#include "support/posting.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {
namespace {

using Texts = std::vector<std::string>;

class Quirks : public ModuleTest {
 protected:
  Quirks()
      : ModuleTest(
            "sim_devices=1 quirks=1 no_reset=1 nmetric_log_posts=2 "
            "nmetric_metric_post_delay=3600000") {}

  void SetUp() override {
    ModuleTest::SetUp();
    trace_.emplace();
    posting_.emplace(module(), *trace_);
  }
  void TearDown() override {
    posting_.reset();
    trace_.reset();
    ModuleTest::TearDown();
  }

  Trace& trace() { return *trace_; }
  Posting& posting() { return *posting_; }
  std::vector<Post> run(unsigned posts = 2) { return posting_->run(posts); }

 private:
  std::optional<Trace> trace_;
  std::optional<Posting> posting_;
};

Owner::Fill with(std::uint32_t counter, std::uint64_t value) {
  return [=](const Mapping& slab) { store_nd(slab, counter, value); };
}

// K4 and ECC: rows without a reading post zero all the same, on tick 1 only.
TEST_F(Quirks, ResetAndEccRowsPostZero) {
  for (const auto& post : run(2)) {
    for (const unsigned cw : {50, 51, 52, 53, 54, 55, 222, 229}) {
      EXPECT_EQ(post.texts(cw), post.tick == 1 ? Texts{"0"} : Texts{}) << "id " << cw;
    }
  }
}

// K9
TEST_F(Quirks, FeatureBitmapIsPostedAgainUnderIdZero) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  store_nd(slab, NDS_ND_COUNTER_FEATURE_BITMAP, 5);
  store_nd(slab, NDS_ND_COUNTER_DYNAMIC_SYSFS_METRIC_BITMAP, 0xFF);
  for (const auto& post : run(2)) {
    EXPECT_EQ(post.texts(250), post.tick == 1 ? Texts{"5"} : Texts{});
    EXPECT_EQ(post.texts(0), post.tick == 1 ? Texts{"5"} : Texts{});
  }
}

// K1: the tally of FW-IO errors takes the place of the live sum, and its own id is silent.
TEST_F(Quirks, GenericErrorsOfALiveProcessAreNotPosted) {
  {
    Owner owner([](const Mapping& slab) { slab.add_nc(0, NDS_NC_COUNTER_ERR_GENERIC, 10); });
    const auto posts = run(4);
    EXPECT_EQ(texts_of(posts, 219), Texts{});
    EXPECT_EQ(texts_of(posts, 11), Texts{});
  }
  EXPECT_EQ(texts_of(run(4), 219), Texts{"10"}) << "its death is the first that is heard of them";
}

// K7
TEST_F(Quirks, RecordThatDoesNotFitIsLost) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  store_nd(slab, NDS_ND_COUNTER_RUNTIME_VERSION, version(255, 255, 4000000000));
  store_nd(slab, NDS_ND_COUNTER_FRAMEWORK_VERSION, version(255, 255, 4000000000, 9));
  store_nd(slab, NDS_ND_COUNTER_FAL_VERSION, version(255, 255, 4000000000));
  for (std::uint32_t counter = 31; counter < 40; ++counter) {
    slab.add_nc(0, counter, 100000000000000000);
  }
  const auto posts = run(6);
  for (const auto& post : posts) EXPECT_LE(post.bytes(), 128u);
  EXPECT_EQ(texts_of(posts, 221), Texts{"100000000000000000"});
  for (const unsigned cw : {225, 226, 227, 228}) EXPECT_EQ(texts_of(posts, cw), Texts{});
}

// K8
TEST_F(Quirks, FeatureBitsOfAProcessThatDiedBeforeATick0PostAreLost) {
  posting().align(0);
  Owner dead(with(NDS_ND_COUNTER_FEATURE_BITMAP, 64));
  dead.kill();
  EXPECT_EQ(texts_of(run(4), 250), Texts{});
}

// K18
TEST_F(Quirks, ProcessWithoutAnIdMasksAnothersAndErasesADeadOnes) {
  {
    Owner has(with(NDS_ND_COUNTER_DEVICE_CLUSTER_ID, 77));
    Owner without([](const Mapping&) {});
    EXPECT_EQ(texts_of(run(2), 252), Texts{});
  }
  run(4);
  Owner dead(with(NDS_ND_COUNTER_AGG_NEFF_ID, 0xABC));
  dead.kill();
  Owner without([](const Mapping&) {});
  without.kill();
  EXPECT_EQ(texts_of(run(4), 80), Texts{});
}

// K10
TEST_F(Quirks, UtilizationIsNotClamped) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  run(1);
  for (std::uint32_t core = 0; core < 8; ++core) {
    slab.add_nc(core, NDS_NC_COUNTER_TIME_IN_USE, std::uint64_t{1} << 60);
  }
  EXPECT_GT(std::stoull(run(1).front().texts(90).at(0)), 100u);
}

// K10: a tenth of a second against all the time since boot.
TEST_F(Quirks, FirstUtilizationIsMeasuredSinceBoot) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  for (std::uint32_t core = 0; core < 8; ++core) {
    slab.add_nc(core, NDS_NC_COUNTER_TIME_IN_USE, 100000000000);
  }
  const auto first = run(1).front();
  EXPECT_LE(std::stod(first.texts(90).at(0)), 10 / first.time_s + 1);
}

// `%d` of the reference
TEST_F(Quirks, BuildNumberIsSigned) {
  Owner owner(with(NDS_ND_COUNTER_RUNTIME_VERSION, version(1, 2, 0xFFFFFFFF)));
  EXPECT_EQ(run(1).front().texts(180), Texts{"1.2.-1"});
}

// Consumed whether or not anybody listens.
TEST_F(Quirks, PostsThatNobodyHearsAreLost) {
  trace().enable(Events::kNone);
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 5);
  slab.add_nc(0, NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT, 5);
  const Debugfs debugfs;
  const auto locks = debugfs.locks()["tick"].count;
  posting().start();
  EXPECT_TRUE(eventually([&] { return debugfs.locks()["tick"].count >= locks + 6; }));
  posting().stop();
  trace().enable(Events::kBoth);
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
  const auto posts = run(4);
  EXPECT_EQ(texts_of(posts, 200), Texts{"1"});
  EXPECT_EQ(texts_of(posts, 224), Texts{});
}

// Where the reference is right the numbers are the same as without quirks.
TEST_F(Quirks, DeathsAndBirthsPost100Then25ThenNothingThen4) {
  const Node node(0);
  std::optional<Owner> a;
  a.emplace([](const Mapping& slab) { slab.add_nc(1, NDS_NC_COUNTER_INFER_COMPLETED, 100); });
  EXPECT_EQ(texts_of(run(4), 200), Texts{"100"});
  // A ends with 100 and another process ends with 20: together they are what A's 120 is in the
  // example.
  a->kill();
  Owner(([](const Mapping& slab) { slab.add_nc(1, NDS_NC_COUNTER_INFER_COMPLETED, 20); })).kill();
  const auto b = node.map_slab();
  ASSERT_TRUE(b.valid());
  b.add_nc(3, NDS_NC_COUNTER_INFER_COMPLETED, 5);
  EXPECT_EQ(texts_of(run(4), 200), Texts{"25"});
  EXPECT_EQ(texts_of(run(4), 200), Texts{});
  b.add_nc(3, NDS_NC_COUNTER_INFER_COMPLETED, 4);
  EXPECT_EQ(texts_of(run(4), 200), Texts{"4"});
}

// The books are the engine's; the reference keeps none.
TEST_F(Quirks, KeepsNoBooks) { EXPECT_TRUE(Debugfs().books().empty()); }

}  // namespace
}  // namespace ndtel::vm
