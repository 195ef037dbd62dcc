// SPDX-License-Identifier: Apache-2.0
#include "summary_json.hpp"

#include <nlohmann/json.hpp>

#include "neuron_trace.pb.h"
#include "totals.hpp"
#include "type_names.hpp"

namespace ndtel::cli {
namespace {

using Json = nlohmann::ordered_json;

void put_range(Json& to, const read::TimeRange& range) {
  if (range.empty()) return;
  to["first_ns"] = range.first_ns;
  to["last_ns"] = range.last_ns;
}

Json counts_of(const read::TypeStats& stats) {
  Json json{{"events", stats.events()},
            {"starts", stats.starts},
            {"stops", stats.stops},
            {"instants", stats.instants},
            {"spans", stats.spans},
            {"unpaired_starts", stats.unpaired_starts},
            {"unpaired_stops", stats.unpaired_stops}};
  if (stats.others > 0) json["other_phases"] = stats.others;
  if (stats.backward > 0) json["backward_spans"] = stats.backward;
  if (stats.durations() > 0) {
    json["total_ns"] = stats.total_ns;
    json["mean_ns"] = stats.mean_ns();
    json["min_ns"] = stats.min_ns;
    json["max_ns"] = stats.max_ns;
  }
  put_range(json, stats.range);
  return json;
}

Json type_json(const read::TypeKey& key, const read::TypeStats& stats) {
  Json json{{"ring", key.ring == read::Ring::kNtrace ? "ntrace" : "sys_trace"},
            {"type", key.type},
            {"name", read::type_name(key)}};
  json.update(counts_of(stats));
  return json;
}

Json core_json(const read::CoreKey& key, const CoreTotals& core, const CaptureSummary& capture) {
  Json json{{"nd", key.nd}, {"nc", key.nc}, {"events", core.all.events()}};
  put_range(json, core.all.range);
  if (const auto loss = capture.loss.find(key.nc); loss != capture.loss.end())
    json["loss"] = loss->second;
  Json& types = json["types"] = Json::array();
  for (const auto& [type, stats] : core.types) types.push_back(type_json(type, stats));
  return json;
}

Json series_json(const SeriesSummary& series) {
  Json json{{"samples", series.rows},
            {"mean", series.mean()},
            {"min", series.min},
            {"max", series.max},
            {"last", series.last}};
  put_range(json, series.range);
  return json;
}

Json host_json(const CaptureSummary& capture) {
  Json json = Json::object();
  const auto& host = capture.info->host_stats();
  if (host.num_cpus() != 0) json["num_cpus"] = host.num_cpus();
  if (!host.cpu_name().empty()) json["cpu_name"] = host.cpu_name();
  if (host.mem_capacity() != 0) json["mem_capacity_bytes"] = host.mem_capacity();
  if (host.sample_period_sec() != 0) json["sample_period_s"] = host.sample_period_sec();
  if (capture.cpu.rows > 0) json["cpu_percent"] = series_json(capture.cpu);
  if (capture.memory.rows > 0) json["memory_bytes"] = series_json(capture.memory);
  return json;
}

Json file_json(const FileSummary& file) {
  Json json{{"name", file.name},
            {"message", file.kind},
            {"framing", file.delimited ? "delimited" : "single"},
            {"bytes", file.bytes},
            {"whole_bytes", file.whole}};
  if (file.events > 0) json["events"] = file.events;
  if (file.rows > 0) json["rows"] = file.rows;
  if (file.interned > 0) json["interned"] = file.interned;
  if (file.damaged > 0) json["damaged_records"] = file.damaged;
  if (file.unknown > 0) json["unknown_fields"] = file.unknown;
  return json;
}

Json profile_json(const ProfileSummary& profile) {
  Json json{{"name", profile.name}, {"empty", profile.empty}};
  if (profile.empty) return json;
  json["version"] = profile.version;
  json["id"] = profile.id;
  json["arch"] = profile.arch;
  json["pid"] = profile.pid;
  json["start_nc"] = profile.start_nc;
  if (!profile.runtime_version.empty()) json["runtime_version"] = profile.runtime_version;
  if (!profile.driver_version.empty()) json["driver_version"] = profile.driver_version;
  json["nodes"] = profile.nodes;
  json["graphs"] = profile.graphs;
  json["executions"] = profile.executions;
  json["instruction_bytes"] = profile.instruction_bytes;
  Json& queues = json["queues"] = Json::array();
  for (const auto& [kind, queue] : profile.queues) {
    Json totals{{"trace_type", kind.first},
                {"block_type", kind.second},
                {"traces", queue.traces},
                {"records", queue.records},
                {"software_overflows", queue.software_overflows},
                {"hardware_overflows", queue.hardware_overflows}};
    if (!queue.device_ps.empty()) {
      totals["first_ps"] = queue.device_ps.first_ns;
      totals["last_ps"] = queue.device_ps.last_ns;
    }
    queues.push_back(std::move(totals));
  }
  return json;
}

void put_info(Json& json, const CaptureSummary& capture) {
  const auto& info = *capture.info;
  const auto put = [&](const char* key, const auto& value) {
    if (value != std::decay_t<decltype(value)>()) json[key] = value;
  };
  if (capture.pid) json["pid"] = *capture.pid;
  put("instance_id", info.instance_id().empty() ? capture.instance : info.instance_id());
  put("instance_type", info.instance_type());
  put("hostname", info.hostname());
  put("framework", info.framework());
  put("arch", info.arch());
  put("session_id", info.session_id());
  put("logical_nc_size", info.logical_nc_size());
  put("data_version", info.data_version());
  put("runtime_version", version_text(info.neuron_runtime_version()));
  put("hbm_capacity_bytes", info.hbm_capacity_bytes());
  put("start_time_ns", info.start_time_ns());
  put("stop_time_ns", info.stop_time_ns());
}

Json capture_json(const CaptureSummary& capture) {
  Json json{{"path", capture.path}};
  if (capture.directory) json["complete"] = capture.complete;
  put_info(json, capture);
  const Totals totals = totals_of(*capture.events);
  json["events"] = totals.all.events();
  put_range(json, totals.all.range);
  json["dropped"] = dropped_of(capture);
  json["interned_strings"] = capture.interned_strings;
  Json& cores = json["cores"] = Json::array();
  for (const auto& [key, core] : totals.cores) cores.push_back(core_json(key, core, capture));
  Json& types = json["types"] = Json::array();
  for (const auto& [key, stats] : totals.types) types.push_back(type_json(key, stats));
  json["host"] = host_json(capture);
  Json& profiles = json["profiles"] = Json::array();
  for (const ProfileSummary& profile : capture.profiles) profiles.push_back(profile_json(profile));
  Json& files = json["files"] = Json::array();
  for (const FileSummary& file : capture.files) files.push_back(file_json(file));
  json["warnings"] = capture.warnings;
  Json& faults = json["faults"] = Json::array();
  for (const read::Fault& fault : capture.faults)
    faults.push_back(
        {{"file", fault.file}, {"offset", fault.offset}, {"message", fault.sentence()}});
  return json;
}

}  // namespace

std::string summary_json(const std::vector<CaptureSummary>& captures) {
  Json json;
  Json& all = json["captures"] = Json::array();
  for (const CaptureSummary& capture : captures) all.push_back(capture_json(capture));
  // Texts of a file may be of any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ndtel::cli
