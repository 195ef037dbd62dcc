// SPDX-License-Identifier: Apache-2.0
//
// The trace of a workload: the spans of one inference, and how they lie in one another.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <vector>

#include "core_worker.hpp"
#include "ndtel/trace.hpp"
#include "shared_slab.hpp"

namespace ndtel::workload {
namespace {

constexpr BlockShape kShape{.tokens = 4, .width = 8, .heads = 2, .hidden = 16};

Request request(std::size_t tokens = kShape.tokens) {
  Request r;
  r.input = Tensor<float>(tokens, kShape.width);
  for (float& x : r.input.data) x = 0.5F;
  r.submitted_ns = monotonic_ns();
  r.budget_ns = 3'600'000'000'000;
  return r;
}

/// A span and what it lies in.
struct Node {
  std::uint32_t type;
  std::vector<Node> inner;
  nrt_sys_trace_event_t start;
};

/// Takes the events of a core of one thread apart. Fails where a span ends that was not the last to
/// begin.
std::vector<Node> spans_of(std::uint32_t core) {
  std::vector<nrt_sys_trace_event_t> events(10000);
  events.resize(trace::drain(core, events));
  std::vector<Node> open{{.type = 0, .inner = {}, .start = {}}};
  std::set<std::uint64_t> threads;
  for (const auto& event : events) {
    threads.insert(event.thread_id);
    const auto type = static_cast<std::uint32_t>(event.trace_type);
    switch (event.phase) {
      case NRT_SYS_TRACE_EVENT_PHASE_START:
        open.push_back({type, {}, event});
        break;
      case NRT_SYS_TRACE_EVENT_PHASE_INSTANT:
        open.back().inner.push_back({type, {}, event});
        break;
      default: {
        EXPECT_EQ(open.back().start.tracking_id, event.tracking_id) << "spans overlap";
        EXPECT_EQ(open.back().type, type);
        EXPECT_GE(event.timestamp_ns, open.back().start.timestamp_ns);
        Node node = std::move(open.back());
        open.pop_back();
        if (open.empty()) {
          ADD_FAILURE() << "a span ends that did not begin";
          return {};
        }
        open.back().inner.push_back(std::move(node));
      }
    }
  }
  EXPECT_EQ(open.size(), 1U) << "spans that did not end";
  EXPECT_EQ(threads.size(), 1U);
  return open.front().inner;
}

std::vector<std::uint32_t> types(const std::vector<Node>& nodes) {
  std::vector<std::uint32_t> list;
  for (const Node& node : nodes) list.push_back(node.type);
  return list;
}

class TracedWorkload : public testing::Test {
 protected:
  static constexpr std::uint32_t kCore = 2;

  TracedWorkload() { nrt_sys_trace_set_visible_vnc_count(kCore + 1); }
  ~TracedWorkload() override {
    (void)trace::stop();
    nrt_sys_trace_set_visible_vnc_count(0);
  }

  /// Loads one model and runs these.
  void run(std::vector<Request> requests) {
    SharedSlab slab;
    Instance instance = slab.instance();
    Ledger ledger = Ledger::create("", 2, "ndtel", 0);
    CoreWorker worker(
        {.core = kCore, .ledger_thread = 1, .models = 1, .queue = 100, .shape = kShape, .seed = 1},
        instance, ledger);
    for (Request& r : requests) ASSERT_TRUE(worker.submit(std::move(r)));
  }
};

TEST_F(TracedWorkload, SpansOfAnInferenceNest) {
  ASSERT_TRUE(trace::start({}));
  run({request(), request()});
  const std::vector<Node> spans = spans_of(kCore);
  ASSERT_EQ(types(spans), (std::vector<std::uint32_t>{1, 3, 3})) << "model load, two executions";
  for (std::size_t i = 1; i < spans.size(); ++i) {
    const Node& api = spans[i];
    ASSERT_EQ(types(api.inner), (std::vector<std::uint32_t>{17, 18, 19, 20}));
    EXPECT_EQ(types(api.inner[0].inner), (std::vector<std::uint32_t>{10})) << "writes the input";
    EXPECT_TRUE(api.inner[1].inner.empty());
    EXPECT_EQ(types(api.inner[2].inner), (std::vector<std::uint32_t>{9})) << "reads the output";
    EXPECT_TRUE(api.inner[3].inner.empty());
    for (const Node& step : api.inner) {
      EXPECT_EQ(step.start.data.exec_pre.exec_id, i);
      EXPECT_EQ(step.start.data.exec_pre.model_id, api.start.data.nrt_exec.model_id);
    }
  }
  const std::string name = "transformer-4x8-seed1";
  EXPECT_EQ(spans[1].start.data.nrt_exec.model_id, trace::intern(name, kCore));
}

TEST_F(TracedWorkload, ANumericalErrorIsReportedWhileItIsCounted) {
  ASSERT_TRUE(trace::start({}));
  Request bad = request();
  bad.input.data[0] = std::numeric_limits<float>::quiet_NaN();
  run({std::move(bad)});
  const std::vector<Node> spans = spans_of(kCore);
  ASSERT_EQ(types(spans), (std::vector<std::uint32_t>{1, 3}));
  ASSERT_EQ(types(spans[1].inner), (std::vector<std::uint32_t>{17, 18, 19, 20}));
  EXPECT_EQ(types(spans[1].inner[3].inner), (std::vector<std::uint32_t>{13}));
}

TEST_F(TracedWorkload, ARefusedRequestHasNoCore) {
  ASSERT_TRUE(trace::start({}));
  run({request(kShape.tokens + 1)});
  const std::vector<Node> spans = spans_of(kCore);
  ASSERT_EQ(types(spans), (std::vector<std::uint32_t>{1, 3}));
  ASSERT_EQ(types(spans[1].inner), (std::vector<std::uint32_t>{17, 20}));
  EXPECT_TRUE(spans[1].inner[0].inner.empty());
}

TEST_F(TracedWorkload, RecordsNothingWhenNobodyTraces) {
  run({request()});
  ASSERT_TRUE(trace::start({}));
  EXPECT_EQ(trace::counts(kCore)->created, 0U);
}

}  // namespace
}  // namespace ndtel::workload
