// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_NODES_HPP
#define NDTEL_CLI_NODES_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ndtel/device.hpp"
#include "ndtel/nds.hpp"

namespace CLI {
class App;
}

namespace ndtel::cli {

/// Which devices a command is about: --device and --namespace, both optional.
struct NodeFilter {
  std::vector<int> devices;
  std::string space;

  void add_to(CLI::App& command);
  bool matches(const std::string& node_space, std::uint32_t index) const;
};

/// The namespaces a filter leaves; all when it names none.
std::vector<std::string> namespaces(const NodeFilter& filter);

/// The nodes a filter leaves. Throws Failure (missing) when there is none, saying why.
std::vector<Node> select_nodes(const NodeFilter& filter);

/// Cores of a device of an architecture; nothing for one we do not know.
std::optional<std::uint32_t> cores_of(std::uint32_t architecture);

/// A process that publishes on a device, or has locked cores of it.
struct Owner {
  pid_t pid = 0;
  std::optional<std::string> tag;  ///< from its process record, when it published one
  std::vector<unsigned> cores;     ///< those it has locked
};

/// The cores of a lock map, bit per core.
std::vector<unsigned> cores_in(std::uint8_t lock_map);

/// The processes that own a slab of an open device or have locked its cores, this one left out.
Result<std::vector<Owner>> owners_of(const Device& device);

/// The tag of a process record.
std::optional<std::string> tag_of(const Reader& reader);

/// Unwrap a result: a failed one ends the command, as missing for what a user can put right.
template <class T>
T or_fail(Result<T> result);

[[noreturn]] void fail_with(const Error& error);

template <class T>
T or_fail(Result<T> result) {
  if (!result) fail_with(result.error());
  return std::move(*result);
}

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_NODES_HPP
