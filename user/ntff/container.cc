// SPDX-License-Identifier: Apache-2.0
#include "container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <concepts>
#include <utility>

#include "message_fields.hpp"
#include "message_writer.hpp"
#include "output_file.hpp"

namespace ndtel::ntff {

namespace {

using device::Blob;

// Of a notification.
constexpr std::uint64_t kRecord = 16;
// What parsers take for a message.
constexpr std::uint64_t kMessageLimit = std::uint64_t{1} << 31;
// What is read of a blob at a time.
constexpr std::size_t kChunk = std::size_t{1} << 18;

// Which of the two lists of blobs a message's blob belongs to.
enum class List { kNone, kInstructions, kNotifications };

template <typename Message>
constexpr List list_of() {
  if constexpr (std::same_as<Message, device::EngineInstructionInfo>) return List::kInstructions;
  if constexpr (std::same_as<Message, device::TraceInfo>) return List::kNotifications;
  return List::kNone;
}

// Goes through a tree of messages, in the order in which it is written. `Derived` does what is to
// be done with values; this knows what a message inside a message is.
template <typename Derived>
class TreeVisitor {
 public:
  template <typename Value>
  void operator()(int number, const Value& value) {
    if constexpr (is_scalar<Value>) {
      self().scalar(number, value);
    } else {
      self().message(number, value);
    }
  }

  template <typename Value>
  void operator()(int number, const std::optional<Value>& value) {
    if (value) self().message(number, *value);
  }

  template <typename Value>
  void operator()(int number, const std::vector<Value>& values) {
    if constexpr (is_scalar<Value>) {
      self().packed(number, values);
    } else {
      for (const Value& value : values) self().message(number, value);
    }
  }

  template <typename... Values>
  void one_of(const std::variant<std::monostate, Values...>& value,
              const std::array<int, sizeof...(Values)>& numbers) {
    std::size_t i = 0;
    (alternative<Values>(value, numbers[i++]), ...);
  }

 private:
  template <typename Value>
  static constexpr bool is_scalar =
      std::is_arithmetic_v<Value> || std::is_enum_v<Value> || std::same_as<Value, std::string>;

  template <typename Value, typename Variant>
  void alternative(const Variant& variant, int number) {
    if (number == 0) return;
    if (const Value* value = std::get_if<Value>(&variant); value != nullptr)
      self().message(number, *value);
  }

  Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

// Calls `take(list, blob)` for each blob.
template <typename Take>
class BlobVisitor : public TreeVisitor<BlobVisitor<Take>> {
 public:
  explicit BlobVisitor(Take& take) noexcept : take_(take) {}

  template <typename Message>
  void message(int, const Message& message) {
    const List outer = std::exchange(list_, list_of<Message>());
    fields(message, *this);
    list_ = outer;
  }
  template <typename Value>
  void scalar(int, const Value&) noexcept {}
  template <typename Values>
  void packed(int, const Values&) noexcept {}
  void bytes(int, const std::string&) noexcept {}
  void blob(int, int, const Blob& blob) { take_(list_, blob); }

 private:
  Take& take_;
  List list_ = List::kNone;
};

template <typename Take>
void each_blob(const device::NtffInfo& info, Take&& take) {
  BlobVisitor<std::remove_reference_t<Take>>(take).message(0, info);
}

class Encoder : public TreeVisitor<Encoder> {
 public:
  Encoder(std::string* out, std::uint64_t instruction_bytes) noexcept
      : out_(out), notifications_at_(instruction_bytes) {}

  template <typename Message>
  void message(int number, const Message& message) {
    out_.nested(number, [&](MessageWriter&) { root(message); });
  }

  template <typename Message>
  void root(const Message& message) {
    const List outer = std::exchange(list_, list_of<Message>());
    fields(message, *this);
    list_ = outer;
  }

  void scalar(int number, const std::string& value) { out_.text(number, value); }
  void scalar(int number, double value) { out_.real(number, value); }
  template <std::integral Value>
  void scalar(int number, Value value) {
    if constexpr (std::signed_integral<Value>) {
      out_.signed_integer(number, value);
    } else {
      out_.integer(number, value);
    }
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void scalar(int number, Enum value) { out_.integer(number, static_cast<std::uint32_t>(value)); }

  template <std::unsigned_integral Value>
  void packed(int number, const std::vector<Value>& values) {
    if (!values.empty())
      out_.packed(number, values.size(), [&values](std::size_t i) { return values[i]; });
  }

  void bytes(int number, const std::string& value) { out_.bytes(number, value); }

  // Each list is laid out in the order in which this comes by.
  void blob(int offset_number, int size_number, const Blob& blob) {
    std::uint64_t& at = list_ == List::kInstructions ? instructions_at_ : notifications_at_;
    if (blob.size() == 0) return;
    out_.integer(offset_number, at);
    out_.integer(size_number, blob.size());
    at += blob.size();
  }

 private:
  MessageWriter out_;
  List list_ = List::kNone;
  std::uint64_t instructions_at_ = 0;
  std::uint64_t notifications_at_;
};

std::string header_bytes(const ContainerHeader& header) {
  std::string bytes;
  for (std::uint64_t word : {header.version, header.header_size, header.proto_size,
                             header.data_size, header.instruction_bytes}) {
    for (int i = 0; i < 8; ++i, word >>= 8) bytes.push_back(static_cast<char>(word & 0xff));
  }
  bytes.resize(ContainerHeader::kHeaderSize);
  return bytes;
}

Result<void> write_text(OutputFile& file, const std::string& bytes) {
  return file.write(std::as_bytes(std::span(bytes)));
}

Result<void> write_blob(OutputFile& file, const Blob& blob, std::vector<std::byte>* chunk) {
  if (!blob.read) return file.write(blob.memory);
  chunk->resize(kChunk);
  for (std::uint64_t at = 0; at < blob.read_size;) {
    const auto part = std::span(*chunk).first(std::min<std::uint64_t>(kChunk, blob.read_size - at));
    if (auto read = blob.read(at, part); !read) return read;
    if (auto wrote = file.write(part); !wrote) return wrote;
    at += part.size();
  }
  return {};
}

}  // namespace

Result<ContainerHeader> write_container(const std::string& path, const device::NtffInfo& info) {
  ContainerHeader header;
  std::uint64_t odd = 0;
  each_blob(info, [&](List list, const Blob& blob) {
    header.data_size += blob.size();
    if (list == List::kInstructions) header.instruction_bytes += blob.size();
    if (list == List::kNotifications && blob.size() % kRecord != 0) odd = blob.size();
  });
  if (odd != 0)
    return Error{EINVAL, fmt::format("{} is not written: notifications of {} bytes are no whole "
                                     "number of records of {}",
                                     path, odd, kRecord)};

  std::string message;
  Encoder(&message, header.instruction_bytes).root(info);
  if (message.size() >= kMessageLimit)
    return Error{EFBIG, fmt::format("{} is not written: its message of {} bytes is too large", path,
                                    message.size())};
  header.proto_size = message.size();

  auto file = OutputFile::create(path);
  if (!file) return file.error();
  Result<void> result = write_text(*file, header_bytes(header));
  if (result) result = write_text(*file, message);
  std::vector<std::byte> chunk;
  for (const List list : {List::kInstructions, List::kNotifications}) {
    each_blob(info, [&](List of, const Blob& blob) {
      if (result && of == list) result = write_blob(*file, blob, &chunk);
    });
  }
  if (result) result = file->commit();
  if (!result) return result.error();
  return header;
}

}  // namespace ndtel::ntff
