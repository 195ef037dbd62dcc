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

std::string temp_path(const char* name) {
  return testing::TempDir() + name + "." + std::to_string(getpid());
}

TEST(Ledger, AddMarksBeforeAndAfter) {
  Ledger ledger = Ledger::create("", 2, "ndtel", 3);
  LedgerCell& cell = ledger.cell(1, 2, 28);
  EXPECT_TRUE(ledger_add(cell, 5, [&] {
    EXPECT_EQ(cell.intent, 5U);
    EXPECT_EQ(cell.done, 0U);
    EXPECT_EQ(ledger.unfinished(1).size(), 1U);
    return true;
  }));
  EXPECT_TRUE(ledger_add(cell, 2, [] { return true; }));
  EXPECT_EQ(cell.intent, 7U);
  EXPECT_EQ(cell.done, 7U);
  EXPECT_TRUE(ledger.unfinished(1).empty());
}

TEST(Ledger, FailedAddCountsNothing) {
  Ledger ledger = Ledger::create("", 1, "ndtel", 0);
  EXPECT_FALSE(ledger_add(ledger.cell(0, 0, 0), 9, [] { return false; }));
  EXPECT_EQ(ledger.sum(0).intent, 0U);
  EXPECT_EQ(ledger.sum(0).done, 0U);
}

TEST(Ledger, SumsThreadsAndCores) {
  Ledger ledger = Ledger::create("", 3, "ndtel", 0);
  const auto yes = [] { return true; };
  ledger_add(ledger.cell(0, 1, 4), 1, yes);
  ledger_add(ledger.cell(2, 1, 4), 10, yes);
  ledger_add(ledger.cell(2, 15, 4), 100, yes);
  ledger_add(ledger.cell(2, 15, 94), 1000, yes);
  EXPECT_EQ(ledger.sum(1, 4).done, 11U);
  EXPECT_EQ(ledger.sum(4).done, 111U);
  EXPECT_EQ(ledger.sum(94).intent, 1000U);
}

TEST(Ledger, FileKeepsEverything) {
  const std::string path = temp_path("ledger");
  {
    Ledger ledger = Ledger::create(path, 2, "neuron", 5);
    ledger.claim(1234);
    ledger_add(ledger.cell(1, 0, 29), 1'000'000'000'000, [] { return true; });
  }
  const Ledger ledger = Ledger::open(path);
  EXPECT_EQ(ledger.space(), "neuron");
  EXPECT_EQ(ledger.header().device, 5U);
  EXPECT_EQ(ledger.header().pid, 1234);
  EXPECT_EQ(ledger.sum(0, 29).done, 1'000'000'000'000U);
  unlink(path.c_str());
}

TEST(Ledger, OpenSaysWhatIsWrong) {
  EXPECT_THROW(Ledger::open("/nonexistent/ledger"), std::system_error);
  EXPECT_THROW(Ledger::create("/nonexistent/ledger", 1, "ndtel", 0), std::system_error);
  EXPECT_THROW(Ledger::create("", 0, "ndtel", 0), std::invalid_argument);
  const std::string path = temp_path("noledger");
  std::ofstream(path) << "short";
  EXPECT_THROW(Ledger::open(path), std::runtime_error);
  std::ofstream(path) << std::string(4096, 'x');
  EXPECT_THROW(Ledger::open(path), std::runtime_error);
  Ledger::create(path, 1, "ndtel", 0);
  ASSERT_EQ(truncate(path.c_str(), 4096), 0);
  EXPECT_THROW(Ledger::open(path), std::runtime_error);
  unlink(path.c_str());
}

TEST(Ledger, RefusesPlacesItDoesNotHave) {
  Ledger ledger = Ledger::create("", 2, "ndtel", 0);
  EXPECT_THROW(ledger.cell(2, 0, 0), std::out_of_range);
  EXPECT_THROW(ledger.cell(0, NDS_MAX_NC, 0), std::out_of_range);
  EXPECT_THROW(ledger.cell(0, 0, NDS_NC_COUNTER_COUNT), std::out_of_range);
}

constexpr std::uint32_t kThreads = 2;
constexpr std::uint32_t kCounters = 5;
constexpr std::uint64_t kMaxAmount = 1000;

/// Shared words that stand for a slab: they hold what a killed process really counted.
struct Words {
  std::atomic<std::uint64_t> word[kCounters];
};

[[noreturn]] void count_until_killed(Ledger& ledger, Words& words, unsigned seed) {
  const auto count = [&](std::uint32_t thread) {
    std::minstd_rand random(seed * kThreads + thread + 1);
    for (;;) {
      const std::uint32_t counter = random() % kCounters;
      const std::uint64_t amount = 1 + random() % kMaxAmount;
      ledger_add(ledger.cell(thread, 0, counter), amount, [&] {
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
    Ledger ledger = Ledger::create("", kThreads, "ndtel", 0);
    void* shared =
        mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    auto& words = *new (shared) Words{};
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) count_until_killed(ledger, words, static_cast<unsigned>(kill_number));
    while (words.word[0] == 0) usleep(100);
    usleep(random() % 3000);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    for (std::uint32_t counter = 0; counter < kCounters; ++counter) {
      const LedgerRange range = ledger.sum(counter);
      EXPECT_TRUE(range.contains(words.word[counter]))
          << words.word[counter] << " is not in [" << range.done << ", " << range.intent << "]";
    }
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      const auto unfinished = ledger.unfinished(thread);
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
