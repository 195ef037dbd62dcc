// SPDX-License-Identifier: Apache-2.0
#include "trace_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "neuron_trace.pb.h"

namespace ndtel::inspect::test {
namespace {

namespace fs = std::filesystem;

template <typename Message = ntff::ntrace_info>
std::optional<Message> parse(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  Message message;
  if (!file || !message.ParseFromString(bytes.str())) return std::nullopt;
  return message;
}

std::uint64_t attribute(const ntff::ntrace_event& event, const char* key) {
  const auto at = event.attributes().find(key);
  return at == event.attributes().end() ? 0 : std::stoull(at->second);
}

void read_info(const ntff::ntrace_info& info, TraceFiles& files) {
  files.complete = true;
  files.pid = info.pid();
  files.session_id = info.session_id();
  files.start_ns = info.start_time_ns();
  files.stop_ns = info.stop_time_ns();
  files.instance_id = info.instance_id();
  files.framework = info.framework();
  files.hostname = info.hostname();
  for (const auto& db : info.interned_data()) {
    for (const auto& [id, text] : std::map(db.id_map().begin(), db.id_map().end())) {
      if (db.data_type() == "ndtel.loss") {
        files.losses.push_back(text);
      } else if (db.data_type() == "ndtel.warning") {
        files.warnings.push_back(text);
      } else {
        files.strings[std::to_string(id)] = text;
      }
    }
  }
}

// What is listed and the files are the same.
void compare(const ntff::ntrace_info& info, const fs::path& directory, TraceFiles& files) {
  for (const auto& listed : info.collected_profiles()) {
    files.listed[listed.name()] = listed.num_messages();
    std::error_code error;
    if (fs::file_size(directory / listed.name(), error) != listed.size() || error)
      files.trouble += listed.name() + " has another size; ";
    int rows = -1;
    if (listed.type() == 1) {
      if (const auto data = parse(directory / listed.name())) rows = data->events_size();
    } else if (const auto data = parse<ntff::host_stats>(directory / listed.name())) {
      rows = data->cpu_util_size() + data->mem_usage_size();
    }
    if (static_cast<std::uint64_t>(rows) != listed.num_messages())
      files.trouble += listed.name() + " has another number of messages; ";
  }
}

}  // namespace

TraceFiles read_files(const std::string& directory) {
  TraceFiles files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error))
    files.names.push_back(entry.path().filename());
  if (error) files.trouble = error.message();
  std::ranges::sort(files.names);
  // Parts in the order of their numbers.
  std::vector<std::string> parts;
  for (const std::string& name : files.names)
    if (name.starts_with("ntrace")) parts.push_back(name);
  std::ranges::stable_sort(parts, {}, [](const std::string& name) { return name.size(); });
  for (const std::string& name : parts) {
    const auto part = parse(fs::path(directory) / name);
    if (!part) {
      files.trouble += name + " cannot be read; ";
      continue;
    }
    for (const auto& event : part->events()) {
      files.events.push_back({attribute(event, "model_id"), attribute(event, "exec_id")});
      if (event.phase() == ntff::NTRACE_EVENT_PHASE_TYPE_START)
        files.starts.push_back(event.tracking_id());
      if (event.phase() == ntff::NTRACE_EVENT_PHASE_TYPE_STOP)
        files.ends.push_back(event.tracking_id());
    }
  }
  std::ranges::sort(files.starts);
  std::ranges::sort(files.ends);
  for (const std::string& name : files.names) {
    if (name != "cpu_util.pb" && name != "host_mem.pb") continue;
    const auto file = parse<ntff::host_stats>(fs::path(directory) / name);
    if (!file) {
      files.trouble += name + " cannot be read; ";
      continue;
    }
    files.cpu_rows += file->cpu_util_size();
    files.mem_rows += file->mem_usage_size();
  }
  if (std::ranges::binary_search(files.names, "trace_info.pb")) {
    if (const auto info = parse(fs::path(directory) / "trace_info.pb")) {
      read_info(*info, files);
      compare(*info, directory, files);
    } else {
      files.trouble += "trace_info.pb cannot be read; ";
    }
  }
  return files;
}

}  // namespace ndtel::inspect::test
