// SPDX-License-Identifier: Apache-2.0
#include "facts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <sstream>

namespace ndtel::cli {

bool Fact::absent() const { return error == ENOENT || error == ENODEV; }

Fact read_fact(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {{}, errno};
  Fact fact;
  char piece[4096];
  ssize_t n;
  while ((n = ::read(fd, piece, sizeof piece)) > 0)
    fact.text.append(piece, static_cast<std::size_t>(n));
  if (n < 0) fact = {{}, errno};
  ::close(fd);
  return fact;
}

std::optional<std::uint64_t> number_of(const std::string& text) {
  const auto first = text.find_first_not_of(" \n\t");
  if (first == std::string::npos) return std::nullopt;
  const auto last = text.find_last_not_of(" \n\t") + 1;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(&text[first], text.data() + last, value);
  if (error != std::errc() || end != text.data() + last) return std::nullopt;
  return value;
}

std::map<std::string, std::string> keys_of(const std::string& text) {
  std::map<std::string, std::string> keys;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key, value, rest;
    if (words >> key >> value && !(words >> rest)) keys[key] = value;
  }
  return keys;
}

std::optional<std::uint64_t> number_at(const std::map<std::string, std::string>& keys,
                                       const std::string& key) {
  const auto found = keys.find(key);
  return found == keys.end() ? std::nullopt : number_of(found->second);
}

}  // namespace ndtel::cli
