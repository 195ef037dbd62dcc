// SPDX-License-Identifier: Apache-2.0
//
// The .ntff file: a header of 128 bytes, the message ntff_info, and raw blobs behind it, first
// those of instructions, then those of notifications. The message says where each blob lies,
// counted from the first byte behind it.
#ifndef NDTEL_NTFF_CONTAINER_HPP
#define NDTEL_NTFF_CONTAINER_HPP

#include <cstdint>
#include <string>

#include "messages.hpp"
#include "ndtel/result.hpp"

namespace ndtel::ntff {

/// What is in a header, little-endian: these five words, and zeroes up to kHeaderSize.
struct ContainerHeader {
  static constexpr std::uint64_t kVersion = 6;
  static constexpr std::uint64_t kHeaderSize = 128;

  std::uint64_t version = kVersion;
  std::uint64_t header_size = kHeaderSize;
  std::uint64_t proto_size = 0;         ///< bytes of the message
  std::uint64_t data_size = 0;          ///< bytes of all blobs
  std::uint64_t instruction_bytes = 0;  ///< of them, those of instructions

  std::uint64_t file_size() const noexcept { return header_size + proto_size + data_size; }
};

/// Writes `info` and the blobs that are in it to `path`, which appears whole or not at all. Blobs
/// are streamed in the order of the fields that have them; the message alone is held in memory.
///
/// @return what the header says. EINVAL: a blob of notifications is no whole number of records;
///         EFBIG: the message would be 2 GiB or more; what reading a blob or writing failed with
Result<ContainerHeader> write_container(const std::string& path, const device::NtffInfo& info);

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_CONTAINER_HPP
