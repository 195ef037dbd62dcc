// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "catalogue.hpp"
#include "decimal.hpp"
#include "log.hpp"
#include "strings.hpp"

namespace ndtel::systrace {

namespace {

// Longest event without a model_name: less than half of it is ever used.
constexpr std::size_t kMaxEvent = 1024;
// The bracket after it takes the place of the first event's comma.
constexpr std::string_view kOpening = "{\"events\":";
// Room for it, and for the bracket of a list without events, is always kept.
constexpr std::string_view kClosing = "],\"data_version\":2}";

// A piece of text that is copied whole, in moves of a fixed size: the bytes after it are
// overwritten by what follows.
template <std::size_t N>
struct Piece {
  std::array<char, N> bytes{};
  std::uint8_t length = 0;

  void append(std::string_view text) noexcept {
    assert(length + text.size() <= N);
    std::memcpy(bytes.data() + length, text.data(), text.size());
    length = static_cast<std::uint8_t>(length + text.size());
  }

  char* put(char* to) const noexcept {
    std::memcpy(to, bytes.data(), N);
    return to + length;
  }
};

struct Step {
  Piece<32> name;  // with the comma before it
  Key key;
};

// Everything about events of one type and phase that is always the same.
struct Shape {
  Piece<96> head;
  std::uint8_t steps = 0;
  std::array<Step, 5> step{};
};

// Of unknown types and phases, too: they are the last.
class Shapes {
 public:
  Shapes() noexcept {
    for (std::uint32_t type = 0; type <= kUnknownType; ++type) {
      for (std::uint32_t phase = 0; phase <= kUnknownPhase; ++phase) describe(type, phase);
    }
  }

  const Shape& of(std::uint32_t type, std::uint32_t phase) const noexcept {
    return shapes_[std::min(type, kUnknownType)][std::min(phase, kUnknownPhase)];
  }

 private:
  static constexpr std::uint32_t kUnknownType = NRT_SYS_TRACE_EVENT_TYPE_COUNT;
  static constexpr std::uint32_t kUnknownPhase = NRT_SYS_TRACE_EVENT_PHASE_COUNT;

  void describe(std::uint32_t type, std::uint32_t phase) noexcept {
    Shape& shape = shapes_[type][phase];
    shape.head.append(",{\"event_type\":\"");
    shape.head.append(event_type_name(type));
    shape.head.append("\",\"phase\":\"");
    shape.head.append(phase_name(phase));
    shape.head.append("\",\"id\":");
    for (const Key& key : payload_keys(type, phase)) {
      Step& step = shape.step[shape.steps++];
      step.key = key;
      step.name.append(",\"");
      step.name.append(key.name);
      step.name.append("\":");
    }
  }

  Shape shapes_[kUnknownType + 1][kUnknownPhase + 1];
};

const Shapes& shapes() noexcept {
  static const Shapes all;
  return all;
}

// A literal: its length is known, so that this is a few moves.
template <std::size_t N>
char* put(char* to, const char (&text)[N]) noexcept {
  std::memcpy(to, text, N - 1);
  return to + N - 1;
}

char* put(char* to, std::string_view text) noexcept {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* put_quoted(char* to, std::string_view text) noexcept {
  *to = '"';
  to = put(to + 1, text);
  *to = '"';
  return to + 1;
}

constexpr char kHexDigits[] = "0123456789abcdef";

char* put_address(char* to, std::uint64_t value) noexcept {
  to = put(to, "\"0x");
  for (int shift = (std::bit_width(value | 1) - 1) & ~3; shift >= 0; shift -= 4)
    *to++ = kHexDigits[value >> shift & 15];
  *to = '"';
  return to + 1;
}

// Room for the text of a string: a byte becomes itself, two characters, or six.
std::size_t escaped_size(std::string_view text) noexcept {
  std::size_t size = text.size();
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) size += 5;
    if (c == '"' || c == '\\') ++size;
  }
  return size;
}

char* put_escaped(char* to, std::string_view text) noexcept {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '"' && c != '\\') [[likely]] {
      *to++ = c;
      continue;
    }
    *to++ = '\\';
    switch (c) {
      case '"':
      case '\\':
        *to++ = c;
        break;
      case '\b':
        *to++ = 'b';
        break;
      case '\t':
        *to++ = 't';
        break;
      case '\n':
        *to++ = 'n';
        break;
      case '\f':
        *to++ = 'f';
        break;
      case '\r':
        *to++ = 'r';
        break;
      default:
        to = put(to, "u00");
        *to++ = kHexDigits[byte >> 4];
        *to++ = kHexDigits[byte & 15];
    }
  }
  return to;
}

char* put_value(char* to, const Key& key, std::uint64_t value) noexcept {
  switch (key.form) {
    case Form::kNumber:
      if (key.storage == Storage::kI32) return put_decimal(to, static_cast<std::int64_t>(value));
      return put_decimal(to, value);
    case Form::kBool:
      return value != 0 ? put(to, "true") : put(to, "false");
    case Form::kHex:
      return put_address(to, value);
    case Form::kUsageType:
      return put_quoted(to, usage_type_name(value));
    case Form::kMemType:
      return put_quoted(to, mem_type_name(value));
    case Form::kAlgorithm:
      return put_quoted(to, algorithm_name(value));
  }
  return to;
}

}  // namespace

JsonWriter::JsonWriter(const JsonContext& context) noexcept : context_(context) {
  text_.reset(static_cast<char*>(std::malloc(capacity_ = 4096)));
  if (text_) size_ = static_cast<std::size_t>(put(text_.get(), kOpening) - text_.get());
}

bool JsonWriter::reserve(std::size_t more) noexcept {
  if (!text_) return false;
  const std::size_t needed = size_ + more + kClosing.size() + 2;
  if (needed <= capacity_) [[likely]]
    return true;
  // Large blocks grow by steps, not by factors: the system moves pages, not bytes, and unused room
  // stays below kSlack.
  const std::size_t grown =
      std::max(needed, capacity_ + std::min(std::max(capacity_, kSlack / 16), kSlack / 2));
  char* block = static_cast<char*>(std::realloc(text_.get(), grown));
  if (block == nullptr) {
    text_.reset();
    return false;
  }
  (void)text_.release();
  text_.reset(block);
  capacity_ = grown;
  return true;
}

char* JsonWriter::put_keys(char* at, const nrt_sys_trace_event_t& event, Shown* shown) noexcept {
  const Shape& shape = shapes().of(event.trace_type, event.phase);
  for (std::size_t i = 0; i < shape.steps; ++i) {
    const Step& step = shape.step[i];
    const std::uint64_t value = read_value(event.data, step.key);
    switch (step.key.rule) {
      case Rule::kNone:
        break;
      case Rule::kKnownModel:
        if (value == 0) continue;
        [[fallthrough]];
      case Rule::kModel:
        if (context_.names != nullptr) shown->model_name = context_.names->find(value);
        break;
      case Rule::kDeviceTime:
        if (const std::uint64_t host = read_host_time(event.data, step.key); host != 0)
          shown->timestamp_ns = host;
        break;
      case Rule::kAlgorithm:
        if (value == 0 && !context_.include_default_algorithm) continue;
        break;
    }
    at = put_value(step.name.put(at), step.key, value);
  }
  return at;
}

bool JsonWriter::event(const nrt_sys_trace_event_t& event) noexcept {
  if (!reserve(kMaxEvent)) return false;
  if (event.phase >= NRT_SYS_TRACE_EVENT_PHASE_COUNT) ++unknown_phases_;

  char* at = shapes().of(event.trace_type, event.phase).head.put(text_.get() + size_);
  at = put_decimal(at, event.id);
  at = put_decimal(put(at, ",\"nc_idx\":"), std::uint64_t{event.nc_idx});
  at = put_decimal(put(at, ",\"nc_local_id\":"), event.nc_local_id);
  at = put_decimal(put(at, ",\"tracking_id\":"), event.tracking_id);
  at = put_decimal(put(at, ",\"thread_id\":"), event.thread_id);
  const std::int64_t gid =
      event.nc_idx < context_.worker_gids.size() ? context_.worker_gids[event.nc_idx] : -1;
  at = put_decimal(put(at, ",\"worker_gid\":"), gid);

  // The brace takes the place of the first key's comma.
  at = put(at, ",\"data\":");
  const std::ptrdiff_t brace = at - text_.get();
  Shown shown{event.timestamp_ns, std::nullopt};
  at = put_keys(at, event, &shown);
  if (shown.model_name) {
    size_ = static_cast<std::size_t>(at - text_.get());
    if (!reserve(kMaxEvent + escaped_size(*shown.model_name))) return false;
    at = put(text_.get() + size_, ",\"model_name\":\"");
    at = put_escaped(at, *shown.model_name);
    *at++ = '"';
  }
  if (at == text_.get() + brace) ++at;
  text_.get()[brace] = '{';

  at = put_decimal(put(at, "},\"timestamp_ns\":"), shown.timestamp_ns);
  if (event.has_nrta_seq_id != 0) at = put_decimal(put(at, ",\"nrta_seq_id\":"), event.nrta_seq_id);
  *at++ = '}';
  size_ = static_cast<std::size_t>(at - text_.get());
  return true;
}

JsonBuffer JsonWriter::finish() noexcept {
  if (unknown_phases_ != 0)
    log::write(log::Level::kWarn, "{} events have a phase that is not start, stop or instant",
               unknown_phases_);
  if (!text_) return {};

  char* const text = text_.release();
  if (size_ == kOpening.size()) ++size_;
  text[kOpening.size()] = '[';
  char* const end = put(text + size_, kClosing);
  *end = 0;
  const auto size = static_cast<std::size_t>(end - text);
  // A block that cannot shrink is as good.
  char* const shrunk = static_cast<char*>(std::realloc(text, size + 1));
  return {std::unique_ptr<char, Free>(shrunk != nullptr ? shrunk : text), size};
}

}  // namespace ndtel::systrace
