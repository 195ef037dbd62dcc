// SPDX-License-Identifier: Apache-2.0
#include "host_series.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>

#include "buffered_file.hpp"
#include "host_trace.hpp"
#include "neuron_trace.pb.h"

namespace ndtel::ntff {

namespace {

using Stats = ::ntff::host_stats;

// Calls `row(MessageWriter&, i)` for the fields of each of `rows` messages.
template <typename Known, typename Row>
Result<DataFile> write_series(const std::string& directory, DataKind kind, const char* name,
                              const HostSeries& series, Framing framing, int number,
                              std::uint64_t rows, Known&& known, Row&& row) {
  auto file = BufferedFile::create(directory + "/" + name);
  if (!file) return file.error();
  if (framing == Framing::kSingle) {
    MessageWriter root = file->fields();
    write_host_scalars(root, series);
  }
  std::uint64_t written = 0;
  for (std::uint64_t i = 0; i < rows; ++i) {
    if (!known(i)) continue;
    ++written;
    const auto fill = [&](MessageWriter& message) { row(message, i); };
    MessageWriter root = file->fields();
    if (framing == Framing::kSingle) {
      root.nested(number, fill);
    } else {
      root.delimited(fill);
    }
    if (auto spilled = file->spill(); !spilled) return spilled.error();
  }
  const std::uint64_t size = file->size();
  if (auto committed = file->commit(); !committed) return committed.error();
  return DataFile{kind, name, written, size};
}

Error uneven(const char* what, std::size_t is, std::size_t should_be) {
  return {EINVAL, fmt::format("the series of the host has {} {}, and by its ticks {}", is, what,
                              should_be)};
}

}  // namespace

void write_host_scalars(MessageWriter& out, const HostSeries& series) {
  out.integer(Stats::kNumCpusFieldNumber, series.num_cpus);
  out.text(Stats::kCpuNameFieldNumber, series.cpu_name);
  out.integer(Stats::kMemCapacityFieldNumber, series.mem_capacity);
  out.real(Stats::kSamplePeriodSecFieldNumber, series.period_s);
}

Result<DataFile> write_cpu_util(const std::string& directory, const HostSeries& series,
                                Framing framing) {
  using Row = ::ntff::cpu_util;
  const std::size_t rows = series.timestamp_ns.size() * series.num_cpus;
  if (series.util.size() != rows) return uneven("loads of CPUs", series.util.size(), rows);
  return write_series(
      directory, DataKind::kCpuUtil, "cpu_util.pb", series, framing, Stats::kCpuUtilFieldNumber,
      rows, [&series](std::uint64_t i) { return !std::isnan(series.util[i]); },
      [&series](MessageWriter& row, std::uint64_t i) {
        row.integer(Row::kCpuIdFieldNumber, i % series.num_cpus);
        row.real(Row::kUtilFieldNumber, series.util[i]);
        row.integer(Row::kTimestampFieldNumber, series.timestamp_ns[i / series.num_cpus]);
      });
}

Result<DataFile> write_host_mem(const std::string& directory, const HostSeries& series,
                                Framing framing) {
  using Row = ::ntff::host_mem_usage;
  const std::size_t rows = series.timestamp_ns.size();
  if (series.usage.size() != rows) return uneven("sizes of memory", series.usage.size(), rows);
  return write_series(
      directory, DataKind::kHostMem, "host_mem.pb", series, framing, Stats::kMemUsageFieldNumber,
      rows, [&series](std::uint64_t i) { return series.usage[i] >= 0; },
      [&series](MessageWriter& row, std::uint64_t i) {
        row.signed_integer(Row::kUsageFieldNumber, series.usage[i]);
        row.integer(Row::kTimestampFieldNumber, series.timestamp_ns[i]);
      });
}

}  // namespace ndtel::ntff
