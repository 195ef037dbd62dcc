// SPDX-License-Identifier: Apache-2.0
#include "inference.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "bounded_queue.hpp"
#include "client.hpp"

namespace ndtel::workload {
namespace {

constexpr BlockShape kShape{.tokens = 4, .width = 8, .heads = 2, .hidden = 16};
constexpr std::uint64_t kHour = 3'600'000'000'000;

class InferenceTest : public testing::Test {
 protected:
  Request request() const {
    Request r;
    r.input = Tensor<float>(kShape.tokens, kShape.width);
    for (std::size_t i = 0; i < r.input.data.size(); ++i) r.input.data[i] = static_cast<float>(i);
    r.submitted_ns = monotonic_ns();
    r.budget_ns = kHour;
    return r;
  }

  TransformerBlock<float> block_{kShape, 1};
  Tensor<float> buffer_;
};

TEST_F(InferenceTest, SuccessIsMeasured) {
  const std::uint64_t before = monotonic_ns();
  const Outcome outcome = execute(block_, request(), buffer_);
  EXPECT_EQ(outcome.status, NRT_SUCCESS);
  EXPECT_TRUE(outcome.ran);
  EXPECT_EQ(outcome.macs, mac_count(kShape));
  EXPECT_GT(outcome.busy_ns, 0U);
  EXPECT_LE(outcome.busy_ns, outcome.total_ns);
  EXPECT_LE(outcome.total_ns, monotonic_ns() - before);
}

TEST_F(InferenceTest, NanIsFoundInTheOutput) {
  Request r = request();
  r.input.data.back() = std::numeric_limits<float>::quiet_NaN();
  const Outcome outcome = execute(block_, r, buffer_);
  EXPECT_EQ(outcome.status, NRT_EXEC_COMPLETED_WITH_NUM_ERR);
  EXPECT_TRUE(outcome.ran);
  EXPECT_TRUE(outcome.flags[static_cast<std::size_t>(ErrorSubtype::kNumerical)]);
}

TEST_F(InferenceTest, WrongShapeNeverRuns) {
  Request r = request();
  r.input = Tensor<float>(kShape.tokens + 1, kShape.width);
  const Outcome outcome = execute(block_, r, buffer_);
  EXPECT_EQ(outcome.status, NRT_EXEC_BAD_INPUT);
  EXPECT_FALSE(outcome.ran);
  EXPECT_EQ(outcome.busy_ns, 0U);
  EXPECT_EQ(outcome.macs, 0U);
}

TEST_F(InferenceTest, LateIsATimeoutAndStillRan) {
  Request r = request();
  r.budget_ns = 0;
  const Outcome outcome = execute(block_, r, buffer_);
  EXPECT_EQ(outcome.status, NRT_TIMEOUT);
  EXPECT_TRUE(outcome.ran);
  EXPECT_EQ(outcome.macs, mac_count(kShape));
}

TEST_F(InferenceTest, TimeInTheQueueCounts) {
  Request r = request();
  r.budget_ns = 1'000'000'000;
  r.submitted_ns -= 2 * r.budget_ns;
  EXPECT_EQ(execute(block_, r, buffer_).status, NRT_TIMEOUT);
}

TEST_F(InferenceTest, TheWorseStatusWins) {
  Request r = request();
  r.input.data[0] = std::numeric_limits<float>::infinity();
  r.budget_ns = 0;
  const Outcome outcome = execute(block_, r, buffer_);
  EXPECT_EQ(outcome.status, NRT_TIMEOUT);
  EXPECT_TRUE(outcome.flags[static_cast<std::size_t>(ErrorSubtype::kNumerical)]);
}

TEST(BoundedQueue, RefusesWhenFullAndDrainsAfterClose) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.try_push(1));
  EXPECT_TRUE(queue.try_push(2));
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_TRUE(queue.try_push(4));
  queue.close();
  EXPECT_FALSE(queue.try_push(5));
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), 4);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, WakesWhoWaits) {
  BoundedQueue<int> queue(1);
  std::thread other([&] { queue.try_push(7); });
  EXPECT_EQ(queue.pop(), 7);
  other.join();
  std::thread closer([&] { queue.close(); });
  EXPECT_EQ(queue.pop(), std::nullopt);
  closer.join();
}

/// What a client with this mix does in one turn against a queue of four.
struct Turn {
  std::vector<Request> requests;
  int refused = 0;
};

Turn turn_with(const std::string& faults) {
  Client client({.shape = kShape,
                 .faults = *FaultMix::parse(faults),
                 .budget_ns = kHour,
                 .models = 3,
                 .seed = 1});
  Turn turn;
  client.turn(
      [&](Request r) {
        if (turn.requests.size() == 4) return false;
        turn.requests.push_back(std::move(r));
        return true;
      },
      [&] { ++turn.refused; });
  return turn;
}

TEST(Client, MakesOrdinaryRequests) {
  TransformerBlock<float> block(kShape, 1);
  const Turn turn = turn_with("");
  ASSERT_EQ(turn.requests.size(), 1U);
  EXPECT_EQ(turn.refused, 0);
  EXPECT_TRUE(block.accepts(turn.requests[0].input));
  EXPECT_FALSE(has_non_finite(turn.requests[0].input));
  EXPECT_EQ(turn.requests[0].budget_ns, kHour);
}

TEST(Client, MakesTheCauseOfEachFault) {
  TransformerBlock<float> block(kShape, 1);
  EXPECT_TRUE(has_non_finite(turn_with("nan=1").requests.at(0).input));
  EXPECT_FALSE(block.accepts(turn_with("shape=1").requests.at(0).input));
  EXPECT_LT(turn_with("deadline=1").requests.at(0).budget_ns, 10'000U);
  const Turn full = turn_with("queue=1");
  EXPECT_EQ(full.requests.size(), 4U);
  EXPECT_EQ(full.refused, 1);
}

}  // namespace
}  // namespace ndtel::workload
