// SPDX-License-Identifier: Apache-2.0
#include "capture_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "../failure.hpp"
#include "container.hpp"
#include "neuron_trace.pb.h"
#include "pb_reader.hpp"
#include "type_names.hpp"

namespace ndtel::cli {
namespace {

using read::Fault;
using read::FaultKind;

/// The version of the files that is known here.
constexpr std::uint32_t kKnownVersion = 5;

/// Entries of a database for cores have ids above all ids of strings.
constexpr std::uint64_t kFirstCoreId = std::uint64_t{1} << 63;

/// No capture has more to say that anybody would read.
constexpr std::size_t kMostWarnings = 100;

/// "displaced=3 in_flight=0": numbers by name; what is no number is left out.
std::map<std::string, std::uint64_t> numbers_by_name(std::string_view text) {
  std::map<std::string, std::uint64_t> numbers;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const char* const end = word.data() + word.size();
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(word.data() + equals + 1, end, value);
    if (error == std::errc() && at == end) numbers.emplace(word.substr(0, equals), value);
  }
  return numbers;
}

class Summariser final : public read::PbVisitor {
 public:
  explicit Summariser(CaptureSummary& summary) : summary_(summary) {}

  /// Reads one file. `info`: it is trace_info.pb.
  void read_file(const std::string& path, bool info) {
    auto source = read::ByteSource::open(path);
    if (!source) throw Failure(Exit::kMissing, source.error().message);
    info_ = info;
    strings_ = 0;
    const auto outcome = read::read_pb(*source, *this);
    if (!outcome) throw Failure(Exit::kFailed, outcome.error().message);
    FileSummary file;
    file.name = std::filesystem::path(path).filename();
    file.kind = read::message_name(outcome->shape);
    file.delimited = read::is_delimited(outcome->shape);
    file.bytes = outcome->size;
    file.whole = outcome->whole;
    file.events = outcome->events;
    file.rows = outcome->rows;
    file.interned = outcome->interned;
    file.damaged = outcome->damaged;
    file.unknown = outcome->unknown;
    if (file.unknown > 0) {
      warn(
          fmt::format("{}: {} fields are not known here and were left out; a newer release wrote "
                      "it",
                      file.name, file.unknown));
    }
    summary_.files.push_back(std::move(file));
    if (outcome->fault) summary_.faults.push_back(*outcome->fault);
    // The file that is written last has all strings, each part of a trace those up to its end.
    summary_.interned_strings = std::max(summary_.interned_strings, strings_);
  }

  void warn(std::string sentence) {
    if (summary_.warnings.size() < kMostWarnings) {
      summary_.warnings.push_back(std::move(sentence));
    } else if (summary_.warnings.size() == kMostWarnings) {
      summary_.warnings.push_back("there are more warnings than are shown");
    }
  }

  void on_event(const read::EventView& event, std::string_view) override {
    summary_.events->add(event);
  }

  void on_cpu(const read::CpuRow& row) override { summary_.cpu.add(row.util, row.timestamp); }

  void on_memory(const read::MemoryRow& row) override {
    summary_.memory.add(static_cast<double>(row.usage), row.timestamp);
  }

  void on_interned(std::string_view database, const read::InternedEntry& entry) override {
    if (database == "ndtel.loss") {
      constexpr std::size_t kMostCores = 4096;
      if (entry.id >= kFirstCoreId && summary_.loss.size() < kMostCores)
        summary_.loss[entry.id - kFirstCoreId] = numbers_by_name(entry.text);
    } else if (database == "ndtel.warning") {
      // Several files may say it.
      if (info_ || !summary_.complete) warn(std::string(entry.text));
    } else if (entry.id != 0) {
      ++strings_;
    }
  }

  void on_root(const ::ntff::ntrace_info& root) override {
    if (root.data_version() > kKnownVersion && !newer_) {
      newer_ = true;
      warn(
          fmt::format("the files are of version {}, known here are those up to {}; what they say "
                      "may be incomplete",
                      root.data_version(), kKnownVersion));
    }
    if (info_ || !summary_.complete) summary_.info->MergeFrom(root);
  }

  void on_root(const ::ntff::host_stats& root) override {
    // Each file of the host says the same of it.
    if (!summary_.complete || !summary_.info->has_host_stats())
      summary_.info->mutable_host_stats()->MergeFrom(root);
  }

 private:
  CaptureSummary& summary_;
  std::uint64_t strings_ = 0;
  bool info_ = false;
  bool newer_ = false;
};

void read_profile(const std::string& path, CaptureSummary& summary) {
  auto source = read::ByteSource::open(path);
  if (!source) throw Failure(Exit::kMissing, source.error().message);
  const auto container = read::read_container(*source);
  if (!container) throw Failure(Exit::kFailed, container.error().message);
  summary.profiles.push_back(summarise_profile(*source, *container));
  if (source->error()) throw Failure(Exit::kFailed, source->error()->message);
  FileSummary file;
  file.name = summary.profiles.back().name;
  file.kind = "profile";
  file.bytes = container->size;
  file.whole = container->whole;
  for (const auto& [kind, queue] : summary.profiles.back().queues) file.rows += queue.records;
  summary.files.push_back(std::move(file));
  if (container->fault) summary.faults.push_back(*container->fault);
}

/// Compares what there is with what trace_info.pb lists.
void compare(const CaptureFiles& files, CaptureSummary& summary, Summariser& to) {
  std::set<std::string> listed;
  for (const auto& data : summary.info->collected_profiles()) {
    listed.insert(data.name());
    const auto file = std::find_if(summary.files.begin(), summary.files.end(),
                                   [&](const FileSummary& f) { return f.name == data.name(); });
    const std::string path = (std::filesystem::path(files.path) / data.name()).string();
    const auto fault = [&](FaultKind kind, std::uint64_t offset, std::string expected) {
      // What is known to be damaged is not as it was listed, of course.
      for (const Fault& known : summary.faults)
        if (known.file == path) return;
      summary.faults.push_back({kind, path, offset, std::move(expected)});
    };
    if (file == summary.files.end()) {
      fault(
          FaultKind::kTruncated, 0,
          fmt::format("expected {} bytes, which trace_info.pb lists, found no file", data.size()));
    } else if (file->bytes != data.size()) {
      fault(file->bytes < data.size() ? FaultKind::kTruncated : FaultKind::kCorrupt,
            std::min(file->bytes, data.size()),
            fmt::format("expected {} bytes, which trace_info.pb lists, found {}", data.size(),
                        file->bytes));
    } else if (file->events + file->rows != data.num_messages()) {
      fault(FaultKind::kCorrupt, 0,
            fmt::format("expected {} records, which trace_info.pb lists, found {}",
                        data.num_messages(), file->events + file->rows));
    }
  }
  for (const FileSummary& file : summary.files) {
    if (file.name != "trace_info.pb" && file.kind != "profile" && !listed.contains(file.name))
      to.warn(file.name +
              " is not listed in trace_info.pb: it belongs to no capture, or to one "
              "that goes on");
  }
}

}  // namespace

void SeriesSummary::add(double value, std::uint64_t timestamp_ns) {
  if (!std::isfinite(value)) return;
  min = rows == 0 ? value : std::min(min, value);
  max = rows == 0 ? value : std::max(max, value);
  ++rows;
  sum += value;
  if (range.empty() || timestamp_ns >= range.last_ns) last = value;
  if (timestamp_ns != 0) range.add(timestamp_ns);
}

CaptureSummary::CaptureSummary()
    : info(std::make_unique<::ntff::ntrace_info>()),
      events(std::make_unique<read::EventSummary>()) {}
CaptureSummary::CaptureSummary(CaptureSummary&&) noexcept = default;
CaptureSummary::~CaptureSummary() = default;

CaptureSummary summarise(const CaptureFiles& files) {
  CaptureSummary summary;
  summary.path = files.path;
  summary.directory = files.directory;
  summary.complete = !files.trace_info.empty();
  summary.pid = files.pid;
  summary.instance = files.instance;
  Summariser to(summary);
  if (files.directory && !summary.complete && !files.pb.empty()) {
    to.warn("there is no trace_info.pb, which is written last: the capture is incomplete");
  }
  for (const std::string& path : files.unfinished) {
    to.warn(fmt::format("{} is what a writer left that was ended while it wrote",
                        std::filesystem::path(path).filename().string()));
  }
  if (summary.complete) to.read_file(files.trace_info, true);
  for (const std::string& path : files.pb) to.read_file(path, false);
  for (const std::string& path : files.profiles) read_profile(path, summary);
  summary.events->finish();
  if (files.directory && summary.complete) compare(files, summary, to);
  if (summary.info->pid() != 0) {
    if (summary.pid && *summary.pid != summary.info->pid()) {
      to.warn(fmt::format("the directory is named after process {}, the files are of process {}",
                          *summary.pid, summary.info->pid()));
    }
    summary.pid = summary.info->pid();
  }
  std::uint64_t backward = 0, rest = summary.events->rest().events();
  for (const auto& [key, stats] : summary.events->pairs()) backward += stats.backward;
  if (backward > 0)
    to.warn(fmt::format("{} spans end before they begin and have no duration", backward));
  if (rest > 0)
    to.warn(fmt::format("{} events are of more cores and types than are told apart", rest));
  return summary;
}

}  // namespace ndtel::cli
