// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "nodes.hpp"

namespace ndtel::cli {

void NodeFilter::add_to(CLI::App& command) {
  command.add_option("-d,--device", devices, "Only these device indices")
      ->delimiter(',')
      ->check(CLI::Range(0, ND_MAX_DEVICES - 1));
  command
      .add_option("--namespace", space,
                  "Only nodes of this driver: ndtel, or neuron (the vendor's and our twin's)")
      ->check(CLI::IsMember({"ndtel", "neuron"}));
}

}  // namespace ndtel::cli
