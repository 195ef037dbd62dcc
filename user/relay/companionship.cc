// SPDX-License-Identifier: Apache-2.0
//
// Which of our devices stands beside which of the vendor's, and making those that are missing.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "ndtel/relay.hpp"

namespace ndtel {
namespace {

constexpr std::string_view kOurs = "ndtel";
constexpr std::string_view kVendors = "neuron";

/// Name of an architecture in our module's new_device; empty for one it does not have.
std::string_view arch_word(std::uint32_t architecture) {
  switch (architecture) {
    case ND_ARCH_V2:
      return "v2";
    case ND_ARCH_V3:
      return "v3";
    case ND_ARCH_V4:
      return "v4";
    default:
      return {};
  }
}

}  // namespace

std::vector<Companionship> companionships(const std::vector<Node>& nodes) {
  std::vector<Companionship> pairs;
  for (const Node& vendor : nodes) {
    if (vendor.name_space != kVendors || !vendor.in_dev) continue;
    const auto ours = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) {
      return node.name_space == kOurs && node.index == vendor.index;
    });
    pairs.push_back({vendor, ours != nodes.end() ? std::optional(*ours) : std::nullopt});
  }
  return pairs;
}

Result<void> create_companion(const Node& vendor, const Roots& roots) {
  // The free lane takes no place there and waits for nothing.
  const auto device = Device::open(vendor.path, Lane::kFree);
  if (!device) return device.error();
  const auto info = device->basic_info();
  if (!info) return info.error();
  const std::string_view arch = arch_word(info->architecture);
  if (arch.empty()) {
    return Error{EOPNOTSUPP, fmt::format("{} is of {}, which has no companion devices", vendor.path,
                                         architecture_name(info->architecture))};
  }

  const std::string file = fmt::format("{}/bus/{}/new_device", roots.sys, kOurs);
  const std::string text = fmt::format("companion {} {}\n", vendor.index, arch);
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  int error = fd < 0 ? errno : 0;
  if (fd >= 0) {
    if (::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) error = errno;
    ::close(fd);
  }
  if (error == 0) return {};
  if (error == ENOENT) {
    return Error{error, fmt::format("module {} is not loaded (no {}): load it with 'modprobe {}'",
                                    kOurs, file, kOurs)};
  }
  return Error{error, fmt::format("cannot make a companion of {} by writing to {}: {}", vendor.path,
                                  file, std::generic_category().message(error))};
}

}  // namespace ndtel
