// SPDX-License-Identifier: Apache-2.0
//
// The ring of blocks and the admission to a capture, explored: eviction against drain, taking a
// block back against its owner, stop against emit. NDTEL_TEST_LONG=1 adds sizes that take minutes.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "block_model.hpp"
#include "weakening_test.hpp"

namespace ndtel::model {
namespace {

using Sizes = BlockSizes;

void expect_passed(const Outcome& outcome) {
  EXPECT_TRUE(outcome.passed()) << outcome.trace << (outcome.complete ? "" : "cut short");
  std::cout << outcome.states << " states, " << outcome.steps << " steps\n";
}

// Emitters only: blocks are evicted, given back, adopted, and taken from their owners.
template <Way kWay, BlockSizes kSizes>
struct Emitting : BlockModel<kWay, kSizes, 0> {
  void thread(unsigned i) { this->emit_all(i); }
  void finish() { this->check_rest(); }
};

// One reader, who drains twice, beside the emitters.
template <Way kWay, BlockSizes kSizes>
struct Draining : BlockModel<kWay, kSizes, 1> {
  void thread(unsigned i) {
    if (i < kSizes.emitters) return this->emit_all(i);
    this->drain(1);
    this->drain();
  }
  void finish() { this->check_rest(); }
};

// One thread closes the capture and takes its memory back.
template <Way kWay, BlockSizes kSizes>
struct Stopping : BlockModel<kWay, kSizes, 1> {
  std::uint64_t stopped_with = 0;

  void thread(unsigned i) {
    if (i < kSizes.emitters) return this->emit_all(i);
    this->stop();
    stopped_with = this->emitted;
  }
  void finish() {
    machine.require(this->emitted == stopped_with, "emitted after the capture was closed");
  }
};

// One thread closes the capture and starts another one in the same memory. Emitters who were turned
// away ask once more.
template <Way kWay, BlockSizes kSizes>
struct Restarting : BlockModel<kWay, kSizes, 1> {
  void thread(unsigned i) {
    if (i < kSizes.emitters) {
      this->emit_all(i);
      this->emit(i, this->kEvents);
    } else {
      this->stop();
      this->restart();
    }
  }
  void finish() { this->check_rest(); }
};

template <Way kWay>
void expect_emitting() {
  // One block for all: each takes it from the other.
  expect_passed(Explorer::run<Emitting<kWay, Sizes{.emitters = 2, .events = 3, .blocks = 1}>>());
  expect_passed(Explorer::run<Emitting<kWay, Sizes{.emitters = 3, .events = 1, .blocks = 2}>>());
  // Blocks enough, but idle ones are taken back.
  expect_passed(
      Explorer::run<
          Emitting<kWay, Sizes{.emitters = 2, .events = 3, .blocks = 3, .open_target = 0}>>());
  // Blocks are left half full, and others go on in them.
  expect_passed(Explorer::run<
                Emitting<kWay, Sizes{.emitters = 3, .events = 1, .blocks = 2, .leave = true}>>());
}

TEST(BlockRingModel, EmittingQuickly) { expect_emitting<Way::kQuick>(); }
TEST(BlockRingModel, EmittingWithALook) { expect_emitting<Way::kLooking>(); }
TEST(BlockRingModel, EmittingWithSymmetricFences) { expect_emitting<Way::kSymmetric>(); }

template <Way kWay>
void expect_draining() {
  expect_passed(Explorer::run<Draining<kWay, Sizes{.emitters = 1, .events = 3, .blocks = 2}>>());
  expect_passed(Explorer::run<Draining<kWay, Sizes{.emitters = 2, .events = 1, .blocks = 1}>>());
  expect_passed(Explorer::run<Draining<kWay, Sizes{.emitters = 2, .events = 2, .blocks = 2}>>());
  // The reader displaces what is beyond the capacity.
  expect_passed(
      Explorer::run<Draining<
          kWay, Sizes{.emitters = 1, .events = 2, .blocks = 3, .capacity = 1, .filled = 2}>>());
}

TEST(BlockRingModel, DrainingQuickly) { expect_draining<Way::kQuick>(); }
TEST(BlockRingModel, DrainingWithALook) { expect_draining<Way::kLooking>(); }
TEST(BlockRingModel, DrainingWithSymmetricFences) { expect_draining<Way::kSymmetric>(); }

template <Way kWay>
void expect_stopping() {
  expect_passed(Explorer::run<Stopping<kWay, Sizes{.emitters = 1, .events = 2, .blocks = 1}>>());
  expect_passed(Explorer::run<Stopping<kWay, Sizes{.emitters = 2, .events = 1, .blocks = 2}>>());
  expect_passed(
      Explorer::run<Stopping<kWay, Sizes{.emitters = 2, .events = 1, .blocks = 1, .filled = 1}>>());
}

TEST(BlockRingModel, StoppingQuickly) { expect_stopping<Way::kQuick>(); }
TEST(BlockRingModel, StoppingWithALook) { expect_stopping<Way::kLooking>(); }
TEST(BlockRingModel, StoppingWithSymmetricFences) { expect_stopping<Way::kSymmetric>(); }

TEST(BlockRingModel, MoreThreadsAndEvents) {
  if (std::getenv("NDTEL_TEST_LONG") == nullptr) GTEST_SKIP() << "takes minutes";
  expect_passed(
      Explorer::run<Emitting<Way::kQuick, Sizes{.emitters = 2, .events = 4, .blocks = 1}>>());
  expect_passed(
      Explorer::run<Emitting<
          Way::kQuick,
          Sizes{.emitters = 3, .events = 1, .blocks = 3, .open_target = 0, .filled = 1}>>());
  expect_passed(
      Explorer::run<
          Draining<Way::kQuick, Sizes{.emitters = 2, .events = 2, .blocks = 3, .capacity = 2}>>());
  expect_passed(
      Explorer::run<Stopping<Way::kQuick, Sizes{.emitters = 2, .events = 2, .blocks = 2}>>());
  expect_passed(
      Explorer::run<Restarting<Way::kQuick, Sizes{.emitters = 2, .events = 1, .blocks = 1}>>());
}

template <Way kWay>
std::vector<Scenario> small_scenarios() {
  return {
      [] {
        return Explorer::run<Restarting<kWay, Sizes{.emitters = 1, .events = 1, .blocks = 1}>>();
      },
      [] {
        return Explorer::run<Stopping<kWay, Sizes{.emitters = 1, .events = 2, .blocks = 1}>>();
      },
      [] {
        return Explorer::run<Emitting<kWay, Sizes{.emitters = 2, .events = 2, .blocks = 1}>>();
      },
      [] {
        return Explorer::run<Draining<kWay, Sizes{.emitters = 1, .events = 3, .blocks = 2}>>();
      },
      [] {
        return Explorer::run<
            Emitting<kWay, Sizes{.emitters = 2, .events = 3, .blocks = 3, .open_target = 0}>>();
      },
      [] {
        return Explorer::run<Draining<kWay, Sizes{.emitters = 2, .events = 1, .blocks = 1}>>();
      },
      [] {
        return Explorer::run<
            Stopping<kWay, Sizes{.emitters = 2, .events = 1, .blocks = 1, .filled = 1}>>();
      },
  };
}

const std::vector<std::string> kSources{"systrace/block_ring.hpp", "systrace/admission.hpp",
                                        "ndtel/trace_emit.hpp"};

// What only the reader of a dead process could notice.
Unobservable unobservable() {
  const std::string harvest =
      "Without the lock, only a harvester reads other threads' words for more than whether they "
      "changed, when the process is dead.";
  return {
      {"store release -> relaxed | word.store(block_word(generation, state), "
       "std::memory_order_release);",
       harvest},
      {"store release -> relaxed | header.word.store(cursor.word, std::memory_order_release);",
       harvest},
      {"store release -> relaxed | header.read.store(0, std::memory_order_release);", harvest},
      {"store release -> relaxed | header.read.store(mark.word(), std::memory_order_release);",
       harvest},
  };
}

// Asymmetric fences make all looks that come later see what was stored before.
Unobservable unobservable_with_heavy_fences() {
  const std::string fence = "The heavy fence orders the look after the announcement.";
  Unobservable all = unobservable();
  all["load seq_cst -> acquire | std::uint64_t epoch() const noexcept { return "
      "Policy::look(epoch_); }"] = fence;
  all["load seq_cst -> acquire | Policy::look(cursor.header->word) == cursor.word;"] = fence;
  all["load seq_cst -> relaxed | Policy::look(cursor.header->word) == cursor.word;"] =
      fence + " What the word guards is the thread's own.";
  return all;
}

TEST(BlockRingModel, EveryMemoryOrderIsNeededQuickly) {
  expect_weakenings_caught(small_scenarios<Way::kQuick>(), kSources,
                           unobservable_with_heavy_fences());
}
TEST(BlockRingModel, EveryMemoryOrderIsNeededWithALook) {
  expect_weakenings_caught(small_scenarios<Way::kLooking>(), kSources,
                           unobservable_with_heavy_fences());
}
TEST(BlockRingModel, EveryMemoryOrderIsNeededWithSymmetricFences) {
  expect_weakenings_caught(small_scenarios<Way::kSymmetric>(), kSources, unobservable());
}

}  // namespace
}  // namespace ndtel::model
