// SPDX-License-Identifier: Apache-2.0
#include "dump.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "../failure.hpp"
#include "container.hpp"
#include "device_record.hpp"
#include "message_json.hpp"
#include "neuron_trace.pb.h"
#include "ntff.pb.h"
#include "pb_reader.hpp"
#include "type_names.hpp"

namespace ndtel::cli {
namespace {

namespace read = ntff::read;
using Json = nlohmann::ordered_json;

read::ByteSource open(const std::string& path) {
  auto source = read::ByteSource::open(path);
  if (!source) throw Failure(Exit::kMissing, source.error().message);
  return std::move(*source);
}

class Lines {
 public:
  explicit Lines(std::FILE* out) : out_(out) {}

  /// A line begins with where it is from.
  void begin_file(const std::string& path) { path_ = path; }
  Json line(std::string_view record) const { return {{"file", path_}, {"record", record}}; }

  void put(const Json& line) {
    // Texts of a file may be of any bytes.
    const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (std::fwrite(text.data(), 1, text.size(), out_) != text.size())
      throw Failure(Exit::kFailed, fmt::format("cannot write the dump: {}", std::strerror(errno)));
  }

 private:
  std::FILE* out_;
  std::string path_;
};

class RecordDump final : public read::PbVisitor {
 public:
  explicit RecordDump(Lines& lines) : lines_(lines) {}

  void on_event(const read::EventView& event, std::string_view bytes) override {
    Json line = lines_.line("ntrace_event");
    line["timestamp"] = event.timestamp;
    line["data"] = event.data;
    line["nd_idx"] = event.nd_idx;
    line["nc_idx"] = event.nc_idx;
    line["event_type"] = event.event_type;
    line["event_type_name"] = read::type_name(read::type_of(event));
    line["hint"] = event.hint;
    line["duration"] = event.duration;
    line["thread_id"] = event.thread_id;
    line["id"] = event.id;
    line["parent_id"] = event.parent_id;
    line["status"] = event.status;
    Json& attributes = line["attributes"] = Json::object();
    for (const auto& [key, value] : read::attributes_of(bytes))
      attributes[std::string(key)] = value;
    line["phase"] = event.phase;
    line["phase_name"] = read::event_phase_name(event.phase);
    line["tracking_id"] = event.tracking_id;
    line["type"] = event.type;
    if (event.nrta_seq_id) line["nrta_seq_id"] = *event.nrta_seq_id;
    if (event.unknown > 0) line["unknown_fields"] = event.unknown;
    lines_.put(line);
  }

  void on_cpu(const read::CpuRow& row) override {
    Json line = lines_.line("cpu_util");
    line["cpu_id"] = row.cpu_id;
    line["util"] = row.util;
    line["timestamp"] = row.timestamp;
    lines_.put(line);
  }

  void on_memory(const read::MemoryRow& row) override {
    Json line = lines_.line("host_mem_usage");
    line["usage"] = row.usage;
    line["timestamp"] = row.timestamp;
    lines_.put(line);
  }

  void on_interned(std::string_view database, const read::InternedEntry& entry) override {
    Json line = lines_.line("interned_data");
    line["data_type"] = database;
    line["id"] = entry.id;
    line["text"] = entry.text;
    lines_.put(line);
  }

  void on_root(const ::ntff::ntrace_info& root) override { put_message("ntrace_info", root); }
  void on_root(const ::ntff::host_stats& root) override { put_message("host_stats", root); }

  void put_message(std::string_view record, const google::protobuf::Message& message) {
    Json line = lines_.line(record);
    line.update(message_json(message));
    lines_.put(line);
  }

 private:
  Lines& lines_;
};

Json record_json(Json line, const read::DeviceRecord& record) {
  line["timestamp_ps"] = record.timestamp_ps;
  line["notific_type"] = record.type;
  if (!record.kind.empty()) line["notific_type_name"] = record.kind;
  if (!record.engine.empty()) line["engine"] = record.engine;
  line["software_queue_overflow"] = record.software_overflow;
  line["hardware_queue_overflow"] = record.hardware_overflow;
  line["phase"] = record.phase ? 1 : 0;
  for (const auto& field : record.fields()) line[field.name] = field.value;
  return line;
}

void dump_trace(read::ByteSource& source, const read::TraceBlob& trace, Lines& lines) {
  Json line = lines.line("notification");
  line["trace_type"] = trace.info->trace_type();
  line["block_type"] = trace.info->block_type();
  line["engine_index"] = trace.info->engine_index();
  line["nd_idx"] = trace.info->nd_idx();
  line["nc_idx"] = trace.info->nc_idx();
  read::each_record(source, trace, [&](const char* bytes) {
    lines.put(record_json(line, read::decode_device_record(bytes)));
  });
}

void dump_profile(const std::string& path, Lines& lines, RecordDump& records) {
  read::ByteSource source = open(path);
  const auto container = read::read_container(source);
  if (!container) throw Failure(Exit::kFailed, container.error().message);
  records.put_message("ntff_info", *container->info);
  for (const auto& blob : container->instructions) {
    Json line = lines.line("instructions");
    line["nc_engine_type"] = blob.info->nc_engine_type();
    line["start_address"] = blob.info->start_address();
    line["offset"] = blob.offset;
    line["size"] = blob.size;
    lines.put(line);
  }
  for (const auto& trace : container->traces) dump_trace(source, trace, lines);
}

}  // namespace

void dump(const CaptureFiles& files, std::FILE* out) {
  Lines lines(out);
  RecordDump records(lines);
  const auto dump_records = [&](const std::string& path) {
    lines.begin_file(path);
    read::ByteSource source = open(path);
    const auto outcome = read::read_pb(source, records);
    if (!outcome) throw Failure(Exit::kFailed, outcome.error().message);
  };
  if (!files.trace_info.empty()) dump_records(files.trace_info);
  for (const std::string& path : files.pb) dump_records(path);
  for (const std::string& path : files.profiles) {
    lines.begin_file(path);
    dump_profile(path, lines, records);
  }
}

}  // namespace ndtel::cli
