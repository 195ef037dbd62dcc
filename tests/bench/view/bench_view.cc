// SPDX-License-Identifier: Apache-2.0
//
// usage: bench_view [EVENTS]
//
// How fast `ndtel view` goes through a capture of 10 million events, and how much memory it takes.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "measure.hpp"
#include "neuron_trace.pb.h"
#include "view/capture_summary.hpp"

namespace ndtel::bench {
namespace {

using Event = ::ntff::ntrace_event;
using Trace = ::ntff::ntrace_info;

/// Encodes by hand: the generated classes would take longer than what is measured.
class Encoder {
 public:
  void number(int field, std::uint64_t value) {
    varint(static_cast<unsigned>(field) << 3);
    varint(value);
  }
  void bytes(int field, std::string_view value) {
    varint(static_cast<unsigned>(field) << 3 | 2);
    varint(value.size());
    text_ += value;
  }
  std::string& text() { return text_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

std::string attribute(std::string_view key, std::string_view value) {
  Encoder entry;
  constexpr int kKey = 1, kValue = 2;  // of all maps
  entry.bytes(kKey, key);
  entry.bytes(kValue, value);
  return std::move(entry.text());
}

/// Spans of threads that nest, four deep, core after core as a writer puts them.
class Generator {
 public:
  void next(std::uint64_t index, Encoder& to) {
    constexpr std::uint64_t kDeep = 4, kEvents = 2 * kDeep;
    const std::uint64_t step = index % kEvents;
    const bool stop = step >= kDeep;
    const std::uint64_t depth = stop ? kEvents - 1 - step : step;
    const std::uint64_t core = index / 1'000'000 % 32;
    event_.text().clear();
    event_.number(Event::kTimestampFieldNumber, 1'700'000'000'000'000'000 + index * 800);
    event_.number(Event::kNdIdxFieldNumber, core / 8);
    event_.number(Event::kNcIdxFieldNumber, core);
    event_.number(Event::kEventTypeFieldNumber, 17 + depth);
    event_.number(Event::kThreadIdFieldNumber, 4711 + index % 3);
    event_.number(Event::kIdFieldNumber, (core << 50) + index);
    event_.bytes(Event::kAttributesFieldNumber, gid_);
    if (!stop) {
      event_.bytes(Event::kAttributesFieldNumber,
                   attribute("exec_id", std::to_string(index / kEvents)));
      event_.bytes(Event::kAttributesFieldNumber, model_);
      event_.bytes(Event::kAttributesFieldNumber, name_);
    }
    event_.number(Event::kPhaseFieldNumber, stop ? 2 : 1);
    event_.number(Event::kTrackingIdFieldNumber, (core << 50) + index / kEvents * kDeep + depth);
    to.bytes(Trace::kEventsFieldNumber, event_.text());
  }

 private:
  const std::string gid_ = attribute("worker_gid", "-1");
  const std::string model_ = attribute("model_id", "402710577667408");
  const std::string name_ = attribute("model_name", "transformer");
  Encoder event_;
};

/// Writes the capture; returns its bytes.
std::uint64_t write_capture(const std::string& path, std::uint64_t events) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::uint64_t bytes = 0;
  Encoder encoder;
  Generator generator;
  const auto flush = [&] {
    std::string& text = encoder.text();
    if (fd < 0 || ::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      fmt::print(stderr, "bench_view: cannot write {}: {}\n", path, std::strerror(errno));
      std::exit(1);
    }
    bytes += text.size();
    text.clear();
  };
  constexpr std::size_t kFlush = std::size_t{1} << 20;
  for (std::uint64_t i = 0; i < events; ++i) {
    generator.next(i, encoder);
    if (encoder.text().size() >= kFlush) flush();
  }
  encoder.number(Trace::kDataVersionFieldNumber, 5);
  flush();
  ::close(fd);
  return bytes;
}

/// What the process computed and read so far. Bounds are for a core, which may be busy otherwise.
double cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double peak_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int run(std::uint64_t events) {
  constexpr double kBoundMbS = 300, kBoundMib = 64;
  constexpr int kRounds = 3;
  const char* tmp = std::getenv("TMPDIR");
  std::string folder = std::string(tmp != nullptr ? tmp : "/tmp") + "/ndtel-bench-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    fmt::print(stderr, "bench_view: cannot make {}: {}\n", folder, std::strerror(errno));
    return 1;
  }
  const std::string path = folder + "/ntrace.pb";
  const std::uint64_t bytes = write_capture(path, events);
  cli::CaptureFiles files;
  files.path = path;
  files.pb = {path};
  Report report;
  std::vector<double> rates;
  bool all_there = true;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_ns();
    const auto summary = cli::summarise(files);
    all_there = all_there && summary.faults.empty() && summary.files[0].events == events;
    // A byte in a nanosecond is 1000 MB/s.
    rates.push_back(1000 * static_cast<double>(bytes) / (cpu_ns() - start));
  }
  std::filesystem::remove_all(folder);
  if (!all_there) {
    report.missing("view-rate", "the summary does not have all events");
  } else {
    const double rate = median(rates);
    report.ns("view-event", static_cast<double>(bytes) / static_cast<double>(events) * 1000 / rate);
    report.ratio("view-bound-to-rate", kBoundMbS / rate, 1);
    report.ratio("view-peak-to-64-MiB", peak_mib() / kBoundMib, 1);
  }
  return report.exit_status();
}

}  // namespace
}  // namespace ndtel::bench

int main(int argc, char** argv) {
  constexpr std::uint64_t kEvents = 10'000'000;
  return ndtel::bench::run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : kEvents);
}
