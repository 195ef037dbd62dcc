// SPDX-License-Identifier: Apache-2.0
//
// The reader of .pb files over bytes of anybody's making. The first byte of the input gives the
// file its name, the others are the file. What the generated classes read, too, both read alike.
#include <array>
#include <string>
#include <utility>

#include "event_summary.hpp"
#include "input.hpp"
#include "neuron_trace.pb.h"
#include "pb_reader.hpp"

namespace ndtel::fuzz {
namespace {

using namespace ntff::read;

/// Counts and adds up what it is given.
struct Sums final : PbVisitor {
  void on_event(const EventView& event, std::string_view bytes) override {
    ++events;
    timestamps += event.timestamp;
    ids += event.id + event.tracking_id + event.nrta_seq_id.value_or(1);
    attributes += attributes_of(bytes).size();
    expect(attributes_of(bytes).size() == event.attributes, "as many attributes as were counted");
    summary.add(event);
  }
  void on_cpu(const CpuRow& row) override {
    ++rows;
    timestamps += row.timestamp;
  }
  void on_memory(const MemoryRow& row) override {
    ++rows;
    timestamps += row.timestamp;
  }
  void on_interned(std::string_view, const InternedEntry& entry) override {
    ++interned;
    ids += entry.id;
  }
  void on_root(const ::ntff::ntrace_info& root) override { trace = root; }
  void on_root(const ::ntff::host_stats& root) override { host = root; }

  std::uint64_t events = 0, rows = 0, interned = 0, attributes = 0, timestamps = 0, ids = 0;
  ::ntff::ntrace_info trace;
  ::ntff::host_stats host;
  EventSummary summary;
};

void check_summary(EventSummary& summary, std::uint64_t events) {
  summary.finish();
  std::uint64_t sum = summary.rest().events();
  for (const auto& [key, stats] : summary.pairs()) {
    sum += stats.events();
    expect(stats.backward <= stats.spans, "spans without a duration are spans");
    if (key.second.ring != Ring::kSysTrace) continue;
    expect(stats.starts == stats.spans + stats.unpaired_starts, "each start is in a span or not");
    expect(stats.stops == stats.spans + stats.unpaired_stops, "each stop is in a span or not");
  }
  expect(sum == events, "each event is counted once");
}

void compare_trace(const std::string& bytes, const Sums& sums) {
  ::ntff::ntrace_info info;
  if (!info.ParseFromString(bytes)) return;  // it refuses texts that are not UTF-8
  std::uint64_t timestamps = 0, ids = 0, interned = 0;
  for (const auto& event : info.events()) {
    timestamps += event.timestamp();
    ids += event.id() + event.tracking_id() +
           (event.has_nrta_seq_id() ? event.nrta_seq_id() : std::uint64_t{1});
  }
  for (const auto& database : info.interned_data())
    interned += static_cast<std::uint64_t>(database.id_map().size());
  expect(sums.events == static_cast<std::uint64_t>(info.events_size()), "as many events");
  expect(sums.timestamps == timestamps, "the same times");
  // Of an entry that comes twice the message keeps one.
  expect(sums.interned >= interned, "all strings");
  expect(sums.trace.pid() == info.pid() && sums.trace.hostname() == info.hostname(),
         "the same of the process");
  if (sums.interned == 0) expect(sums.ids == ids, "the same ids");
}

void compare_host(const std::string& bytes, const Sums& sums) {
  ::ntff::host_stats host;
  if (!host.ParseFromString(bytes)) return;
  std::uint64_t timestamps = 0;
  for (const auto& row : host.cpu_util()) timestamps += row.timestamp();
  for (const auto& row : host.mem_usage()) timestamps += row.timestamp();
  expect(sums.rows == static_cast<std::uint64_t>(host.cpu_util_size() + host.mem_usage_size()),
         "as many rows");
  expect(sums.timestamps == timestamps, "the same times");
  expect(sums.host.num_cpus() == host.num_cpus() && sums.host.cpu_name() == host.cpu_name(),
         "the same of the host");
}

void run(Input input) {
  constexpr std::array kNames{"ntrace.pb", "trace_info.pb", "cpu_util.pb", "host_mem.pb", "x"};
  const char* name = kNames[input.number<std::uint8_t>() % kNames.size()];
  const std::string bytes(input.rest());
  ByteSource source = ByteSource::over(name, bytes);
  Sums sums;
  const auto outcome = read_pb(source, sums);
  expect(outcome.ok(), "memory can be read");
  expect(outcome->size == bytes.size() && outcome->whole <= bytes.size(), "sizes");
  expect(outcome->events == sums.events && outcome->rows == sums.rows &&
             outcome->interned == sums.interned,
         "as many records as were given");
  check_summary(sums.summary, sums.events);
  if (outcome->fault) {
    expect(outcome->fault->offset <= bytes.size() && !outcome->fault->expected.empty(),
           "what is wrong is within the file");
    return;
  }
  expect(outcome->whole == bytes.size(), "without a fault all of it is whole");
  if (outcome->shape == Shape::kTrace) compare_trace(bytes, sums);
  if (outcome->shape == Shape::kHost) compare_host(bytes, sums);
}

}  // namespace
}  // namespace ndtel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The generated classes say on stderr that a text is not UTF-8.
  ndtel::fuzz::once([] { google::protobuf::SetLogHandler(nullptr); });
  ndtel::fuzz::run(ndtel::fuzz::Input(data, size));
  return 0;
}
