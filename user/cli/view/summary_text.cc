// SPDX-License-Identifier: Apache-2.0
#include "summary_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <string_view>
#include <vector>

#include "../table.hpp"
#include "neuron_trace.pb.h"
#include "totals.hpp"
#include "type_names.hpp"

namespace ndtel::cli {
namespace {

constexpr auto kRight = Table::Align::kRight;
constexpr double kNsPerS = 1e9;

/// Texts of a file as they may be shown on a terminal: no control characters.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    out += control ? '?' : c;
  }
  return out;
}

std::string duration(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.3g} us", ns / 1e3);
  if (ns < kNsPerS) return fmt::format("{:.3g} ms", ns / 1e6);
  return fmt::format("{:.4g} s", ns / kNsPerS);
}

std::string bytes(double n) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; n >= 1024 && unit + 1 < std::size(kUnits); ++unit) n /= 1024;
  return fmt::format("{:.{}f} {}", n, unit == 0 ? 0 : 1, kUnits[unit]);
}

/// UTC, with nanoseconds.
std::string moment(std::uint64_t ns) {
  const auto seconds = static_cast<std::time_t>(ns / 1'000'000'000);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:09} UTC", fmt::gmtime(seconds), ns % 1'000'000'000);
}

std::string title(const CaptureSummary& capture) {
  std::string text = capture.path;
  if (capture.pid) text += fmt::format(": process {}", *capture.pid);
  const auto& info = *capture.info;
  const std::string& instance = info.instance_id().empty() ? capture.instance : info.instance_id();
  if (!instance.empty()) text += " of " + instance;
  if (!info.instance_type().empty()) text += " (" + info.instance_type() + ")";
  if (!info.hostname().empty()) text += " on " + info.hostname();
  if (const std::string version = version_text(info.neuron_runtime_version()); !version.empty())
    text += ", runtime " + version;
  return shown(text) + "\n";
}

std::string times(const CaptureSummary& capture, const Totals& totals) {
  std::string text;
  const auto& info = *capture.info;
  if (info.start_time_ns() != 0 && info.stop_time_ns() >= info.start_time_ns()) {
    text += fmt::format("captured from {} for {}\n", moment(info.start_time_ns()),
                        duration(static_cast<double>(info.stop_time_ns() - info.start_time_ns())));
  }
  text += fmt::format("{} events", grouped(totals.all.events()));
  if (const auto& range = totals.all.range; !range.empty()) {
    text += fmt::format(" from {} for {}", moment(range.first_ns),
                        duration(static_cast<double>(range.last_ns - range.first_ns)));
  }
  return text + "\n";
}

std::string losses(const CaptureSummary& capture) {
  if (capture.loss.empty()) return "";
  std::uint64_t all = 0;
  std::string parts;
  for (const auto& [name, count] : dropped_of(capture)) {
    all += count;
    if (count > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", grouped(count), name);
  }
  if (all == 0) return "no events dropped\n";
  return fmt::format("{} events dropped: {}\n", grouped(all), parts);
}

std::string types_table(const std::map<read::TypeKey, read::TypeStats>& types) {
  Table table({{"type", kRight},
               {"name"},
               {"starts", kRight},
               {"stops", kRight},
               {"instants", kRight},
               {"spans", kRight},
               {"unpaired", kRight},
               {"total", kRight},
               {"mean", kRight},
               {"min", kRight},
               {"max", kRight}});
  for (const auto& [key, stats] : types) {
    std::vector<std::string> cells{
        fmt::format("{}{}", key.ring == read::Ring::kNtrace ? "ntrace " : "", key.type),
        std::string(read::type_name(key)),
        grouped(stats.starts),
        grouped(stats.stops),
        grouped(stats.instants),
        grouped(stats.spans),
        grouped(stats.unpaired_starts + stats.unpaired_stops)};
    if (stats.durations() > 0) {
      for (const double ns : {static_cast<double>(stats.total_ns), stats.mean_ns(),
                              static_cast<double>(stats.min_ns), static_cast<double>(stats.max_ns)})
        cells.push_back(duration(ns));
    }
    table.add(std::move(cells));
  }
  return table.text();
}

std::string cores_table(const CaptureSummary& capture, const Totals& totals) {
  Table table({{"device", kRight},
               {"core", kRight},
               {"events", kRight},
               {"spans", kRight},
               {"unpaired", kRight},
               {"displaced", kRight},
               {"in flight", kRight},
               {"damaged", kRight},
               {"time", kRight}});
  for (const auto& [key, core] : totals.cores) {
    std::vector<std::string> cells{std::to_string(key.nd), std::to_string(key.nc),
                                   grouped(core.all.events()), grouped(core.all.spans),
                                   grouped(core.all.unpaired_starts + core.all.unpaired_stops)};
    const auto loss = capture.loss.find(key.nc);
    for (const char* name : {"displaced", "in_flight", "damaged"}) {
      const bool known = loss != capture.loss.end() && loss->second.contains(name);
      cells.push_back(known ? grouped(loss->second.at(name)) : "");
    }
    const auto& range = core.all.range;
    cells.push_back(range.empty() ? ""
                                  : duration(static_cast<double>(range.last_ns - range.first_ns)));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string host(const CaptureSummary& capture) {
  std::string text;
  const auto& host = capture.info->host_stats();
  if (host.num_cpus() != 0) {
    text += fmt::format("host: {} processors", host.num_cpus());
    if (!host.cpu_name().empty()) text += fmt::format(" ({})", shown(host.cpu_name()));
    if (host.mem_capacity() != 0)
      text += fmt::format(", {} of memory", bytes(static_cast<double>(host.mem_capacity())));
    text += "\n";
  }
  if (capture.cpu.rows > 0) {
    text += fmt::format("processors: {} samples, mean {:.1f} %, max {:.1f} %\n",
                        grouped(capture.cpu.rows), capture.cpu.mean(), capture.cpu.max);
  }
  if (capture.memory.rows > 0) {
    text += fmt::format("memory of the process: {} samples, mean {}, max {}, last {}\n",
                        grouped(capture.memory.rows), bytes(capture.memory.mean()),
                        bytes(capture.memory.max), bytes(capture.memory.last));
  }
  return text;
}

std::string files_table(const CaptureSummary& capture) {
  Table table({{"file"}, {"message"}, {"bytes", kRight}, {"records", kRight}, {"note"}});
  for (const FileSummary& file : capture.files) {
    std::string note = file.delimited ? "delimited" : "";
    if (file.whole != file.bytes)
      note += fmt::format("{}whole up to byte {}", note.empty() ? "" : ", ", file.whole);
    table.add(
        {shown(file.name), file.kind, grouped(file.bytes),
         grouped(file.events + file.rows + (file.events + file.rows == 0 ? file.interned : 0)),
         note});
  }
  return table.text();
}

std::string profile(const ProfileSummary& profile) {
  std::string text = "profile " + shown(profile.name);
  if (profile.empty) return text + ": empty, of a core that ran nothing\n";
  text += fmt::format(": version {}, {} nodes, {} graphs, {} executions, {} of instructions\n",
                      profile.version, profile.nodes.size(), profile.graphs, profile.executions,
                      bytes(static_cast<double>(profile.instruction_bytes)));
  if (profile.queues.empty()) return text;
  Table table({{"trace"},
               {"block"},
               {"traces", kRight},
               {"records", kRight},
               {"overflows", kRight},
               {"device time", kRight}});
  for (const auto& [kind, queue] : profile.queues) {
    const auto& range = queue.device_ps;
    const double ns =
        range.empty() ? 0 : static_cast<double>(range.last_ns - range.first_ns) / 1000;
    table.add({kind.first, kind.second, grouped(queue.traces), grouped(queue.records),
               grouped(queue.software_overflows + queue.hardware_overflows), duration(ns)});
  }
  return text + table.text();
}

}  // namespace

std::string summary_text(const CaptureSummary& capture) {
  const Totals totals = totals_of(*capture.events);
  std::string text = title(capture);
  if (totals.all.events() > 0 || !capture.loss.empty()) {
    text += times(capture, totals) + losses(capture);
    text += "\n" + cores_table(capture, totals);
    text += "\n" + types_table(totals.types);
    text += "\n";
  }
  text += host(capture);
  if (capture.interned_strings > 0)
    text += fmt::format("{} interned strings\n", grouped(capture.interned_strings));
  for (const ProfileSummary& one : capture.profiles) text += profile(one);
  text += "\n" + files_table(capture);
  for (const std::string& warning : capture.warnings) text += "warning: " + shown(warning) + "\n";
  return text;
}

}  // namespace ndtel::cli
