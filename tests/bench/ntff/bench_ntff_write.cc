// SPDX-License-Identifier: Apache-2.0
//
// Events to ntrace.pb: our writer against the classes that protoc makes of the schema, filled and
// written with SerializeToOstream. Both files say the same, byte by byte.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <stdlib.h>
#include <time.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "catalogue.hpp"
#include "host_trace.hpp"
#include "measure.hpp"
#include "neuron_trace.pb.h"
#include "trace_events.hpp"

namespace ndtel {
namespace {

using systrace::Form;
using systrace::Key;
using systrace::Rule;

constexpr int kRounds = 9;
constexpr std::size_t kCompared = 40'000;
constexpr std::size_t kAlone = 1'000'000;

std::string value_of(const Key& key, std::uint64_t value) {
  switch (key.form) {
    case Form::kNumber:
      if (key.storage == systrace::Storage::kI32)
        return std::to_string(static_cast<std::int64_t>(value));
      return std::to_string(value);
    case Form::kBool:
      return value != 0 ? "true" : "false";
    case Form::kHex:
      return fmt::format("0x{:x}", value);
    case Form::kUsageType:
      return std::string(systrace::usage_type_name(value));
    case Form::kMemType:
      return std::string(systrace::mem_type_name(value));
    case Form::kAlgorithm:
      return std::string(systrace::algorithm_name(value));
  }
  return {};
}

void fill(::ntff::ntrace_info* info, const std::vector<nrt_sys_trace_event_t>& events,
          const ntff::TraceContext& context) {
  for (const auto& event : events) {
    auto& shown = *info->add_events();
    shown.set_timestamp(systrace::host_time_ns(event));
    shown.set_nc_idx(event.nc_idx);
    shown.set_event_type(event.trace_type);
    shown.set_thread_id(static_cast<std::uint32_t>(event.thread_id));
    shown.set_id(event.id);
    shown.set_phase(static_cast<::ntff::ntrace_event_phase_type>(event.phase + 1));
    shown.set_tracking_id(event.tracking_id);
    auto& attributes = *shown.mutable_attributes();
    attributes["worker_gid"] = std::to_string(context.worker_gid[event.nc_idx]);
    for (const Key& key : systrace::payload_keys(event.trace_type, event.phase)) {
      const std::uint64_t value = systrace::read_value(event.data, key);
      if (value == 0 && (key.rule == Rule::kKnownModel || key.rule == Rule::kAlgorithm)) continue;
      attributes[key.name] = value_of(key, value);
      if (key.rule != Rule::kModel && key.rule != Rule::kKnownModel) continue;
      if (const auto name = context.names->find(value)) attributes["model_name"] = *name;
    }
  }
  auto& strings = *info->add_interned_data();
  strings.set_data_type("strings");
  auto& names = *strings.mutable_id_map();
  names[0] = "Invalid interned string";
  context.names->for_each([&names](std::uint64_t id, std::string_view name) { names[id] = name; });
  info->set_data_version(ntff::kDataVersion);
}

bool theirs(const std::string& directory, const std::vector<nrt_sys_trace_event_t>& events,
            const ntff::TraceContext& context) {
  ::ntff::ntrace_info info;
  fill(&info, events, context);
  std::ofstream out(directory + "/ntrace.pb", std::ios::binary);
  return info.SerializeToOstream(&out) && out.flush().good();
}

bool ours(const std::string& directory, const std::vector<nrt_sys_trace_event_t>& events,
          const ntff::TraceContext& context) {
  ntff::TraceWriter writer(directory, context);
  return writer.add(events).ok() && writer.cut(*context.names).ok();
}

std::string in_fixed_order(const std::vector<nrt_sys_trace_event_t>& events,
                           const ntff::TraceContext& context) {
  ::ntff::ntrace_info info;
  fill(&info, events, context);
  std::string bytes;
  google::protobuf::io::StringOutputStream out(&bytes);
  google::protobuf::io::CodedOutputStream coded(&out);
  coded.SetSerializationDeterministic(true);
  info.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// What this thread had of a core, in nanoseconds: the rate is for one core, whoever else is about.
double processor_ns() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) * 1e9 + static_cast<double>(spent.tv_nsec);
}

int run() {
  bench::Report report;
  systrace::StringShard names;
  for (std::uint64_t id = 1; id <= bench::kModels; ++id)
    names.add(id, fmt::format("model-{}/fwd", id));
  const std::vector<std::int32_t> gids = {0, 1, 2, 3, 4, 5, 6, 7};
  const ntff::TraceContext context{.names = &names, .worker_gid = gids};

  std::string directory =
      (std::filesystem::temp_directory_path() / "ndtel-bench-ntff-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) return 2;
  bool good = true;
  {
    const auto events = bench::make_events(kCompared);
    good = ours(directory, events, context);
    std::ifstream in(directory + "/ntrace.pb", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const bool same = bytes == in_fixed_order(events, context);
    fmt::print("file bytes {} same_as_protobuf {}\n", bytes.size(), same ? "yes" : "no");
    good = good && same;

    std::vector<double> own, classes;
    for (int round = 0; good && round < kRounds; ++round) {
      own.push_back(bench::nanoseconds_each(
          kCompared, [&] { good = good && ours(directory, events, context); }));
      classes.push_back(bench::nanoseconds_each(
          kCompared, [&] { good = good && theirs(directory, events, context); }));
    }
    report.ns("ntff_write_event", bench::median(own));
    report.ns("protobuf_write_event", bench::median(classes));
    report.at_least("ntff_write_vs_protobuf", bench::median_ratio(classes, own), 4);
  }

  const auto events = bench::make_events(kAlone);
  std::vector<double> millions_per_second;
  for (int round = 0; good && round < kRounds / 2; ++round) {
    const double before = processor_ns();
    good = ours(directory, events, context);
    millions_per_second.push_back(static_cast<double>(kAlone) * 1000 / (processor_ns() - before));
  }
  report.at_least("ntff_write_million_per_s", bench::median(millions_per_second), 3);
  std::filesystem::remove_all(directory);
  return good ? report.exit_status() : 2;
}

}  // namespace
}  // namespace ndtel

int main() { return ndtel::run(); }
