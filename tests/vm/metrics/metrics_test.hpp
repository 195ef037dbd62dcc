// SPDX-License-Identifier: Apache-2.0
//
// What the tests of posted numbers share: one device, its posts on demand, and processes that own
// slabs.
#ifndef NDTEL_TESTS_VM_METRICS_METRICS_TEST_HPP
#define NDTEL_TESTS_VM_METRICS_METRICS_TEST_HPP

#include <ndtel/nds.h>

#include <optional>
#include <string>
#include <vector>

#include "support/child.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/owner.hpp"
#include "support/posting.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {

using Texts = std::vector<std::string>;

/// A freshly loaded module with one device that posts in portions (run()).
class MetricsTest : public ModuleTest {
 protected:
  explicit MetricsTest(const std::string& arch = "v3")
      : ModuleTest("sim_devices=1 sim_arch=" + arch +
                   // The time of the first reset would be posted too.
                   " no_reset=1 nmetric_log_posts=2 nmetric_metric_post_delay=3600000") {}

  void SetUp() override {
    ModuleTest::SetUp();
    trace_.emplace();
    posting_.emplace(module(), *trace_);
  }
  void TearDown() override {
    if (trace_) {
      EXPECT_EQ(trace_->lost(), 0u);
    }
    posting_.reset();
    trace_.reset();
    ModuleTest::TearDown();
  }

  Trace& trace() { return *trace_; }
  Posting& posting() { return *posting_; }
  /// At least one post of each tick.
  std::vector<Post> run(unsigned posts = 2) { return posting_->run(posts); }

 private:
  std::optional<Trace> trace_;
  std::optional<Posting> posting_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_METRICS_METRICS_TEST_HPP
