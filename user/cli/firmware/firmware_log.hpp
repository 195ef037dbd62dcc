// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_FIRMWARE_FIRMWARE_LOG_HPP
#define NDTEL_CLI_FIRMWARE_FIRMWARE_LOG_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace ndtel::cli {

/// One record of a post.
struct PostRecord {
  std::uint32_t id = 0;  ///< CloudWatch id
  std::string value;

  bool operator==(const PostRecord&) const = default;
};

/// A post as the firmware took it.
struct FirmwarePost {
  std::uint64_t index = 0;    ///< from 0, no gaps
  std::uint64_t time_ns = 0;  ///< CLOCK_MONOTONIC
  std::uint64_t size = 0;     ///< bytes
  std::vector<PostRecord> records;
  bool whole = true;  ///< the bytes are records up to the last one

  bool operator==(const FirmwarePost&) const = default;
};

/// Parse the debugfs file `firmware/posts` of a simulated device; `where` names it in the Failure
/// that text of another form throws. Bytes that are no records are not an error: they are what the
/// firmware was given.
std::vector<FirmwarePost> parse_firmware_posts(const std::string& text, const std::string& where);

/// "[  12.345678] ndtel0 post 5  NERR_OK=25": for people.
std::string firmware_post_text(const std::string& device, const FirmwarePost& post);

/// A post as one line of JSON: device, index, time_ns, size, whole, records [{id, name, value}].
std::string firmware_post_json(const std::string& device, const FirmwarePost& post);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_FIRMWARE_FIRMWARE_LOG_HPP
