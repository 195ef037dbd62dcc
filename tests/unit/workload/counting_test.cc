// SPDX-License-Identifier: Apache-2.0
//
// Workers count into memory that stands for a slab; what they counted is compared with what they
// did.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core_worker.hpp"
#include "shared_slab.hpp"
#include "workload.hpp"

namespace ndtel::workload {
namespace {

constexpr BlockShape kShape{.tokens = 4, .width = 8, .heads = 2, .hidden = 16};

Request request(std::uint64_t budget_ns) {
  Request r;
  r.input = Tensor<float>(kShape.tokens, kShape.width);
  r.submitted_ns = monotonic_ns();
  r.budget_ns = budget_ns;
  return r;
}

TEST(LedgerWriter, NotesOnlyWhatGrows) {
  SharedSlab slab;
  Instance instance = slab.instance();
  Ledger ledger = Ledger::create("", 2, "ndtel", 0);
  LedgerWriter<Instance> writer(instance, ledger, 1);
  EXPECT_EQ(writer.increment(5, NDS_NC_COUNTER_MAC_COUNT, 7), 0);
  EXPECT_EQ(writer.increment(5, NDS_NC_COUNTER_MEM_USAGE_TENSORS_DEVICE, 100), 0);
  EXPECT_EQ(writer.set(5, NDS_NC_COUNTER_LATENCY_TOTAL, 3), 0);
  EXPECT_EQ(writer.increment(NDS_MAX_NC, NDS_NC_COUNTER_MAC_COUNT, 7), -EINVAL);
  EXPECT_EQ(slab.nc(5, NDS_NC_COUNTER_MAC_COUNT), 7U);
  EXPECT_EQ(slab.nc(5, NDS_NC_COUNTER_MEM_USAGE_TENSORS_DEVICE), 100U);
  EXPECT_EQ(ledger.sum(5, NDS_NC_COUNTER_MAC_COUNT).done, 7U);
  EXPECT_EQ(ledger.sum(NDS_NC_COUNTER_MEM_USAGE_TENSORS_DEVICE).intent, 0U);
  EXPECT_EQ(ledger.sum(NDS_NC_COUNTER_LATENCY_TOTAL).intent, 0U);
}

TEST(LedgerWriter, NotesNothingThatTheSlabRefused) {
  Instance closed;
  Ledger ledger = Ledger::create("", 1, "ndtel", 0);
  LedgerWriter<Instance> writer(closed, ledger, 0);
  EXPECT_EQ(writer.increment(0, NDS_NC_COUNTER_MAC_COUNT, 7), -EPERM);
  EXPECT_EQ(ledger.sum(NDS_NC_COUNTER_MAC_COUNT).intent, 0U);
}

TEST(OnlyGrows, FollowsTheContract) {
  EXPECT_TRUE(only_grows(NDS_NC_COUNTER_TIME_IN_USE));
  EXPECT_TRUE(only_grows(NDS_EXT_NC_COUNTER_HW_ERR_REPAIRABLE_HBM_UE));
  EXPECT_FALSE(only_grows(NDS_NC_COUNTER_LATENCY_DEVICE));
  EXPECT_FALSE(only_grows(NDS_NC_COUNTER_MEM_USAGE_CODE_DEVICE));
  EXPECT_FALSE(only_grows(NDS_NC_COUNTER_COUNT));
}

TEST(CoreWorker, CountsWhatItDidAndTakesMemoryBack) {
  SharedSlab slab;
  Instance instance = slab.instance();
  Ledger ledger = Ledger::create("", 2, "ndtel", 0);
  constexpr std::uint32_t kCore = 2;
  {
    CoreWorker worker(
        {.core = kCore, .ledger_thread = 1, .models = 2, .queue = 100, .shape = kShape, .seed = 1},
        instance, ledger);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(worker.submit(request(3'600'000'000'000)));
    EXPECT_TRUE(worker.submit(request(0)));
    Request wrong = request(1);
    wrong.input = Tensor<float>(1, 1);
    EXPECT_TRUE(worker.submit(std::move(wrong)));
  }
  EXPECT_EQ(slab.nc(kCore, NDS_NC_COUNTER_MODEL_LOAD_COUNT), 2U);
  EXPECT_EQ(slab.nc(kCore, NDS_NC_COUNTER_INFER_COMPLETED), 5U);
  EXPECT_EQ(slab.nc(kCore, NDS_NC_COUNTER_INFERENCE_COUNT), 5U);
  EXPECT_EQ(slab.nc(kCore, NDS_NC_COUNTER_INFER_TIMED_OUT), 1U);
  EXPECT_EQ(slab.nc(kCore, NDS_NC_COUNTER_INFER_INCORRECT_INPUT), 1U);
  EXPECT_EQ(slab.nc(kCore, NDS_NC_COUNTER_MAC_COUNT), 6 * mac_count(kShape));
  EXPECT_GT(slab.nc(kCore, NDS_NC_COUNTER_TIME_IN_USE), 0U);
  EXPECT_EQ(slab.nc(kCore, NDS_NC_COUNTER_TIME_IN_USE) % 1000, 0U);  // whole nanoseconds, in ps
  for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_COUNT; ++counter) {
    if (!only_grows(counter)) continue;
    EXPECT_EQ(ledger.sum(kCore, counter).done, slab.nc(kCore, counter)) << counter;
    EXPECT_EQ(ledger.sum(kCore, counter).intent, slab.nc(kCore, counter)) << counter;
  }
  for (std::uint32_t counter = NDS_NC_COUNTER_MEM_USAGE_CODE_DEVICE;
       counter <= NDS_NC_COUNTER_MEM_USAGE_MISC_DEVICE; ++counter) {
    EXPECT_EQ(slab.nc(kCore, counter), 0U) << counter;
  }
  EXPECT_EQ(instance.nd(NDS_ND_COUNTER_AGG_NEFF_ID), 0U);
  EXPECT_EQ(instance.model_slots(), 0U);
}

TEST(LoadedModel, IsPublishedWithTheMemoryItReallyHas) {
  SharedSlab slab;
  Instance instance = slab.instance();
  Ledger ledger = Ledger::create("", 1, "ndtel", 0);
  LedgerWriter<Instance> writer(instance, ledger, 0);
  CountingBridge bridge(writer);
  {
    LoadedModel model(kShape, 5, {.core = 3, .model_id = 9}, instance, bridge);
    const auto models = instance.models();
    ASSERT_EQ(models.size(), 1U);
    EXPECT_EQ(models[0].record.model_id, 9U);
    EXPECT_EQ(models[0].record.nc_index, 3);
    EXPECT_EQ(slab.nc(3, NDS_NC_COUNTER_MEM_USAGE_CONSTANTS_DEVICE), model.block().weight_bytes());
    EXPECT_EQ(model.block().weight_bytes(),
              sizeof(float) * (4 * kShape.width * kShape.width + 2 * kShape.width * kShape.hidden));
    EXPECT_EQ(instance.nd(NDS_ND_COUNTER_AGG_NEFF_ID), fold_neff_uuid(model.uuid()));
    EXPECT_EQ(model.uuid(), weights_uuid(TransformerBlock<float>(kShape, 5)));
    EXPECT_NE(model.uuid(), weights_uuid(TransformerBlock<float>(kShape, 6)));
  }
  EXPECT_TRUE(instance.models().empty());
}

TEST(CoreWorker, AKilledProcessStaysWithinItsLedger) {
  constexpr int kKills = 60;
  for (int i = 0; i < kKills; ++i) {
    SharedSlab slab;
    Ledger ledger = Ledger::create("", 3, "ndtel", 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Instance instance = slab.instance();
      CoreWorker one(
          {.core = 0, .ledger_thread = 1, .models = 1, .queue = 4, .shape = kShape, .seed = 1},
          instance, ledger);
      CoreWorker two(
          {.core = 1, .ledger_thread = 2, .models = 1, .queue = 4, .shape = kShape, .seed = 1},
          instance, ledger);
      for (;;) {
        one.submit(request(1'000'000'000));
        two.submit(request(0));
      }
    }
    while (ledger.sum(1, NDS_NC_COUNTER_INFER_TIMED_OUT).done == 0) usleep(100);
    usleep(static_cast<useconds_t>(i * 137 % 4000));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    for (std::uint32_t core = 0; core < 2; ++core) {
      for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_COUNT; ++counter) {
        if (!only_grows(counter)) continue;
        EXPECT_TRUE(ledger.sum(core, counter).contains(slab.nc(core, counter)))
            << core << ' ' << counter;
      }
    }
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
      EXPECT_LE(ledger.unfinished(thread).size(), 1U);
    }
  }
}

WorkloadSetup setup_with(unsigned processes, unsigned cores,
                         std::vector<std::uint32_t> device_cores) {
  WorkloadSetup setup;
  setup.processes = processes;
  setup.cores = cores;
  for (std::uint32_t i = 0; i < device_cores.size(); ++i) {
    setup.targets.push_back({"/dev/ndtel" + std::to_string(i), "ndtel", i, device_cores[i]});
  }
  return setup;
}

TEST(Place, SpreadsProcessesAndSharesNoCore) {
  const auto workers = place(setup_with(4, 2, {8, 8}));
  ASSERT_TRUE(workers);
  ASSERT_EQ(workers->size(), 4U);
  EXPECT_EQ((*workers)[0].device, "/dev/ndtel0");
  EXPECT_EQ((*workers)[1].device, "/dev/ndtel1");
  EXPECT_EQ((*workers)[2].device, "/dev/ndtel0");
  EXPECT_EQ((*workers)[0].cores, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ((*workers)[3].cores, (std::vector<std::uint32_t>{2, 3}));
}

TEST(Place, SaysWhenProcessesDoNotFit) {
  EXPECT_TRUE(place(setup_with(1, 2, {2})));
  const auto too_many = place(setup_with(2, 2, {2}));
  ASSERT_FALSE(too_many);
  EXPECT_NE(too_many.error().message.find("/dev/ndtel0 has 2 cores"), std::string::npos);
}

TEST(RunWorkload, AWorkerThatCannotOpenItsDeviceFails) {
  WorkloadSetup setup = setup_with(2, 1, {8});
  setup.targets[0].path = "/nonexistent/ndtel0";
  int started = 0, ended = 0;
  const auto workers = run_workload(
      setup, [&](const Worker&) { ++started; }, [&](const Worker&) { ++ended; });
  ASSERT_TRUE(workers);
  EXPECT_EQ(started, 2);
  EXPECT_EQ(ended, 2);
  for (const auto& worker : *workers) {
    EXPECT_TRUE(worker->failed());
    EXPECT_EQ(worker->end(), "failed with status 1");
    EXPECT_EQ(worker->ledger.sum(NDS_NC_COUNTER_INFER_COMPLETED).intent, 0U);
  }
}

TEST(Worker, NamesTheSignalThatKilledIt) {
  Worker worker;
  worker.status = SIGKILL;
  EXPECT_TRUE(worker.killed());
  EXPECT_FALSE(worker.failed());
  EXPECT_EQ(worker.end(), "killed by SIGKILL");
  worker.status = 0;
  EXPECT_EQ(worker.end(), "exited");
}

}  // namespace
}  // namespace ndtel::workload
