// SPDX-License-Identifier: Apache-2.0
//
// tests/data/systrace_events.json: events with every type and phase, and the text of each as the
// specification has it, written down independently of the code.
#ifndef NDTEL_TESTS_UNIT_SYSTRACE_JSON_GOLDEN_HPP
#define NDTEL_TESTS_UNIT_SYSTRACE_JSON_GOLDEN_HPP

#include <simdjson.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::systrace::test {

struct GoldenEvent {
  nrt_sys_trace_event_t event;
  std::string json;
};

inline std::vector<GoldenEvent> golden_events() {
  simdjson::dom::parser parser;
  std::vector<GoldenEvent> all;
  for (const simdjson::dom::element line :
       parser.load(NDTEL_TEST_DATA "/systrace_events.json").get_array()) {
    GoldenEvent golden{};
    nrt_sys_trace_event_t& event = golden.event;
    const auto number = [&line](const char* key) { return std::uint64_t{line[key]}; };
    event.trace_type = static_cast<std::uint32_t>(number("type"));
    event.phase = static_cast<std::uint32_t>(number("phase"));
    event.id = number("id");
    event.nc_idx = static_cast<std::uint32_t>(number("nc_idx"));
    event.nc_local_id = number("nc_local_id");
    event.tracking_id = number("tracking_id");
    event.thread_id = number("thread_id");
    event.timestamp_ns = number("timestamp_ns");
    if (line["nrta_seq_id"].error() == simdjson::SUCCESS) {
      event.nrta_seq_id = number("nrta_seq_id");
      event.has_nrta_seq_id = 1;
    }
    const std::string_view payload = line["payload"];
    if (payload.size() != 2 * sizeof event.data) throw std::runtime_error("payload of 40 bytes");
    for (std::size_t i = 0; i < sizeof event.data; ++i) {
      const std::string byte(payload.substr(2 * i, 2));
      reinterpret_cast<unsigned char*>(&event.data)[i] =
          static_cast<unsigned char>(std::strtoul(byte.c_str(), nullptr, 16));
    }
    golden.json = std::string(std::string_view(line["json"]));
    all.push_back(std::move(golden));
  }
  return all;
}

}  // namespace ndtel::systrace::test

#endif  // NDTEL_TESTS_UNIT_SYSTRACE_JSON_GOLDEN_HPP
