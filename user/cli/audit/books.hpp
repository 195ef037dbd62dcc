// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_AUDIT_BOOKS_HPP
#define NDTEL_CLI_AUDIT_BOOKS_HPP

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ndtel::cli {

/// A device across namespaces: "ndtel0".
struct DeviceKey {
  std::string space;
  std::uint32_t index = 0;

  bool operator==(const DeviceKey&) const = default;
  bool operator<(const DeviceKey& other) const {
    return std::tie(space, index) < std::tie(other.space, other.index);
  }
  std::string name() const { return space + std::to_string(index); }
};

/// Parse "ndtel0"; throws Failure naming `where` when the text is no device name.
DeviceKey parse_device_key(std::string_view text, const std::string& where);

/// One line of a device's debugfs file `pending`: the kernel's own account of a registry row
/// towards one sink. Amounts are counts, picoseconds for time in use.
struct BookLine {
  std::string sink;
  std::uint32_t row = 0;
  std::uint32_t cw = 0;
  std::string name;
  std::uint64_t incremented = 0;
  std::uint64_t confirmed = 0;
  std::uint64_t pending = 0;
  std::uint64_t unknown = 0;
  std::uint64_t implausible = 0;
  std::uint64_t overflow = 0;
  std::uint64_t removed = 0;

  bool operator==(const BookLine&) const = default;
};

using Books = std::map<DeviceKey, std::vector<BookLine>>;

/// Parse the text of a `pending` file; `where` names it in the Failure that bad text throws.
std::vector<BookLine> parse_books(const std::string& text, const std::string& where);

/// Read the books of all devices below a directory: DEVICE/pending as debugfs has it, or
/// DEVICE.pending as copies are named. Throws Failure when there are none or they cannot be read.
Books read_books(const std::string& dir);

/// What the simulated firmware of a device says it received, by CloudWatch id.
using Received = std::map<std::uint32_t, std::uint64_t>;

/// Parse the text of a `received` file; `where` names it in the Failure that bad text throws.
Received parse_received(const std::string& text, const std::string& where);

/// Read what all firmwares below a directory received: DEVICE/firmware/received as debugfs has it,
/// or DEVICE.received as copies are named. Throws Failure when there are none.
std::map<DeviceKey, Received> read_received(const std::string& dir);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_AUDIT_BOOKS_HPP
