// SPDX-License-Identifier: Apache-2.0
//
// The books of both sinks under every fault of the firmware, one by one and mixed, with processes
// that are killed meanwhile.
#include <iostream>
#include <list>
#include <random>

#include "firmware_test.hpp"
#include "support/child.hpp"

namespace ndtel::vm {
namespace {

struct Fault {
  const char* name;  ///< also the knob
  std::uint32_t value;
  const char* more = "";  ///< another knob that goes with it
  std::uint32_t more_value = 0;
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.name; }

/// Counts on both bands without end.
[[noreturn]] void count(unsigned core) {
  const Node node(0);
  const auto slab = node.map_slab();
  for (;;) {
    slab.add_nc(core, kCompleted);
    slab.add_nc(core, kAborts, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

class FirmwareBooksBase : public FirmwareTest {
 protected:
  /// Lets processes count and die for a while.
  void run_victims(std::chrono::milliseconds duration) {
    std::mt19937 random(42);
    std::list<Child> alive;
    const auto end = std::chrono::steady_clock::now() + duration;
    for (unsigned born = 0; std::chrono::steady_clock::now() < end; ++born) {
      alive.emplace_back([core = born % 8](Channel&) -> int { count(core); });
      if (alive.size() > 3) {
        EXPECT_EQ(alive.front().kill(), -SIGKILL);
        alive.pop_front();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 80));
    }
    for (auto& child : alive) child.kill();
  }

  /// Nothing is left pending, and the sinks agree on what there was.
  void expect_both_sinks_whole() {
    for (const unsigned cw : {kOk, kDmaAbort}) {
      const auto fwio = Debugfs().books_of(cw, "fwio");
      const auto trace = Debugfs().books_of(cw, "trace");
      EXPECT_GT(fwio.incremented, 0u);
      EXPECT_EQ(fwio.confirmed, fwio.incremented) << fwio;
      EXPECT_EQ(trace.confirmed, trace.incremented) << trace;
    }
  }
};

class FirmwareBooks : public FirmwareBooksBase, public ::testing::WithParamInterface<Fault> {};

TEST_P(FirmwareBooks, AreExactPerSinkAndRecover) {
  const Firmware firmware;
  Trace trace(Events::kPostNd);
  firmware.set(GetParam().name, GetParam().value);
  if (*GetParam().more != '\0') firmware.set(GetParam().more, GetParam().more_value);
  period(kShortPeriod);
  run_victims(std::chrono::milliseconds(1500));
  expect_agreement_at_rest(firmware);
  EXPECT_GT(firmware.mailbox().at("calls"), 0u);
  expect_recovery(firmware);
  expect_both_sinks_whole();
}

INSTANTIATE_TEST_SUITE_P(
    Fault, FirmwareBooks,
    ::testing::Values(Fault{"drop_replies", kForEver}, Fault{"drop_replies", 3},
                      Fault{"ignore_requests", kForEver}, Fault{"ignore_requests", 3},
                      Fault{"delay_ms", 60}, Fault{"late_replies", 5, "late_ms", 150},
                      Fault{"late_replies", kForEver, "late_ms", 500}, Fault{"wrong_seq", kForEver},
                      Fault{"wrong_seq", 2}, Fault{"replay", kForEver}, Fault{"replay", 2},
                      Fault{"fail", kForEver}, Fault{"fail", 2}, Fault{"unknown_command", kForEver},
                      Fault{"unknown_command", 2}, Fault{"bad_size", kForEver, "reply_size", 0},
                      Fault{"bad_size", kForEver, "reply_size", 3},
                      Fault{"bad_size", kForEver, "reply_size", 7},
                      Fault{"bad_size", kForEver, "reply_size", 0xFFFF},
                      Fault{"bad_crc", kForEver}),
    [](const auto& info) {
      return std::string(info.param.name) + "_" +
             (info.param.value == kForEver ? "for_ever" : std::to_string(info.param.value)) + "_" +
             std::to_string(info.param.more_value);
    });

class FirmwareMix : public FirmwareBooksBase {};

TEST_F(FirmwareMix, BooksAreExactInRandomMixesOfFaults) {
  const auto seed = static_cast<std::uint32_t>(monotonic_s() * 1e6);
  std::cout << "seed " << seed << "\n";
  const Firmware firmware;
  Trace trace(Events::kPostNd);
  firmware.set("random_seed", seed);
  firmware.set("random_permille", 600);
  firmware.set("late_ms", 200);
  period(kShortPeriod);
  run_victims(std::chrono::seconds(8));
  expect_agreement_at_rest(firmware);
  expect_recovery(firmware);
  expect_both_sinks_whole();
}

}  // namespace
}  // namespace ndtel::vm
