// SPDX-License-Identifier: Apache-2.0
//
// The classic ring, explored. NDTEL_TEST_LONG=1 adds sizes that take minutes.

#include "classic_ring.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "broken_ring.hpp"
#include "classic_model.hpp"
#include "weakening_test.hpp"

namespace ndtel::model {
namespace {

using Races = ModelPolicy<false>;
using Halves = ModelPolicy<false, true>;
using Sizes = ClassicSizes;

template <template <typename, typename> typename Ring, typename Policy, ClassicSizes kSizes>
Outcome explore(bool spurious_failures = false) {
  using Model = ClassicModel<Ring, Policy, kSizes>;
  Options options;
  options.hook = Model::watch;
  options.spurious_failures = spurious_failures;
  return Explorer::run<Model>(options);
}

void expect_passed(const Outcome& outcome) {
  EXPECT_TRUE(outcome.passed()) << outcome.trace << (outcome.complete ? "" : "cut short");
  std::cout << outcome.states << " states, " << outcome.steps << " steps\n";
}

TEST(ClassicRingModel, OneSlot) {
  expect_passed(explore<ClassicRing, Races, Sizes{1, 2, 2, 1, 1}>());
  expect_passed(explore<ClassicRing, Races, Sizes{1, 2, 2, 2, 1}>());
}

TEST(ClassicRingModel, TwoSlots) {
  expect_passed(explore<ClassicRing, Races, Sizes{2, 2, 1, 2, 1, 2}>());
  expect_passed(explore<ClassicRing, Races, Sizes{2, 2, 1, 2, 2, 1}>());
  expect_passed(explore<ClassicRing, Races, Sizes{2, 2, 2, 1, 2, 1}>());
}

TEST(ClassicRingModel, ThreeSlots) {
  expect_passed(explore<ClassicRing, Races, Sizes{3, 2, 1, 2, 1, 2}>());
  expect_passed(explore<ClassicRing, Races, Sizes{3, 2, 2, 1, 2, 3}>());
}

TEST(ClassicRingModel, CopiesInHalves) {
  expect_passed(explore<ClassicRing, Halves, Sizes{1, 2, 2, 1, 1}>());
  expect_passed(explore<ClassicRing, Halves, Sizes{2, 2, 1, 2, 1, 2}>());
}

TEST(ClassicRingModel, SpuriousFailures) {
  expect_passed(explore<ClassicRing, Races, Sizes{1, 2, 1, 1, 1, 1}>(true));
  expect_passed(explore<ClassicRing, Races, Sizes{2, 2, 1, 2, 1, 2}>(true));
}

TEST(ClassicRingModel, TwoOfEachTwice) {
  if (std::getenv("NDTEL_TEST_LONG") == nullptr) GTEST_SKIP() << "takes minutes";
  expect_passed(explore<ClassicRing, Races, Sizes{1, 2, 2, 2, 2}>());
  expect_passed(explore<ClassicRing, Races, Sizes{2, 2, 2, 2, 1, 2}>());
}

// A producer and a consumer of a full ring, of which only whole values are asked.
template <template <typename, typename> typename Ring, typename Policy>
struct WholeValues : ClassicModel<Ring, Policy, Sizes{2, 1, 1, 1, 1, 2}> {
  void finish() {}
};

TEST(ClassicRingModel, NoticesTheBrokenRing) {
  EXPECT_EQ((explore<BrokenRing, Halves, Sizes{2, 1, 2, 0, 0, 2}>().failure), "a value is lost");
  EXPECT_EQ((Explorer::run<WholeValues<BrokenRing, Halves>>().failure), "a torn value");
  EXPECT_EQ((Explorer::run<WholeValues<BrokenRing, Races>>().failure),
            "data race: writes an object while it does not know of the last accesses");
  expect_passed(Explorer::run<WholeValues<ClassicRing, Halves>>());
  expect_passed(Explorer::run<WholeValues<ClassicRing, Races>>());
}

// What a completed operation did is seen by whoever starts later. Later means here: one thread does
// something and then looks at a flag; if it is not set yet, another thread that sets it and then
// looks at the ring sees what was done.
template <unsigned kCapacity, unsigned kFilled>
struct Later {
  static constexpr unsigned kThreads = 2;
  using Policy = Races;
  using Flag = ModelAtomic<std::uint64_t>;

  ClassicIndices<Policy> indices;
  std::array<ClassicSlot<Policy, Payload>, kCapacity> slots;
  Flag flag;
  std::uint64_t was_set = 1, length = 0, got = 0;

  Later() {
    for (unsigned i = 0; i < kFilled; ++i) ring().force_push(Payload::of(i));
  }
  ClassicRing<Policy, Payload> ring() { return {slots.data(), &indices, kCapacity}; }
  void look() { was_set = flag.load(std::memory_order_seq_cst); }
  void set() { flag.store(1, std::memory_order_seq_cst); }
};

struct PushThenPop : Later<2, 0> {
  void thread(unsigned i) {
    Payload value;
    if (i == 0) {
      ring().force_push(Payload::of(7));
      look();
    } else {
      set();
      got = ring().pop(value) ? 1 : 0;
    }
  }
  void finish() { machine.require(was_set + got != 0, "a pop misses an earlier push"); }
};

template <unsigned kCapacity, unsigned kFilled>
struct PushThenLength : Later<kCapacity, kFilled> {
  void thread(unsigned i) {
    if (i == 0) {
      this->ring().force_push(Payload::of(7));
      this->look();
    } else {
      this->set();
      this->length = this->ring().len();
    }
  }
  void finish() {
    machine.require(this->was_set == 1 || this->length == std::min(kCapacity, kFilled + 1),
                    "the length misses an earlier push");
  }
};

struct PopThenLength : Later<2, 1> {
  void thread(unsigned i) {
    Payload value;
    if (i == 0) {
      ring().pop(value);
      look();
    } else {
      set();
      length = ring().len();
    }
  }
  void finish() {
    machine.require(was_set == 1 || length == 0, "the length misses an earlier pop");
  }
};

// A length is one that the ring had at some time.
struct LengthMeanwhile : Later<3, 0> {
  void thread(unsigned i) {
    Payload value;
    if (i == 0) {
      ring().force_push(Payload::of(7));
      ring().pop(value);
    } else {
      length = ring().len();
    }
  }
  void finish() { machine.require(length <= 1, "a length that the ring never had"); }
};

TEST(ClassicRingModel, OperationsAreSeenByLaterOnes) {
  expect_passed(Explorer::run<PushThenPop>());
  expect_passed(Explorer::run<PushThenLength<2, 0>>());
  expect_passed(Explorer::run<PushThenLength<2, 2>>());
  expect_passed(Explorer::run<PopThenLength>());
  expect_passed(Explorer::run<LengthMeanwhile>());
}

TEST(ClassicRingModel, EveryMemoryOrderIsNeeded) {
  const std::string reason =
      "The store to the tail that follows is sequentially consistent and publishes it, and the "
      "stamp "
      "that was acquired orders the value.";
  const std::string eviction =
      " | if (indices_->head.compare_exchange_weak(head, next - index_.one_lap(),";
  const Unobservable unobservable{
      {"update seq_cst -> acq_rel" + eviction, reason},
      {"update seq_cst -> acquire" + eviction, reason},
      {"update seq_cst -> release" + eviction, reason},
      {"update seq_cst -> relaxed" + eviction, reason},
  };
  expect_weakenings_caught({
                               [] { return Explorer::run<PushThenPop>(); },
                               [] { return Explorer::run<PushThenLength<2, 0>>(); },
                               [] { return Explorer::run<PushThenLength<2, 2>>(); },
                               [] { return Explorer::run<PopThenLength>(); },
                               [] { return Explorer::run<LengthMeanwhile>(); },
                               [] {
                                 return explore<ClassicRing, Races, Sizes{1, 1, 2, 1, 1}>();
                               },
                               [] {
                                 return explore<ClassicRing, Races, Sizes{2, 2, 1, 2, 1, 2}>();
                               },
                           },
                           {"systrace/classic_ring.hpp"}, unobservable);
}

}  // namespace
}  // namespace ndtel::model
