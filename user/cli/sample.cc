// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "clock.hpp"
#include "failure.hpp"
#include "table.hpp"

namespace ndtel::cli {
namespace {

using Json = nlohmann::ordered_json;

ProcessSample read_process(const Node& node, const Owner& owner, const Reader& reader,
                           std::uint32_t cores) {
  ProcessSample s;
  s.space = node.name_space;
  s.device = static_cast<std::uint32_t>(node.index);
  s.pid = owner.pid;
  s.tag = tag_of(reader);
  s.time_ns = monotonic_ns();
  for (std::uint32_t counter = 0; counter < NDS_ND_COUNTER_NAMED; ++counter) {
    if (const auto value = reader.nd(counter)) s.device_counters[counter] = *value;
  }
  for (std::uint32_t core = 0; core < cores; ++core) {
    for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_NAMED; ++counter) {
      if (const auto value = reader.nc(core, counter)) s.cores[core][counter] = *value;
    }
  }
  return s;
}

std::optional<std::uint64_t> get(const Values& values, std::uint32_t counter) {
  const auto found = values.find(counter);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

bool idle(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](const auto& v) { return v.second == 0; });
}

/// Time in use since the sample before, as a share of the time between them.
std::string busy(const ProcessSample& now, std::uint32_t core,
                 const std::vector<ProcessSample>& before) {
  for (const ProcessSample& old : before) {
    if (old.space != now.space || old.device != now.device || old.pid != now.pid) continue;
    const auto core_then = old.cores.find(core);
    if (core_then == old.cores.end() || now.time_ns <= old.time_ns) break;
    const auto then = get(core_then->second, NDS_NC_COUNTER_TIME_IN_USE);
    const auto value = get(now.cores.at(core), NDS_NC_COUNTER_TIME_IN_USE);
    if (!then || !value || *value < *then) break;
    const double share =
        static_cast<double>(*value - *then) / 1000 / static_cast<double>(now.time_ns - old.time_ns);
    return fmt::format("{:.0f}%", 100 * share);
  }
  return "";
}

std::string text(const std::optional<std::uint64_t>& value) { return value ? grouped(*value) : ""; }

std::string process_name(const ProcessSample& s) {
  return s.tag ? fmt::format("{} ({})", *s.tag, s.pid) : std::to_string(s.pid);
}

Json values_json(const Values& values, std::string_view (*name)(std::uint32_t) noexcept) {
  Json j = Json::object();
  for (const auto& [counter, value] : values) j[std::string(name(counter))] = value;
  return j;
}

}  // namespace

std::vector<ProcessSample> sample(const std::vector<Node>& nodes) {
  std::vector<ProcessSample> samples;
  for (const Node& node : nodes) {
    const auto device = or_fail(Device::open(node.path, Lane::kReadOnly));
    const auto info = or_fail(device.basic_info());
    const std::uint32_t cores = cores_of(info.architecture).value_or(ND_MAX_NC_PER_DEVICE);
    for (const Owner& owner : or_fail(owners_of(device))) {
      // It may be gone by now: then there is nothing of it to show.
      if (const auto reader = Reader::open(device, owner.pid)) {
        auto s = read_process(node, owner, *reader, cores);
        if (reader->header_valid()) samples.push_back(std::move(s));
      }
    }
  }
  return samples;
}

std::string sample_table(const std::vector<ProcessSample>& now,
                         const std::vector<ProcessSample>& before) {
  using Align = Table::Align;
  Table table({{"device"},
               {"process"},
               {"core", Align::kRight},
               {"ok", Align::kRight},
               {"num err", Align::kRight},
               {"timeout", Align::kRight},
               {"bad input", Align::kRight},
               {"queue full", Align::kRight},
               {"MACs", Align::kRight},
               {"busy ms", Align::kRight},
               {"busy", Align::kRight},
               {"latency us", Align::kRight}});
  for (const ProcessSample& s : now) {
    for (const auto& [core, values] : s.cores) {
      if (idle(values)) continue;
      const auto time = get(values, NDS_NC_COUNTER_TIME_IN_USE);
      table.add({fmt::format("{}{}", s.space, s.device), process_name(s), std::to_string(core),
                 text(get(values, NDS_NC_COUNTER_INFER_COMPLETED)),
                 text(get(values, NDS_NC_COUNTER_INFER_COMPLETED_WITH_NUM_ERR)),
                 text(get(values, NDS_NC_COUNTER_INFER_TIMED_OUT)),
                 text(get(values, NDS_NC_COUNTER_INFER_INCORRECT_INPUT)),
                 text(get(values, NDS_NC_COUNTER_INFER_FAILED_TO_QUEUE)),
                 text(get(values, NDS_NC_COUNTER_MAC_COUNT)),
                 time ? grouped(*time / 1'000'000'000) : "", busy(s, core, before),
                 text(get(values, NDS_NC_COUNTER_LATENCY_TOTAL))});
    }
  }
  return table.empty() ? "no process counts on these devices\n" : table.text();
}

std::string sample_list(const std::vector<ProcessSample>& now) {
  Table table({{"device"},
               {"process"},
               {"core", Table::Align::kRight},
               {"counter"},
               {"value", Table::Align::kRight}});
  for (const ProcessSample& s : now) {
    const std::string device = fmt::format("{}{}", s.space, s.device);
    for (const auto& [counter, value] : s.device_counters) {
      if (value != 0)
        table.add({device, process_name(s), "", std::string(nd_counter_name(counter)),
                   std::to_string(value)});
    }
    for (const auto& [core, values] : s.cores) {
      for (const auto& [counter, value] : values) {
        if (value == 0) continue;
        table.add({device, process_name(s), std::to_string(core),
                   std::string(nc_counter_name(counter)), std::to_string(value)});
      }
    }
  }
  return table.empty() ? "no process counts on these devices\n" : table.text();
}

std::string sample_json(const std::vector<ProcessSample>& now) {
  Json processes = Json::array();
  for (const ProcessSample& s : now) {
    Json j{{"namespace", s.space}, {"device", s.device}, {"pid", s.pid}};
    if (s.tag) j["tag"] = *s.tag;
    j["time_ns"] = s.time_ns;
    j["device_counters"] = values_json(s.device_counters, nd_counter_name);
    j["cores"] = Json::array();
    for (const auto& [core, values] : s.cores) {
      j["cores"].push_back({{"core", core}, {"counters", values_json(values, nc_counter_name)}});
    }
    processes.push_back(j);
  }
  return Json{{"processes", processes}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ndtel::cli
