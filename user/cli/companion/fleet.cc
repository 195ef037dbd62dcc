// SPDX-License-Identifier: Apache-2.0
#include "fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "../failure.hpp"

namespace ndtel::cli {
namespace {

constexpr char kDriver[] = "the vendor's driver";
constexpr char kModule[] = "module ndtel";
constexpr char kBus[] = "/sys/bus/ndtel/new_device";

bool module_loaded() {
  std::error_code ignored;
  return std::filesystem::exists(kBus, ignored);
}

std::string our_name(int index) { return fmt::format("ndtel{}", index); }

// Permissions do not come with time, unlike modules and devices.
void fail_if_forbidden(const Error& error) {
  if (error.code == EACCES || error.code == EPERM) {
    throw Failure(Exit::kMissing, error.message + "; run as root");
  }
}

}  // namespace

std::vector<Companionship> Fleet::chosen() const {
  auto pairs = companionships(enumerate_nodes());
  std::erase_if(pairs, [&](const Companionship& pair) {
    return !devices_.empty() &&
           std::find(devices_.begin(), devices_.end(), pair.index()) == devices_.end();
  });
  return pairs;
}

bool Fleet::make(const Companionship& pair) {
  if (pair.companion) return true;
  const auto made = create_companion(pair.vendor);
  if (made) {
    journal_.say(our_name(pair.index()), fmt::format("made beside {}", pair.vendor.path));
    return true;
  }
  if (made.error().code == EEXIST) return true;
  fail_if_forbidden(made.error());
  journal_.say(our_name(pair.index()), made.error().message);
  return false;
}

bool Fleet::look(const std::vector<Companionship>& pairs) {
  journal_.say(kDriver, pairs.empty() ? "has no device here"
                                      : fmt::format("has {} device{}", pairs.size(),
                                                    pairs.size() == 1 ? "" : "s"));
  const bool loaded = module_loaded();
  journal_.say(kModule, loaded ? "is loaded" : "is not loaded; load it with 'modprobe ndtel'");
  return loaded;
}

bool Fleet::make_missing() {
  const auto pairs = chosen();
  if (!look(pairs)) return false;
  bool all = true;
  for (const Companionship& pair : pairs) all = make(pair) && all;
  return all;
}

void Fleet::attach(const Companionship& pair) {
  const std::string path = pair.companion ? pair.companion->path : "/dev/" + our_name(pair.index());
  auto relay = Relay::attach(path);
  if (relay) {
    couriers_[pair.index()] = std::make_unique<Courier>(std::move(*relay), our_name(pair.index()),
                                                        pair.vendor.path, journal_);
    return;
  }
  fail_if_forbidden(relay.error());
  journal_.say(our_name(pair.index()), relay.error().message);
}

void Fleet::scan() {
  std::erase_if(couriers_, [](const auto& entry) { return entry.second->ended(); });
  const auto pairs = chosen();
  const bool loaded = look(pairs);
  for (const auto& [index, courier] : couriers_) {
    const bool there = std::any_of(pairs.begin(), pairs.end(),
                                   [&, i = index](const auto& pair) { return pair.index() == i; });
    if (there) continue;
    journal_.say(our_name(index), fmt::format("/dev/neuron{} is gone; counts stay pending", index));
    courier->stop();
  }
  if (!loaded) return;
  for (const Companionship& pair : pairs) {
    if (!couriers_.contains(pair.index()) && make(pair)) attach(pair);
  }
}

bool Fleet::stop(std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kStep(10);
  for (const auto& [index, courier] : couriers_) courier->stop();
  const auto limit = std::chrono::steady_clock::now() + patience;
  for (;;) {
    std::erase_if(couriers_, [](const auto& entry) { return entry.second->ended(); });
    if (couriers_.empty()) return true;
    if (std::chrono::steady_clock::now() >= limit) return false;
    std::this_thread::sleep_for(kStep);
  }
}

}  // namespace ndtel::cli
