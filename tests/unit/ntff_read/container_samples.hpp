// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_TESTS_UNIT_NTFF_READ_CONTAINER_SAMPLES_HPP
#define NDTEL_TESTS_UNIT_NTFF_READ_CONTAINER_SAMPLES_HPP

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ntff.pb.h"

namespace ndtel::test {

/// A header of five words, the message and the data.
inline std::string container(const ::ntff::ntff_info& info, const std::string& data,
                             std::uint64_t instruction_bytes, std::uint64_t version = 6) {
  const std::string message = info.SerializeAsString();
  const std::uint64_t words[] = {version, 128, message.size(), data.size(), instruction_bytes};
  std::string bytes(128, '\0');
  std::memcpy(bytes.data(), words, sizeof words);
  return bytes + message + data;
}

/// A record of a notification queue.
inline std::string record(std::uint8_t type, std::uint64_t timestamp_ps) {
  std::string bytes(16, '\0');
  bytes[3] = static_cast<char>(type);
  std::memcpy(bytes.data() + 8, &timestamp_ps, sizeof timestamp_ps);
  return bytes;
}

/// One node and graph with instructions of 40 bytes and two traces of 2 and 1 records, and a trace
/// of the session within the message.
inline ::ntff::ntff_info small_info() {
  ::ntff::ntff_info info;
  info.set_id("a profile");
  info.set_arch(3);
  info.set_pid(77);
  auto& node = *info.add_neff_nodes();
  node.set_name("node");
  auto& graph = *node.mutable_nd_node()->add_graphs();
  graph.set_name("sg00");
  auto& engine = *graph.add_instruction_info();
  engine.set_nc_engine_type(::ntff::NC_ENGINE_TYPE_POOL);
  engine.set_instructions_size(40);
  auto& first = *graph.add_traces();
  first.set_trace_offset(40);
  first.set_trace_size(32);
  auto& second = *graph.add_traces();
  second.set_trace_type(::ntff::NOTIFICATION_TRACE_TYPE_DMA);
  second.set_block_type(::ntff::BLOCK_TYPE_DMA);
  second.set_trace_offset(72);
  second.set_trace_size(16);
  info.add_session_notifications()->set_trace(record(0x1f, 4));
  return info;
}

inline std::string small_data() {
  return std::string(40, 'i') + record(4, 1) + record(5, 2) + record(2, 3);
}

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_UNIT_NTFF_READ_CONTAINER_SAMPLES_HPP
