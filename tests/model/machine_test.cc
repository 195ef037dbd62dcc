// SPDX-License-Identifier: Apache-2.0
//
// The checker itself: small programs whose outcomes under the memory of C++ are known.

#include <gtest/gtest.h>

#include "explorer.hpp"
#include "model_policy.hpp"

namespace ndtel::model {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSequential = std::memory_order_seq_cst;

using Word = ModelAtomic<std::uint64_t>;

// Two threads store, then load what the other stored.
template <std::memory_order kStore, std::memory_order kLoad>
struct StoreBuffers {
  static constexpr unsigned kThreads = 2;
  Word words[2];
  std::uint64_t got[2];

  void thread(unsigned i) {
    words[i].store(1, kStore);
    got[i] = words[1 - i].load(kLoad);
  }
  void finish() { machine.require(got[0] + got[1] != 0, "neither saw the other"); }
};

TEST(Machine, StoresWaitInBuffersUnlessSequentiallyConsistent) {
  EXPECT_TRUE((Explorer::run<StoreBuffers<kSequential, kSequential>>().passed()));
  const std::string neither = "neither saw the other";
  EXPECT_EQ((Explorer::run<StoreBuffers<kRelease, kAcquire>>().failure), neither);
  EXPECT_EQ((Explorer::run<StoreBuffers<kRelease, kSequential>>().failure), neither);
  EXPECT_EQ((Explorer::run<StoreBuffers<kSequential, kAcquire>>().failure), neither);
}

// A flag that says that a plain value is there.
template <std::memory_order kStore, std::memory_order kLoad>
struct Message1 {
  static constexpr unsigned kThreads = 2;
  using Policy = ModelPolicy<false>;
  Word flag;
  std::uint64_t data;
  std::uint64_t got;

  void thread(unsigned i) {
    if (i == 0) {
      Policy::copy(data, std::uint64_t{7});
      flag.store(1, kStore);
    } else if (flag.load(kLoad) == 1) {
      Policy::copy(got, data);
      machine.require(got == 7, "the flag came before the value");
    }
  }
  void finish() {}
};

TEST(Machine, PlainDataNeedsReleaseAndAcquire) {
  EXPECT_TRUE((Explorer::run<Message1<kRelease, kAcquire>>().passed()));
  EXPECT_EQ((Explorer::run<Message1<kRelaxed, kAcquire>>().failure),
            "data race: reads an object whose last write it does not know of");
  EXPECT_NE((Explorer::run<Message1<kRelease, kRelaxed>>().failure), "");
}

// A value that was written before one that is known of.
template <std::memory_order kLoad>
struct Chain {
  static constexpr unsigned kThreads = 3;
  Word first, second;
  std::uint64_t got = 1;

  void thread(unsigned i) {
    if (i == 0) first.store(1, kRelaxed);
    if (i == 1 && first.load(kLoad) == 1) second.store(1, kRelease);
    if (i == 2 && second.load(kAcquire) == 1) got = first.load(kRelaxed);
  }
  void finish() { machine.require(got == 1, "went back in time"); }
};

TEST(Machine, WhatOneReadsIsSeenByThoseWhoKnowOfIt) {
  EXPECT_TRUE((Explorer::run<Chain<kRelaxed>>().passed()));
}

// Two observers of two independent stores.
template <std::memory_order kStore, std::memory_order kLoad>
struct Observers {
  static constexpr unsigned kThreads = 4;
  Word words[2];
  std::uint64_t got[2][2];

  void thread(unsigned i) {
    if (i < 2) {
      words[i].store(1, kStore);
      return;
    }
    got[i - 2][0] = words[i - 2].load(kLoad);
    got[i - 2][1] = words[3 - i].load(kLoad);
  }
  void finish() {
    machine.require(!(got[0][0] == 1 && got[0][1] == 0 && got[1][0] == 1 && got[1][1] == 0),
                    "they disagree on the order");
  }
};

TEST(Machine, ObserversAgreeOnSequentiallyConsistentStoresOnly) {
  EXPECT_TRUE((Explorer::run<Observers<kSequential, kSequential>>().passed()));
  EXPECT_EQ((Explorer::run<Observers<kRelease, kAcquire>>().failure), "they disagree on the order");
}

struct Increments {
  static constexpr unsigned kThreads = 3;
  Word count;

  void thread(unsigned) {
    for (int i = 0; i < 2; ++i) {
      std::uint64_t old = count.load(kRelaxed);
      while (!count.compare_exchange_weak(old, old + 1, kRelaxed, kRelaxed)) {
      }
    }
  }
  void finish() { machine.require(count.load(kRelaxed) == 6, "an increment is lost"); }
};

struct LostIncrements : Increments {
  void thread(unsigned) { count.store(count.load(kRelaxed) + 1, kRelaxed); }
  void finish() { machine.require(count.load(kRelaxed) == 3, "an increment is lost"); }
};

TEST(Machine, UpdatesAreAtomic) {
  Options weak;
  weak.spurious_failures = true;
  EXPECT_TRUE(Explorer::run<Increments>().passed());
  EXPECT_TRUE(Explorer::run<Increments>(weak).passed());
  EXPECT_EQ(Explorer::run<LostIncrements>().failure, "an increment is lost");
}

// An update in between hands on what the release before it published.
template <std::memory_order kOrder>
struct ReleaseSequence {
  static constexpr unsigned kThreads = 3;
  using Policy = ModelPolicy<false>;
  Word word;
  std::uint64_t data, got;

  void thread(unsigned i) {
    if (i == 0) {
      Policy::copy(data, std::uint64_t{7});
      word.store(1, kOrder);
    } else if (i == 1) {
      word.fetch_add(1, kRelaxed);
    } else if (word.load(kAcquire) == 2) {
      Policy::copy(got, data);
    }
  }
  void finish() {}
};

TEST(Machine, UpdatesContinueAReleaseSequence) {
  EXPECT_TRUE(Explorer::run<ReleaseSequence<kRelease>>().passed());
  EXPECT_NE(Explorer::run<ReleaseSequence<kRelaxed>>().failure, "");
}

// The announcement of an emitter against the fence of whoever closes.
template <bool kSymmetric, bool kFence>
struct Announcement {
  static constexpr unsigned kThreads = 2;
  using Policy = ModelPolicy<kSymmetric>;
  Word inside, closed;
  std::uint64_t was_closed, was_inside;

  void thread(unsigned i) {
    if (i == 0) {
      Policy::announce(inside, 1);
      was_closed = Policy::look(closed);
    } else {
      closed.store(1, kRelaxed);
      if (kFence) Policy::heavy_fence();
      was_inside = inside.load(kAcquire);
    }
  }
  void finish() { machine.require(was_closed + was_inside != 0, "neither saw the other"); }
};

TEST(Machine, AnnouncementsMeetTheHeavyFence) {
  EXPECT_TRUE((Explorer::run<Announcement<false, true>>().passed()));
  EXPECT_TRUE((Explorer::run<Announcement<true, true>>().passed()));
  EXPECT_NE((Explorer::run<Announcement<false, false>>().failure), "");
  EXPECT_NE((Explorer::run<Announcement<true, false>>().failure), "");
}

struct Locked {
  static constexpr unsigned kThreads = 3;
  using Policy = ModelPolicy<false>;
  ModelMutex mutex;
  std::uint64_t count;
  Word guarded;

  void thread(unsigned) {
    for (int i = 0; i < 2; ++i) {
      mutex.lock();
      Policy::copy(count, count + 1);
      guarded.store(guarded.load(kRelaxed) + 1, kRelaxed);
      mutex.unlock();
    }
  }
  void finish() { machine.require(count == 6 && guarded.load(kRelaxed) == 6, "lost"); }
};

// What is learnt of the guard must be given up when somebody does without.
struct SometimesLocked : Locked {
  void thread(unsigned i) {
    if (i == 0) {
      guarded.store(guarded.load(kRelaxed) + 1, kRelaxed);
      return;
    }
    mutex.lock();
    guarded.store(guarded.load(kRelaxed) + 1, kRelaxed);
    mutex.unlock();
  }
  void finish() { machine.require(guarded.load(kRelaxed) == 3, "lost"); }
};

struct Deadlock {
  static constexpr unsigned kThreads = 2;
  ModelMutex mutexes[2];

  void thread(unsigned i) {
    mutexes[i].lock();
    mutexes[1 - i].lock();
    mutexes[1 - i].unlock();
    mutexes[i].unlock();
  }
  void finish() {}
};

TEST(Machine, MutexesExcludeAndMayDeadlock) {
  EXPECT_TRUE(Explorer::run<Locked>().passed());
  EXPECT_EQ(Explorer::run<SometimesLocked>().failure, "lost");
  EXPECT_EQ(Explorer::run<Deadlock>().failure, "deadlock: every thread waits");
}

// Waits for a flag that comes, or does not.
template <bool kComes>
struct Wait {
  static constexpr unsigned kThreads = 2;
  using Policy = ModelPolicy<false>;
  Word flag;

  void thread(unsigned i) {
    if (i == 0) {
      if (kComes) flag.store(1, kRelease);
      return;
    }
    for (unsigned step = 0; flag.load(kAcquire) == 0;) step = Policy::pause(step);
  }
  void finish() {}
};

TEST(Machine, SpinningEnds) {
  EXPECT_TRUE(Explorer::run<Wait<true>>().passed());
  EXPECT_EQ(Explorer::run<Wait<false>>().failure, "threads wait for each other for ever");
}

struct TornCopy {
  static constexpr unsigned kThreads = 2;
  using Policy = ModelPolicy<false, true>;
  struct Pair {
    std::uint64_t a, b;
  };
  Pair pair;

  void thread(unsigned i) {
    if (i == 0) {
      Policy::copy(pair, Pair{1, 1});
    } else {
      Pair got;
      Policy::copy(got, pair);
      machine.require(got.a == got.b, "torn");
    }
  }
  void finish() {}
};

TEST(Machine, TornCopiesShow) { EXPECT_EQ(Explorer::run<TornCopy>().failure, "torn"); }

// Failures before and after all threads, out of functions that throw nothing.
template <bool kBefore>
struct FailsApart {
  static constexpr unsigned kThreads = 1;

  FailsApart() { check(!kBefore); }
  void thread(unsigned) {}
  void finish() { check(kBefore); }
  static void check(bool condition) noexcept { machine.require(condition, "apart"); }
};

TEST(Machine, ReportsFailuresOfSetUpAndInspection) {
  EXPECT_EQ(Explorer::run<FailsApart<true>>().failure, "apart");
  EXPECT_EQ(Explorer::run<FailsApart<false>>().failure, "apart");
}

TEST(Machine, TellsWhenItWasCutShort) {
  Options few;
  few.max_states = 10;
  const Outcome outcome = Explorer::run<Increments>(few);
  EXPECT_FALSE(outcome.complete);
  EXPECT_FALSE(outcome.passed());
  EXPECT_EQ(outcome.failure, "");
}

TEST(Machine, SaysTheSameEveryTime) {
  const Outcome once = Explorer::run<Increments>(), again = Explorer::run<Increments>();
  EXPECT_EQ(once.states, again.states);
  EXPECT_EQ(once.steps, again.steps);
}

}  // namespace
}  // namespace ndtel::model
