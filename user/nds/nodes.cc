// SPDX-License-Identifier: Apache-2.0
//
// Finds device nodes. Two sources, because each can be missing: a container may have nodes without
// the host's sysfs, and a machine without udev has a class without nodes.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "ndtel/device.hpp"

namespace ndtel {
namespace {

namespace fs = std::filesystem;

// Ours first: where both drivers are loaded, index N means our device N.
constexpr std::string_view kNameSpaces[] = {"ndtel", "neuron"};

bool present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Index of a node name, or -1: "ndtel07", "ndtel", "ndtel64" and "ndtelx" are no nodes.
int index_of(std::string_view name, std::string_view name_space) {
  if (!name.starts_with(name_space)) return -1;
  const std::string_view digits = name.substr(name_space.size());
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) return -1;
  int index = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size()) return -1;
  return index >= 0 && index < ND_MAX_DEVICES ? index : -1;
}

fs::path module_of(const Roots& roots, std::string_view name_space) {
  return fs::path(roots.sys) / "module" / name_space;
}

fs::path class_of(const Roots& roots, std::string_view name_space) {
  return fs::path(roots.sys) / "class" / fmt::format("{}_device", name_space);
}

Driver driver_of(const Roots& roots, std::string_view name_space) {
  const fs::path module = module_of(roots, name_space);
  if (!present(module)) return Driver::kUnknown;
  if (name_space == "ndtel") return Driver::kNdtel;
  // Only ours simulates devices, so only ours has this parameter.
  return present(module / "parameters" / "sim_devices") ? Driver::kTwin : Driver::kVendor;
}

template <typename Mark>
void scan(const fs::path& folder, std::string_view name_space, Mark mark) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const int index = index_of(it->path().filename().native(), name_space);
    if (index >= 0) mark(index);
  }
}

}  // namespace

std::string_view driver_name(Driver driver) noexcept {
  switch (driver) {
    case Driver::kNdtel:
      return "ndtel";
    case Driver::kTwin:
      return "ndtel (neuron names)";
    case Driver::kVendor:
      return "vendor";
    case Driver::kUnknown:
      break;
  }
  return "unknown";
}

std::vector<Node> enumerate_nodes(const Roots& roots) {
  std::vector<Node> nodes;
  for (std::string_view name_space : kNameSpaces) {
    std::map<int, Node> found;
    scan(roots.dev, name_space, [&](int index) { found[index].in_dev = true; });
    scan(class_of(roots, name_space), name_space, [&](int index) { found[index].in_class = true; });

    const Driver driver = driver_of(roots, name_space);
    const std::string version = first_line(module_of(roots, name_space) / "version");
    for (auto& [index, node] : found) {
      node.path = fmt::format("{}/{}{}", roots.dev, name_space, index);
      node.name_space = name_space;
      node.index = index;
      node.driver = driver;
      node.module_version = version;
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

Error explain_no_nodes(const Roots& roots) {
  for (std::string_view name_space : kNameSpaces) {
    const Driver driver = driver_of(roots, name_space);
    if (driver == Driver::kUnknown) continue;
    if (driver == Driver::kVendor)
      return {ENODEV,
              fmt::format("the vendor's module {} is loaded but has no device ({} is empty): "
                          "see dmesg for why it bound none",
                          name_space, class_of(roots, name_space).native())};
    return {ENODEV, fmt::format("module {0} is loaded but has no device ({1} is empty): create a "
                                "simulated one with 'echo sim v3 > {2}/bus/{0}/new_device'",
                                name_space, class_of(roots, name_space).native(), roots.sys)};
  }
  return {
      ENODEV,
      fmt::format("no Neuron device: neither module ndtel nor module neuron is loaded (no {0} and "
                  "no {1}): load one, for instance with 'insmod ndtel.ko sim_devices=1'",
                  module_of(roots, kNameSpaces[0]).native(),
                  module_of(roots, kNameSpaces[1]).native())};
}

Result<Node> find_node(int index, const Roots& roots) {
  std::vector<Node> nodes = enumerate_nodes(roots);
  if (nodes.empty()) return explain_no_nodes(roots);
  for (Node& node : nodes) {
    if (node.index == index) return std::move(node);
  }
  std::string known;
  for (const Node& node : nodes) known += fmt::format("{}{}", known.empty() ? "" : ", ", node.path);
  return Error{ENODEV, fmt::format("no device with index {}: there are {}", index, known)};
}

}  // namespace ndtel
