// SPDX-License-Identifier: Apache-2.0
//
// The classic ring on real atomics: against a deque, under load, with a thread that stands still in
// the middle, and looked at after everybody is dead.

#include "classic_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../model/broken_ring.hpp"
#include "policy.hpp"

namespace ndtel::systrace::test {
namespace {

// As large as a record; every word depends on the value.
struct Value {
  std::array<std::uint64_t, 14> words;

  static Value of(std::uint64_t number) {
    Value value;
    for (std::size_t i = 0; i < value.words.size(); ++i) value.words[i] = number * (2 * i + 1) + i;
    return value;
  }
  std::uint64_t number() const { return words[0]; }
  bool whole() const { return std::memcmp(this, of(number()).words.data(), sizeof *this) == 0; }
};
static_assert(sizeof(Value) == 112);
static_assert(sizeof(ClassicSlot<NativePolicy, Value>) == 120);

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// A ring in zeroed memory of exactly its size.
template <template <typename, typename> typename Ring, typename Policy>
class Owned {
 public:
  using Slot = ClassicSlot<Policy, Value>;
  using Indices = ClassicIndices<Policy>;

  explicit Owned(std::uint64_t capacity)
      : capacity_(capacity),
        slots_(static_cast<Slot*>(std::calloc(capacity, sizeof(Slot)))),
        indices_(std::make_unique<Indices>()),
        ring_(slots_.get(), indices_.get(), capacity) {}

  Ring<Policy, Value>* operator->() { return &ring_; }
  std::size_t bytes() const { return capacity_ * sizeof(Slot); }
  Slot* slots() const { return slots_.get(); }

  /// The numbers that a walk visits.
  std::vector<std::uint64_t> walk(ClassicRemains& remains) const {
    std::vector<std::uint64_t> numbers;
    remains = walk_classic_ring<Value>(
        slots_.get(), bytes(), capacity_, indices_->head.load(std::memory_order_acquire),
        indices_->tail.load(std::memory_order_acquire), [&](const Value& value) {
          EXPECT_TRUE(value.whole());
          numbers.push_back(value.number());
        });
    return numbers;
  }

 private:
  std::uint64_t capacity_;
  std::unique_ptr<Slot[], Free> slots_;
  std::unique_ptr<Indices> indices_;
  Ring<Policy, Value> ring_;
};

using Classic = Owned<ClassicRing, NativePolicy>;

constexpr std::uint64_t kCapacities[] = {1, 2, 3, 7, 1024, 1025};

TEST(ClassicRing, IndexWordsStayInTheRing) {
  for (const std::uint64_t capacity : kCapacities) {
    const LapIndex index(capacity);
    EXPECT_GT(index.one_lap(), capacity);
    EXPECT_TRUE(std::has_single_bit(index.one_lap()));
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < 4 * capacity; ++i, at = index.next(at)) {
      ASSERT_EQ(index.position(at), i % capacity);
      ASSERT_EQ(index.lap(at), i / capacity * index.one_lap());
    }
  }
  EXPECT_EQ(LapIndex(std::uint64_t{1} << 32).one_lap(), std::uint64_t{1} << 33);
}

// Random pushes and pops; more pushes at first, more pops later. What went wrong, if anything.
template <template <typename, typename> typename Ring>
std::string compare_with_deque(std::uint64_t capacity, std::uint64_t steps) {
  Owned<Ring, NativePolicy> ring(capacity);
  std::deque<std::uint64_t> oracle;
  std::mt19937_64 random(capacity);
  std::uint64_t pushed = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    Value got{};
    if (random() % 8 < (step < steps / 2 ? 6 : 3)) {
      const bool displaced = ring->force_push(Value::of(++pushed), &got);
      oracle.push_back(pushed);
      if (displaced != (oracle.size() > capacity)) return "displaces when it should not, or not";
      if (displaced) {
        if (!got.whole() || got.number() != oracle.front()) return "displaces another value";
        oracle.pop_front();
      }
    } else {
      const bool popped = ring->pop(got);
      if (popped == oracle.empty()) return "pops when it should not, or not";
      if (popped) {
        if (!got.whole() || got.number() != oracle.front()) return "pops another value";
        oracle.pop_front();
      }
    }
    if (ring->len() != oracle.size()) return "has another length";
    if (step % (capacity / 2 + 1) == 0) {
      ClassicRemains remains;
      const auto walked = ring.walk(remains);
      if (!std::equal(walked.begin(), walked.end(), oracle.begin(), oracle.end()))
        return "a walk finds other values";
      if (!remains.valid || remains.in_flight != 0 || remains.damaged != 0)
        return "a walk finds slots in use";
    }
  }
  return "";
}

TEST(ClassicRing, DoesWhatADequeDoes) {
  for (const std::uint64_t capacity : kCapacities)
    EXPECT_EQ(compare_with_deque<ClassicRing>(capacity, 12 * capacity + 100), "") << capacity;
}

TEST(ClassicRing, TheDequeNoticesABrokenRing) {
  for (const std::uint64_t capacity : {2, 3, 7})
    EXPECT_NE(compare_with_deque<model::BrokenRing>(capacity, 12 * capacity + 100), "");
}

TEST(ClassicRing, KeepsTheNewest) {
  Classic ring(1024);
  for (std::uint64_t i = 1; i <= 5000; ++i) ring->force_push(Value::of(i));
  Value value;
  for (std::uint64_t i = 5000 - 1023; i <= 5000; ++i) {
    ASSERT_TRUE(ring->pop(value));
    ASSERT_EQ(value.number(), i);
  }
  EXPECT_FALSE(ring->pop(value));
}

// What one thread got: the numbers in order of arrival. A number is producer << 32 | count.
struct Got {
  std::vector<std::uint64_t> numbers;
  bool torn = false;

  void add(const Value& value) {
    torn = torn || !value.whole();
    numbers.push_back(value.number());
  }
};

TEST(ClassicRing, ProducersAndConsumersLoseNothing) {
  constexpr unsigned kProducers = 3, kConsumers = 2;
  const bool is_long = std::getenv("NDTEL_TEST_LONG") != nullptr;
  const std::uint64_t pushes = is_long ? 2'000'000 : 20'000;
  for (const std::uint64_t capacity : {1, 2, 3, 7, 64, 1024}) {
    Classic ring(capacity);
    std::array<Got, kProducers + kConsumers + 1> got;
    std::atomic<unsigned> producing{kProducers};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kProducers; ++i) {
      threads.emplace_back([&, i] {
        Value displaced;
        for (std::uint64_t n = 1; n <= pushes; ++n)
          if (ring->force_push(Value::of(std::uint64_t{i} << 32 | n), &displaced))
            got[i].add(displaced);
        producing.fetch_sub(1);
      });
    }
    std::atomic<bool> too_long{false};
    for (unsigned i = kProducers; i < kProducers + kConsumers; ++i) {
      threads.emplace_back([&, i] {
        Value value;
        while (producing.load() != 0) {
          if (ring->pop(value))
            got[i].add(value);
          else
            std::this_thread::yield();
          if (ring->len() > capacity) too_long = true;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_FALSE(too_long);
    const std::uint64_t left = ring->len();
    Value value;
    while (ring->pop(value)) got.back().add(value);
    EXPECT_EQ(got.back().numbers.size(), left);

    std::vector<unsigned char> seen(kProducers * (pushes + 1));
    std::uint64_t total = 0;
    for (const Got& each : got) {
      EXPECT_FALSE(each.torn);
      std::array<std::uint64_t, kProducers> last{};
      for (const std::uint64_t number : each.numbers) {
        const std::uint64_t producer = number >> 32, count = number & 0xffffffff;
        ASSERT_LT(producer, kProducers);
        ASSERT_TRUE(count >= 1 && count <= pushes);
        ASSERT_GT(count, last[producer]) << "out of order";
        last[producer] = count;
        ASSERT_EQ(seen[producer * (pushes + 1) + count]++, 0) << "came twice";
        ++total;
      }
    }
    EXPECT_EQ(total, kProducers * pushes) << "capacity " << capacity;
  }
}

// Stops a thread in front of its next copy until it is let go.
class Stall {
 public:
  void stop_here() {
    stopped_.store(true);
    while (!go_.load()) std::this_thread::yield();
  }
  void wait_until_stopped() const {
    while (!stopped_.load()) std::this_thread::yield();
  }
  void let_go() { go_.store(true); }

 private:
  std::atomic<bool> stopped_{false}, go_{false};
};

thread_local Stall* next_copy = nullptr;

struct StallingPolicy : NativePolicy {
  template <typename T>
  static void copy(T& to, const T& from) noexcept {
    if (next_copy != nullptr) std::exchange(next_copy, nullptr)->stop_here();
    NativePolicy::copy(to, from);
  }
};

using Stalling = Owned<ClassicRing, StallingPolicy>;

TEST(ClassicRing, ProducersWaitForAConsumerThatStandsStill) {
  Stalling ring(3);
  for (std::uint64_t i = 1; i <= 3; ++i) ring->force_push(Value::of(i));
  Stall stall;
  Value popped{};
  std::thread consumer([&] {
    next_copy = &stall;
    EXPECT_TRUE(ring->pop(popped));
  });
  stall.wait_until_stopped();
  // Dead now, the consumer had handed nothing out.
  ClassicRemains remains;
  EXPECT_EQ(ring.walk(remains), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(remains.in_flight, 0u);

  std::atomic<unsigned> pushed{0};
  std::vector<std::uint64_t> displaced;
  std::thread producer([&] {
    Value value;
    for (std::uint64_t i = 4; i <= 8; ++i) {
      if (ring->force_push(Value::of(i), &value)) displaced.push_back(value.number());
      pushed.fetch_add(1);
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(pushed.load(), 0u);
  stall.let_go();
  consumer.join();
  producer.join();
  EXPECT_TRUE(popped.whole());
  EXPECT_EQ(popped.number(), 1u);
  EXPECT_EQ(displaced, (std::vector<std::uint64_t>{2, 3, 4, 5}));
  EXPECT_EQ(ring.walk(remains), (std::vector<std::uint64_t>{6, 7, 8}));
}

TEST(ClassicRing, AWalkLeavesOutWhatAProducerHasNotFinished) {
  Stalling ring(3);
  ring->force_push(Value::of(1));
  Stall first;
  std::thread producer([&] {
    next_copy = &first;
    ring->force_push(Value::of(2));
  });
  first.wait_until_stopped();
  ring->force_push(Value::of(3));
  ClassicRemains remains;
  EXPECT_EQ(ring.walk(remains), (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(remains.completed, 2u);
  EXPECT_EQ(remains.in_flight, 1u);
  first.let_go();
  producer.join();

  // Full: value 1 is given up before the one that replaces it is there.
  Stall second;
  std::thread evicting([&] {
    next_copy = &second;
    Value displaced;
    EXPECT_TRUE(ring->force_push(Value::of(4), &displaced));
    EXPECT_EQ(displaced.number(), 1u);
  });
  second.wait_until_stopped();
  EXPECT_EQ(ring.walk(remains), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(remains.in_flight, 1u);
  second.let_go();
  evicting.join();
  EXPECT_EQ(ring.walk(remains), (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(remains.in_flight, 0u);
}

ClassicRemains walk(const std::vector<std::uint64_t>& memory, std::uint64_t capacity,
                    std::uint64_t head, std::uint64_t tail) {
  std::uint64_t visited = 0;
  const ClassicRemains remains =
      walk_classic_ring<Value>(memory.data(), memory.size() * sizeof(std::uint64_t), capacity, head,
                               tail, [&](const Value&) { ++visited; });
  EXPECT_EQ(visited, remains.completed);
  return remains;
}

TEST(ClassicRing, AWalkRefusesWhatCannotBeARing) {
  const std::vector<std::uint64_t> memory(3 * 15);
  EXPECT_TRUE(walk(memory, 3, 0, 0).valid);
  EXPECT_TRUE(walk(memory, 3, 2, 4 + 1).valid);
  EXPECT_TRUE(walk(memory, 3, 2, 4 + 2).valid);
  EXPECT_FALSE(walk(memory, 0, 0, 0).valid);
  EXPECT_FALSE(walk(memory, 4, 0, 0).valid) << "outside the memory";
  EXPECT_FALSE(walk(memory, (std::uint64_t{1} << 32) + 1, 0, 0).valid);
  EXPECT_FALSE(walk(memory, ~std::uint64_t{0}, 0, 0).valid);
  EXPECT_FALSE(walk(memory, 3, 3, 4).valid) << "a position outside the ring";
  EXPECT_FALSE(walk(memory, 3, 0, 3).valid);
  EXPECT_FALSE(walk(memory, 3, 1, 0).valid) << "the head behind the tail";
  EXPECT_FALSE(walk(memory, 3, 1, 4 + 2).valid) << "more than the capacity";
  EXPECT_FALSE(walk(memory, 3, 0, 8).valid);
  EXPECT_FALSE(walk_classic_ring<Value>(nullptr, 1000, 3, 0, 0, [](const Value&) {}).valid);
}

TEST(ClassicRing, AWalkOverAnythingEnds) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t capacity = 1 + random() % 9;
    const LapIndex index(capacity);
    std::vector<std::uint64_t> memory(capacity * 15);
    for (auto& word : memory)
      word = random() % 4 == 0 ? random() : random() % 4 * index.one_lap() + random() % 3 - 1;
    const std::uint64_t head = random() % (4 * index.one_lap());
    const ClassicRemains remains = walk(memory, capacity, head, head + random() % (capacity + 2));
    EXPECT_LE(remains.completed + remains.in_flight + remains.damaged, capacity);
  }
}

}  // namespace
}  // namespace ndtel::systrace::test
