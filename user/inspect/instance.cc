// SPDX-License-Identifier: Apache-2.0
#include "instance.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <string_view>

namespace ndtel::inspect {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  line.erase(line.find_last_not_of(" \t\r\n\0") + 1);
  return line;
}

// An asset tag can be anything; one that is no instance id must not become part of a path.
bool is_instance_id(std::string_view tag) {
  return tag.size() > 2 && tag.size() < 64 && tag.starts_with("i-") &&
         std::ranges::all_of(tag.substr(2), [](unsigned char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
         });
}

}  // namespace

Instance this_instance(const char* dmi) {
  Instance instance;
  instance.id = first_line(fmt::format("{}/board_asset_tag", dmi));
  if (is_instance_id(instance.id)) {
    instance.type = first_line(fmt::format("{}/product_name", dmi));
  } else {
    instance.id = "localhost";
  }
  char name[HOST_NAME_MAX + 1] = {};
  if (::gethostname(name, sizeof name - 1) == 0) instance.hostname = name;
  return instance;
}

std::string process_directory(const Instance& instance, pid_t pid) {
  return fmt::format("{}_pid_{}", instance.id, pid);
}

}  // namespace ndtel::inspect
