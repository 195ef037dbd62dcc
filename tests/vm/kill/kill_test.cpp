// SPDX-License-Identifier: Apache-2.0
//
// SIGKILL at random moments, from before the node is opened to the middle of counting, while posts
// go out. For every counter and device:
//
//   sum(done) <= incremented <= sum(intent), and posted == confirmed == incremented in the end
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <list>
#include <random>
#include <thread>

#include "kill/ledger.hpp"
#include "support/child.hpp"
#include "support/debugfs.hpp"
#include "support/eventually.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {
namespace {

constexpr std::size_t kKills = 200;
constexpr std::size_t kAtOnce = 4;
constexpr int kDevices = 2;
constexpr std::size_t kThreads = 2;  // ledger entries per victim

/// What else hangs on the victim's slab as it dies.
enum class Kind { kPlain, kTwoThreads, kForked, kDuplicated, kReleased, kCount };

/// Counts without end. The more `leisurely`, the more processor is left for the others to be born
/// and to die; those that are not are nearly always killed in the middle of it.
[[noreturn]] void count(const Mapping& slab, Marks& marks, bool leisurely) {
  for (unsigned round = 1;; ++round) {
    if (leisurely && round % 64 == 0) ::usleep(200);
    for (std::size_t i = 0; i < kCounters; ++i) {
      marks.intent[i].fetch_add(1);
      slab.add_nc(kCounted[i].core, kCounted[i].counter);
      marks.done[i].fetch_add(1);
    }
  }
}

/// The victim: claims a slab and counts until it is killed.
int be_killed(int device, Kind kind, Marks* marks) {
  // The killer and the dying come first.
  ::setpriority(PRIO_PROCESS, 0, 19);
  Node node(device);
  // There are places enough, but the places of the dead may not be free at once.
  if (!eventually([&] { return node.acquire() == 0; })) return 1;
  const Mapping slab = node.map_slab();
  CHILD_CHECK(slab.valid());
  std::thread second;
  std::optional<Child> heir;
  std::optional<Node> copy;
  switch (kind) {
    case Kind::kTwoThreads:
      second = std::thread([&] { count(slab, marks[1], true); });
      break;
    case Kind::kForked:
      // Dies a little later than the victim, with its descriptor open.
      heir.emplace([](Channel&) -> int { sleep_for_ever(); });
      node.close();
      break;
    case Kind::kDuplicated:
      copy.emplace(Fd(::dup(node.fd())));
      node.close();
      break;
    case Kind::kReleased:
      CHILD_CHECK(node.release() == 0 && node.release() == 0);
      break;
    default:
      break;
  }
  count(slab, marks[0], kind != Kind::kPlain);
}

struct Victim {
  Victim(int device_index, Kind kind, Marks* marks)
      : child([=](Channel&) { return be_killed(device_index, kind, marks); }) {}
  Child child;
};

class Kill : public ModuleTest {
 protected:
  Kill() : ModuleTest("sim_devices=2 nmetric_log_posts=2 nmetric_metric_post_delay=100") {}
};

TEST_F(Kill, NothingIsLostOrMadeUpByKillsAtRandomMoments) {
  const auto seed =
      static_cast<unsigned>(std::chrono::steady_clock::now().time_since_epoch().count());
  std::cout << "seed " << seed << ", " << kKills << " kills\n";
  std::mt19937 random(seed);
  const Ledger ledger(kKills * kThreads);
  Trace trace(Events::kPostNd);

  // Victim i belongs to device i % kDevices.
  std::list<Victim> alive;
  std::size_t born = 0;
  for (std::size_t killed = 0; killed < kKills; ++killed) {
    while (alive.size() < kAtOnce && born < kKills) {
      const auto kind = static_cast<Kind>(random() % static_cast<unsigned>(Kind::kCount));
      alive.emplace_back(static_cast<int>(born) % kDevices, kind, &ledger.of(born * kThreads));
      ++born;
    }
    // From "not yet started" to "counts since long".
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 15000));
    auto victim = alive.begin();
    std::advance(victim, random() % alive.size());
    ASSERT_EQ(victim->child.kill(), -SIGKILL);
    alive.erase(victim);
    trace.read();
  }

  EXPECT_TRUE(no_slabs_left());
  std::size_t counted_at_all = 0;
  for (const auto& marks : ledger.all()) counted_at_all += marks.done[0] > 0 ? 1 : 0;
  EXPECT_GT(counted_at_all, kKills / 3) << "most victims must get as far as counting";

  for (int device = 0; device < kDevices; ++device) {
    const Debugfs debugfs(device);
    EXPECT_TRUE(trace.read_until([&](const auto&) {
      for (const auto& counter : kCounted) {
        if (debugfs.books_of(counter.cw).pending != 0) return false;
      }
      return true;
    })) << "device "
        << device << " does not post what is pending";
    trace.read();
    for (std::size_t i = 0; i < kCounters; ++i) {
      Bounds bounds;
      for (std::size_t victim = static_cast<std::size_t>(device); victim < kKills;
           victim += kDevices) {
        const Bounds one = ledger.bounds(victim * kThreads, kThreads, i);
        EXPECT_LE(one.intent - one.done, kThreads) << "one increment in doubt per thread";
        bounds.done += one.done;
        bounds.intent += one.intent;
      }
      const BooksRow row = debugfs.books_of(kCounted[i].cw);
      EXPECT_LE(bounds.done, row.incremented) << "device " << device << " lost counts: " << row;
      EXPECT_LE(row.incremented, bounds.intent) << "device " << device << " made up: " << row;
      EXPECT_GT(bounds.done, 0U);
      EXPECT_TRUE(row.conserved()) << row;
      EXPECT_EQ(row.discarded(), 0U) << row;
      EXPECT_EQ(row.confirmed, row.incremented) << row;
      EXPECT_EQ(trace.sum(static_cast<unsigned>(device), kCounted[i].cw), row.confirmed)
          << "device " << device << ": what arrived is not what was confirmed: " << row;
      std::cout << "device " << device << " cw " << kCounted[i].cw << ": done " << bounds.done
                << " <= incremented " << row.incremented << " <= intent " << bounds.intent << '\n';
    }
    EXPECT_EQ(debugfs.anomalies()["words_down"], 0U);
  }
  EXPECT_EQ(trace.lost(), 0U) << "the trace ring was too small for this test";
}

}  // namespace
}  // namespace ndtel::vm
