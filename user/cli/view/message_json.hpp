// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_VIEW_MESSAGE_JSON_HPP
#define NDTEL_CLI_VIEW_MESSAGE_JSON_HPP

#include <nlohmann/json_fwd.hpp>

namespace google::protobuf {
class Message;
}

namespace ndtel::cli {

/// A message with all its fields by name, also those that are not set: of these only messages and
/// optional fields are left out. Enums are numbers, with FIELD_name beside them; bytes are
/// hexadecimal digits; what the schema does not know is left out.
nlohmann::ordered_json message_json(const google::protobuf::Message& message);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_VIEW_MESSAGE_JSON_HPP
