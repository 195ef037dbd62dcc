// SPDX-License-Identifier: Apache-2.0
#include "ledger.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <system_error>
#include <thread>

namespace ndtel::workload {
namespace {

std::string TempPath(const char* name) {
  return testing::TempDir() + name + "." + std::to_string(getpid());
}

TEST(Ledger, AddMarksBeforeAndAfter) {
  Ledger ledger = Ledger::Create("", 2, "ndtel", 3);
  LedgerCell& cell = ledger.Cell(1, 2, 28);
  EXPECT_TRUE(LedgerAdd(cell, 5, [&] {
    EXPECT_EQ(cell.intent, 5U);
    EXPECT_EQ(cell.done, 0U);
    EXPECT_EQ(ledger.Unfinished(1).size(), 1U);
    return true;
  }));
  EXPECT_TRUE(LedgerAdd(cell, 2, [] { return true; }));
  EXPECT_EQ(cell.intent, 7U);
  EXPECT_EQ(cell.done, 7U);
  EXPECT_TRUE(ledger.Unfinished(1).empty());
}

TEST(Ledger, FailedAddCountsNothing) {
  Ledger ledger = Ledger::Create("", 1, "ndtel", 0);
  EXPECT_FALSE(LedgerAdd(ledger.Cell(0, 0, 0), 9, [] { return false; }));
  EXPECT_EQ(ledger.Sum(0).intent, 0U);
  EXPECT_EQ(ledger.Sum(0).done, 0U);
}

TEST(Ledger, SumsThreadsAndCores) {
  Ledger ledger = Ledger::Create("", 3, "ndtel", 0);
  const auto yes = [] { return true; };
  LedgerAdd(ledger.Cell(0, 1, 4), 1, yes);
  LedgerAdd(ledger.Cell(2, 1, 4), 10, yes);
  LedgerAdd(ledger.Cell(2, 15, 4), 100, yes);
  LedgerAdd(ledger.Cell(2, 15, 94), 1000, yes);
  EXPECT_EQ(ledger.Sum(1, 4).done, 11U);
  EXPECT_EQ(ledger.Sum(4).done, 111U);
  EXPECT_EQ(ledger.Sum(94).intent, 1000U);
}

TEST(Ledger, FileKeepsEverything) {
  const std::string path = TempPath("ledger");
  {
    Ledger ledger = Ledger::Create(path, 2, "neuron", 5);
    ledger.Claim(1234);
    LedgerAdd(ledger.Cell(1, 0, 29), 1'000'000'000'000, [] { return true; });
  }
  const Ledger ledger = Ledger::Open(path);
  EXPECT_EQ(ledger.space(), "neuron");
  EXPECT_EQ(ledger.header().device, 5U);
  EXPECT_EQ(ledger.header().pid, 1234);
  EXPECT_EQ(ledger.Sum(0, 29).done, 1'000'000'000'000U);
  unlink(path.c_str());
}

TEST(Ledger, OpenSaysWhatIsWrong) {
  EXPECT_THROW(Ledger::Open("/nonexistent/ledger"), std::system_error);
  EXPECT_THROW(Ledger::Create("/nonexistent/ledger", 1, "ndtel", 0), std::system_error);
  EXPECT_THROW(Ledger::Create("", 0, "ndtel", 0), std::invalid_argument);
  const std::string path = TempPath("noledger");
  std::ofstream(path) << "short";
  EXPECT_THROW(Ledger::Open(path), std::runtime_error);
  std::ofstream(path) << std::string(4096, 'x');
  EXPECT_THROW(Ledger::Open(path), std::runtime_error);
  Ledger::Create(path, 1, "ndtel", 0);
  ASSERT_EQ(truncate(path.c_str(), 4096), 0);
  EXPECT_THROW(Ledger::Open(path), std::runtime_error);
  unlink(path.c_str());
}

TEST(Ledger, RefusesPlacesItDoesNotHave) {
  Ledger ledger = Ledger::Create("", 2, "ndtel", 0);
  EXPECT_THROW(ledger.Cell(2, 0, 0), std::out_of_range);
  EXPECT_THROW(ledger.Cell(0, NDS_MAX_NC, 0), std::out_of_range);
  EXPECT_THROW(ledger.Cell(0, 0, NDS_NC_COUNTER_COUNT), std::out_of_range);
}

constexpr std::uint32_t kThreads = 2;
constexpr std::uint32_t kCounters = 5;
constexpr std::uint64_t kMaxAmount = 1000;

/// Shared words that stand for a slab: they hold what a killed process really counted.
struct Words {
  std::atomic<std::uint64_t> word[kCounters];
};

[[noreturn]] void CountUntilKilled(Ledger& ledger, Words& words, unsigned seed) {
  const auto count = [&](std::uint32_t thread) {
    std::minstd_rand random(seed * kThreads + thread + 1);
    for (;;) {
      const std::uint32_t counter = random() % kCounters;
      const std::uint64_t amount = 1 + random() % kMaxAmount;
      LedgerAdd(ledger.Cell(thread, 0, counter), amount, [&] {
        words.word[counter].fetch_add(amount);
        return true;
      });
    }
  };
  std::thread other(count, 1);
  count(0);
  _exit(0);
}

TEST(Ledger, BoundsWhatAKilledProcessCounted) {
  constexpr int kKills = 300;
  std::minstd_rand random(2026);
  int cut_short = 0;
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    Ledger ledger = Ledger::Create("", kThreads, "ndtel", 0);
    void* shared =
        mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    auto& words = *new (shared) Words{};
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) CountUntilKilled(ledger, words, static_cast<unsigned>(kill_number));
    while (words.word[0] == 0) usleep(100);
    usleep(random() % 3000);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    for (std::uint32_t counter = 0; counter < kCounters; ++counter) {
      const LedgerRange range = ledger.Sum(counter);
      EXPECT_TRUE(range.Contains(words.word[counter]))
          << words.word[counter] << " is not in [" << range.done << ", " << range.intent << "]";
    }
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      const auto unfinished = ledger.Unfinished(thread);
      ASSERT_LE(unfinished.size(), 1U);
      for (const LedgerRange& range : unfinished) {
        EXPECT_LE(range.intent - range.done, kMaxAmount);
        ++cut_short;
      }
    }
    munmap(shared, sizeof(Words));
  }
  // Some of the kills must have met the window between the marks, or this test proves nothing.
  EXPECT_GT(cut_short, 0);
}

}  // namespace
}  // namespace ndtel::workload
