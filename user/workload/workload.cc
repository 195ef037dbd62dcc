// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace ndtel::workload {
namespace {

std::vector<pid_t> g_workers;

extern "C" void pass_on(int signal) {
  for (const pid_t pid : g_workers) {
    if (pid > 0) kill(pid, signal);
  }
}

/// Passes stop signals on to the workers while it lives.
class PassOnSignals {
 public:
  PassOnSignals() {
    struct sigaction action {};
    action.sa_handler = pass_on;
    sigaction(SIGTERM, &action, &term_);
    sigaction(SIGINT, &action, &int_);
  }
  ~PassOnSignals() {
    sigaction(SIGTERM, &term_, nullptr);
    sigaction(SIGINT, &int_, nullptr);
    g_workers.clear();
  }
  PassOnSignals(const PassOnSignals&) = delete;
  PassOnSignals& operator=(const PassOnSignals&) = delete;

 private:
  struct sigaction term_ {
  }, int_{};
};

[[noreturn]] void worker_main(const WorkerSetup& setup, Ledger& ledger, pid_t parent) {
  // A worker without its workload would run on unseen.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  int code = 0;
  try {
    const auto result = run_worker(setup, ledger);
    if (!result) {
      fmt::print(stderr, "worker {}: {}\n", setup.number, result.error().message);
      code = 1;
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "worker {}: {}\n", setup.number, e.what());
    code = 1;
  }
  fflush(stderr);
  _exit(code);
}

/// Where a worker's ledger goes. The workload's pid is in the name: ledgers of several runs lie
/// side by side, as the kernel's books add them up.
std::string ledger_path(const WorkloadSetup& setup, int number) {
  if (setup.ledger.empty()) return {};
  if (setup.processes == 1 && setup.ledger.ends_with(".ledger")) return setup.ledger;
  return fmt::format("{}/worker-{}-{}.ledger", setup.ledger, getpid(), number);
}

}  // namespace

bool Worker::killed() const { return WIFSIGNALED(status); }
bool Worker::failed() const { return WIFEXITED(status) && WEXITSTATUS(status) != 0; }

std::string Worker::end() const {
  if (killed()) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    return name != nullptr ? fmt::format("killed by SIG{}", name)
                           : fmt::format("killed by signal {}", WTERMSIG(status));
  }
  return failed() ? fmt::format("failed with status {}", WEXITSTATUS(status)) : "exited";
}

Result<std::vector<WorkerSetup>> place(const WorkloadSetup& setup) {
  std::vector<WorkerSetup> workers;
  for (unsigned i = 0; i < setup.processes; ++i) {
    const Target& target = setup.targets[i % setup.targets.size()];
    const unsigned first = static_cast<unsigned>(i / setup.targets.size()) * setup.cores;
    if (first + setup.cores > target.cores) {
      return Error{EINVAL,
                   fmt::format("{} processes with {} cores each do not fit: {} has {} cores",
                               setup.processes, setup.cores, target.path, target.cores)};
    }
    WorkerSetup worker = setup.each;
    worker.number = static_cast<int>(i);
    worker.device = target.path;
    for (unsigned c = 0; c < setup.cores; ++c) worker.cores.push_back(first + c);
    workers.push_back(std::move(worker));
  }
  return workers;
}

Result<std::vector<std::unique_ptr<Worker>>> run_workload(
    const WorkloadSetup& setup, const std::function<void(const Worker&)>& started,
    const std::function<void(const Worker&)>& ended) {
  auto placed = place(setup);
  if (!placed) return placed.error();
  std::vector<std::unique_ptr<Worker>> workers;
  try {
    if (!setup.ledger.empty() && !(setup.processes == 1 && setup.ledger.ends_with(".ledger"))) {
      std::filesystem::create_directories(setup.ledger);
    }
    for (const WorkerSetup& each : *placed) {
      auto worker = std::make_unique<Worker>();
      worker->setup = each;
      worker->target = setup.targets[static_cast<std::size_t>(each.number) % setup.targets.size()];
      worker->ledger_path = ledger_path(setup, each.number);
      worker->ledger = Ledger::create(worker->ledger_path, ledger_threads(each),
                                      worker->target.space, worker->target.index);
      workers.push_back(std::move(worker));
    }
  } catch (const std::system_error& e) {
    return Error{e.code().value(), e.what()};
  }

  const PassOnSignals signals;
  g_workers.reserve(workers.size());  // the handler must never meet a list that moves
  const pid_t self = getpid();
  fflush(nullptr);  // or each child would print it once more
  for (const auto& worker : workers) {
    const pid_t pid = fork();
    if (pid < 0) {
      const int error = errno;
      pass_on(SIGTERM);
      while (waitpid(-1, nullptr, 0) > 0) {
      }
      return Error{error,
                   fmt::format("cannot fork worker {}: {}", worker->setup.number, strerror(error))};
    }
    if (pid == 0) {
      signal(SIGTERM, SIG_DFL);
      signal(SIGINT, SIG_DFL);
      worker_main(worker->setup, worker->ledger, self);
    }
    worker->pid = pid;
    g_workers.push_back(pid);
    started(*worker);
  }
  for (std::size_t left = workers.size(); left > 0;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) break;
    const auto worker = std::find_if(workers.begin(), workers.end(),
                                     [pid](const auto& w) { return w->pid == pid; });
    if (worker == workers.end()) continue;
    // A pid that was waited for may belong to somebody else from now on.
    std::replace(g_workers.begin(), g_workers.end(), pid, pid_t{0});
    (*worker)->status = status;
    ended(**worker);
    --left;
  }
  return workers;
}

}  // namespace ndtel::workload
