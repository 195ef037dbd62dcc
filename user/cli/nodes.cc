// SPDX-License-Identifier: Apache-2.0
#include "nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "failure.hpp"

namespace ndtel::cli {

bool NodeFilter::matches(const std::string& node_space, std::uint32_t index) const {
  if (!space.empty() && node_space != space) return false;
  return devices.empty() ||
         std::find(devices.begin(), devices.end(), static_cast<int>(index)) != devices.end();
}

std::vector<std::string> namespaces(const NodeFilter& filter) {
  if (!filter.space.empty()) return {filter.space};
  return {"ndtel", "neuron"};
}

std::vector<Node> select_nodes(const NodeFilter& filter) {
  std::vector<Node> all = enumerate_nodes();
  if (all.empty()) throw Failure(Exit::kMissing, explain_no_nodes().message);
  std::vector<Node> chosen;
  for (Node& node : all) {
    if (filter.matches(node.name_space, static_cast<std::uint32_t>(node.index))) {
      chosen.push_back(std::move(node));
    }
  }
  if (chosen.empty()) {
    std::string wanted = filter.space.empty() ? "any namespace" : "namespace " + filter.space;
    if (!filter.devices.empty()) {
      wanted = fmt::format("index {} in {}", fmt::join(filter.devices, ", "), wanted);
    }
    throw Failure(
        Exit::kMissing,
        fmt::format("there is no device with {}; 'ndtel ls' shows those there are", wanted));
  }
  return chosen;
}

std::optional<std::uint32_t> cores_of(std::uint32_t architecture) {
  switch (architecture) {
    case ND_ARCH_V1:
      return 4;
    case ND_ARCH_V2:
      return 2;
    case ND_ARCH_V3:
    case ND_ARCH_V4:
      return 8;
    default:
      return std::nullopt;
  }
}

std::optional<std::string> tag_of(const Reader& reader) {
  if (const auto ext = reader.process_info_ext()) return std::string(field_text(ext->tag));
  if (const auto info = reader.process_info()) return std::string(field_text(info->tag));
  return std::nullopt;
}

std::vector<unsigned> cores_in(std::uint8_t lock_map) {
  std::vector<unsigned> cores;
  for (unsigned core = 0; core < 8; ++core) {
    if ((lock_map >> core & 1) != 0) cores.push_back(core);
  }
  return cores;
}

Result<std::vector<Owner>> owners_of(const Device& device) {
  const auto apps = device.apps();
  if (!apps) return apps.error();
  std::vector<Owner> owners;
  for (const nd_ioctl_app_record& app : *apps) {
    if (app.pid == getpid()) continue;
    Owner owner;
    owner.pid = app.pid;
    owner.cores = cores_in(app.nc_lock_map);
    if (const auto reader = Reader::open(device, app.pid)) owner.tag = tag_of(*reader);
    owners.push_back(std::move(owner));
  }
  return owners;
}

void fail_with(const Error& error) {
  const bool missing = error.code == ENOENT || error.code == ENODEV || error.code == ENXIO ||
                       error.code == EACCES || error.code == EPERM;
  throw Failure(missing ? Exit::kMissing : Exit::kFailed, error.message);
}

}  // namespace ndtel::cli
