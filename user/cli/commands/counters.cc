// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "../sample.hpp"
#include "../stop_flag.hpp"
#include "commands.hpp"

namespace ndtel::cli {
namespace {

struct Options {
  NodeFilter filter;
  std::optional<double> watch;
  std::optional<double> seconds;
  bool all = false;
  bool json = false;
};

void run(const Options& options) {
  const StopFlag stop;
  const bool screen = options.watch && !options.json && isatty(STDOUT_FILENO) != 0;
  const Deadline deadline(options.seconds);
  std::vector<ProcessSample> before;
  do {
    // Devices come and go while we watch.
    auto now = sample(select_nodes(options.filter));
    if (screen) fmt::print("\x1b[H\x1b[2J");
    if (options.json) {
      fmt::print("{}\n", sample_json(now));
    } else {
      fmt::print("{}", options.all ? sample_list(now) : sample_table(now, before));
      if (options.watch && !screen) fmt::print("\n");
    }
    before = std::move(now);
  } while (options.watch && !sleep_unless_done(*options.watch, stop, deadline));
}

}  // namespace

void add_counters(CLI::App& app, Exit&) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "counters", "Read the counters of live processes, by device, process and core");
  options->filter.add_to(*command);
  command
      ->add_option("-w,--watch", options->watch,
                   "Read again and again, each so many seconds (default 1)")
      ->expected(0, 1)
      ->default_str("1")
      ->check(CLI::Range(0.05, 86400.0));
  command->add_option("-s,--seconds", options->seconds, "With --watch: end after this time")
      ->check(CLI::PositiveNumber);
  command->add_flag("-a,--all", options->all, "List every counter that is not zero");
  command->add_flag("--json", options->json,
                    "Print one JSON object a reading; what cannot be read is left out");
  command->callback([options] { run(*options); });
}

}  // namespace ndtel::cli
