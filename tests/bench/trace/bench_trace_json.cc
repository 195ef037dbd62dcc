// SPDX-License-Identifier: Apache-2.0
//
// Events to text: our writer against nlohmann-json, which builds the document as a tree and then
// writes it. Both give the very same bytes. And what memory the writer holds beside its text.
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catalogue.hpp"
#include "json.hpp"
#include "measure.hpp"
#include "strings.hpp"
#include "trace_events.hpp"

namespace {

using namespace ndtel;
using systrace::Form;
using systrace::Key;
using systrace::Rule;

constexpr int kRounds = 9;
constexpr std::size_t kCompared = 20'000;
constexpr std::size_t kAlone = 200'000;

systrace::JsonBuffer ours(const std::vector<nrt_sys_trace_event_t>& events,
                          const systrace::JsonContext& context) {
  systrace::JsonWriter writer(context);
  for (const auto& event : events) {
    if (!writer.event(event)) break;
  }
  return writer.finish();
}

template <typename Json>
Json value_of(const Key& key, std::uint64_t value) {
  switch (key.form) {
    case Form::kNumber:
      if (key.storage == systrace::Storage::kI32) return static_cast<std::int64_t>(value);
      return value;
    case Form::kBool:
      return value != 0;
    case Form::kHex:
      return fmt::format("0x{:x}", value);
    case Form::kUsageType:
      return systrace::usage_type_name(value);
    case Form::kMemType:
      return systrace::mem_type_name(value);
    case Form::kAlgorithm:
      return systrace::algorithm_name(value);
  }
  return nullptr;
}

template <typename Json>
std::string theirs(const std::vector<nrt_sys_trace_event_t>& events,
                   const systrace::JsonContext& context) {
  Json list = Json::array();
  for (const auto& event : events) {
    Json shown = Json::object();
    shown["event_type"] = systrace::event_type_name(event.trace_type);
    shown["phase"] = systrace::phase_name(event.phase);
    shown["id"] = event.id;
    shown["nc_idx"] = event.nc_idx;
    shown["nc_local_id"] = event.nc_local_id;
    shown["tracking_id"] = event.tracking_id;
    shown["thread_id"] = event.thread_id;
    shown["worker_gid"] =
        event.nc_idx < context.worker_gids.size() ? context.worker_gids[event.nc_idx] : -1;
    Json data = Json::object();
    std::string_view model_name;
    for (const Key& key : systrace::payload_keys(event.trace_type, event.phase)) {
      const std::uint64_t value = systrace::read_value(event.data, key);
      if (value == 0 && (key.rule == Rule::kKnownModel || key.rule == Rule::kAlgorithm)) continue;
      data[key.name] = value_of<Json>(key, value);
      if (key.rule == Rule::kModel || key.rule == Rule::kKnownModel)
        model_name = context.names->find(value).value_or("");
    }
    if (!model_name.empty()) data["model_name"] = model_name;
    shown["data"] = std::move(data);
    shown["timestamp_ns"] = systrace::host_time_ns(event);
    if (event.has_nrta_seq_id != 0) shown["nrta_seq_id"] = event.nrta_seq_id;
    list.push_back(std::move(shown));
  }
  Json document = Json::object();
  document["events"] = std::move(list);
  document["data_version"] = 2;
  return document.dump();
}

// What this thread had of a core, in nanoseconds: the rate is for one core, whoever else is about.
double processor_ns() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) * 1e9 + static_cast<double>(spent.tv_nsec);
}

// A field of /proc/self/status in bytes; 0 when there is none.
std::uint64_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":"))
      return std::strtoull(line.c_str() + field.size() + 1, nullptr, 10) * 1024;
  }
  return 0;
}

}  // namespace

int main() {
  bench::Report report;
  systrace::StringShard names;
  for (std::uint64_t id = 1; id <= bench::kModels; ++id)
    names.add(id, fmt::format("model-{}/fwd", id));
  const std::vector<std::int32_t> gids = {0, 1, 2, 3, 4, 5, 6, 7};
  const systrace::JsonContext context{.worker_gids = gids, .names = &names};

  {
    const auto events = bench::make_events(kCompared);
    const auto text = ours(events, context);
    const bool same = theirs<nlohmann::ordered_json>(events, context) ==
                      std::string_view(text.text.get(), text.size);
    fmt::print("document bytes {} same_as_nlohmann {}\n", text.size, same ? "yes" : "no");
    if (!same) return 2;

    std::vector<double> own, ordered, sorted;
    for (int round = 0; round < kRounds; ++round) {
      own.push_back(bench::nanoseconds_each(kCompared, [&] { (void)ours(events, context); }));
      ordered.push_back(bench::nanoseconds_each(
          kCompared, [&] { (void)theirs<nlohmann::ordered_json>(events, context); }));
      // With its own, faster, kind of object: the keys then come in another order.
      sorted.push_back(bench::nanoseconds_each(
          kCompared, [&] { (void)theirs<nlohmann::json>(events, context); }));
    }
    report.ns("json_event", bench::median(own));
    report.ns("nlohmann_ordered_event", bench::median(ordered));
    report.ns("nlohmann_sorted_event", bench::median(sorted));
    report.at_least("json_vs_nlohmann", bench::median_ratio(ordered, own), 3);
    report.at_least("json_vs_nlohmann_sorted", bench::median_ratio(sorted, own), 3);
  }

  const auto events = bench::make_events(kAlone);
  std::vector<double> megabytes_per_second;
  for (int round = 0; round < kRounds; ++round) {
    std::size_t size = 0;
    const double before = processor_ns();
    size = ours(events, context).size;
    megabytes_per_second.push_back(static_cast<double>(size) * 1000 / (processor_ns() - before));
  }
  report.at_least("json_mb_per_s", bench::median(megabytes_per_second), 400);

  // Starts the high-water mark anew.
  std::ofstream("/proc/self/clear_refs") << "5" << std::flush;
  const std::uint64_t before = status_bytes("VmRSS");
  const auto text = ours(events, context);
  const std::uint64_t peak = status_bytes("VmHWM");
  if (before == 0 || peak <= before) {
    report.missing("json_memory_beyond_text_mib", "no high-water mark");
  } else {
    report.ratio("json_memory_beyond_text_mib",
                 (static_cast<double>(peak - before) - static_cast<double>(text.size)) / 1048576,
                 1);
  }
  return report.exit_status();
}
