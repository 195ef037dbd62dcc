// SPDX-License-Identifier: Apache-2.0
#include "message_json.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ndtel::cli {
namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

/// The name of a constant in lower case, without that of its enum before it; empty for a number
/// that has none.
std::string enum_name(const FieldDescriptor& field, int number) {
  const auto* value = field.enum_type()->FindValueByNumber(number);
  if (value == nullptr) return "";
  std::string name = value->name().substr(field.enum_type()->name().size() + 1);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

/// The value of a field; of a repeated one, that of element `index`.
Json value_json(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& of = *message.GetReflection();
  const bool one = index < 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return one ? of.GetInt32(message, &field) : of.GetRepeatedInt32(message, &field, index);
    case FieldDescriptor::CPPTYPE_INT64:
      return one ? of.GetInt64(message, &field) : of.GetRepeatedInt64(message, &field, index);
    case FieldDescriptor::CPPTYPE_UINT32:
      return one ? of.GetUInt32(message, &field) : of.GetRepeatedUInt32(message, &field, index);
    case FieldDescriptor::CPPTYPE_UINT64:
      return one ? of.GetUInt64(message, &field) : of.GetRepeatedUInt64(message, &field, index);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return one ? of.GetDouble(message, &field) : of.GetRepeatedDouble(message, &field, index);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return one ? of.GetFloat(message, &field) : of.GetRepeatedFloat(message, &field, index);
    case FieldDescriptor::CPPTYPE_BOOL:
      return one ? of.GetBool(message, &field) : of.GetRepeatedBool(message, &field, index);
    case FieldDescriptor::CPPTYPE_ENUM:
      return one ? of.GetEnumValue(message, &field)
                 : of.GetRepeatedEnumValue(message, &field, index);
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text =
          one ? of.GetString(message, &field) : of.GetRepeatedString(message, &field, index);
      return field.type() == FieldDescriptor::TYPE_BYTES ? hex(text) : text;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return message_json(one ? of.GetMessage(message, &field)
                              : of.GetRepeatedMessage(message, &field, index));
  }
  return nullptr;
}

Json map_json(const Message& message, const FieldDescriptor& field) {
  Json json = Json::object();
  const Reflection& of = *message.GetReflection();
  const auto& key = *field.message_type()->map_key();
  const auto& value = *field.message_type()->map_value();
  for (int i = 0; i < of.FieldSize(message, &field); ++i) {
    const Message& entry = of.GetRepeatedMessage(message, &field, i);
    const Json name = value_json(entry, key, -1);
    json[name.is_string() ? name.get<std::string>() : name.dump()] = value_json(entry, value, -1);
  }
  return json;
}

}  // namespace

nlohmann::ordered_json message_json(const google::protobuf::Message& message) {
  Json json = Json::object();
  const Reflection& of = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (field.is_map()) {
      json[field.name()] = map_json(message, field);
    } else if (field.is_repeated()) {
      Json& list = json[field.name()] = Json::array();
      for (int k = 0; k < of.FieldSize(message, &field); ++k)
        list.push_back(value_json(message, field, k));
    } else if (!field.has_presence() || of.HasField(message, &field)) {
      json[field.name()] = value_json(message, field, -1);
      if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
        const std::string name = enum_name(field, of.GetEnumValue(message, &field));
        if (!name.empty()) json[field.name() + "_name"] = name;
      }
    }
  }
  return json;
}

}  // namespace ndtel::cli
