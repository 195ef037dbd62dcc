// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdio.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "../audit/counter_info.hpp"
#include "../nodes.hpp"
#include "../table.hpp"
#include "commands.hpp"

namespace ndtel::cli {
namespace {

using Json = nlohmann::ordered_json;
using workload::LedgerRange;
using workload::Worker;

struct Options {
  NodeFilter filter;
  workload::WorkloadSetup setup;
  std::string faults;
  bool json = false;
};

std::vector<workload::Target> targets_of(const NodeFilter& filter) {
  std::vector<workload::Target> targets;
  for (const Node& node : select_nodes(filter)) {
    const auto device = or_fail(Device::open(node.path, Lane::kFree));
    const auto info = or_fail(device.basic_info());
    const auto cores = cores_of(info.architecture);
    if (!cores) {
      throw Failure(Exit::kFailed,
                    fmt::format("{}: {}; this version does not know how many cores it has",
                                node.path, architecture_name(info.architecture)));
    }
    targets.push_back({node.path, node.name_space, static_cast<std::uint32_t>(node.index), *cores});
  }
  return targets;
}

std::string range_text(const LedgerRange& r) {
  return r.done == r.intent ? grouped(r.done)
                            : fmt::format("{}..{}", grouped(r.done), grouped(r.intent));
}

Json summary_json(const std::vector<std::unique_ptr<Worker>>& workers) {
  Json all = Json::array();
  for (const auto& worker : workers) {
    Json j{{"worker", worker->setup.number},    {"pid", worker->pid},
           {"namespace", worker->target.space}, {"device", worker->target.index},
           {"cores", worker->setup.cores},      {"end", worker->end()}};
    if (!worker->ledger_path.empty()) j["ledger"] = worker->ledger_path;
    Json counters = Json::object();
    for (const CounterInfo& info : counter_infos()) {
      const LedgerRange sum = worker->ledger.sum(info.counter);
      if (sum.intent > 0) counters[info.name] = {{"done", sum.done}, {"intent", sum.intent}};
    }
    j["counters"] = counters;
    all.push_back(j);
  }
  return Json{{"workers", all}};
}

std::string summary_text(const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<Table::Column> columns{{"counter"}};
  for (const auto& worker : workers) {
    columns.push_back({fmt::format("worker {}", worker->setup.number), Table::Align::kRight});
  }
  Table table(columns);
  for (const CounterInfo& info : counter_infos()) {
    std::vector<std::string> cells{info.name};
    bool any = false;
    for (const auto& worker : workers) {
      const LedgerRange sum = worker->ledger.sum(info.counter);
      any = any || sum.intent > 0;
      cells.push_back(range_text(sum));
    }
    if (any) table.add(std::move(cells));
  }
  return table.text();
}

Exit run(Options& options) {
  auto mix = workload::FaultMix::parse(options.faults);
  if (!mix) throw Failure(Exit::kUsage, mix.error().message);
  options.setup.each.faults = *mix;
  options.setup.targets = targets_of(options.filter);
  if (const auto placed = workload::place(options.setup); !placed) {
    throw Failure(Exit::kUsage, placed.error().message);
  }
  FILE* const talk = options.json ? stderr : stdout;
  const auto started = [&](const Worker& worker) {
    fmt::print(talk, "worker {} pid {} {}{} cores {}\n", worker.setup.number, worker.pid,
               worker.target.space, worker.target.index, fmt::join(worker.setup.cores, ","));
  };
  const auto ended = [&](const Worker& worker) {
    fmt::print(talk, "worker {} pid {} {}\n", worker.setup.number, worker.pid, worker.end());
  };
  const auto workers = or_fail(workload::run_workload(options.setup, started, ended));
  if (options.json) {
    fmt::print("{}\n", summary_json(workers).dump(2));
  } else {
    fmt::print("{}", summary_text(workers));
  }
  for (const auto& worker : workers) {
    if (worker->failed()) return Exit::kFailed;
  }
  return Exit::kOk;
}

}  // namespace

void add_workload(CLI::App& app, Exit& code) {
  auto options = std::make_shared<Options>();
  auto& setup = options->setup;
  auto& each = setup.each;
  CLI::App* command = app.add_subcommand(
      "workload", "Run processes that compute transformer blocks and count what they do");
  options->filter.add_to(*command);
  command->add_option("-p,--processes", setup.processes, "Processes, spread over the devices")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("-c,--cores", setup.cores, "Cores each process owns")
      ->check(CLI::Range(1, ND_MAX_NC_PER_DEVICE))
      ->capture_default_str();
  command->add_option("-s,--seconds", each.seconds, "How long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("-r,--rate", each.rate, "Inferences a second and core")
      ->check(CLI::Range(0.01, 100000.0))
      ->capture_default_str();
  command->add_option("--models", each.models, "Models loaded on each core")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--queue", each.queue, "Requests that may wait for a core")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--deadline-ms", each.deadline_ms, "Time an ordinary request may take")
      ->check(CLI::Range(1, 3600000))
      ->capture_default_str();
  command->add_option(
      "--faults", options->faults,
      "Shares of requests that are made wrong: nan (NaN in the input), deadline (no time), queue "
      "(submit until refused), shape (wrong shape); for instance nan=0.02,queue=0.01");
  command->add_option("--seed", each.seed, "Of weights, inputs and faults")->capture_default_str();
  command->add_option(
      "--ledger", setup.ledger,
      "Directory, best in a tmpfs, for ledgers of what was counted, for 'ndtel audit'; with one "
      "process also a file name that ends in .ledger");
  command->add_flag("--json", options->json, "Print a summary in JSON; progress goes to stderr");
  command->footer(
      "SIGTERM or SIGINT ends all processes after what they have queued; sent to one process it "
      "ends only that\n"
      "one. A process that is killed is reported and does not make the exit code 1; one that fails "
      "does.");
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace ndtel::cli
