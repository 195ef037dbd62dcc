// SPDX-License-Identifier: Apache-2.0
//
// Both modules: ours with companion devices, and the twin that stands in for the vendor's driver.
// What arrived is what the twin's firmware has on record.
#ifndef NDTEL_TESTS_VM_COMPANION_COMPANION_TEST_HPP
#define NDTEL_TESTS_VM_COMPANION_COMPANION_TEST_HPP

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "support/child.hpp"
#include "support/debugfs.hpp"
#include "support/firmware.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/posting.hpp"

namespace ndtel::vm {

inline const std::string kOurs = "ndtel";
inline const std::string kTwin = "neuron";
inline constexpr unsigned kOk = 200;  // tick 0
inline constexpr std::uint32_t kCompleted = NDS_NC_COUNTER_INFER_COMPLETED;

class CompanionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    become_subreaper();
    for (const auto& name : {kOurs, kTwin}) {
      if (Module::loaded(name)) Module::try_unload(name);
    }
    load_twin();
    load_ours();
  }

  void TearDown() override {
    if (ours_) {
      EXPECT_TRUE(unload(ours_));
    }
    if (twin_) {
      EXPECT_TRUE(unload(twin_));
    }
  }

  /// It posts nothing of its own: all its firmware gets comes from us.
  void load_twin() {
    twin_.emplace("sim_devices=2 nmetric_log_posts=0 fwio_timeout_ms=300", kTwin);
    ASSERT_TRUE(eventually([] { return exists(node_path(1, kTwin)); }));
  }
  void load_ours() { ours_.emplace("nmetric_log_posts=1 nmetric_metric_post_delay=100", kOurs); }
  /// An agent may hold a node for a moment.
  static bool unload(std::optional<Module>& module) {
    const bool done = eventually([&] { return module->unload() == 0; });
    module.reset();
    return done;
  }

  Module& ours() { return *ours_; }
  Module& twin() { return *twin_; }

  static Command run_agent() { return Command({"companion", "--interval", "0.2"}); }
  static bool says(const Command& agent, const std::string& text) {
    return eventually([&] { return agent.out().find(text) != std::string::npos; });
  }

  /// A process's counts on a companion.
  static void count(int device, std::uint64_t amount) {
    ASSERT_TRUE(eventually([&] { return exists(node_path(device)); }));
    const Node node(device);
    const auto slab = node.map_slab();
    ASSERT_TRUE(slab.valid());
    slab.add_nc(0, kCompleted, amount);
  }
  static BooksRow books(int device) { return Debugfs(device).books_of(kOk, "relay"); }
  static std::uint64_t received(int device) { return Firmware(device, kTwin).received(kOk); }
  /// Waits until all counts of a device are confirmed.
  static bool all_confirmed(int device, std::uint64_t amount) {
    return eventually([&] {
      const auto row = books(device);
      return row.confirmed == amount && row.pending == 0;
    });
  }

  std::optional<Module> ours_;
  std::optional<Module> twin_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_COMPANION_COMPANION_TEST_HPP
