// SPDX-License-Identifier: Apache-2.0
#include "weakening.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <tuple>

namespace ndtel::model {
namespace {

using Key = std::tuple<std::string, std::uint32_t, Role>;

std::map<Key, std::memory_order>& operations() {
  static std::map<Key, std::memory_order> map;
  return map;
}

std::string wanted_file;

const char* name_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
      return "consume";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
  }
  return "?";
}

const char* name_of(Role role) {
  switch (role) {
    case Role::kLoad:
      return "load";
    case Role::kStore:
      return "store";
    case Role::kUpdate:
      return "update";
    case Role::kFailure:
      return "failure";
    case Role::kFence:
      return "fence";
  }
  return "?";
}

std::vector<std::memory_order> below(Role role, std::memory_order order) {
  constexpr auto relaxed = std::memory_order_relaxed;
  if (order == relaxed) return {};
  if (order != std::memory_order_seq_cst && order != std::memory_order_acq_rel) return {relaxed};
  switch (role) {
    case Role::kLoad:
    case Role::kFailure:
      return {std::memory_order_acquire, relaxed};
    case Role::kStore:
      return {std::memory_order_release, relaxed};
    case Role::kFence:
      return {relaxed};
    case Role::kUpdate:
      break;
  }
  std::vector<std::memory_order> orders{std::memory_order_acquire, std::memory_order_release,
                                        relaxed};
  if (order == std::memory_order_seq_cst) {
    orders.insert(orders.begin(), std::memory_order_acq_rel);
  }
  return orders;
}

std::string line_of(const std::string& file, std::uint32_t number) {
  // Compilers name the file as it was named to them, from the folder of the build perhaps.
  std::ifstream source(NDTEL_TOP + file.substr(std::min(file.rfind("/user/"), file.size())));
  std::string line;
  for (std::uint32_t i = 0; i < number; ++i) {
    if (!std::getline(source, line)) return file + ":" + std::to_string(number);
  }
  return line.substr(line.find_first_not_of(' '));
}

}  // namespace

ActiveWeakening active_weakening;

std::string Weakening::describe() const {
  return std::string(name_of(role)) + " " + name_of(from) + " -> " + name_of(to) + " | " +
         line_of(file, line);
}

std::vector<Weakening> recorded_weakenings() {
  std::vector<Weakening> all;
  for (const auto& [key, order] : operations()) {
    const auto& [file, line, role] = key;
    for (const std::memory_order to : below(role, order)) {
      all.push_back({file, line, role, order, to});
    }
  }
  return all;
}

void record_operations(bool on) {
  if (on) operations().clear();
  active_weakening.recording = on;
}

void weaken(const std::optional<Weakening>& weakening) {
  active_weakening = {};
  if (!weakening) return;
  wanted_file = weakening->file;
  active_weakening = {weakening->line, weakening->role, weakening->to, wanted_file.c_str(), false};
}

std::memory_order weakened_slowly(const Where& where, Role role, std::memory_order order) {
  if (active_weakening.recording) {
    operations().emplace(Key{where.file, where.line, role}, order);
    return order;
  }
  const ActiveWeakening& wanted = active_weakening;
  const bool same =
      wanted.line == where.line && wanted.role == role && std::strcmp(wanted.file, where.file) == 0;
  return same ? wanted.to : order;
}

}  // namespace ndtel::model
