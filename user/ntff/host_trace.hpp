// SPDX-License-Identifier: Apache-2.0
//
// The .pb files of a capture: host events, series of the host, and what ties them together. All are
// of framing S of the specification, one root message that is written in fragments, unless the
// options ask for D.
#ifndef NDTEL_NTFF_HOST_TRACE_HPP
#define NDTEL_NTFF_HOST_TRACE_HPP

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ndtel/result.hpp"
#include "ndtel/trace_harvest.hpp"
#include "nrt/nrt_sys_trace_internal.h"
#include "strings.hpp"

namespace ndtel::ntff {

/// `ntrace_info.data_version`.
inline constexpr std::uint32_t kDataVersion = 5;

/// `ntrace_data_file.type`.
enum class DataKind : std::uint32_t { kNtrace = 1, kCpuUtil = 2, kHostMem = 3 };

/// A file that was written, as trace_info.pb lists it.
struct DataFile {
  DataKind kind = DataKind::kNtrace;
  std::string name;            ///< without directory
  std::uint64_t messages = 0;  ///< events, or rows of a series
  std::uint64_t bytes = 0;
};

enum class Framing {
  kSingle,     ///< one root message
  kDelimited,  ///< a length before each of many messages
};

/// What events refer to.
struct TraceContext {
  const systrace::StringShard* names = nullptr;   ///< for model_name; null: no names
  std::span<const std::int32_t> worker_gid = {};  ///< by core; -1 beyond its end
  std::span<const std::uint32_t> device = {};     ///< by core; 0 beyond its end
  bool include_default_algorithm = false;         ///< shows the collectives algorithm 0, too
};

struct TraceWriterOptions {
  std::uint64_t part_bytes = 1000u << 20;  ///< a part ends before it is larger: below 1 GiB
  Framing framing = Framing::kSingle;
  std::uint32_t first_part = 0;  ///< parts that the directory has already: names go on from there
};

/// What became of the events that were added.
struct TraceTally {
  std::uint64_t events = 0;  ///< added
  std::uint64_t unplaced =
      0;  ///< of the device, without host time: when they were recorded stands for it
};

/// Writes events to DIRECTORY/ntrace.pb and, where one file is not enough or ends early, to
/// ntrace_1.pb, ntrace_2.pb and so on. Each part is whole. Uses less than 32 MiB, however many
/// events there are. Same events, same bytes.
///
/// Events of the device are moved to host time by the sync points (type 25) of their execution and
/// core; one may come some thousand events after what it places.
class TraceWriter {
 public:
  /// Writes nothing yet. What `context` refers to has to live as long.
  TraceWriter(std::string directory, TraceContext context, TraceWriterOptions options = {});
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;
  ~TraceWriter();

  /// Adds an event; all of a core follow one another. On an error the event counts as added, and is
  /// kept; further events are refused with the same error until a cut() succeeds. Throws
  /// std::bad_alloc only for the name of a model that is larger than a buffer.
  Result<void> add(const nrt_sys_trace_event_t& event);

  /// Adds events that lie one behind the other, up to the first error: tally() says how many.
  Result<void> add(std::span<const nrt_sys_trace_event_t> events);

  /// Ends the part: everything that was added and `names` are in whole files. The next event begins
  /// another part; with no event since the last cut there is no part, but the first is always
  /// written. After an error what could be written is in whole files, with as many of the names as
  /// there was room for, and what could not is kept for the next cut(); what was in a file that
  /// could not be given its name is lost, as the error says.
  Result<void> cut(const systrace::StringShard& names);

  /// Whole files so far.
  const std::vector<DataFile>& files() const noexcept;
  TraceTally tally() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What the host sampler saw. Rows of all ticks lie one behind the other; what is not known has no
/// row in a file.
struct HostSeries {
  std::uint32_t num_cpus = 0;
  std::string cpu_name;
  std::uint64_t mem_capacity = 0;  ///< bytes; 0: not known
  float period_s = 1;
  std::vector<std::uint64_t> timestamp_ns;  ///< of each tick, CLOCK_REALTIME
  std::vector<float> util;                  ///< percent; num_cpus for each tick; NaN: not known
  std::vector<std::int64_t> usage;          ///< bytes; one for each tick; -1: not known
};

/// Writes DIRECTORY/cpu_util.pb.
Result<DataFile> write_cpu_util(const std::string& directory, const HostSeries& series,
                                Framing framing = Framing::kSingle);
/// Writes DIRECTORY/host_mem.pb.
Result<DataFile> write_host_mem(const std::string& directory, const HostSeries& series,
                                Framing framing = Framing::kSingle);

/// `version_info`. All zero and empty: not known, not written.
struct Version {
  std::uint64_t major = 0, minor = 0, patch = 0, maintenance = 0;
  std::string detail;
  std::string git_hash;
};

/// What a ring said of itself: created == pushed + in_flight, pushed == drained + displaced.
struct CoreLoss {
  std::uint32_t nc = 0;
  std::uint64_t created = 0;    ///< events begun
  std::uint64_t pushed = 0;     ///< events completed
  std::uint64_t drained = 0;    ///< taken: into these files, or by the program itself
  std::uint64_t displaced = 0;  ///< overwritten before anybody took them
  std::uint64_t in_flight = 0;  ///< begun and never completed
  std::uint64_t damaged = 0;    ///< places of trace memory that no writer leaves like that
};

/// The same of a core whose capture was harvested into files.
CoreLoss loss_of(const trace::HarvestedCore& core) noexcept;

/// What to say of events that were written; nothing when all is well.
std::vector<std::string> warnings_of(const TraceTally& tally);

/// What trace_info.pb says. Empty and zero: not known, not written.
struct TraceInfo {
  std::uint32_t arch = 0;
  std::uint32_t pid = 0;
  std::uint32_t session_id = 0;
  std::uint32_t logical_nc_size = 0;
  Version runtime_version;
  std::uint64_t start_time_ns = 0, stop_time_ns = 0;
  std::uint64_t hbm_capacity_bytes = 0;
  std::string instance_id, instance_type, hostname, framework;
  const HostSeries* host = nullptr;  ///< its scalars
  std::vector<DataFile> files;
  /// Written as an interned_data_db of the type "ndtel.loss": by core + 2^63, which is the id of no
  /// string, "created=1 pushed=1 drained=1 displaced=0 in_flight=0 damaged=0".
  std::vector<CoreLoss> loss;
  /// Sentences for who reads the capture, as an interned_data_db of the type "ndtel.warning": by
  /// their place in this list + 2^63 + 2^32.
  std::vector<std::string> warnings;
};

/// Writes DIRECTORY/trace_info.pb, last of all files: it says that the others are complete.
Result<void> write_trace_info(const std::string& directory, const TraceInfo& info,
                              const systrace::StringShard& names);

/// A record of the ntrace ring.
struct NtraceRecord {
  std::uint32_t type = 0;  ///< 0 to 15
  std::uint64_t timestamp_ns = 0;
  std::uint64_t data = 0;
  std::uint32_t nd_idx = 0, nc_idx = 0;
  const char* hint = nullptr;  ///< null: none
};

/// What the ntrace ring is written to: one `ntrace_info` at `path`.
class NtraceWriter {
 public:
  static Result<NtraceWriter> create(const std::string& path, std::uint32_t arch);
  NtraceWriter(NtraceWriter&&) noexcept;
  ~NtraceWriter();
  Result<void> add(const NtraceRecord& record);
  /// Gives the file its name.
  Result<void> commit();

 private:
  struct Impl;
  explicit NtraceWriter(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_HOST_TRACE_HPP
