// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "../nodes.hpp"
#include "../stop_flag.hpp"
#include "commands.hpp"

namespace ndtel::cli {

void add_pause(CLI::App& app, Exit&) {
  struct Options {
    NodeFilter filter;
    std::optional<double> seconds;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "pause",
      "Pause periodic posting while this command runs; counting goes on and nothing is lost");
  options->filter.add_to(*command);
  command
      ->add_option("-s,--seconds", options->seconds, "Resume after this time (default: on Ctrl-C)")
      ->check(CLI::PositiveNumber);
  command->callback([options] {
    const StopFlag stop;
    std::vector<Device> votes;  // a vote lasts as long as its file is open
    for (const Node& node : select_nodes(options->filter)) {
      votes.push_back(or_fail(Device::open(node.path, Lane::kReadWrite)));
      if (const auto voted = votes.back().vote_posting(false); !voted) fail_with(voted.error());
      fmt::print("posting of {} is paused\n", node.path);
    }
    const Deadline deadline(options->seconds);
    while (!sleep_unless_done(1, stop, deadline)) {
    }
    votes.clear();
    fmt::print("posting goes on\n");
  });
}

}  // namespace ndtel::cli
