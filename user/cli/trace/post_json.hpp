// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_TRACE_POST_JSON_HPP
#define NDTEL_CLI_TRACE_POST_JSON_HPP

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "post_event.hpp"

namespace ndtel::cli {

/// Names of enum nmetric_sink and nmetric_result; a number outside them as digits.
std::string sink_name(std::uint8_t sink);
std::string result_name(std::uint8_t result);

/// Name of a CloudWatch id, or "id N" for one this version does not know.
std::string metric_name(std::uint32_t id);

/// A post as one line of JSON: namespace, device, time_ns, tick, sink, result, seq, id, name and
/// value, without those that the kernel did not give.
std::string post_to_json(const PostEvent& post);

/// A loss as one line of JSON: lost (events) and what.
std::string loss_to_json(std::uint64_t lost, const std::string& what);

/// A recording read back.
struct Recording {
  std::vector<PostEvent> posts;
  std::uint64_t lost = 0;           ///< events the recorder knew to be lost
  std::vector<std::string> losses;  ///< its sentences about them
};

/// Read what post_to_json and loss_to_json wrote; `where` names it in the Failure that bad lines
/// throw.
Recording read_recording(std::istream& in, const std::string& where);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_TRACE_POST_JSON_HPP
