// SPDX-License-Identifier: Apache-2.0
#include "pb_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "neuron_trace.pb.h"
#include "shape.hpp"
#include "wire.hpp"

namespace ndtel::ntff::read {
namespace {

using Trace = ::ntff::ntrace_info;
using Host = ::ntff::host_stats;
using Database = ::ntff::interned_data_db;

/// The longest tag and length.
constexpr std::size_t kLongestHead = 20;

class PbReader {
 public:
  PbReader(ByteSource& source, PbVisitor& visitor, Shape shape)
      : source_(source), visitor_(visitor) {
    outcome_.shape = shape;
  }

  PbOutcome run() {
    unsigned damaged_in_a_row = 0;
    // One record may be damaged; where the next is, too, nothing says where records begin.
    while (damaged_in_a_row < 2 && source_.left() > 0) {
      const std::uint64_t damaged = outcome_.damaged;
      if (!(is_delimited(outcome_.shape) ? take_message() : take_root_field())) break;
      if (damaged == outcome_.damaged) {
        outcome_.whole = source_.offset();
        damaged_in_a_row = 0;
      } else {
        ++damaged_in_a_row;
      }
    }
    if (outcome_.shape == Shape::kTrace) visitor_.on_root(trace_);
    if (outcome_.shape == Shape::kHost) visitor_.on_root(host_);
    outcome_.size = source_.size();
    // What was skipped comes before what ended it all.
    if (damage_) outcome_.fault = std::move(damage_);
    return std::move(outcome_);
  }

 private:
  bool fail(FaultKind kind, std::uint64_t offset, std::string expected) {
    if (!outcome_.fault) outcome_.fault = Fault{kind, source_.name(), offset, std::move(expected)};
    return false;
  }

  /// The file ends within a record that began at `offset`.
  bool truncated(std::uint64_t offset, std::string_view what, std::uint64_t bytes) {
    const std::uint64_t left = source_.size() - offset;
    const std::string length = bytes > left ? fmt::format(" of {} bytes", bytes) : "";
    return fail(FaultKind::kTruncated, offset,
                fmt::format("expected {}{}, found the end of the file after {}: {} lost", what,
                            length, count(left, "byte"), left == 1 ? "it is" : "they are"));
  }

  static std::string count(std::uint64_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  }

  /// Remembers a record that is in its place and holds what it cannot.
  void damaged(std::uint64_t offset, std::string_view what) {
    ++outcome_.damaged;
    if (!damage_) {
      damage_ = Fault{FaultKind::kCorrupt, source_.name(), offset,
                      fmt::format("expected {}, found bytes that are none", what)};
    }
  }

  /// The name of a record of the shape.
  std::string_view record() const {
    switch (outcome_.shape) {
      case Shape::kTrace:
        return "a field of an ntrace_info";
      case Shape::kHost:
        return "a field of a host_stats";
      case Shape::kMemoryRows:
        return "a host_mem_usage with its length";
      case Shape::kCpuRows:
        return "a cpu_util with its length";
      case Shape::kEvents:
        break;
    }
    return "an ntrace_event with its length";
  }

  /// Has the bytes of a record in the window, whose head took `head` bytes; empty if that fails.
  bool have(std::size_t head, std::uint64_t length, std::string_view what,
            std::string_view& bytes) {
    const std::uint64_t offset = source_.offset();
    if (length > source_.left() - head) return truncated(offset, what, head + length);
    if (head + length > ByteSource::kLargest) {
      return fail(FaultKind::kCorrupt, offset,
                  fmt::format("expected {} of at most {} bytes, found a length of {}", what,
                              ByteSource::kLargest, length));
    }
    const auto all = static_cast<std::size_t>(head + length);
    const std::string_view window = source_.ask(all);
    if (window.size() < all) return truncated(offset, what, all);  // shorter since it was opened
    bytes = window.substr(head, static_cast<std::size_t>(length));
    return true;
  }

  bool take_message() {
    const std::uint64_t offset = source_.offset();
    const std::string_view window = source_.ask(kLongestHead);
    const char* at = window.data();
    std::uint64_t length = 0;
    switch (take_varint(at, window.data() + window.size(), length)) {
      case Take::kShort:
        return truncated(offset, record(), 0);
      case Take::kBad:
        return fail(FaultKind::kCorrupt, offset,
                    fmt::format("expected {}, found bytes that are no length", record()));
      case Take::kDone:
        break;
    }
    const auto head = static_cast<std::size_t>(at - window.data());
    std::string_view bytes;
    if (length >> 31 != 0) {
      return fail(FaultKind::kCorrupt, offset,
                  fmt::format("expected {}, found a length of {}", record(), length));
    }
    if (!have(head, length, record(), bytes)) return false;
    switch (outcome_.shape) {
      case Shape::kMemoryRows:
        memory(offset, bytes);
        break;
      case Shape::kCpuRows:
        cpu(offset, bytes);
        break;
      default:
        event(offset, bytes);
    }
    source_.skip(head + bytes.size());
    return true;
  }

  bool take_root_field() {
    const std::uint64_t offset = source_.offset();
    const std::string_view window = source_.ask(kLongestHead);
    const char* at = window.data();
    const char* const end = at + window.size();
    Field field;
    Take take = take_tag(at, end, field);
    if (take == Take::kDone) take = take_value(at, end, field);
    if (take == Take::kShort) return truncated(offset, record(), 0);
    if (take == Take::kBad) {
      return fail(FaultKind::kCorrupt, offset,
                  fmt::format("expected {}, found bytes that are none", record()));
    }
    const auto head = static_cast<std::size_t>(at - window.data());
    const std::uint64_t length = field.wire == Wire::kBytes ? field.value : 0;
    const std::uint32_t tag = field.tag();
    const bool trace = outcome_.shape == Shape::kTrace;
    std::string_view bytes;
    if (trace && tag == tag_of(Trace::kInternedDataFieldNumber, Wire::kBytes))
      return take_database(head, length);
    if (trace && tag == tag_of(Trace::kEventsFieldNumber, Wire::kBytes)) {
      if (!have(head, length, "an ntrace_event", bytes)) return false;
      event(offset, bytes);
    } else if (!trace && tag == tag_of(Host::kCpuUtilFieldNumber, Wire::kBytes)) {
      if (!have(head, length, "a cpu_util", bytes)) return false;
      cpu(offset, bytes);
    } else if (!trace && tag == tag_of(Host::kMemUsageFieldNumber, Wire::kBytes)) {
      if (!have(head, length, "a host_mem_usage", bytes)) return false;
      memory(offset, bytes);
    } else {
      return take_other(field, head, length);
    }
    source_.skip(head + bytes.size());
    return true;
  }

  /// A field of the root that is no record.
  bool take_other(const Field& field, std::size_t head, std::uint64_t length) {
    const std::uint64_t offset = source_.offset();
    const bool trace = outcome_.shape == Shape::kTrace;
    const auto& type = trace ? *Trace::descriptor() : *Host::descriptor();
    if (length > source_.left() - head) return truncated(offset, record(), head + length);
    if (type.FindFieldByNumber(static_cast<int>(field.number)) == nullptr) {
      ++outcome_.unknown;
      source_.skip(head + length);
      return true;
    }
    root_bytes_ += head + length;
    if (root_bytes_ > kLargestRoot) {
      return fail(
          FaultKind::kCorrupt, offset,
          fmt::format("expected at most {} bytes beside the records, found more", kLargestRoot));
    }
    std::string_view bytes;
    if (!have(head, length, record(), bytes)) return false;
    const std::string whole(source_.ask(0).substr(0, head + bytes.size()));
    if (!(trace ? trace_.MergeFromString(whole) : host_.MergeFromString(whole)))
      damaged(offset, record());
    source_.skip(whole.size());
    return true;
  }

  /// A database may be larger than the window: its entries are read like records of the file.
  bool take_database(std::size_t head, std::uint64_t length) {
    constexpr std::string_view kWhat = "an interned_data_db";
    const std::uint64_t offset = source_.offset();
    const std::uint64_t end = offset + head + length;
    source_.skip(head);
    std::string name;
    while (source_.offset() < end) {
      const std::uint64_t entry_offset = source_.offset();
      if (source_.left() == 0) return truncated(offset, kWhat, head + length);
      const std::string_view window = source_.ask(kLongestHead);
      const auto room =
          static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), end - entry_offset));
      const char* at = window.data();
      Field field;
      Take take = take_tag(at, window.data() + room, field);
      if (take == Take::kDone) take = take_value(at, window.data() + room, field);
      const auto inner_head = static_cast<std::size_t>(at - window.data());
      const std::uint64_t inner = field.wire == Wire::kBytes ? field.value : 0;
      const bool fits = take == Take::kDone && inner <= end - entry_offset - inner_head;
      if (take == Take::kShort && source_.offset() + room == source_.size() && source_.size() < end)
        return truncated(offset, kWhat, head + length);
      if (!fits) {
        // Its length says where the next record is.
        damaged(entry_offset, "an entry of an interned_data_db");
        break;
      }
      if (inner > source_.left() - inner_head) return truncated(offset, kWhat, head + length);
      std::string_view bytes;
      if (!have(inner_head, inner, "an entry of an interned_data_db", bytes)) return false;
      if (field.tag() == tag_of(Database::kDataTypeFieldNumber, Wire::kBytes)) {
        name = bytes;
      } else if (field.tag() == tag_of(Database::kIdMapFieldNumber, Wire::kBytes)) {
        InternedEntry entry;
        if (!decode(bytes, entry, outcome_.unknown)) {
          damaged(entry_offset, "an entry of an interned_data_db");
          break;
        }
        ++outcome_.interned;
        visitor_.on_interned(name, entry);
      } else {
        ++outcome_.unknown;
      }
      source_.skip(inner_head + bytes.size());
    }
    if (end > source_.size()) return truncated(offset, kWhat, head + length);
    source_.seek(end);
    return true;
  }

  void event(std::uint64_t offset, std::string_view bytes) {
    EventView event;
    if (!decode(bytes, event)) return damaged(offset, "an ntrace_event");
    ++outcome_.events;
    outcome_.unknown += event.unknown;
    visitor_.on_event(event, bytes);
  }

  void cpu(std::uint64_t offset, std::string_view bytes) {
    CpuRow row;
    if (!decode(bytes, row, outcome_.unknown)) return damaged(offset, "a cpu_util");
    ++outcome_.rows;
    visitor_.on_cpu(row);
  }

  void memory(std::uint64_t offset, std::string_view bytes) {
    MemoryRow row;
    if (!decode(bytes, row, outcome_.unknown)) return damaged(offset, "a host_mem_usage");
    ++outcome_.rows;
    visitor_.on_memory(row);
  }

  ByteSource& source_;
  PbVisitor& visitor_;
  PbOutcome outcome_;
  Trace trace_;
  Host host_;
  std::uint64_t root_bytes_ = 0;
  std::optional<Fault> damage_;  // the first one
};

}  // namespace

void PbVisitor::on_event(const EventView&, std::string_view) {}
void PbVisitor::on_cpu(const CpuRow&) {}
void PbVisitor::on_memory(const MemoryRow&) {}
void PbVisitor::on_interned(std::string_view, const InternedEntry&) {}
void PbVisitor::on_root(const ::ntff::ntrace_info&) {}
void PbVisitor::on_root(const ::ntff::host_stats&) {}

Result<PbOutcome> read_pb(ByteSource& source, PbVisitor& visitor) {
  source.seek(0);
  PbOutcome outcome;
  if (source.size() == 0) {
    outcome.fault = Fault{FaultKind::kEmpty, source.name(), 0,
                          "expected a message of a trace, found an empty file"};
    return outcome;
  }
  const auto shape = recognise(source);
  if (shape) {
    outcome = PbReader(source, visitor, *shape).run();
  } else {
    outcome.size = source.size();
    outcome.fault = Fault{FaultKind::kForeign, source.name(), 0,
                          "expected an ntrace_info, a host_stats or delimited records of them, "
                          "found a file of another kind"};
  }
  if (source.error()) return *source.error();
  return outcome;
}

}  // namespace ndtel::ntff::read
