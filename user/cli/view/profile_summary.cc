// SPDX-License-Identifier: Apache-2.0
#include "profile_summary.hpp"

#include <filesystem>

#include "byte_source.hpp"
#include "container.hpp"
#include "device_record.hpp"
#include "ntff.pb.h"
#include "totals.hpp"

namespace ndtel::cli {
namespace {

/// Names of constants without that of their enum, in lower case; the number of one without a name.
std::string short_name(const std::string& constant, std::size_t prefix, int number) {
  if (constant.size() <= prefix) return std::to_string(number);
  std::string name = constant.substr(prefix);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

std::string trace_type_name(::ntff::notification_trace_type type) {
  return short_name(::ntff::notification_trace_type_Name(type),
                    sizeof "NOTIFICATION_TRACE_TYPE_" - 1, type);
}

std::string block_type_name(::ntff::block_type type) {
  return short_name(::ntff::block_type_Name(type), sizeof "BLOCK_TYPE_" - 1, type);
}

}  // namespace

ProfileSummary summarise_profile(read::ByteSource& source, const read::Container& container) {
  const auto& info = *container.info;
  ProfileSummary profile;
  profile.name = std::filesystem::path(source.name()).filename();
  profile.empty = container.size == 0;
  profile.version = container.version;
  profile.id = info.id();
  profile.arch = info.arch();
  profile.pid = info.pid();
  profile.start_nc = info.start_nc();
  profile.runtime_version = version_text(info.neuron_runtime_version());
  profile.driver_version = version_text(info.neuron_driver_version());
  for (const auto& node : info.neff_nodes()) {
    profile.nodes.push_back(node.name());
    profile.graphs += static_cast<std::uint64_t>(node.nd_node().graphs_size());
  }
  profile.executions = static_cast<std::uint64_t>(info.execution_timeline_size());
  for (const auto& blob : container.instructions) profile.instruction_bytes += blob.size;
  for (const auto& trace : container.traces) {
    QueueTotals& queue = profile.queues[{trace_type_name(trace.info->trace_type()),
                                         block_type_name(trace.info->block_type())}];
    ++queue.traces;
    read::each_record(source, trace, [&queue](const char* bytes) {
      const read::DeviceRecord record = read::decode_device_record(bytes);
      ++queue.records;
      queue.software_overflows += record.software_overflow;
      queue.hardware_overflows += record.hardware_overflow;
      queue.device_ps.add(record.timestamp_ps);
    });
  }
  return profile;
}

}  // namespace ndtel::cli
