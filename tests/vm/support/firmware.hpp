// SPDX-License-Identifier: Apache-2.0
//
// The firmware of a simulated device, through debugfs: what it holds, and its faults.
#ifndef NDTEL_TESTS_VM_SUPPORT_FIRMWARE_HPP
#define NDTEL_TESTS_VM_SUPPORT_FIRMWARE_HPP

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/module.hpp"

namespace ndtel::vm {

/// One line of `posts`: a post the firmware took.
struct TakenPost {
  std::uint64_t index = 0;
  std::uint64_t at_ns = 0;
  std::vector<std::uint8_t> data;

  /// Texts under an id, in the order of the records.
  std::vector<std::string> texts(unsigned id) const;
};

/// Strikes for ever, as a value of a counting knob.
inline constexpr std::uint32_t kForEver = 0xFFFFFFFF;

/// The firmware of one simulated device.
class Firmware {
 public:
  explicit Firmware(int device = 0, const std::string& name = default_namespace());

  /// Sets a knob. Throws when there is none of that name.
  void set(const std::string& knob, std::uint32_t value) const;
  std::uint32_t get(const std::string& knob) const;
  /// All faults off: every knob as it was when the object was made.
  void heal() const;
  /// Writes to `registers`: "0x44 0x5", "0x54 busy 100", "all normal". 0 or -errno.
  int command(const std::string& text) const;
  /// Content of a register; 0 when it is not listed.
  std::uint32_t reg(std::uint32_t offset) const;
  /// Posts that are kept, oldest first.
  std::vector<TakenPost> posts() const;
  /// Sum of the decimal texts of all posts taken under an id.
  std::uint64_t received(unsigned cw) const;
  /// By name: posts, mismatched, rejected, profile, feature, requests1..5 ...
  std::map<std::string, std::uint64_t> state() const;
  /// Tallies of the driver's mailbox: calls, doorbells, timeouts ...
  std::map<std::string, std::uint64_t> mailbox() const;
  const std::string& directory() const noexcept { return directory_; }

 private:
  std::string directory_;
  std::string device_directory_;
  std::map<std::string, std::uint32_t> initial_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_FIRMWARE_HPP
