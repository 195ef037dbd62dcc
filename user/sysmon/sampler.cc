// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include <fcntl.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <limits>
#include <utility>

#include "nrt/nlog.h"

namespace ndtel::sysmon {
namespace {

constexpr std::size_t kMaxNameChars = 255;

/// A file of /proc as it is now; nothing when it cannot be read. Those that are read have a size
/// that grows with the processors, not without bound.
std::optional<std::string> read_file(const std::string& path) {
  constexpr std::size_t kStep = 16384;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string text;
  try {
    while (true) {
      const std::size_t had = text.size();
      text.resize(had + kStep);
      const ssize_t got = ::read(fd, text.data() + had, kStep);
      if (got < 0 && errno != EINTR) {
        ::close(fd);
        return std::nullopt;
      }
      text.resize(had + static_cast<std::size_t>(got < 0 ? 0 : got));
      if (got == 0) break;
    }
  } catch (...) {
    ::close(fd);
    throw;
  }
  ::close(fd);
  return text;
}

std::string_view take_line(std::string_view& text) noexcept {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
  return line;
}

template <typename Number>
std::optional<Number> take_number(std::string_view& text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::uint64_t memory_bytes() noexcept {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return 0;
  return std::uint64_t{info.totalram} * info.mem_unit;
}

std::uint64_t realtime_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::vector<std::optional<CpuTimes>> parse_stat(std::string_view stat) {
  std::vector<std::optional<CpuTimes>> cpus;
  while (!stat.empty()) {
    std::string_view line = take_line(stat);
    if (!line.starts_with("cpu")) break;  // the processors come first
    line.remove_prefix(3);
    if (line.starts_with(' ')) continue;  // the sum of all
    const auto number = take_number<std::uint32_t>(line);
    if (!number || *number >= kMaxCpus) continue;
    const auto user = take_number<std::uint64_t>(line);
    const auto nice = take_number<std::uint64_t>(line);
    const auto system = take_number<std::uint64_t>(line);
    const auto idle = take_number<std::uint64_t>(line);
    if (!user || !nice || !system || !idle) continue;
    if (*number >= cpus.size()) cpus.resize(*number + 1);
    cpus[*number] = CpuTimes{*user + *nice + *system, *idle};
  }
  return cpus;
}

float utilisation(const CpuTimes& before, const CpuTimes& now) noexcept {
  // A processor that was away may count from less than it had.
  const std::uint64_t busy = now.busy > before.busy ? now.busy - before.busy : 0;
  const std::uint64_t idle = now.idle > before.idle ? now.idle - before.idle : 0;
  if (busy == 0) return 0;
  return static_cast<float>(100.0 * static_cast<double>(busy) /
                            (static_cast<double>(busy) + static_cast<double>(idle)));
}

std::optional<std::int64_t> resident_bytes(std::string_view statm, std::int64_t page_bytes) {
  const auto total = take_number<std::int64_t>(statm);
  const auto resident = take_number<std::int64_t>(statm);
  if (!total || !resident || *resident < 0 ||
      *resident > std::numeric_limits<std::int64_t>::max() / page_bytes)
    return std::nullopt;
  return *resident * page_bytes;
}

std::string model_name(std::string_view cpuinfo) {
  constexpr std::string_view kKey = "model name";
  while (!cpuinfo.empty()) {
    std::string_view line = take_line(cpuinfo);
    if (!line.starts_with(kKey)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    line.remove_prefix(colon + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    std::string name(line.substr(0, kMaxNameChars));
    // Messages hold UTF-8 only, and the cut could be inside a character.
    for (char& c : name) {
      if (c < ' ' || c > '~') c = '?';
    }
    return name;
  }
  return {};
}

Sampler::Sampler(std::string proc, std::size_t max_samples, float period_s)
    : proc_(std::move(proc)), max_samples_(max_samples) {
  series_.period_s = period_s;
  series_.mem_capacity = memory_bytes();
  if (const auto cpuinfo = read_file(proc_ + "/cpuinfo"); cpuinfo)
    series_.cpu_name = model_name(*cpuinfo);
  if (const auto stat = read_file(proc_ + "/stat"); stat) before_ = parse_stat(*stat);
  if (before_.empty())
    nlog_write("INSP", "sysmon", NRT_LOG_LEVEL_WARN, false, false,
               "%s/stat names no processor: there will be no cpu utilisation", proc_.c_str());
  series_.num_cpus = static_cast<std::uint32_t>(before_.size());
}

bool Sampler::tick() {
  if (series_.timestamp_ns.size() >= max_samples_) return false;
  const std::size_t cpus = series_.num_cpus;
  std::vector<std::optional<CpuTimes>> now;
  if (cpus != 0) {
    if (const auto stat = read_file(proc_ + "/stat"); stat) now = parse_stat(*stat);
    // Whichever processor comes later has no row.
    now.resize(cpus);
  }
  std::optional<std::int64_t> resident;
  if (const auto statm = read_file(proc_ + "/self/statm"); statm)
    resident = resident_bytes(*statm, ::sysconf(_SC_PAGESIZE));

  const std::size_t rows = series_.timestamp_ns.size();
  try {
    for (std::size_t i = 0; i < cpus; ++i)
      series_.util.push_back(before_[i] && now[i] ? utilisation(*before_[i], *now[i])
                                                  : std::numeric_limits<float>::quiet_NaN());
    series_.usage.push_back(resident.value_or(-1));
    series_.timestamp_ns.push_back(realtime_ns());
  } catch (...) {
    series_.util.resize(rows * cpus);
    series_.usage.resize(rows);
    throw;
  }
  before_ = std::move(now);
  return true;
}

}  // namespace ndtel::sysmon
