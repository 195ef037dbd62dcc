// SPDX-License-Identifier: Apache-2.0
#include "ndtel/trace.hpp"

#include <cerrno>
#include <new>

#include "config.hpp"
#include "engine.hpp"
#include "utf8.hpp"

namespace ndtel::trace {

using systrace::Engine;

std::uint64_t intern(std::string_view name, std::uint32_t nc) noexcept {
  if (!systrace::is_utf8(name) || name.find('\0') != std::string_view::npos) return 0;
  const std::uint64_t id = systrace::string_id(name);
  if (!name.empty()) Engine::get().intern(id, name, nc);
  return id;
}

Result<void> start(const Config& config) {
  nrt_sys_trace_config_t c = systrace::default_config();
  c.max_events_per_nc = config.events_per_core;
  for (std::size_t nc = 0; nc < config.cores.size(); ++nc)
    c.capture_enabled_for_nc[nc] = config.cores[nc];
  for (std::size_t type = 0; type < config.types.size(); ++type)
    c.capture_enabled_for_event_type[type] = config.types[type];
  systrace::CaptureOptions options;
  options.engine = config.ring == Ring::kClassic ? systrace::EngineKind::kClassic
                                                 : systrace::EngineKind::kBlocks;
  options.socket = config.socket;
  switch (Engine::get().start(c, options)) {
    case NRT_SUCCESS:
      return {};
    case NRT_FAILURE:
      return Error{EBUSY, "a trace capture is running already"};
    case NRT_INVALID:
      return Error{EINVAL, "a core cannot keep so many trace events"};
    default:
      return Error{ENOMEM, "no room for the trace rings"};
  }
}

Result<void> stop() {
  if (Engine::get().stop() == NRT_SUCCESS) return {};
  return Error{EALREADY, "no trace capture is running"};
}

std::optional<Counts> counts(std::uint32_t nc) noexcept {
  const auto counts = Engine::get().counts(nc);
  if (!counts) return std::nullopt;
  return Counts{counts->created,   counts->pushed, counts->drained,
                counts->displaced, counts->left,   counts->skipped};
}

std::size_t drain(std::uint32_t nc, std::span<nrt_sys_trace_event_t> out) noexcept {
  return Engine::get().drain(nc, out.data(), out.size());
}

Result<std::string> fetch_json(std::optional<std::uint32_t> nc, std::uint64_t limit) {
  nrt_sys_trace_fetch_options_t options = systrace::default_fetch_options();
  options.max_events_per_nc = limit;
  if (nc) options.nc_idx = *nc;
  systrace::JsonBuffer json;
  if (Engine::get().fetch(options, json) != NRT_SUCCESS)
    return Error{ENOMEM, "no memory for the trace events"};
  return std::string(json.text.get(), json.size);
}

}  // namespace ndtel::trace
