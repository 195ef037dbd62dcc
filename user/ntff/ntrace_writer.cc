// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <utility>

#include "buffered_file.hpp"
#include "host_trace.hpp"
#include "neuron_trace.pb.h"

namespace ndtel::ntff {

namespace {

using Event = ::ntff::ntrace_event;
using Info = ::ntff::ntrace_info;

// Types of the ntrace ring that are ends of a span.
enum : std::uint32_t {
  kExecStart = 1,
  kExecEnd = 2,
  kCcExecStart = 3,
  kCcExecEnd = 4,
  kIoCopyStart = 5,
  kIoCopyEnd = 6,
};

::ntff::ntrace_event_phase_type phase_of(std::uint32_t type) noexcept {
  switch (type) {
    case kExecStart:
    case kCcExecStart:
    case kIoCopyStart:
      return ::ntff::NTRACE_EVENT_PHASE_TYPE_START;
    case kExecEnd:
    case kCcExecEnd:
    case kIoCopyEnd:
      return ::ntff::NTRACE_EVENT_PHASE_TYPE_STOP;
    default:
      return ::ntff::NTRACE_EVENT_PHASE_TYPE_INSTANT;
  }
}

}  // namespace

struct NtraceWriter::Impl {
  BufferedFile file;
  std::uint32_t arch;
};

NtraceWriter::NtraceWriter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
NtraceWriter::NtraceWriter(NtraceWriter&&) noexcept = default;
NtraceWriter::~NtraceWriter() = default;

Result<NtraceWriter> NtraceWriter::create(const std::string& path, std::uint32_t arch) {
  auto file = BufferedFile::create(path);
  if (!file) return file.error();
  return NtraceWriter(std::unique_ptr<Impl>(new Impl{std::move(*file), arch}));
}

Result<void> NtraceWriter::add(const NtraceRecord& record) {
  impl_->file.fields().nested(Info::kEventsFieldNumber, [&record](MessageWriter& event) {
    event.integer(Event::kTimestampFieldNumber, record.timestamp_ns);
    event.integer(Event::kDataFieldNumber, record.data);
    event.integer(Event::kNdIdxFieldNumber, record.nd_idx);
    event.integer(Event::kNcIdxFieldNumber, record.nc_idx);
    event.integer(Event::kEventTypeFieldNumber, record.type);
    if (record.hint != nullptr) event.text(Event::kHintFieldNumber, record.hint);
    event.integer(Event::kPhaseFieldNumber, phase_of(record.type));
  });
  return impl_->file.spill();
}

Result<void> NtraceWriter::commit() {
  MessageWriter root = impl_->file.fields();
  root.integer(Info::kArchFieldNumber, impl_->arch);
  root.integer(Info::kPidFieldNumber, static_cast<std::uint32_t>(::getpid()));
  root.integer(Info::kDataVersionFieldNumber, kDataVersion);
  return impl_->file.commit();
}

}  // namespace ndtel::ntff
