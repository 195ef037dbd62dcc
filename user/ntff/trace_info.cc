// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "buffered_file.hpp"
#include "host_series.hpp"
#include "host_trace.hpp"
#include "name_fragments.hpp"
#include "neuron_trace.pb.h"

namespace ndtel::ntff {

namespace {

using Info = ::ntff::ntrace_info;

// Ids of what is not a string: no string has one with this bit.
constexpr std::uint64_t kNoString = std::uint64_t{1} << 63;
// Cores are below, so that a warning is not taken for a core's loss where all ids are thrown
// together.
constexpr std::uint64_t kWarningIds = std::uint64_t{1} << 32;

void write_text(MessageWriter& db, std::uint64_t id, std::string_view text) {
  db.nested(::ntff::interned_data_db::kIdMapFieldNumber, [&](MessageWriter& entry) {
    entry.integer_always(wire::kMapKey, kNoString + id);
    entry.text_always(wire::kMapValue, text);
  });
}

void write_loss(MessageWriter& root, const std::vector<CoreLoss>& loss) {
  if (loss.empty()) return;
  root.nested(Info::kInternedDataFieldNumber, [&](MessageWriter& db) {
    db.text(::ntff::interned_data_db::kDataTypeFieldNumber, "ndtel.loss");
    for (const CoreLoss& core : loss) {
      write_text(db, core.nc,
                 fmt::format("created={} pushed={} drained={} displaced={} in_flight={} damaged={}",
                             core.created, core.pushed, core.drained, core.displaced,
                             core.in_flight, core.damaged));
    }
  });
}

void write_warnings(MessageWriter& root, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  root.nested(Info::kInternedDataFieldNumber, [&](MessageWriter& db) {
    db.text(::ntff::interned_data_db::kDataTypeFieldNumber, "ndtel.warning");
    for (std::size_t i = 0; i < warnings.size(); ++i) write_text(db, kWarningIds + i, warnings[i]);
  });
}

void write_files(MessageWriter& root, const std::vector<DataFile>& files) {
  using File = ::ntff::ntrace_data_file;
  for (const DataFile& file : files) {
    root.nested(Info::kCollectedProfilesFieldNumber, [&](MessageWriter& out) {
      out.integer(File::kTypeFieldNumber, static_cast<std::uint32_t>(file.kind));
      out.text(File::kNameFieldNumber, file.name);
      out.integer(File::kNumMessagesFieldNumber, file.messages);
      out.integer(File::kSizeFieldNumber, file.bytes);
    });
  }
}

void write_version(MessageWriter& out, const Version& version) {
  using Fields = ::ntff::version_info;
  out.integer(Fields::kMajorFieldNumber, version.major);
  out.integer(Fields::kMinorFieldNumber, version.minor);
  out.integer(Fields::kPatchFieldNumber, version.patch);
  out.integer(Fields::kMaintenanceFieldNumber, version.maintenance);
  out.text(Fields::kDetailFieldNumber, version.detail);
  out.bytes(Fields::kGitHashFieldNumber, version.git_hash);
}

// What is not known is not written, not even as an empty message.
bool is_known(const Version& version) {
  return version.major != 0 || version.minor != 0 || version.patch != 0 ||
         version.maintenance != 0 || !version.detail.empty() || !version.git_hash.empty();
}

void write_scalars(MessageWriter& root, const TraceInfo& info) {
  root.integer(Info::kArchFieldNumber, info.arch);
  root.integer(Info::kPidFieldNumber, info.pid);
  root.integer(Info::kSessionIdFieldNumber, info.session_id);
  root.integer(Info::kDataVersionFieldNumber, kDataVersion);
  if (is_known(info.runtime_version)) {
    root.nested(Info::kNeuronRuntimeVersionFieldNumber,
                [&](MessageWriter& version) { write_version(version, info.runtime_version); });
  }
  if (info.host != nullptr) {
    root.nested(Info::kHostStatsFieldNumber,
                [&](MessageWriter& host) { write_host_scalars(host, *info.host); });
  }
  root.text(Info::kInstanceIdFieldNumber, info.instance_id);
  root.text(Info::kInstanceTypeFieldNumber, info.instance_type);
  root.text(Info::kHostnameFieldNumber, info.hostname);
  root.text(Info::kFrameworkFieldNumber, info.framework);
  root.integer(Info::kStartTimeNsFieldNumber, info.start_time_ns);
  root.integer(Info::kStopTimeNsFieldNumber, info.stop_time_ns);
  root.integer(Info::kHbmCapacityBytesFieldNumber, info.hbm_capacity_bytes);
  root.integer(Info::kLogicalNcSizeFieldNumber, info.logical_nc_size);
}

}  // namespace

CoreLoss loss_of(const trace::HarvestedCore& core) noexcept {
  return {.nc = core.nc,
          .created = core.created,
          .pushed = core.pushed,
          .drained = core.drained + core.left,
          .displaced = core.displaced,
          .in_flight = core.in_flight,
          .damaged = core.damaged};
}

std::vector<std::string> warnings_of(const TraceTally& tally) {
  if (tally.unplaced == 0) return {};
  return {
      fmt::format("{} events of devices have no host time: when they were recorded stands for it",
                  tally.unplaced)};
}

Result<void> write_trace_info(const std::string& directory, const TraceInfo& info,
                              const systrace::StringShard& names) {
  auto file = BufferedFile::create(directory + "/trace_info.pb");
  if (!file) return file.error();
  MessageWriter root = file->fields();
  write_files(root, info.files);
  NameFragments fragments(names);
  for (std::string fragment; fragments.next(&fragment);) {
    file->buffer()->append(fragment);
    if (auto spilled = file->spill(); !spilled) return spilled;
  }
  write_loss(root, info.loss);
  write_warnings(root, info.warnings);
  write_scalars(root, info);
  return file->commit();
}

}  // namespace ndtel::ntff
