// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "filters.hpp"

namespace ndtel::inspect {
namespace {

constexpr std::size_t kShownValue = 64;

bool is_word(std::string_view value, std::string_view word) {
  const auto lower = [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; };
  return std::ranges::equal(value, word, {}, lower, lower);
}

std::optional<bool> switch_of(std::string_view value) {
  for (const char* word : {"1", "true", "yes", "on"})
    if (is_word(value, word)) return true;
  for (const char* word : {"0", "false", "no", "off"})
    if (is_word(value, word)) return false;
  return std::nullopt;
}

// Reads variables one by one and collects what is wrong with them.
class Reader {
 public:
  Reader(const Lookup& lookup, std::vector<std::string>& complaints)
      : lookup_(lookup), complaints_(complaints) {}

  std::optional<std::string_view> text(const char* name) const {
    const char* const value = lookup_(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  }

  // Nothing: it cannot be understood.
  std::optional<bool> known_flag(const char* name, bool otherwise) {
    const auto value = text(name);
    if (!value) return otherwise;
    const auto on = switch_of(*value);
    if (!on) complain(name, *value, "is neither 0 nor 1");
    return on;
  }

  bool flag(const char* name, bool otherwise) {
    return known_flag(name, otherwise).value_or(otherwise);
  }

  std::optional<std::uint64_t> number(const char* name, std::uint64_t most) {
    const auto value = text(name);
    if (!value) return std::nullopt;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
    if (error == std::errc{} && end == value->data() + value->size() && number <= most)
      return number;
    complain(name, *value, fmt::format("is no number from 0 to {}", most));
    return std::nullopt;
  }

  void complain(const char* name, std::string_view value, std::string_view what) {
    complaints_.push_back(fmt::format("{}: '{}' {}", name, value.substr(0, kShownValue), what));
  }

  void complain(const char* name, const BadWord& bad) {
    complaints_.push_back(
        fmt::format("{}: '{}' at character {} {}", name, bad.word, bad.place, bad.reason));
  }

 private:
  const Lookup& lookup_;
  std::vector<std::string>& complaints_;
};

std::uint32_t read_activities(Reader& reader) {
  std::uint32_t bits = 0;
  const auto add = [&](const char* name, std::uint32_t bit, bool otherwise) {
    if (reader.flag(name, otherwise)) bits |= bit;
  };
  add("NEURON_RT_INSPECT_SYSTEM_PROFILE", NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE, true);
  add("NEURON_RT_INSPECT_HOST_MEMORY", NRT_INSPECT_ACTIVITY_HOST_MEMORY, false);
  add("NEURON_RT_INSPECT_CPU_UTIL", NRT_INSPECT_ACTIVITY_CPU_UTIL, false);
  return bits;
}

void read_device_profile(Reader& reader, Environment& to) {
  constexpr const char* kMode = "NEURON_RT_INSPECT_DEVICE_PROFILE";
  if (const auto value = reader.text(kMode)) {
    if (is_word(*value, "session")) {
      to.config.mode = NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION;
    } else if (is_word(*value, "model") || switch_of(*value) == true) {
      to.config.mode = NRT_INSPECT_DEVICE_PROFILE_MODE_MODEL;
    } else if (switch_of(*value) != false) {
      reader.complain(kMode, *value, "is none of 0, 1, model and session");
    }
    if (to.config.mode != NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED)
      to.config.activities |= NRT_INSPECT_ACTIVITY_DEVICE_PROFILE;
  }
  to.config.enable_inspect_on_fail = reader.flag("NEURON_RT_INSPECT_ON_FAIL", false);
  to.device.precache = reader.flag("NEURON_RT_INSPECT_PRECACHE_ENABLE", false);
  to.device.dge_notifications = reader.flag("NEURON_RT_ENABLE_DGE_NOTIFICATIONS", false);
  constexpr std::uint32_t kMostMib = 1u << 20;
  for (std::size_t i = 0; i < kProfileBuffers.size(); ++i) {
    const std::string name = fmt::format("NEURON_RT_PROFILE_BUF_{}_MB", kProfileBuffers[i]);
    if (const auto mib = reader.number(name.c_str(), kMostMib))
      to.device.buffer_mib[i] = static_cast<std::uint32_t>(*mib);
  }
}

void read_filters(Reader& reader, Environment& to) {
  constexpr const char* kCores = "NEURON_RT_INSPECT_EVENT_FILTER_NC";
  if (const auto text = reader.text(kCores)) {
    const auto parsed = parse_cores(*text);
    if (const auto* cores = std::get_if<CoreSet>(&parsed)) {
      to.named_cores = *cores;
      to.config.cores = *cores;
      for (std::size_t core = 0; core < cores->size(); ++core)
        to.config.sys_trace.capture_enabled_for_nc[core] = cores->test(core);
    } else {
      reader.complain(kCores, std::get<BadWord>(parsed));
    }
  }
  constexpr const char* kTypes = "NEURON_RT_INSPECT_EVENT_FILTER_TYPE";
  if (const auto text = reader.text(kTypes)) {
    const auto parsed = parse_types(*text);
    if (const auto* types = std::get_if<TypeSet>(&parsed)) {
      for (std::size_t type = 0; type < types->size(); ++type)
        to.config.sys_trace.capture_enabled_for_event_type[type] = types->test(type);
    } else {
      reader.complain(kTypes, std::get<BadWord>(parsed));
    }
  }
}

}  // namespace

Environment read_environment(const Lookup& lookup) {
  Environment read;
  Reader reader(lookup, read.complaints);
  read.enabled = reader.known_flag("NEURON_RT_INSPECT_ENABLE", false);
  read.config.enable_inspect = true;
  read.config.activities = read_activities(reader);
  read_device_profile(reader, read);
  read_filters(reader, read);
  if (const auto directory = reader.text("NEURON_RT_INSPECT_OUTPUT_DIR"))
    read.config.output_dir = *directory;
  if (const auto events = reader.number("NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC",
                                        NRT_SYS_TRACE_MAX_EVENTS_PER_NC))
    read.config.sys_trace.max_events_per_nc = *events;
  for (const char* name : {"NEURON_RT_INSPECT_DURATION_NSEC", "NEURON_RT_INSPECT_START_OFFSET_NSEC",
                           "NEURON_RT_PROFILING_MODE"})
    if (reader.text(name)) read.ignored.emplace_back(name);
  return read;
}

}  // namespace ndtel::inspect
