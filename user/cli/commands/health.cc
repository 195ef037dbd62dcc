// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "../health/rules.hpp"
#include "../nodes.hpp"
#include "commands.hpp"

namespace ndtel::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view verdict_name(Exit verdict) {
  return verdict == Exit::kOk ? "healthy" : verdict == Exit::kFailed ? "not healthy" : "unknown";
}

struct Examined {
  Node node;
  std::vector<Finding> findings;
};

std::string text_of(const std::vector<Examined>& all) {
  std::string text;
  for (const Examined& device : all) {
    text += fmt::format("{}: {}\n", device.node.path, verdict_name(verdict(device.findings)));
    for (const Finding& finding : device.findings) {
      text += fmt::format("  {}: {}\n    because {}\n    {}\n", severity_name(finding.severity),
                          finding.what, finding.evidence, finding.advice);
    }
  }
  return text;
}

std::string json_of(const std::vector<Examined>& all) {
  Json out = Json::array();
  for (const Examined& device : all) {
    Json j{{"node", device.node.path},
           {"namespace", device.node.name_space},
           {"device", device.node.index},
           {"verdict", verdict_name(verdict(device.findings))},
           {"findings", Json::array()}};
    for (const Finding& finding : device.findings) {
      j["findings"].push_back({{"severity", severity_name(finding.severity)},
                               {"what", finding.what},
                               {"evidence", finding.evidence},
                               {"advice", finding.advice}});
    }
    out.push_back(j);
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void add_health(CLI::App& app, Exit& code) {
  struct Options {
    NodeFilter filter;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("health", "Say what is wrong with each device, and why that is believed");
  options->filter.add_to(*command);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Exit codes: 0 healthy; 1 something is wrong; 3 nothing is known to be wrong, but not "
      "everything could be looked at.");
  command->callback([options, &code] {
    std::vector<Examined> all;
    std::vector<Finding> findings;
    for (const Node& node : select_nodes(options->filter)) {
      all.push_back({node, examine(node, read_fact)});
      auto& found = all.back().findings;
      std::stable_sort(found.begin(), found.end(),
                       [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
      findings.insert(findings.end(), found.begin(), found.end());
    }
    fmt::print("{}", options->json ? json_of(all) : text_of(all));
    code = verdict(findings);
  });
}

}  // namespace ndtel::cli
