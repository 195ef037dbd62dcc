// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <memory>
#include <variant>

#include "../../inspect/filters.hpp"
#include "../../inspect/instance.hpp"
#include "../../inspect/output_directory.hpp"
#include "../run/traced_command.hpp"
#include "commands.hpp"

namespace ndtel::cli {
namespace {

struct Options {
  RunOptions run;
  std::string directory;
  std::string cores, types;
  std::uint64_t max_events = 0;
  double wait_s = 5;
  bool no_host = false, quiet = false;
};

template <typename Set>
void check(const char* option, const std::variant<Set, inspect::BadWord>& parsed) {
  if (const auto* bad = std::get_if<inspect::BadWord>(&parsed))
    throw Failure(Exit::kUsage,
                  fmt::format("{}: '{}' at {} {}", option, bad->word, bad->place, bad->reason));
}

int run(Options& options) {
  if (options.run.command.empty())
    throw Failure(Exit::kUsage, "there is no command; see 'ndtel run --help'");
  auto base = inspect::resolve_base(options.directory);
  if (!base) throw Failure(Exit::kUsage, base.error().message);
  auto& environment = options.run.environment;
  if (!options.cores.empty()) {
    check("--cores", inspect::parse_cores(options.cores));
    environment.emplace_back("NEURON_RT_INSPECT_EVENT_FILTER_NC", options.cores);
  }
  if (!options.types.empty()) {
    check("--types", inspect::parse_types(options.types));
    environment.emplace_back("NEURON_RT_INSPECT_EVENT_FILTER_TYPE", options.types);
  }
  if (options.max_events != 0)
    environment.emplace_back("NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC",
                             fmt::format("{}", options.max_events));
  environment.emplace_back("NEURON_RT_INSPECT_SYSTEM_PROFILE", "1");
  for (const char* name : {"NEURON_RT_INSPECT_CPU_UTIL", "NEURON_RT_INSPECT_HOST_MEMORY"})
    environment.emplace_back(name, options.no_host ? "0" : "1");
  // Whether files can be made there is better known before the command runs than after.
  {
    auto probe = inspect::OutputDirectory::make(
        *base, inspect::process_directory(inspect::this_instance(), ::getpid()), 0, false);
    if (!probe) throw Failure(Exit::kMissing, probe.error().message);
  }
  options.run.directory = *base;
  options.run.patience =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.wait_s * 1000));
  options.run.talk = stderr;
  options.run.progress = !options.quiet && ::isatty(STDERR_FILENO) == 1;
  return run_traced(options.run);
}

}  // namespace

void add_run(CLI::App& app, Exit& code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("run", "Run a command and get the trace files of all its processes");
  command->add_option("-o,--output", options->directory, "Directory for the files [./output]");
  command
      ->add_option("-n,--max-events", options->max_events,
                   "Events each core keeps; the oldest give way")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32));
  command->add_option("--cores", options->cores, "Cores to record, as 0,2,4-7 [all]");
  command->add_option("--types", options->types,
                      "Event types to record: names, hardware, software, ^ for all but [all]");
  command->add_flag("--no-host", options->no_host,
                    "Do not sample processors and memory of the host");
  command
      ->add_option("--wait", options->wait_s,
                   "Seconds to wait for processes that outlive the command")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  command->add_flag("-q,--quiet", options->quiet, "Do not show progress");
  command->add_option("command", options->run.command, "After --: what to run, with its arguments");
  command->positionals_at_end();
  command->footer(
      "Each process that uses libndtel writes DIR/<instance>_pid_<pid>/ when it ends; what a "
      "process that was killed\n"
      "could not write is taken from its memory. Signals sent to ndtel run go to the command.\n"
      "Exit code: that of the command; 128 + N when signal N ended it; 127 there is no such "
      "command, 126 it cannot be run;\n"
      "1 it succeeded and files could not be written; 2 and 3 nothing was run: bad options, or no "
      "place for files.");
  command->callback([options, &code] { code = static_cast<Exit>(run(*options)); });
}

}  // namespace ndtel::cli
