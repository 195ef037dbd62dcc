// SPDX-License-Identifier: Apache-2.0
#include "worker_process.hpp"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "client.hpp"
#include "core_worker.hpp"
#include "ndtel/device.hpp"
#include "nrt/nrt.h"
#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::workload {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
// After a stall (a stopped guest, a debugger) go on from now instead of catching up.
constexpr std::uint64_t kMostBehind = kSecond;

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

/// Wait until a time, or until asked to stop; true when asked.
bool stop_before(std::uint64_t when_ns) {
  const sigset_t set = stop_signals();
  for (;;) {
    const std::uint64_t now = monotonic_ns();
    const std::uint64_t left = when_ns > now ? when_ns - now : 0;
    const timespec wait{static_cast<time_t>(left / kSecond), static_cast<long>(left % kSecond)};
    if (sigtimedwait(&set, nullptr, &wait) >= 0) return true;
    if (errno == EAGAIN) return false;
  }
}

/// The runtime as this process uses it: traced when the environment asks for it.
class Runtime {
 public:
  explicit Runtime(const std::vector<std::uint32_t>& cores) {
    // Events are of the cores of the device, whichever of them are ours.
    nrt_sys_trace_set_visible_vnc_count(*std::ranges::max_element(cores) + 1);
    status_ = nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
  }
  ~Runtime() {
    if (status_ == NRT_SUCCESS) nrt_close();
  }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  NRT_STATUS status() const { return status_; }

 private:
  NRT_STATUS status_;
};

NRT_STATUS introduce(Instance& instance, const WorkerSetup& setup) {
  const std::string tag = "workload-" + std::to_string(setup.number);
  setenv("NEURON_PROCESS_TAG", tag.c_str(), 0);
  kmetric_process_versions_t versions{};
  versions.framework_type = NDS_FRAMEWORK_NONE;
  versions.runtime = NDTEL_VERSION;
  if (setup.cores.size() > 1) instance.or_nd(NDS_ND_COUNTER_FEATURE_BITMAP, NDS_FEATURE_MULTICORE);
  return save_process_info(instance, versions);
}

}  // namespace

Result<void> run_worker(const WorkerSetup& setup, Ledger& ledger) {
  // Blocked before any thread starts, so that the signals reach the wait below and nothing else.
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ledger.claim(getpid());
  const Runtime runtime(setup.cores);
  if (runtime.status() != NRT_SUCCESS)
    return Error{EINVAL, "NEURON_RT_INSPECT_*: these variables ask for what cannot be, see above"};

  const auto device = Device::open(setup.device, Lane::kReadWrite);
  if (!device) return device.error();
  auto opened = Instance::open(*device);
  if (!opened) return opened.error();
  Instance instance = std::move(*opened);
  if (introduce(instance, setup) != NRT_SUCCESS) {
    return Error{EIO, setup.device + ": the process record could not be published"};
  }

  LedgerWriter<Instance> writer(instance, ledger, 0);
  CountingBridge bridge(writer);
  Client client({.shape = setup.shape,
                 .faults = setup.faults,
                 .budget_ns = setup.deadline_ms * 1'000'000,
                 .models = setup.models,
                 .seed = setup.seed * 7919 + static_cast<std::uint64_t>(setup.number)});
  bridge.register_alloc(setup.cores[0], TDRV_MEM_USAGE_TENSOR, TDRV_MEM_LOCATION_HOST,
                        client.input_bytes());
  {
    std::vector<std::unique_ptr<CoreWorker>> cores;
    for (std::size_t i = 0; i < setup.cores.size(); ++i) {
      cores.push_back(std::make_unique<CoreWorker>(
          CoreWorker::Setup{.core = setup.cores[i],
                            .ledger_thread = static_cast<std::uint32_t>(1 + i),
                            .models = setup.models,
                            .queue = setup.queue,
                            .shape = setup.shape,
                            .seed = setup.seed},
          instance, ledger));
    }
    const auto period = static_cast<std::uint64_t>(static_cast<double>(kSecond) / setup.rate);
    std::uint64_t next = monotonic_ns();
    const std::uint64_t end =
        next + static_cast<std::uint64_t>(setup.seconds * static_cast<double>(kSecond));
    while (next < end && !stop_before(next)) {
      for (const auto& core : cores) {
        client.turn([&](Request request) { return core->submit(std::move(request)); },
                    [&] { bridge.exec_stats(core->core(), NRT_QUEUE_FULL); });
      }
      const std::uint64_t now = monotonic_ns();
      next += period;
      if (next + kMostBehind < now) next = now;
    }
  }
  bridge.register_free(setup.cores[0], TDRV_MEM_USAGE_TENSOR, TDRV_MEM_LOCATION_HOST,
                       client.input_bytes());
  return {};
}

}  // namespace ndtel::workload
