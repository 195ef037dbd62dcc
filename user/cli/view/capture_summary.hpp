// SPDX-License-Identifier: Apache-2.0
//
// What the trace files of a process add up to.
#ifndef NDTEL_CLI_VIEW_CAPTURE_SUMMARY_HPP
#define NDTEL_CLI_VIEW_CAPTURE_SUMMARY_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture_files.hpp"
#include "event_summary.hpp"
#include "fault.hpp"
#include "profile_summary.hpp"

namespace ntff {
class ntrace_info;
}

namespace ndtel::cli {

namespace read = ntff::read;

/// A file and how much of it is whole.
struct FileSummary {
  std::string name;  ///< without directory
  std::string kind;  ///< the message it is made of, or "profile"
  bool delimited = false;
  std::uint64_t bytes = 0, whole = 0;
  std::uint64_t events = 0, rows = 0, interned = 0;
  std::uint64_t damaged = 0;  ///< records that were skipped
  std::uint64_t unknown = 0;  ///< fields that were skipped
};

/// A series of the host.
struct SeriesSummary {
  std::uint64_t rows = 0;
  double sum = 0, min = 0, max = 0, last = 0;
  read::TimeRange range;

  void add(double value, std::uint64_t timestamp_ns);
  double mean() const { return rows == 0 ? 0 : sum / static_cast<double>(rows); }
};

struct CaptureSummary {
  CaptureSummary();
  CaptureSummary(CaptureSummary&&) noexcept;
  ~CaptureSummary();

  std::string path;
  bool directory = false;
  bool complete = false;  ///< with the file that is written last
  std::optional<std::uint64_t> pid;
  std::string instance;
  /// What the files say of the process: of trace_info.pb; if there is none, of the traces.
  std::unique_ptr<::ntff::ntrace_info> info;
  std::unique_ptr<read::EventSummary> events;
  SeriesSummary cpu, memory;  ///< percent of a processor; bytes
  std::uint64_t interned_strings = 0;
  /// What rings lost, by core: "displaced" and so on.
  std::map<std::uint64_t, std::map<std::string, std::uint64_t>> loss;
  std::vector<FileSummary> files;
  std::vector<ProfileSummary> profiles;
  std::vector<read::Fault> faults;
  std::vector<std::string> warnings;
};

/// Reads all files of a capture. Throws Failure when a file cannot be read; what is wrong with
/// their content becomes faults.
CaptureSummary summarise(const CaptureFiles& files);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_VIEW_CAPTURE_SUMMARY_HPP
