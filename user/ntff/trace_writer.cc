// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "device_times.hpp"
#include "event_encoder.hpp"
#include "host_trace.hpp"
#include "log.hpp"
#include "message_writer.hpp"
#include "name_fragments.hpp"
#include "neuron_trace.pb.h"
#include "output_file.hpp"

namespace ndtel::ntff {

namespace {

// What is written at once.
constexpr std::size_t kBuffer = std::size_t{1} << 20;
// `data_version`, which stands behind all else.
constexpr std::size_t kVersionRoom = 2 * wire::kMaxVarint;

// Events that are not in a file yet.
class EventBuffer {
 public:
  EventBuffer() : bytes_(new char[kBuffer + EventEncoder::kRoom]) {}

  /// Where `more` bytes can be written.
  char* room(std::size_t more) {
    if (size_ + more > capacity_) [[unlikely]] {
      // The name of a model that is larger than all the buffer.
      auto larger = std::unique_ptr<char[]>(new char[size_ + more]);
      std::memcpy(larger.get(), bytes_.get(), size_);
      bytes_ = std::move(larger);
      capacity_ = size_ + more;
    }
    return bytes_.get() + size_;
  }

  void grow_to(const char* end) noexcept { size_ = static_cast<std::size_t>(end - bytes_.get()); }
  std::size_t size() const noexcept { return size_; }
  std::span<const std::byte> first(std::size_t size) const noexcept {
    return std::as_bytes(std::span(bytes_.get(), size));
  }

  void drop_first(std::size_t size) noexcept {
    std::memmove(bytes_.get(), bytes_.get() + size, size_ - size);
    size_ -= size;
  }

 private:
  std::size_t capacity_ = kBuffer + EventEncoder::kRoom;
  std::size_t size_ = 0;
  std::unique_ptr<char[]> bytes_;
};

}  // namespace

struct TraceWriter::Impl {
  Impl(std::string directory_, const TraceContext& context_, TraceWriterOptions options_)
      : directory(std::move(directory_)),
        context(context_),
        options(options_),
        fragment_bytes(
            std::clamp<std::uint64_t>(options_.part_bytes / 8, 256, NameFragments::kBytes)),
        encoder(context_, options_.framing) {}

  const std::string directory;
  const TraceContext context;
  const TraceWriterOptions options;
  const std::size_t fragment_bytes;

  EventEncoder encoder;
  DeviceTimes times;
  EventBuffer buffer;
  std::size_t buffered = 0;    // bytes of the buffer that belong to this part
  std::size_t last = 0;        // bytes of the event behind them, which begins the next
  std::uint64_t messages = 0;  // events in the buffer that belong to this part

  std::optional<OutputFile> file;     // of this part; none: nothing is in it yet
  std::uint64_t written = 0;          // events in it
  bool anything = false;              // whether something was added since the last cut
  std::uint64_t tail = 0;             // room that is kept for what comes behind the events
  std::size_t tail_names = SIZE_MAX;  // how many names `tail` was reckoned for

  std::vector<DataFile> files;
  TraceTally tally;
  std::uint64_t unknown_phases = 0;
  std::optional<Error> trouble;  // until a cut that succeeds

  bool single() const noexcept { return options.framing == Framing::kSingle; }

  std::string name_of_part() const {
    const std::size_t part = options.first_part + files.size();
    return part == 0 ? "ntrace.pb" : fmt::format("ntrace_{}.pb", part);
  }

  Result<void> open() {
    if (file) return {};
    auto created = OutputFile::create(directory + "/" + name_of_part());
    if (!created) return created.error();
    file.emplace(std::move(*created));
    return {};
  }

  // A part that ends because it is full has the names that are known by then, if they are small
  // beside it; cut() writes all in any case.
  bool has_names_in_full_parts() {
    if (!single()) return false;
    const std::size_t count = context.names != nullptr ? context.names->size() : 0;
    if (count != tail_names) {
      tail_names = count;
      tail = kVersionRoom;
      if (context.names != nullptr) tail += names_size(*context.names, fragment_bytes);
      if (tail > options.part_bytes / 2) tail = kVersionRoom;
    }
    return tail > kVersionRoom;
  }

  std::uint64_t size_of_part() const noexcept { return (file ? file->size() : 0) + buffered; }

  Result<void> write_fragment(const std::string& fragment) {
    if (auto opened = open(); !opened) return opened;
    return file->write(std::as_bytes(std::span(fragment)));
  }

  Result<void> write_version() {
    std::string version;
    MessageWriter(&version).integer(::ntff::ntrace_info::kDataVersionFieldNumber, kDataVersion);
    return write_fragment(version);
  }

  // Gives the part its name. Without that what is in it is gone: there is nowhere to keep it.
  Result<void> commit() {
    if (auto opened = open(); !opened) return opened;
    const std::uint64_t size = file->size();
    const std::uint64_t events = std::exchange(written, 0);
    auto committed = file->commit();
    file.reset();
    if (!committed)
      return Error{committed.error().code,
                   fmt::format("{} ({} events are lost)", committed.error().message, events)};
    files.push_back({DataKind::kNtrace, name_of_part(), events, size});
    return {};
  }

  Result<void> end_full_part() {
    if (has_names_in_full_parts()) {
      NameFragments fragments(*context.names, fragment_bytes);
      for (std::string fragment; fragments.next(&fragment);) {
        if (auto wrote = write_fragment(fragment); !wrote) return wrote;
      }
    }
    if (single()) {
      if (auto wrote = write_version(); !wrote) return wrote;
    }
    return commit();
  }

  // Writes what the buffer holds, in as many parts as it takes. On an error what is not in a file
  // is still in the buffer, and this can be tried again.
  Result<void> flush() {
    if (buffered != 0) {
      if (auto opened = open(); !opened) return opened;
      if (auto wrote = file->write(buffer.first(buffered)); !wrote) return wrote;
      written += std::exchange(messages, 0);
      buffer.drop_first(std::exchange(buffered, 0));
    }
    if (last != 0) {
      // A cut that failed may have saved the part already.
      if (file) {
        if (auto ended = end_full_part(); !ended) return ended;
      }
      buffered = std::exchange(last, 0);
      messages = 1;
    }
    return {};
  }

  // The event is in the buffer, whatever this returns.
  Result<void> encode(const nrt_sys_trace_event_t& event, std::uint64_t host_ns) {
    if (event.phase >= NRT_SYS_TRACE_EVENT_PHASE_COUNT) ++unknown_phases;
    const auto model_name = encoder.model_name(event);
    char* const at = buffer.room(EventEncoder::kRoom + (model_name ? model_name->size() : 0));
    char* const end = encoder.put(at, event, host_ns, model_name);
    buffer.grow_to(end);
    const auto size = static_cast<std::size_t>(end - at);
    const std::uint64_t before = size_of_part();
    if (before != 0 && before + size + tail > options.part_bytes) [[unlikely]] {
      last = size;
      return flush();
    }
    buffered += size;
    ++messages;
    if (buffered < kBuffer) [[likely]]
      return {};
    (void)has_names_in_full_parts();
    return flush();
  }

  Result<void> encode_first() {
    const PlacedEvent& first = times.first();
    if (!first.placed) ++tally.unplaced;
    auto encoded = encode(first.event, first.host_ns);
    times.pop();
    return encoded;
  }

  Result<void> add(const nrt_sys_trace_event_t& event) {
    anything = true;
    ++tally.events;
    if (times.passes(event)) [[likely]]
      return encode(event, event.timestamp_ns);
    Result<void> result;
    if (times.full()) result = encode_first();
    times.push(event);
    while (result && times.ready() != nullptr) result = encode_first();
    return result;
  }

  // All that was added is in the file.
  Result<void> drain() {
    if (auto flushed = flush(); !flushed) return flushed;
    while (!times.empty()) {
      if (auto encoded = encode_first(); !encoded) return encoded;
    }
    return flush();
  }

  // Names may begin parts of their own: what is before them left no room for them.
  Result<void> write_names(const systrace::StringShard& names) {
    NameFragments fragments(names, fragment_bytes);
    for (std::string fragment; fragments.next(&fragment);) {
      if (file && file->size() + fragment.size() + kVersionRoom > options.part_bytes) {
        if (auto wrote = write_version(); !wrote) return wrote;
        if (auto committed = commit(); !committed) return committed;
      }
      if (auto wrote = write_fragment(fragment); !wrote) return wrote;
    }
    return write_version();
  }

  // What is in the file stays, with as much of the rest as there is room for.
  void save_part(const systrace::StringShard& names) {
    if (!file || written == 0) return;
    if (single() && !write_names(names) && file) (void)write_version();
    if (file && written != 0) {
      if (auto committed = commit(); !committed)
        systrace::log::write(systrace::log::Level::kWarn, "{}", committed.error().message);
    }
  }

  Result<void> cut(const systrace::StringShard& names) {
    if (!anything && !files.empty()) return {};
    Result<void> result = drain();
    if (result && single()) result = write_names(names);
    if (result) result = commit();
    if (!result) {
      save_part(names);
      trouble = result.error();
      return result;
    }
    trouble.reset();
    anything = false;
    if (const std::uint64_t count = std::exchange(unknown_phases, 0); count != 0)
      systrace::log::write(systrace::log::Level::kWarn,
                           "{} events have a phase that is not start, stop or instant", count);
    return {};
  }
};

TraceWriter::TraceWriter(std::string directory, TraceContext context, TraceWriterOptions options)
    : impl_(std::make_unique<Impl>(std::move(directory), context, options)) {
  (void)impl_->has_names_in_full_parts();
}
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;
TraceWriter::~TraceWriter() = default;

Result<void> TraceWriter::add(const nrt_sys_trace_event_t& event) {
  if (impl_->trouble) return *impl_->trouble;
  auto added = impl_->add(event);
  if (!added) impl_->trouble = added.error();
  return added;
}

Result<void> TraceWriter::add(std::span<const nrt_sys_trace_event_t> events) {
  for (const auto& event : events) {
    if (auto added = add(event); !added) return added;
  }
  return {};
}

Result<void> TraceWriter::cut(const systrace::StringShard& names) { return impl_->cut(names); }

const std::vector<DataFile>& TraceWriter::files() const noexcept { return impl_->files; }

TraceTally TraceWriter::tally() const noexcept { return impl_->tally; }

}  // namespace ndtel::ntff
