// SPDX-License-Identifier: Apache-2.0
#include "session_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "neuron_trace.pb.h"
#include "pb_reader.hpp"

namespace ndtel::cli {
namespace {

namespace fs = std::filesystem;
namespace read = ntff::read;

constexpr std::uint64_t kNoString = std::uint64_t{1} << 63;

// Takes apart what the writer of trace_info.pb put together.
class InfoVisitor : public read::PbVisitor {
 public:
  explicit InfoVisitor(SessionInfo& session) : session_(session) {}

  void on_interned(std::string_view database, const read::InternedEntry& entry) override {
    if (database == "ndtel.warning") {
      session_.info.warnings.emplace_back(entry.text);
    } else if (entry.id < kNoString) {
      session_.names.add(entry.id, entry.text);
    }
  }

  void on_root(const ::ntff::ntrace_info& root) override {
    ntff::TraceInfo& info = session_.info;
    info.arch = root.arch();
    info.pid = root.pid();
    info.session_id = root.session_id();
    info.logical_nc_size = root.logical_nc_size();
    const auto& version = root.neuron_runtime_version();
    info.runtime_version = {version.major(),       version.minor(),  version.patch(),
                            version.maintenance(), version.detail(), version.git_hash()};
    info.start_time_ns = root.start_time_ns();
    info.stop_time_ns = root.stop_time_ns();
    info.hbm_capacity_bytes = root.hbm_capacity_bytes();
    info.instance_id = root.instance_id();
    info.instance_type = root.instance_type();
    info.hostname = root.hostname();
    info.framework = root.framework();
    for (const auto& file : root.collected_profiles())
      info.files.push_back({static_cast<ntff::DataKind>(file.type()), file.name(),
                            file.num_messages(), file.size()});
    if (root.has_host_stats()) {
      ntff::HostSeries& host = session_.host.emplace();
      host.num_cpus = root.host_stats().num_cpus();
      host.cpu_name = root.host_stats().cpu_name();
      host.mem_capacity = root.host_stats().mem_capacity();
      host.period_s = root.host_stats().sample_period_sec();
    }
  }

 private:
  SessionInfo& session_;
};

// Opens and reads a file; nothing when there is none.
Result<std::optional<read::PbOutcome>> read_file(const std::string& path,
                                                 read::PbVisitor& visitor) {
  auto source = read::ByteSource::open(path);
  if (!source) {
    if (source.error().code == ENOENT) return std::optional<read::PbOutcome>();
    return source.error();
  }
  auto outcome = read::read_pb(*source, visitor);
  if (!outcome) return outcome.error();
  if (outcome->fault) return Error{EPROTO, outcome->fault->sentence()};
  return std::optional(std::move(*outcome));
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::uint64_t SessionInfo::events() const noexcept {
  std::uint64_t events = 0;
  for (const auto& file : info.files)
    if (file.kind == ntff::DataKind::kNtrace) events += file.messages;
  return events;
}

Result<std::optional<SessionInfo>> read_session_info(const std::string& directory) {
  SessionInfo session;
  InfoVisitor visitor(session);
  auto outcome = read_file(directory + "/trace_info.pb", visitor);
  if (!outcome) return outcome.error();
  if (!*outcome) return std::optional<SessionInfo>();
  return std::optional(std::move(session));
}

std::string trace_part(std::uint32_t part) {
  return part == 0 ? "ntrace.pb" : fmt::format("ntrace_{}.pb", part);
}

Result<std::optional<ntff::DataFile>> read_trace_part(const std::string& directory,
                                                      std::uint32_t part) {
  read::PbVisitor nothing;
  const std::string name = trace_part(part);
  auto outcome = read_file(directory + "/" + name, nothing);
  if (!outcome) return outcome.error();
  if (!*outcome) return std::optional<ntff::DataFile>();
  return std::optional(
      ntff::DataFile{ntff::DataKind::kNtrace, name, (*outcome)->events, (*outcome)->size});
}

std::string newest_session(const std::string& process_directory,
                           const std::set<std::string>& others) {
  std::string newest;
  std::error_code error;
  for (fs::directory_iterator at(process_directory, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code unknown;
    if (!all_digits(name) || !at->is_directory(unknown) || others.contains(at->path().string()))
      continue;
    // Times of one length, or of a longer one that is later.
    if (name.size() > newest.size() || (name.size() == newest.size() && name > newest))
      newest = name;
  }
  return newest.empty() ? process_directory : process_directory + "/" + newest;
}

std::size_t remove_unfinished(const std::string& directory, std::uint32_t pid) {
  const std::string end_of_name = fmt::format(".{}.part", pid);
  std::size_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code failed;
    if (name.starts_with('.') && name.ends_with(end_of_name) && fs::remove(at->path(), failed))
      ++removed;
  }
  return removed;
}

}  // namespace ndtel::cli
