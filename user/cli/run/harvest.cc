// SPDX-License-Identifier: Apache-2.0
#include "harvest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "../../inspect/instance.hpp"
#include "ndtel/trace_harvest.hpp"
#include "session_files.hpp"

namespace ndtel::cli {
namespace {

namespace fs = std::filesystem;

struct Totals {
  std::uint64_t drained = 0, left = 0;
};

// Decides what is in the files that are there already, and what is not.
struct Standing {
  std::string directory;
  std::optional<SessionInfo> info;
  std::vector<ntff::DataFile> kept;  ///< whole parts of the trace, in their order
  bool complete = false;             ///< nothing is left to be written
};

std::string named(const std::string& base, std::uint32_t pid) {
  return base + "/" + inspect::process_directory(inspect::this_instance(), static_cast<pid_t>(pid));
}

Result<Standing> take_stock(std::string directory, const Totals& totals) {
  Standing standing;
  standing.directory = std::move(directory);
  auto info = read_session_info(standing.directory);
  if (!info) return info.error();
  standing.info = std::move(*info);
  const std::uint64_t listed = standing.info ? standing.info->events() : 0;
  // The process ended between its last file and saying so.
  if (standing.info && listed > totals.drained) {
    standing.complete = true;
    return standing;
  }
  // What it took out of its memory is in these files alone. What is in parts that are not listed
  // may still be in its memory: then it was killed while it ended its session.
  std::uint64_t taken = totals.drained - listed;
  if (standing.info) {
    for (const auto& file : standing.info->info.files)
      if (file.kind == ntff::DataKind::kNtrace) standing.kept.push_back(file);
  }
  while (taken != 0) {
    auto file =
        read_trace_part(standing.directory, static_cast<std::uint32_t>(standing.kept.size()));
    if (!file) return file.error();
    if (!*file || (*file)->messages > taken || (*file)->messages == 0) break;
    taken -= (*file)->messages;
    standing.kept.push_back(std::move(**file));
  }
  return standing;
}

// Parts behind those that count: their events were written again, in fewer parts.
void remove_parts(const std::string& directory, std::size_t from) {
  for (auto part = static_cast<std::uint32_t>(from);; ++part) {
    std::error_code error;
    if (!fs::remove(directory + "/" + trace_part(part), error)) return;
  }
}

Result<void> add_events(const trace::Harvester& harvester, ntff::TraceWriter& writer) {
  for (const trace::HarvestedCore& core : harvester.summary().cores) {
    Result<void> added;
    harvester.events(core, [&](const nrt_sys_trace_event_t& event) {
      added = writer.add(event);
      return added.ok();
    });
    if (!added) return added;
  }
  return {};
}

std::vector<std::int32_t> worker_gids(const trace::HarvestSummary& summary) {
  std::vector<std::int32_t> gids;
  for (const trace::HarvestedCore& core : summary.cores) {
    if (core.nc >= gids.size()) gids.resize(core.nc + 1, -1);
    gids[core.nc] = core.worker_gid;
  }
  return gids;
}

ntff::TraceInfo describe(const DeadCapture& capture, const trace::HarvestSummary& summary,
                         Standing& standing, std::vector<ntff::DataFile> parts) {
  ntff::TraceInfo info;
  if (standing.info) {
    info = standing.info->info;
    if (standing.info->host) info.host = &*standing.info->host;
  } else {
    const inspect::Instance instance = inspect::this_instance();
    info.instance_id = instance.id;
    info.instance_type = instance.type;
    info.hostname = instance.hostname;
    info.start_time_ns = capture.begun_ns;
    info.pid = capture.pid;
    info.session_id = 1;
  }
  info.stop_time_ns = capture.ended_ns;
  // Series of the host that were exported stay as they are.
  std::erase_if(info.files, [](const auto& file) { return file.kind == ntff::DataKind::kNtrace; });
  info.files.insert(info.files.begin(), parts.begin(), parts.end());
  info.loss.clear();
  for (const trace::HarvestedCore& core : summary.cores) info.loss.push_back(ntff::loss_of(core));
  info.warnings.push_back(
      fmt::format("the process{}{} before it wrote its files: ndtel run wrote them from its memory",
                  capture.end.empty() ? " ended" : " ", capture.end));
  info.warnings.insert(info.warnings.end(), summary.warnings.begin(), summary.warnings.end());
  if (summary.names_lost != 0)
    info.warnings.push_back(fmt::format("{} names found no room", summary.names_lost));
  return info;
}

}  // namespace

Result<HarvestReport> Salvage::harvest(const DeadCapture& capture) {
  const auto harvester = trace::Harvester::open(capture.memfd);
  if (!harvester) return harvester.error();
  const trace::HarvestSummary& summary = harvester->summary();
  HarvestReport report;
  Totals totals;
  for (const trace::HarvestedCore& core : summary.cores) {
    totals.drained += core.drained;
    totals.left += core.left;
    report.displaced += core.displaced;
    report.in_flight += core.in_flight;
    report.damaged += core.damaged;
  }
  report.warnings = summary.warnings;
  // The process counts itself by another number in a namespace of its own, where others may have
  // the same one: what it wrote there is looked for only if there is something.
  const bool own = summary.pid == capture.pid || summary.written || totals.drained != 0;
  std::string directory = named(base_, own ? summary.pid : capture.pid);
  if (own) directory = newest_session(directory, made_);
  if (summary.written || (summary.stopped && totals.left == 0)) {
    report.done = HarvestReport::Done::kByProcess;
    report.directory = std::move(directory);
    report.events = totals.drained + totals.left;
    return report;
  }
  if (!capture.newest) {
    // Of which session the files there are, nobody knows.
    directory = fmt::format("{}/{}", named(base_, capture.pid), capture.begun_ns);
    made_.insert(directory);
  }

  auto stock = take_stock(std::move(directory), totals);
  if (!stock) return stock.error();
  Standing& standing = *stock;
  report.directory = standing.directory;
  report.unfinished = remove_unfinished(standing.directory, summary.pid);
  if (standing.complete) {
    report.done = HarvestReport::Done::kByProcess;
    report.events = standing.info->events();
    return report;
  }
  std::error_code error;
  fs::create_directories(standing.directory, error);
  if (error)
    return Error{error.value(),
                 fmt::format("{}: cannot be made: {}", standing.directory, error.message())};

  systrace::StringShard names;
  if (standing.info) names.merge(standing.info->names);
  for (const auto& [id, name] : summary.names) names.add(id, name);
  std::vector<ntff::DataFile> parts = standing.kept;
  report.done = parts.empty() ? HarvestReport::Done::kHarvested : HarvestReport::Done::kCompleted;
  const std::vector<std::int32_t> gids = worker_gids(summary);
  if (totals.left != 0 || parts.empty()) {
    ntff::TraceWriterOptions options;
    options.first_part = static_cast<std::uint32_t>(parts.size());
    ntff::TraceWriter writer(standing.directory,
                             {.names = &names, .worker_gid = gids, .device = {}}, options);
    if (Result<void> added = add_events(*harvester, writer); !added) {
      // The memory goes with this process: what fits is saved.
      static_cast<void>(writer.cut(names));
      return added.error();
    }
    if (Result<void> cut = writer.cut(names); !cut) return cut.error();
    parts.insert(parts.end(), writer.files().begin(), writer.files().end());
    std::ranges::move(ntff::warnings_of(writer.tally()), std::back_inserter(report.warnings));
  }
  remove_parts(standing.directory, parts.size());
  for (const auto& part : parts) report.events += part.messages;
  ntff::TraceInfo info = describe(capture, summary, standing, std::move(parts));
  if (Result<void> written = ntff::write_trace_info(standing.directory, info, names); !written)
    return written.error();
  return report;
}

}  // namespace ndtel::cli
