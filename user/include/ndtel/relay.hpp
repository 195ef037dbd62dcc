// SPDX-License-Identifier: Apache-2.0
//
// The relay: posts of companion devices (devices of our module without hardware) are read here and
// handed to the vendor's driver, which has the hardware.
#ifndef NDTEL_RELAY_HPP
#define NDTEL_RELAY_HPP

#include <ndtel/relay.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ndtel/device.hpp"
#include "ndtel/result.hpp"

namespace ndtel {

/// The agent's end of a companion device. The device posts while this exists, and only then.
class Relay {
 public:
  /// Opens a companion's node and attaches. Error EBUSY: another agent is attached; EOPNOTSUPP: the
  /// device is no companion; EPERM, EACCES: not as this user.
  static Result<Relay> attach(const std::string& path);

  /// For poll(2): POLLIN when a post waits, POLLHUP when the device was removed.
  int fd() const noexcept { return device_.fd(); }

  /// The post that waits; nothing when none does. It stays pending in the kernel until it is
  /// acknowledged as accepted.
  Result<std::optional<nd_relay_post>> read() const;
  Result<void> acknowledge(std::uint64_t seq, nmetric_result result) const;

 private:
  explicit Relay(Device device) : device_(std::move(device)) {}
  Device device_;
};

/// What became of a post that was handed to a driver.
struct Delivery {
  nmetric_result result = NMETRIC_UNKNOWN;
  int error = 0;        ///< errno; 0 when accepted
  bool absent = false;  ///< the driver has no such device (any more)
  std::string message;  ///< a sentence, empty when accepted
};

/// What an errno of POST_METRIC means for the post: refused when the post certainly did not reach
/// the firmware, unknown whenever it may have.
nmetric_result result_of_post(int error) noexcept;

/// Hands a post to the driver behind a node. Opens the node for just this one command: drivers of
/// the family have few places for processes, and an open node keeps their module loaded.
Delivery deliver(const std::string& node, std::span<const std::uint8_t> records);

/// A device of the vendor's driver, and ours that stands beside it when there is one.
struct Companionship {
  Node vendor;
  std::optional<Node> companion;

  int index() const noexcept { return vendor.index; }
};

/// Pairs the vendor's devices among `nodes` with ours of the same index.
std::vector<Companionship> companionships(const std::vector<Node>& nodes);

/// Makes the companion of a vendor's device. Error ENOENT: our module is not loaded; EEXIST: we
/// have a device with this index; EOPNOTSUPP: an architecture we do not know.
Result<void> create_companion(const Node& vendor, const Roots& roots = {});

}  // namespace ndtel

#endif  // NDTEL_RELAY_HPP
