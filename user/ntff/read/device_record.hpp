// SPDX-License-Identifier: Apache-2.0
//
// Records of notification queues, 16 bytes each.
#ifndef NDTEL_NTFF_READ_DEVICE_RECORD_HPP
#define NDTEL_NTFF_READ_DEVICE_RECORD_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ndtel::ntff::read {

/// A part of the payload.
struct PayloadField {
  const char* name = "";
  std::uint32_t value = 0;
};

struct DeviceRecord {
  std::uint64_t timestamp_ps = 0;  ///< of the device's counter
  std::uint8_t type = 0;           ///< notific_type
  std::string_view kind;           ///< "INST_START" and so on; empty: a reserved type
  std::string_view engine;         ///< "PE" and so on; empty: of no engine
  bool software_overflow = false;  ///< records before it are lost
  bool hardware_overflow = false;  ///< records after it are lost
  bool phase = false;              ///< flips with each turn of the ring
  std::array<PayloadField, 8> payload{};
  std::size_t payload_size = 0;

  std::span<const PayloadField> fields() const { return {payload.data(), payload_size}; }
};

/// Reads a record from 16 bytes.
DeviceRecord decode_device_record(const char* bytes) noexcept;

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_DEVICE_RECORD_HPP
