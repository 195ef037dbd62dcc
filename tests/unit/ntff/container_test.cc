// SPDX-License-Identifier: Apache-2.0
//
// The .ntff file: every field of every message by reflection, and where the blobs lie.
#include "container.hpp"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <concepts>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "files.hpp"
#include "full_disk.hpp"
#include "message_fields.hpp"
#include "wire_walker.hpp"

namespace ndtel::ntff {
namespace {

using device::Blob;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

template <typename Value>
constexpr bool is_scalar =
    std::is_arithmetic_v<Value> || std::is_enum_v<Value> || std::same_as<Value, std::string>;

// Fills a tree: every message in it, each list with up to two elements.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : random_(seed) {}

  template <typename Value>
  void operator()(int, Value& value) {
    if constexpr (std::same_as<Value, std::string>) {
      value = std::string(random_() % 4, 'a' + static_cast<char>(random_() % 26));
    } else if constexpr (std::same_as<Value, bool>) {
      value = random_() % 2 != 0;
    } else if constexpr (std::is_enum_v<Value>) {
      value = static_cast<Value>(random_() % 7);
    } else if constexpr (std::floating_point<Value>) {
      value = static_cast<Value>(random_() % 100) / 8;
    } else if constexpr (std::integral<Value>) {
      value = static_cast<Value>(random_() >> random_() % 64);
    } else {
      fields(value, *this);
    }
  }
  template <typename Value>
  void operator()(int number, std::optional<Value>& value) {
    if (random_() % 4 != 0) (*this)(number, value.emplace());
  }
  template <typename Value>
  void operator()(int number, std::vector<Value>& values) {
    values.resize(random_() % 3);
    for (auto& value : values) (*this)(number, value);
  }
  void bytes(int, std::string& value) { value = std::string("\0\xff", random_() % 3); }
  void blob(int, int, Blob& blob) {
    for (auto& byte : bytes_) byte = static_cast<std::byte>(random_());
    const std::size_t at = random_() % 64;
    blob.memory = std::span(bytes_).subspan(at, random_() % 4 * 16);
  }
  template <typename... Values>
  void one_of(std::variant<std::monostate, Values...>& value,
              const std::array<int, sizeof...(Values)>& numbers) {
    // Chosen where the first of its alternatives has its place.
    if (numbers[0] == 0) return;
    const std::size_t choice = random_() % (sizeof...(Values) + 1);
    std::size_t i = 0;
    ((++i == choice ? (*this)(0, value.template emplace<Values>()) : void()), ...);
  }

 private:
  std::mt19937_64 random_;
  static inline std::array<std::byte, 256> bytes_{};
};

// Compares a tree with what was read, by the numbers of its fields and the types of the schema.
class Comparer {
 public:
  explicit Comparer(const Message& message, std::set<std::string>* seen)
      : message_(message), seen_(seen) {
    seen_->insert(message.GetDescriptor()->full_name());
  }

  // No field may be left that this did not come by.
  ~Comparer() {
    for (int i = 0; i < message_.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor* field = message_.GetDescriptor()->field(i);
      const bool left_out = field->full_name() == "ntff.dma_queue_usage_info.channel";
      EXPECT_EQ(visited_.count(field->number()), left_out ? 0u : 1u) << field->full_name();
    }
  }

  template <typename Value>
  void operator()(int number, const Value& value) {
    const FieldDescriptor* field = find(number);
    if constexpr (is_scalar<Value>) {
      EXPECT_FALSE(field->is_repeated()) << field->full_name();
      scalar(field, value, -1);
    } else {
      ASSERT_TRUE(reflection().HasField(message_, field)) << field->full_name();
      inside(reflection().GetMessage(message_, field), value);
    }
  }
  template <typename Value>
  void operator()(int number, const std::optional<Value>& value) {
    const FieldDescriptor* field = find(number);
    ASSERT_EQ(reflection().HasField(message_, field), value.has_value()) << field->full_name();
    if (value) inside(reflection().GetMessage(message_, field), *value);
  }
  template <typename Value>
  void operator()(int number, const std::vector<Value>& values) {
    const FieldDescriptor* field = find(number);
    ASSERT_EQ(static_cast<std::size_t>(reflection().FieldSize(message_, field)), values.size())
        << field->full_name();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (is_scalar<Value>) {
        scalar(field, values[i], static_cast<int>(i));
      } else {
        inside(reflection().GetRepeatedMessage(message_, field, static_cast<int>(i)), values[i]);
      }
    }
  }
  void bytes(int number, const std::string& value) {
    EXPECT_EQ(find(number)->type(), FieldDescriptor::TYPE_BYTES);
    EXPECT_EQ(reflection().GetString(message_, find(number)), value);
  }
  void blob(int, int size_number, const Blob& blob) {
    visited_.insert(size_number - 1);
    EXPECT_EQ(reflection().GetUInt64(message_, find(size_number)), blob.size());
  }
  template <typename... Values>
  void one_of(const std::variant<std::monostate, Values...>& value,
              const std::array<int, sizeof...(Values)>& numbers) {
    std::size_t i = 0;
    (alternative<Values>(value, numbers[i++]), ...);
  }

 private:
  const google::protobuf::Reflection& reflection() const { return *message_.GetReflection(); }

  const FieldDescriptor* find(int number) {
    visited_.insert(number);
    const FieldDescriptor* field = message_.GetDescriptor()->FindFieldByNumber(number);
    if (field == nullptr) throw std::logic_error("no such field");
    return field;
  }

  template <typename Value, typename Variant>
  void alternative(const Variant& variant, int number) {
    if (number == 0) return;
    const FieldDescriptor* field = find(number);
    const Value* value = std::get_if<Value>(&variant);
    ASSERT_EQ(reflection().HasField(message_, field), value != nullptr) << field->full_name();
    if (value != nullptr) inside(reflection().GetMessage(message_, field), *value);
  }

  template <typename Value>
  void inside(const Message& message, const Value& value) {
    Comparer comparer(message, seen_);
    fields(value, comparer);
  }

  template <typename Value>
  void scalar(const FieldDescriptor* field, const Value& value, int i) {
    if constexpr (std::is_enum_v<Value>) {
      EXPECT_EQ(field->cpp_type(), FieldDescriptor::CPPTYPE_ENUM) << field->full_name();
      EXPECT_EQ(reflection().GetEnumValue(message_, field), static_cast<int>(value));
    } else if constexpr (std::same_as<Value, std::string>) {
      EXPECT_EQ(field->type(), FieldDescriptor::TYPE_STRING) << field->full_name();
      EXPECT_EQ(reflection().GetString(message_, field), value) << field->full_name();
    } else if constexpr (std::same_as<Value, bool>) {
      EXPECT_EQ(reflection().GetBool(message_, field), value) << field->full_name();
    } else if constexpr (std::same_as<Value, double>) {
      EXPECT_EQ(reflection().GetDouble(message_, field), value) << field->full_name();
    } else if constexpr (std::same_as<Value, std::int32_t>) {
      EXPECT_EQ(reflection().GetInt32(message_, field), value) << field->full_name();
    } else if constexpr (std::same_as<Value, std::uint32_t>) {
      EXPECT_EQ(i < 0 ? reflection().GetUInt32(message_, field)
                      : reflection().GetRepeatedUInt32(message_, field, i),
                value)
          << field->full_name();
    } else {
      static_assert(std::same_as<Value, std::uint64_t>);
      EXPECT_EQ(i < 0 ? reflection().GetUInt64(message_, field)
                      : reflection().GetRepeatedUInt64(message_, field, i),
                value)
          << field->full_name();
    }
  }

  const Message& message_;
  std::set<std::string>* seen_;
  std::set<int> visited_;
};

std::uint64_t word(const std::string& bytes, std::size_t i) {
  std::uint64_t value = 0;
  for (std::size_t k = 8; k-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[8 * i + k]);
  return value;
}

struct Container {
  ContainerHeader header;
  std::string message;
  std::string data;
  ::ntff::ntff_info info;
};

Container read(const std::string& path) {
  const std::string bytes = test::read_file(path);
  Container read;
  if (bytes.size() < 128) ADD_FAILURE() << bytes.size() << " bytes";
  read.header = {word(bytes, 0), word(bytes, 1), word(bytes, 2), word(bytes, 3), word(bytes, 4)};
  EXPECT_EQ(read.header.version, 6u);
  EXPECT_EQ(read.header.header_size, 128u);
  EXPECT_EQ(bytes.substr(40, 88), std::string(88, '\0'));
  EXPECT_EQ(bytes.size(), 128 + read.header.proto_size + read.header.data_size);
  read.message = bytes.substr(128, read.header.proto_size);
  read.data = bytes.substr(128 + read.header.proto_size);
  EXPECT_TRUE(read.info.ParseFromString(read.message));
  return read;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(Container, EveryFieldOfEveryMessageComesBack) {
  test::TemporaryDirectory directory;
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    device::NtffInfo info;
    Filler filler(seed);
    fields(info, filler);
    const auto wrote = write_container(directory / "a.ntff", info);
    ASSERT_TRUE(wrote);
    const Container file = read(directory / "a.ntff");
    EXPECT_EQ(wrote->file_size(), std::filesystem::file_size(directory / "a.ntff"));
    {
      Comparer comparer(file.info, &seen);
      fields(info, comparer);
    }
    // Ascending, without defaults, packed: as protobuf itself writes it.
    EXPECT_EQ(file.info.SerializeAsString(), file.message);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_EQ(seen.size(), 31u);
}

TEST(Container, AnEmptyCoreIsAValidFile) {
  test::TemporaryDirectory directory;
  device::NtffInfo info;
  info.arch = 3;
  const auto wrote = write_container(directory / "a.ntff", info);
  ASSERT_TRUE(wrote);
  EXPECT_EQ(wrote->data_size, 0u);
  const Container file = read(directory / "a.ntff");
  EXPECT_EQ(file.info.arch(), 3u);
  EXPECT_EQ(file.info.neff_nodes_size(), 0);
}

TEST(Container, BlobsLieInTheOrderOfTheirLists) {
  test::TemporaryDirectory directory;
  const std::string first(100, 'a'), second(33, 'b'), trace(32, 'c'), late(700'000, 'd');
  device::NtffInfo info;
  auto& graph =
      info.neff_nodes.emplace_back().node_info.emplace<device::NdNodeInfo>().graphs.emplace_back();
  graph.traces.emplace_back().blob.memory = bytes_of(trace);
  graph.traces.emplace_back();
  graph.instruction_info.emplace_back().blob.memory = bytes_of(first);
  graph.collectives_instruction_info.emplace_back().blob.memory = bytes_of(second);
  // Longer than what is read at once, and no multiple of it.
  info.session_notifications.emplace_back().blob = {
      .read = [&late](std::uint64_t offset, std::span<std::byte> to) -> Result<void> {
        std::memcpy(to.data(), late.data() + offset, to.size());
        return {};
      },
      .read_size = late.size()};

  const auto wrote = write_container(directory / "a.ntff", info);
  ASSERT_TRUE(wrote);
  EXPECT_EQ(wrote->instruction_bytes, 133u);
  const Container file = read(directory / "a.ntff");
  EXPECT_EQ(file.header.instruction_bytes, 133u);
  EXPECT_EQ(file.data, first + second + trace + late);
  const auto& read_graph = file.info.neff_nodes(0).nd_node().graphs(0);
  EXPECT_EQ(read_graph.instruction_info(0).instructions_offset(), 0u);
  EXPECT_EQ(read_graph.instruction_info(0).instructions_size(), 100u);
  EXPECT_EQ(read_graph.collectives_instruction_info(0).instructions_offset(), 100u);
  EXPECT_EQ(read_graph.traces(0).trace_offset(), 133u);
  EXPECT_EQ(read_graph.traces(0).trace_size(), 32u);
  EXPECT_EQ(read_graph.traces(1).trace_size(), 0u);
  EXPECT_EQ(file.info.session_notifications(0).trace_offset(), 165u);
  EXPECT_EQ(file.info.session_notifications(0).trace_size(), 700'000u);
}

TEST(Container, HalfARecordIsRefused) {
  test::TemporaryDirectory directory;
  const std::string trace(17, 'c');
  device::NtffInfo info;
  info.session_notifications.emplace_back().blob.memory = bytes_of(trace);
  const auto refused = write_container(directory / "a.ntff", info);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, EINVAL);
  EXPECT_TRUE(directory.list().empty());
}

TEST(Container, ABlobThatCannotBeReadLeavesNothing) {
  test::TemporaryDirectory directory;
  device::NtffInfo info;
  info.session_notifications.emplace_back().blob = {
      .read = [](std::uint64_t, std::span<std::byte>) -> Result<void> {
        return Error{EIO, "the ring is gone"};
      },
      .read_size = 16};
  const auto refused = write_container(directory / "a.ntff", info);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, EIO);
  EXPECT_TRUE(directory.list().empty());
}

TEST(Container, AFullDiskLeavesNothing) {
  test::TemporaryDirectory directory;
  const std::string trace(32'000, 'c');
  device::NtffInfo info;
  info.session_notifications.emplace_back().blob.memory = bytes_of(trace);
  const test::FullDisk full(10'000);
  const auto refused = write_container(directory / "a.ntff", info);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, EFBIG);
  EXPECT_TRUE(directory.list().empty());
}

std::vector<std::uint64_t> tags(const Message& message) {
  std::vector<std::uint64_t> all;
  for (const auto& field : test::walk(message.SerializeAsString())) all.push_back(field.tag);
  return all;
}

using Tags = std::vector<std::uint64_t>;

TEST(Schema, TagsOfMessagesOfTheDevice) {
  ::ntff::engine_instruction_info instructions;
  instructions.set_start_address(1);
  instructions.set_nc_engine_type(::ntff::NC_ENGINE_TYPE_SP);
  instructions.set_instructions("i");
  instructions.set_engine_index(1);
  instructions.set_block_type(::ntff::BLOCK_TYPE_DMA);
  instructions.set_function_section(true);
  instructions.set_instructions_offset(1);
  instructions.set_instructions_size(1);
  EXPECT_EQ(tags(instructions), (Tags{0x08, 0x10, 0x1a, 0x20, 0x28, 0x30, 0x38, 0x40}));

  ::ntff::collectives_dma_packets packets;
  packets.set_type(::ntff::COLLECTIVES_PACKET_TYPE_ADD);
  packets.set_size(1);
  packets.set_neigh(1);
  packets.set_op_idx(1);
  packets.set_stream_idx(1);
  packets.mutable_sema_update();
  EXPECT_EQ(tags(packets), (Tags{0x08, 0x10, 0x18, 0x22, 0x30, 0x38}));
  packets.mutable_net_idx_update();
  EXPECT_EQ(tags(packets), (Tags{0x08, 0x10, 0x18, 0x2a, 0x30, 0x38}));

  ::ntff::neff_node_info node;
  node.set_runtime_latency(1);
  EXPECT_EQ(tags(node), (Tags{0x11}));

  ::ntff::subgraph_info graph;
  graph.add_comm_info();
  graph.add_stream_info();
  EXPECT_EQ(tags(graph), (Tags{0x82, 0x8a}));
}

TEST(Schema, HasTheMessagesAndFieldsOfTheSpecification) {
  const auto* file = ::ntff::ntff_info::descriptor()->file();
  EXPECT_EQ(file->message_type_count(), 31);
  EXPECT_EQ(::ntff::ntff_info::descriptor()->reserved_range_count(), 5);
  EXPECT_EQ(::ntff::ntff_info::descriptor()->field_count(), 15);
}

}  // namespace
}  // namespace ndtel::ntff
