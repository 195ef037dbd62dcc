// SPDX-License-Identifier: Apache-2.0
//
// One event as it lies in a file: read back by the classes that protoc makes of the schema, and by
// a walker that knows nothing but the wire format.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "event_encoder.hpp"
#include "event_rows.hpp"
#include "neuron_trace.pb.h"
#include "wire_walker.hpp"

namespace ndtel::ntff {
namespace {

using test::As;
using Attributes = std::map<std::string, std::string>;

constexpr std::int32_t kGids[] = {100, -1, 2147483647, -2147483647 - 1};
constexpr std::uint32_t kDevices[] = {0, 1, 4294967295u};

class EventTest : public ::testing::Test {
 protected:
  EventTest() {
    names_.add(5, "model-5");
    names_.add(6, "");
    names_.add(7, "Größe ñ 模型 🚀");
    names_.add(8, std::string(3'000'000, 'x'));
    names_.add(9, std::string("bad \xff\xc3(\xe2\x82 bytes", 15));
  }

  TraceContext context() const {
    return {.names = &names_, .worker_gid = kGids, .device = kDevices};
  }

  // The message alone.
  std::string encode(const nrt_sys_trace_event_t& event, std::uint64_t host_ns,
                     Framing framing = Framing::kDelimited) {
    return encode_with(context(), event, host_ns, framing);
  }

  static std::string encode_with(const TraceContext& context, const nrt_sys_trace_event_t& event,
                                 std::uint64_t host_ns, Framing framing) {
    EventEncoder encoder(context, framing);
    const auto name = encoder.model_name(event);
    std::string bytes(EventEncoder::kRoom + (name ? name->size() : 0), '\0');
    bytes.resize(
        static_cast<std::size_t>(encoder.put(bytes.data(), event, host_ns, name) - bytes.data()));
    return bytes;
  }

  systrace::StringShard names_;
};

::ntff::ntrace_event parse(const std::string& delimited) {
  google::protobuf::io::ArrayInputStream in(delimited.data(), static_cast<int>(delimited.size()));
  google::protobuf::io::CodedInputStream coded(&in);
  std::uint32_t size = 0;
  EXPECT_TRUE(coded.ReadVarint32(&size));
  const auto start = static_cast<std::size_t>(coded.CurrentPosition());
  EXPECT_EQ(size, delimited.size() - start);
  ::ntff::ntrace_event event;
  EXPECT_TRUE(event.ParseFromString(delimited.substr(start)));
  EXPECT_TRUE(event.GetReflection()->GetUnknownFields(event).empty());
  return event;
}

template <typename T>
T at(const nrt_sys_trace_event_t& event, unsigned offset) {
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(&event.data) + offset, sizeof value);
  return value;
}

std::string name_or(const std::vector<std::string>& names, std::uint64_t i, const char* otherwise) {
  return i < names.size() ? names[i] : otherwise;
}

// nullopt: the key is left out.
std::optional<std::string> shown(const nrt_sys_trace_event_t& event, const test::Value& value) {
  switch (value.as) {
    case As::kU8:
      return std::to_string(at<std::uint8_t>(event, value.offset));
    case As::kU16:
      return std::to_string(at<std::uint16_t>(event, value.offset));
    case As::kU32:
      return std::to_string(at<std::uint32_t>(event, value.offset));
    case As::kU64:
      return std::to_string(at<std::uint64_t>(event, value.offset));
    case As::kI32:
      return std::to_string(at<std::int32_t>(event, value.offset));
    case As::kBool:
      return at<std::uint8_t>(event, value.offset) != 0 ? "true" : "false";
    case As::kHex: {
      char text[32];
      std::snprintf(text, sizeof text, "0x%" PRIx64, at<std::uint64_t>(event, value.offset));
      return text;
    }
    case As::kUsage:
      return name_or(test::usage_names(), at<std::uint32_t>(event, value.offset), "UNKNOWN");
    case As::kMem:
      return name_or({"INVALID", "HOST_DRAM", "TONGA_DRAM"}, at<std::uint8_t>(event, value.offset),
                     "UNKNOWN");
    case As::kAlgorithm: {
      const auto algorithm = at<std::uint32_t>(event, value.offset);
      if (algorithm == 0) return std::nullopt;
      return name_or(test::algorithm_names(), algorithm, "Invalid");
    }
    case As::kKnownModel: {
      const auto id = at<std::uint64_t>(event, value.offset);
      if (id == 0) return std::nullopt;
      return std::to_string(id);
    }
  }
  return std::nullopt;
}

Attributes expected_attributes(const nrt_sys_trace_event_t& event,
                               const systrace::StringShard& names) {
  Attributes all;
  const std::int32_t gid = event.nc_idx < std::size(kGids) ? kGids[event.nc_idx] : -1;
  all["worker_gid"] = std::to_string(gid);
  for (const auto& row : test::rows()) {
    if (row.type != event.trace_type || event.phase > 2 || (row.phases >> event.phase & 1) == 0)
      continue;
    for (const auto& value : row.values) {
      const auto text = shown(event, value);
      if (!text) continue;
      all[value.key] = *text;
      if (value.key != std::string_view("model_id")) continue;
      const auto id = at<std::uint64_t>(event, value.offset);
      // The name that is not text is compared by a test of its own.
      if (id == 9) {
        all["model_name"] = "bad \xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD bytes";
      } else if (const auto name = names.find(id)) {
        all["model_name"] = *name;
      }
    }
  }
  return all;
}

void expect_same(const ::ntff::ntrace_event& read, const nrt_sys_trace_event_t& event,
                 std::uint64_t host_ns, const systrace::StringShard& names) {
  EXPECT_EQ(read.timestamp(), host_ns);
  EXPECT_EQ(read.data(), 0u);
  EXPECT_EQ(read.nd_idx(), event.nc_idx < std::size(kDevices) ? kDevices[event.nc_idx] : 0);
  EXPECT_EQ(read.nc_idx(), event.nc_idx);
  EXPECT_EQ(read.event_type(), event.trace_type);
  EXPECT_EQ(read.hint(), "");
  EXPECT_EQ(read.duration(), 0u);
  EXPECT_EQ(read.thread_id(), static_cast<std::uint32_t>(event.thread_id));
  EXPECT_EQ(read.id(), event.id);
  EXPECT_EQ(read.parent_id(), 0u);
  EXPECT_EQ(read.status(), 0u);
  constexpr int kPhases[] = {1, 2, 3};
  EXPECT_EQ(read.phase(), event.phase < 3 ? kPhases[event.phase] : 0);
  EXPECT_EQ(read.tracking_id(), event.tracking_id);
  EXPECT_EQ(read.type(), 0u);
  EXPECT_EQ(read.has_nrta_seq_id(), event.has_nrta_seq_id != 0);
  if (event.has_nrta_seq_id != 0) {
    EXPECT_EQ(read.nrta_seq_id(), event.nrta_seq_id);
  }
  EXPECT_EQ(Attributes(read.attributes().begin(), read.attributes().end()),
            expected_attributes(event, names));
}

std::string reserialised(const ::ntff::ntrace_event& event) {
  std::string bytes;
  google::protobuf::io::StringOutputStream out(&bytes);
  google::protobuf::io::CodedOutputStream coded(&out);
  coded.SetSerializationDeterministic(true);
  coded.WriteVarint32(static_cast<std::uint32_t>(event.ByteSizeLong()));
  event.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// Few and many bits, and the ends of all widths.
std::uint64_t extreme(std::mt19937_64& random) {
  static constexpr std::uint64_t kEnds[] = {0,
                                            1,
                                            127,
                                            128,
                                            255,
                                            256,
                                            16383,
                                            16384,
                                            0x7fffffff,
                                            0x80000000,
                                            0xffffffff,
                                            std::uint64_t{1} << 49,
                                            std::uint64_t{1} << 50,
                                            std::uint64_t{1} << 63,
                                            std::numeric_limits<std::uint64_t>::max()};
  return random() % 2 == 0 ? kEnds[random() % std::size(kEnds)] : random() >> random() % 64;
}

nrt_sys_trace_event_t random_event(std::mt19937_64& random, std::uint32_t type,
                                   std::uint32_t phase) {
  nrt_sys_trace_event_t event{};
  event.trace_type = type;
  event.phase = phase;
  event.thread_id = extreme(random);
  event.id = extreme(random);
  event.nc_local_id = extreme(random);
  event.tracking_id = extreme(random);
  event.timestamp_ns = extreme(random);
  event.nc_idx = static_cast<std::uint32_t>(random() % 3 == 0 ? extreme(random) : random() % 6);
  event.has_nrta_seq_id = random() % 2;
  event.nrta_seq_id = extreme(random);
  for (auto& word : event.data.words) word = random() % 2 == 0 ? random() % 11 : extreme(random);
  return event;
}

TEST_F(EventTest, EachTypeAndPhaseHasTheKeysOfItsRow) {
  int rows_seen = 0;
  for (std::uint32_t type = 0; type < 46; ++type) {
    for (std::uint32_t phase = 0; phase < 3; ++phase) {
      nrt_sys_trace_event_t event{};
      event.trace_type = type;
      event.phase = phase;
      // Every model is known and every algorithm is shown.
      for (std::size_t i = 0; i < 40; ++i)
        reinterpret_cast<unsigned char*>(&event.data)[i] = i % 4 == 0 ? 1 : 0;
      std::set<std::string> expected = {"worker_gid"};
      for (const auto& row : test::rows()) {
        if (row.type != type || (row.phases >> phase & 1) == 0) continue;
        ++rows_seen;
        for (const auto& value : row.values) expected.insert(value.key);
      }
      std::set<std::string> keys;
      const auto read = parse(encode(event, 1));
      for (const auto& [key, value] : read.attributes()) keys.insert(key);
      EXPECT_EQ(keys, expected) << "type " << type << " phase " << phase;
    }
  }
  EXPECT_EQ(rows_seen, 90);
}

TEST_F(EventTest, RandomEventsComeBackAsTheyWere) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 40; ++round) {
    for (std::uint32_t type = 0; type <= 47; ++type) {
      for (std::uint32_t phase = 0; phase <= 3; ++phase) {
        const auto event = random_event(
            random, type == 47 ? std::numeric_limits<std::uint32_t>::max() : type, phase);
        if (expected_attributes(event, names_)["model_name"].size() > 1000 && round > 2) continue;
        const std::uint64_t host_ns = extreme(random);
        const std::string bytes = encode(event, host_ns);
        const auto read = parse(bytes);
        expect_same(read, event, host_ns, names_);
        // Bytes that parsers write in a fixed order are these very bytes.
        EXPECT_EQ(reserialised(read), bytes);
        if (HasFailure()) FAIL() << "type " << type << " phase " << phase;
      }
    }
  }
}

TEST_F(EventTest, NamesOfModelsAreAnyText) {
  nrt_sys_trace_event_t event{};
  event.trace_type = NRT_SYS_TRACE_EVENT_TYPE_MODEL_SUBMIT;
  for (std::uint64_t id = 4; id <= 9; ++id) {
    event.data.model_submit.model_id = id;
    const auto read = parse(encode(event, 1));
    expect_same(read, event, 1, names_);
    EXPECT_EQ(read.attributes().count("model_name"), id == 4 ? 0u : 1u);
  }
}

TEST_F(EventTest, WithoutNamesThereIsNoModelName) {
  nrt_sys_trace_event_t event{};
  event.trace_type = NRT_SYS_TRACE_EVENT_TYPE_MODEL_SUBMIT;
  event.data.model_submit.model_id = 5;
  const auto read = parse(encode_with({}, event, 1, Framing::kDelimited));
  EXPECT_EQ(Attributes(read.attributes().begin(), read.attributes().end()),
            (Attributes{{"model_id", "5"}, {"worker_gid", "-1"}}));
}

TEST_F(EventTest, TheDefaultAlgorithmIsShownOnRequest) {
  nrt_sys_trace_event_t event{};
  event.trace_type = NRT_SYS_TRACE_EVENT_TYPE_CC_EXEC;
  TraceContext context;
  EXPECT_EQ(
      parse(encode_with(context, event, 1, Framing::kDelimited)).attributes().count("algorithm"),
      0u);
  context.include_default_algorithm = true;
  EXPECT_EQ(parse(encode_with(context, event, 1, Framing::kDelimited)).attributes().at("algorithm"),
            "Ring");
}

TEST_F(EventTest, FieldsGoByAscendingTags) {
  nrt_sys_trace_event_t event{};
  event.trace_type = NRT_SYS_TRACE_EVENT_TYPE_MODEL_SUBMIT;
  event.phase = NRT_SYS_TRACE_EVENT_PHASE_INSTANT;
  event.nc_idx = 1;
  event.thread_id = 2;
  event.id = 3;
  event.tracking_id = 4;
  event.has_nrta_seq_id = 1;
  event.nrta_seq_id = 5;
  const std::string bytes = encode(event, 6, Framing::kSingle);
  const auto root = test::walk(bytes);
  ASSERT_EQ(root.size(), 1u);
  EXPECT_EQ(root[0].tag, 0x0au);
  std::vector<std::uint64_t> tags;
  for (const auto& field : test::walk(root[0].bytes)) tags.push_back(field.tag);
  EXPECT_EQ(tags, (std::vector<std::uint64_t>{0x08, 0x18, 0x20, 0x28, 0x40, 0x48, 0x62, 0x62, 0x68,
                                              0x70, 0x80 | 0x00}));
}

TEST_F(EventTest, ASequenceOfZeroIsPresent) {
  nrt_sys_trace_event_t event{};
  const std::string without = encode(event, 0);
  event.has_nrta_seq_id = 1;
  const std::string with = encode(event, 0);
  EXPECT_EQ(with.substr(1), without.substr(1) + std::string("\x80\x01\x00", 3));
  EXPECT_TRUE(parse(with).has_nrta_seq_id());
  EXPECT_FALSE(parse(without).has_nrta_seq_id());
}

// The schema itself: tags of the specification, by messages with every field set.
TEST(Schema, TagsOfTheSpecification) {
  ::ntff::ntrace_event event;
  event.set_timestamp(1);
  event.set_data(1);
  event.set_nd_idx(1);
  event.set_nc_idx(1);
  event.set_event_type(1);
  event.set_hint("h");
  event.set_duration(1);
  event.set_thread_id(1);
  event.set_id(1);
  event.set_parent_id(1);
  event.set_status(1);
  (*event.mutable_attributes())["k"] = "v";
  event.set_phase(::ntff::NTRACE_EVENT_PHASE_TYPE_START);
  event.set_tracking_id(1);
  event.set_type(1);
  event.set_nrta_seq_id(0);
  std::vector<std::uint64_t> tags;
  for (const auto& field : test::walk(event.SerializeAsString())) tags.push_back(field.tag);
  EXPECT_EQ(tags, (std::vector<std::uint64_t>{0x08, 0x10, 0x18, 0x20, 0x28, 0x32, 0x38, 0x40, 0x48,
                                              0x50, 0x58, 0x62, 0x68, 0x70, 0x78, 0x80}));
}

}  // namespace
}  // namespace ndtel::ntff
