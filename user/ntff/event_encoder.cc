// SPDX-License-Identifier: Apache-2.0
#include "event_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "catalogue.hpp"
#include "decimal.hpp"
#include "neuron_trace.pb.h"
#include "text.hpp"
#include "wire.hpp"

namespace ndtel::ntff {

using systrace::Form;
using systrace::Key;
using systrace::Rule;

namespace {

using Event = ::ntff::ntrace_event;
using wire::put_varint;
using wire::tag;

constexpr std::string_view kWorkerGid = "worker_gid";
constexpr std::string_view kModelName = "model_name";

constexpr std::uint32_t kVarint(int number) { return tag(number, wire::Kind::kVarint); }

// Tags below 16 are one byte, and all but one field of an event are.
constexpr std::uint32_t kOneByteTag = 0x80;
static_assert(tag(Event::kTrackingIdFieldNumber, wire::Kind::kVarint) < kOneByteTag);
static_assert(tag(Event::kAttributesFieldNumber, wire::Kind::kLengthDelimited) < kOneByteTag);
static_assert(tag(::ntff::ntrace_info::kEventsFieldNumber, wire::Kind::kLengthDelimited) <
              kOneByteTag);
constexpr char kAttributeTag =
    static_cast<char>(tag(Event::kAttributesFieldNumber, wire::Kind::kLengthDelimited));
constexpr char kKeyTag = static_cast<char>(tag(wire::kMapKey, wire::Kind::kLengthDelimited));
constexpr char kValueTag = static_cast<char>(tag(wire::kMapValue, wire::Kind::kLengthDelimited));

// Fields go by ascending numbers; this is what put() and describe() rely on.
static_assert(Event::kTimestampFieldNumber < Event::kNdIdxFieldNumber);
static_assert(Event::kNdIdxFieldNumber < Event::kNcIdxFieldNumber);
static_assert(Event::kNcIdxFieldNumber < Event::kEventTypeFieldNumber);
static_assert(Event::kEventTypeFieldNumber < Event::kThreadIdFieldNumber);
static_assert(Event::kThreadIdFieldNumber < Event::kIdFieldNumber);
static_assert(Event::kIdFieldNumber < Event::kAttributesFieldNumber);
static_assert(Event::kAttributesFieldNumber < Event::kPhaseFieldNumber);
static_assert(Event::kPhaseFieldNumber < Event::kTrackingIdFieldNumber);
static_assert(Event::kTrackingIdFieldNumber < Event::kNrtaSeqIdFieldNumber);

char* put_field(char* to, int number, std::uint64_t value) noexcept {
  if (value == 0) return to;
  return put_varint(put_varint(to, kVarint(number)), value);
}

char* put_text(char* to, std::string_view text) noexcept {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

// An attribute up to the length of its value. It is copied whole, in a move of a fixed size; the
// two lengths, one byte each, are set when the value is known.
struct Prefix {
  static constexpr std::size_t kRoom = 32;

  std::array<char, kRoom> bytes{};
  std::uint8_t size = 0;

  Prefix() noexcept = default;
  explicit Prefix(std::string_view key) noexcept {
    assert(key.size() + 6 <= kRoom);
    char* at = bytes.data();
    *at++ = kAttributeTag;
    ++at;
    *at++ = kKeyTag;
    *at++ = static_cast<char>(key.size());
    at = put_text(at, key);
    *at++ = kValueTag;
    ++at;
    size = static_cast<std::uint8_t>(at - bytes.data());
  }

  // `value` writes at most 80 bytes and says where they end.
  template <typename Value>
  char* put(char* to, Value&& value) const noexcept {
    std::memcpy(to, bytes.data(), kRoom);
    char* const start = to + size;
    char* const end = value(start);
    start[-1] = static_cast<char>(end - start);
    to[1] = static_cast<char>(end - to - 2);
    return end;
  }
};

char* put_address(char* to, std::uint64_t value) noexcept {
  *to++ = '0';
  *to++ = 'x';
  for (int shift = (std::bit_width(value | 1) - 1) & ~3; shift >= 0; shift -= 4)
    *to++ = "0123456789abcdef"[value >> shift & 15];
  return to;
}

char* put_value(char* to, const Key& key, std::uint64_t value) noexcept {
  switch (key.form) {
    case Form::kNumber:
      if (key.storage == systrace::Storage::kI32)
        return systrace::put_decimal(to, static_cast<std::int64_t>(value));
      return systrace::put_decimal(to, value);
    case Form::kBool:
      return put_text(to, value != 0 ? "true" : "false");
    case Form::kHex:
      return put_address(to, value);
    case Form::kUsageType:
      return put_text(to, systrace::usage_type_name(value));
    case Form::kMemType:
      return put_text(to, systrace::mem_type_name(value));
    case Form::kAlgorithm:
      return put_text(to, systrace::algorithm_name(value));
  }
  return to;
}

// A name has any length, so its attribute has no prefix that could be copied.
char* put_model_name(char* to, std::string_view name) noexcept {
  const std::size_t entry =
      2 + kModelName.size() + 1 + wire::varint_size(name.size()) + name.size();
  *to++ = kAttributeTag;
  to = put_varint(to, entry);
  *to++ = kKeyTag;
  *to++ = static_cast<char>(kModelName.size());
  to = put_text(to, kModelName);
  *to++ = kValueTag;
  return put_text(put_varint(to, name.size()), name);
}

// One attribute of a shape.
struct Step {
  enum class What : std::uint8_t { kValue, kModelName, kWorkerGid };

  What what = What::kWorkerGid;
  Key key{};      // of a value
  Prefix prefix;  // of a value

  std::string_view name() const noexcept {
    if (what == What::kModelName) return kModelName;
    return what == What::kWorkerGid ? kWorkerGid : key.name;
  }
};

// Everything about events of one type and phase that is always the same.
struct Shape {
  std::uint8_t steps = 0;
  bool has_model = false;
  Key model{};
  std::array<Step, 7> step{};  // by name
};

}  // namespace

// Of unknown types and phases, too: they are the last, and have no values.
class EventShapes {
 public:
  EventShapes() noexcept {
    for (std::uint32_t type = 0; type <= kUnknownType; ++type) {
      for (std::uint32_t phase = 0; phase <= kUnknownPhase; ++phase)
        describe(&shapes_[type][phase], systrace::payload_keys(type, phase));
    }
  }

  const Shape& of(const nrt_sys_trace_event_t& event) const noexcept {
    return shapes_[std::min(event.trace_type, kUnknownType)][std::min(event.phase, kUnknownPhase)];
  }

 private:
  static constexpr std::uint32_t kUnknownType = NRT_SYS_TRACE_EVENT_TYPE_COUNT;
  static constexpr std::uint32_t kUnknownPhase = NRT_SYS_TRACE_EVENT_PHASE_COUNT;

  static void describe(Shape* shape, std::span<const Key> keys) noexcept {
    const auto add = [shape](Step step) {
      assert(shape->steps < shape->step.size());
      shape->step[shape->steps++] = step;
    };
    for (const Key& key : keys) {
      add({Step::What::kValue, key, Prefix(key.name)});
      if (key.rule != Rule::kModel && key.rule != Rule::kKnownModel) continue;
      shape->has_model = true;
      shape->model = key;
      add({Step::What::kModelName, {}, Prefix()});
    }
    add({Step::What::kWorkerGid, {}, Prefix()});
    // As a parser that writes maps in a fixed order would.
    std::sort(shape->step.begin(), shape->step.begin() + shape->steps,
              [](const Step& a, const Step& b) { return a.name() < b.name(); });
  }

  Shape shapes_[kUnknownType + 1][kUnknownPhase + 1];
};

namespace {

const EventShapes& shapes() noexcept {
  static const EventShapes all;
  return all;
}

// What is left out of the phases that no one knows is what INVALID means.
std::uint64_t phase_on_wire(std::uint32_t phase) noexcept {
  switch (phase) {
    case NRT_SYS_TRACE_EVENT_PHASE_START:
      return ::ntff::NTRACE_EVENT_PHASE_TYPE_START;
    case NRT_SYS_TRACE_EVENT_PHASE_STOP:
      return ::ntff::NTRACE_EVENT_PHASE_TYPE_STOP;
    case NRT_SYS_TRACE_EVENT_PHASE_INSTANT:
      return ::ntff::NTRACE_EVENT_PHASE_TYPE_INSTANT;
    default:
      return ::ntff::NTRACE_EVENT_PHASE_TYPE_INVALID;
  }
}

}  // namespace

EventEncoder::EventEncoder(const TraceContext& context, Framing framing)
    : context_(context), framing_(framing), shapes_(shapes()), cores_(new Core[kCores]) {
  for (std::size_t core = 0; core < kCores; ++core)
    describe(&cores_[core], static_cast<std::uint32_t>(core));
}

void EventEncoder::describe(Core* core, std::uint32_t nc_idx) const noexcept {
  *core = {};
  const std::int64_t gid = nc_idx < context_.worker_gid.size() ? context_.worker_gid[nc_idx] : -1;
  char attribute[Prefix::kRoom + systrace::kMaxDecimal];
  const char* end =
      Prefix(kWorkerGid).put(attribute, [gid](char* to) { return systrace::put_decimal(to, gid); });
  core->worker_gid_size = static_cast<std::uint8_t>(end - attribute);
  assert(core->worker_gid_size <= core->worker_gid.size());
  std::memcpy(core->worker_gid.data(), attribute, core->worker_gid_size);

  const std::uint32_t device = nc_idx < context_.device.size() ? context_.device[nc_idx] : 0;
  char* at = put_field(core->indices.data(), Event::kNdIdxFieldNumber, device);
  at = put_field(at, Event::kNcIdxFieldNumber, nc_idx);
  core->indices_size = static_cast<std::uint8_t>(at - core->indices.data());
}

std::optional<std::string_view> EventEncoder::model_name(const nrt_sys_trace_event_t& event) {
  const Shape& shape = shapes_.of(event);
  if (!shape.has_model || context_.names == nullptr) return std::nullopt;
  const std::uint64_t id = systrace::read_value(event.data, shape.model);
  if (id == 0 && shape.model.rule == Rule::kKnownModel) return std::nullopt;
  Found& found = found_[id % kFound];
  if (found.id != id || !found.valid) {
    const auto name = context_.names->find(id);
    if (!name) return std::nullopt;
    const std::string_view shown = as_utf8(*name, &repaired_);
    if (shown.data() == repaired_.data() && !repaired_.empty()) return shown;
    found = {id, *name, true};
  }
  return found.name;
}

char* EventEncoder::put(char* to, const nrt_sys_trace_event_t& event, std::uint64_t timestamp_ns,
                        const std::optional<std::string_view>& model_name) const noexcept {
  if (framing_ == Framing::kSingle)
    to = put_varint(to, tag(::ntff::ntrace_info::kEventsFieldNumber, wire::Kind::kLengthDelimited));
  // Most events have a length of two bytes; the others are moved.
  constexpr std::size_t kLength = 2;
  char* const body = to + kLength;

  Core stranger;
  const Core* core = &stranger;
  if (event.nc_idx < kCores) [[likely]] {
    core = &cores_[event.nc_idx];
  } else {
    describe(&stranger, event.nc_idx);
  }

  char* at = put_field(body, Event::kTimestampFieldNumber, timestamp_ns);
  std::memcpy(at, core->indices.data(), core->indices.size());
  at += core->indices_size;
  at = put_field(at, Event::kEventTypeFieldNumber, event.trace_type);
  at = put_field(at, Event::kThreadIdFieldNumber, static_cast<std::uint32_t>(event.thread_id));
  at = put_field(at, Event::kIdFieldNumber, event.id);

  const Shape& shape = shapes_.of(event);
  for (std::size_t i = 0; i < shape.steps; ++i) {
    const Step& step = shape.step[i];
    switch (step.what) {
      case Step::What::kWorkerGid:
        std::memcpy(at, core->worker_gid.data(), core->worker_gid.size());
        at += core->worker_gid_size;
        break;
      case Step::What::kModelName:
        if (model_name) at = put_model_name(at, *model_name);
        break;
      case Step::What::kValue: {
        const std::uint64_t value = systrace::read_value(event.data, step.key);
        if (value == 0 &&
            (step.key.rule == Rule::kKnownModel ||
             (step.key.rule == Rule::kAlgorithm && !context_.include_default_algorithm)))
          break;
        at = step.prefix.put(
            at, [&step, value](char* value_at) { return put_value(value_at, step.key, value); });
        break;
      }
    }
  }

  at = put_field(at, Event::kPhaseFieldNumber, phase_on_wire(event.phase));
  at = put_field(at, Event::kTrackingIdFieldNumber, event.tracking_id);
  // Its presence says something: 0 is written.
  if (event.has_nrta_seq_id != 0)
    at = put_varint(put_varint(at, kVarint(Event::kNrtaSeqIdFieldNumber)), event.nrta_seq_id);

  const auto size = static_cast<std::size_t>(at - body);
  if (const std::size_t length = wire::varint_size(size); length != kLength) [[unlikely]]
    std::memmove(to + length, body, size);
  return put_varint(to, size) + size;
}

}  // namespace ndtel::ntff
