// SPDX-License-Identifier: Apache-2.0
//
// Compares an event of a parsed document with the record it was written from.
#ifndef NDTEL_TESTS_UNIT_SYSTRACE_SHOWN_EVENT_HPP
#define NDTEL_TESTS_UNIT_SYSTRACE_SHOWN_EVENT_HPP

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "catalogue.hpp"
#include "strings.hpp"

namespace ndtel::systrace::test {

/// What the document says about `key`.
inline void expect_value(const simdjson::dom::element& shown, const Key& key, std::uint64_t value) {
  switch (key.form) {
    case Form::kNumber:
      if (key.storage == Storage::kI32) {
        EXPECT_EQ(std::int64_t{shown}, static_cast<std::int64_t>(value));
      } else {
        EXPECT_EQ(std::uint64_t{shown}, value);
      }
      break;
    case Form::kBool:
      EXPECT_EQ(bool{shown}, value != 0);
      break;
    case Form::kHex: {
      char text[32];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
      EXPECT_EQ(std::string_view(shown), text);
      break;
    }
    case Form::kUsageType:
      EXPECT_EQ(std::string_view(shown), usage_type_name(value));
      break;
    case Form::kMemType:
      EXPECT_EQ(std::string_view(shown), mem_type_name(value));
      break;
    case Form::kAlgorithm:
      EXPECT_EQ(std::string_view(shown), algorithm_name(value));
      break;
  }
}

/// Everything but the thread and the time of recording, which differ from run to run.
inline void expect_same(const simdjson::dom::element& shown, const nrt_sys_trace_event_t& record,
                        const StringShard& names) {
  EXPECT_EQ(std::string_view(shown["event_type"]), event_type_name(record.trace_type));
  EXPECT_EQ(std::string_view(shown["phase"]), phase_name(record.phase));
  EXPECT_EQ(std::uint64_t{shown["id"]}, record.id);
  EXPECT_EQ(std::uint64_t{shown["nc_idx"]}, record.nc_idx);
  EXPECT_EQ(std::uint64_t{shown["nc_local_id"]}, record.nc_local_id);
  EXPECT_EQ(std::uint64_t{shown["tracking_id"]}, record.tracking_id);
  const bool has_sequence = shown["nrta_seq_id"].error() == simdjson::SUCCESS;
  EXPECT_EQ(has_sequence, record.has_nrta_seq_id != 0);
  if (has_sequence) {
    EXPECT_EQ(std::uint64_t{shown["nrta_seq_id"]}, record.nrta_seq_id);
  }

  const simdjson::dom::object data = shown["data"];
  std::size_t expected_keys = 0;
  for (const Key& key : payload_keys(record.trace_type, record.phase)) {
    const std::uint64_t value = read_value(record.data, key);
    const bool left_out =
        value == 0 && (key.rule == Rule::kKnownModel || key.rule == Rule::kAlgorithm);
    ASSERT_EQ(data[key.name].error() == simdjson::SUCCESS, !left_out) << key.name;
    if (left_out) continue;
    ++expected_keys;
    expect_value(data[key.name], key, value);
    const bool model = key.rule == Rule::kModel || key.rule == Rule::kKnownModel;
    if (const auto name = names.find(value); model && name) {
      ++expected_keys;
      EXPECT_EQ(std::string_view(data["model_name"]), *name);
    }
  }
  EXPECT_EQ(data.size(), expected_keys);
}

}  // namespace ndtel::systrace::test

#endif  // NDTEL_TESTS_UNIT_SYSTRACE_SHOWN_EVENT_HPP
