// SPDX-License-Identifier: Apache-2.0
//
// Books against the agents' own record, while agents and counting processes are killed at random.
#include <sys/mman.h>

#include <atomic>
#include <list>
#include <random>

#include "agent.hpp"
#include "support/child.hpp"

namespace ndtel::vm {
namespace {

/// What agents delivered, in memory they share: it outlives every one of them.
struct Delivered {
  std::atomic<std::uint64_t> ok;
  std::atomic<std::uint64_t> aborts;
};

class SharedDelivered {
 public:
  SharedDelivered()
      : memory_(mmap(nullptr, sizeof(Delivered), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0)) {
    if (memory_ == MAP_FAILED) fail_errno("mmap");
  }
  SharedDelivered(const SharedDelivered&) = delete;
  SharedDelivered& operator=(const SharedDelivered&) = delete;
  ~SharedDelivered() { munmap(memory_, sizeof(Delivered)); }
  Delivered* operator->() const { return static_cast<Delivered*>(memory_); }

 private:
  void* memory_;
};

/// Delivers all posts that come; now and then it does not know whether it did.
int deliver(const SharedDelivered& delivered, unsigned seed) {
  std::mt19937 random(seed);
  const Agent agent;
  CHILD_CHECK(agent.attach() == 0);
  for (;;) {
    nd_relay_post post{};
    CHILD_CHECK(agent.read(&post) == sizeof post);
    const auto dice = random() % 8;
    if (dice > 0) {
      delivered->ok += value_in(post, kOk).value_or(0);
      delivered->aborts += value_in(post, kDmaAbort).value_or(0);
    }
    const auto result = dice > 1    ? NMETRIC_ACCEPTED
                        : dice == 1 ? NMETRIC_UNKNOWN
                                    : (random() % 2 ? NMETRIC_REFUSED : NMETRIC_UNKNOWN);
    CHILD_CHECK(agent.ack(post.seq, result) == 0);
  }
}

[[noreturn]] void count_on(unsigned core) {
  const Node node(kIndex);
  const auto slab = node.map_slab();
  for (;;) {
    slab.add_nc(core, kCompleted);
    slab.add_nc(core, kAborts, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

class RelayKills : public RelayTest {
 protected:
  void expect_agreement(const SharedDelivered& delivered) {
    for (const auto& [cw, received] :
         {std::pair{kOk, delivered->ok.load()}, std::pair{kDmaAbort, delivered->aborts.load()}}) {
      const auto row = books(cw);
      EXPECT_TRUE(row.conserved()) << row;
      EXPECT_GT(row.incremented, 0u);
      EXPECT_LE(row.confirmed, received) << row;
      EXPECT_LE(received, row.confirmed + row.unknown) << row;
    }
  }
};

TEST_F(RelayKills, LeaveTheBooksExact) {
  const SharedDelivered delivered;
  std::mt19937 random(7);
  period(kShortPeriod);
  std::list<Child> counters;
  std::optional<Child> agent;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(8);
  for (unsigned round = 0; std::chrono::steady_clock::now() < end; ++round) {
    counters.emplace_back([core = round % 8](Channel&) -> int { count_on(core); });
    if (counters.size() > 3) {
      EXPECT_EQ(counters.front().kill(), -SIGKILL);
      counters.pop_front();
    }
    agent.emplace([&delivered, round](Channel&) { return deliver(delivered, round); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + random() % 450));
    EXPECT_EQ(agent->kill(), -SIGKILL);
    agent.reset();
    EXPECT_TRUE(shows("agent 0"));
  }
  counters.clear();
  expect_agreement(delivered);
  EXPECT_GT(tally("unknown") + tally("refused"), 0u);

  // A well-behaved agent gets all that is left.
  const Agent last;
  ASSERT_EQ(last.attach(), 0);
  ASSERT_EQ(fcntl(last.node().fd(), F_SETFL, O_NONBLOCK), 0);
  EXPECT_TRUE(eventually([&] {
    nd_relay_post post{};
    if (last.read(&post) == sizeof post) {
      delivered->ok += value_in(post, kOk).value_or(0);
      delivered->aborts += value_in(post, kDmaAbort).value_or(0);
      EXPECT_EQ(last.ack(post.seq), 0);
    }
    return books(kOk).pending == 0 && books(kDmaAbort).pending == 0;
  }));
  expect_agreement(delivered);
  EXPECT_EQ(books(kOk).confirmed, books(kOk).incremented);
}

}  // namespace
}  // namespace ndtel::vm
