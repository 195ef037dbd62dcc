// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_HEALTH_FACTS_HPP
#define NDTEL_CLI_HEALTH_FACTS_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace ndtel::cli {

/// The text of a file, or the errno that reading it gave.
struct Fact {
  std::string text;
  int error = 0;

  bool known() const { return error == 0; }
  bool absent() const;  ///< there is no such file
};

/// Where facts come from: the machine, or a test.
using ReadFact = std::function<Fact(const std::string& path)>;

/// Reads a file of this machine.
Fact read_fact(const std::string& path);

/// A number alone in a text, but for blanks around it.
std::optional<std::uint64_t> number_of(const std::string& text);

/// Lines of "key value"; those of another form are left out.
std::map<std::string, std::string> keys_of(const std::string& text);

/// The number of a key; nothing when it is not there or none.
std::optional<std::uint64_t> number_at(const std::map<std::string, std::string>& keys,
                                       const std::string& key);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_HEALTH_FACTS_HPP
