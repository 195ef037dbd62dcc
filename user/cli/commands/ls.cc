// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "../nodes.hpp"
#include "../table.hpp"
#include "commands.hpp"

namespace ndtel::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What is known of a device; what is not stays absent.
struct Listed {
  Node node;
  std::optional<std::uint32_t> architecture;
  std::optional<std::string> state;  ///< only drivers that publish it in their class
  std::optional<std::vector<Owner>> owners;
  std::vector<std::string> notes;  ///< why something is absent
};

Listed inspect(const Node& node) {
  Listed listed{node, {}, {}, {}, {}};
  std::ifstream state(
      fmt::format("/sys/class/{}_device/{}{}/state", node.name_space, node.name_space, node.index));
  if (std::string text; std::getline(state, text)) listed.state = text;
  // The free lane takes nothing and waits for nothing.
  if (const auto free = Device::open(node.path, Lane::kFree)) {
    if (const auto info = free->basic_info()) listed.architecture = info->architecture;
  } else {
    listed.notes.push_back(free.error().message);
    return listed;
  }
  const auto device = Device::open(node.path, Lane::kReadOnly);
  if (!device) {
    listed.notes.push_back(device.error().message);
    return listed;
  }
  if (auto owners = owners_of(*device)) {
    listed.owners = std::move(*owners);
  } else {
    listed.notes.push_back(owners.error().message);
  }
  return listed;
}

std::string owners_text(const Listed& listed) {
  if (!listed.owners) return "?";
  std::string text;
  for (const Owner& owner : *listed.owners) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", owner.pid);
    if (owner.tag) text += fmt::format(" ({})", *owner.tag);
    if (!owner.cores.empty()) {
      text += fmt::format(" on core{} {}", owner.cores.size() == 1 ? "" : "s",
                          fmt::join(owner.cores, " "));
    }
  }
  return text.empty() ? "none" : text;
}

std::string table_text(const std::vector<Listed>& all) {
  const bool states =
      std::any_of(all.begin(), all.end(), [](const Listed& l) { return l.state.has_value(); });
  std::vector<Table::Column> columns{
      {"node"}, {"driver"}, {"version"}, {"architecture"}, {"cores", Table::Align::kRight}};
  if (states) columns.push_back({"state"});
  columns.push_back({"owners"});
  Table table(columns);
  std::string notes;
  for (const Listed& l : all) {
    const auto cores = l.architecture ? cores_of(*l.architecture) : std::nullopt;
    std::vector<std::string> cells{l.node.path, std::string(driver_name(l.node.driver)),
                                   l.node.module_version.empty() ? "?" : l.node.module_version,
                                   l.architecture ? architecture_name(*l.architecture) : "?",
                                   cores ? std::to_string(*cores) : "?"};
    if (states) cells.push_back(l.state.value_or("?"));
    cells.push_back(owners_text(l));
    table.add(std::move(cells));
    for (const std::string& note : l.notes) notes += note + "\n";
  }
  return table.text() + notes;
}

std::string json_text(const std::vector<Listed>& all) {
  Json out = Json::array();
  for (const Listed& l : all) {
    Json j{{"node", l.node.path},
           {"namespace", l.node.name_space},
           {"device", l.node.index},
           {"driver", driver_name(l.node.driver)}};
    if (!l.node.module_version.empty()) j["version"] = l.node.module_version;
    if (l.architecture) {
      j["architecture"] = *l.architecture;
      if (const auto cores = cores_of(*l.architecture)) j["cores"] = *cores;
    }
    if (l.state) j["state"] = *l.state;
    if (l.owners) {
      j["owners"] = Json::array();
      for (const Owner& owner : *l.owners) {
        Json o{{"pid", owner.pid}};
        if (owner.tag) o["tag"] = *owner.tag;
        o["locked_cores"] = owner.cores;
        j["owners"].push_back(o);
      }
    }
    if (!l.notes.empty()) j["notes"] = l.notes;
    out.push_back(j);
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void add_ls(CLI::App& app, Exit&) {
  struct Options {
    NodeFilter filter;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("ls", "List devices, their drivers and who counts on them");
  options->filter.add_to(*command);
  command->add_flag("--json", options->json, "Print JSON; what is unknown is left out");
  command->callback([options] {
    std::vector<Listed> all;
    for (const Node& node : select_nodes(options->filter)) all.push_back(inspect(node));
    fmt::print("{}", options->json ? json_text(all) : table_text(all));
  });
}

}  // namespace ndtel::cli
