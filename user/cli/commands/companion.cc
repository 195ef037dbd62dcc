// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <stdio.h>

#include <cstdlib>
#include <memory>

#include "../companion/fleet.hpp"
#include "../companion/journal.hpp"
#include "../stop_flag.hpp"
#include "commands.hpp"

namespace ndtel::cli {
namespace {

struct Options {
  std::vector<int> devices;
  double interval = 2;
  bool once = false;
};

// A driver can keep a post for long when its firmware is silent; the kernel books a post whose
// agent has gone as unknown, so nothing is lost by not waiting for it.
constexpr std::chrono::seconds kPatience{5};

Exit run(const Options& options) {
  Journal journal([](const std::string& line) { fmt::print("{}\n", line); });
  Fleet fleet(options.devices, journal);
  if (options.once) {
    return fleet.make_missing() ? Exit::kOk : Exit::kMissing;
  }
  const StopFlag stop;
  const Deadline never({});
  do {
    fleet.scan();
  } while (!sleep_unless_done(options.interval, stop, never));
  if (!fleet.stop(kPatience)) {
    fmt::print("{} deliveries have not ended; what became of their posts is booked as unknown\n",
               fleet.couriers());
    fflush(stdout);
    std::_Exit(static_cast<int>(Exit::kOk));
  }
  fmt::print("ended\n");
  return Exit::kOk;
}

}  // namespace

void add_companion(CLI::App& app, Exit& code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "companion",
      "Stand beside the vendor's driver: make a device of ours for each of its devices, and hand "
      "their posts to its firmware");
  command->add_option("-d,--device", options->devices, "Only these of the vendor's device indices")
      ->delimiter(',')
      ->check(CLI::Range(0, ND_MAX_DEVICES - 1));
  command
      ->add_option("-i,--interval", options->interval,
                   "Seconds between looks for devices that came or went")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  command->add_flag("--once", options->once,
                    "Make the companion devices that are missing and end, without relaying");
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace ndtel::cli
