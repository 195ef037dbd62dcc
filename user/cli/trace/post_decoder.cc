// SPDX-License-Identifier: Apache-2.0
#include "post_decoder.hpp"

#include <event-parse.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "../failure.hpp"

namespace ndtel::cli {
namespace {

struct Field {
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// Unsigned little-endian field of 1 to 8 bytes.
std::optional<std::uint64_t> number_at(std::span<const std::byte> record,
                                       const std::optional<Field>& field) {
  if (!field || field->offset + field->size > record.size()) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, record.data() + field->offset, field->size);
  return value;
}

}  // namespace

struct PostDecoder::Layouts {
  struct Layout {
    std::string space;
    std::optional<Field> seq, device, id, length, tick, sink, result, value;
  };

  Field type;  ///< which event a record is of
  std::map<std::uint64_t, Layout> by_type;
};

PostDecoder::PostDecoder() : layouts_(std::make_unique<Layouts>()) {}
PostDecoder::~PostDecoder() = default;
PostDecoder::PostDecoder(PostDecoder&&) noexcept = default;
PostDecoder& PostDecoder::operator=(PostDecoder&&) noexcept = default;

void PostDecoder::learn(const std::string& system, const std::string& format) {
  const std::unique_ptr<tep_handle, decltype(&tep_free)> tep(tep_alloc(), &tep_free);
  if (!tep) throw std::bad_alloc();
  tep_set_long_size(tep.get(), 8);
  // The print format may use what the parser does not know; only the fields matter here.
  tep_parse_event(tep.get(), format.c_str(), format.size(), system.c_str());
  const tep_event* event = nullptr;
  for (const char* name : {"metrics_post_nd", "metrics_post"}) {
    if (event == nullptr) event = tep_find_event_by_name(tep.get(), system.c_str(), name);
  }
  const auto bad = [&](const std::string& what) {
    return Failure(Exit::kFailed,
                   fmt::format("the format file of a {} metrics event {}; this kernel module does "
                               "not match this tool",
                               system, what));
  };
  if (event == nullptr) throw bad("cannot be parsed");

  Layouts::Layout layout;
  layout.space = system;
  const auto find = [&](const char* name, bool common = false) -> std::optional<Field> {
    const tep_format_field* f = common ? tep_find_common_field(const_cast<tep_event*>(event), name)
                                       : tep_find_field(const_cast<tep_event*>(event), name);
    if (f == nullptr || f->offset < 0 || f->size <= 0) return std::nullopt;
    return Field{static_cast<std::size_t>(f->offset), static_cast<std::size_t>(f->size)};
  };
  const auto number = [&](const char* name) {
    const auto field = find(name);
    if (field && field->size > 8)
      throw bad(fmt::format("gives the field '{}' {} bytes", name, field->size));
    return field;
  };
  layout.seq = number("seq");
  layout.device = number("device");
  layout.id = number("id");
  layout.length = number("length");
  layout.tick = number("tick");
  layout.sink = number("sink");
  layout.result = number("result");
  layout.value = find("value");
  if (!layout.id || !layout.length || !layout.value)
    throw bad("lacks one of the fields id, length and value");
  const auto type = find("common_type", true);
  if (!type || type->size > 8) throw bad("lacks the field common_type");
  layouts_->type = *type;
  layouts_->by_type[static_cast<std::uint64_t>(event->id)] = layout;
}

std::optional<PostEvent> PostDecoder::decode(std::uint64_t time_ns,
                                             std::span<const std::byte> record) const {
  const auto type = number_at(record, layouts_->type);
  if (!type) return std::nullopt;
  const auto found = layouts_->by_type.find(*type);
  if (found == layouts_->by_type.end()) return std::nullopt;
  const Layouts::Layout& layout = found->second;
  const auto id = number_at(record, layout.id);
  const auto length = number_at(record, layout.length);
  if (!id || !length || layout.value->offset > record.size()) return std::nullopt;

  PostEvent post;
  post.space = layout.space;
  post.time_ns = time_ns;
  post.seq = number_at(record, layout.seq);
  const auto narrow = [&]<class T>(std::optional<T>& into, const std::optional<Field>& field) {
    if (const auto n = number_at(record, field)) into = static_cast<T>(*n);
  };
  narrow(post.device, layout.device);
  narrow(post.tick, layout.tick);
  narrow(post.sink, layout.sink);
  narrow(post.result, layout.result);
  post.id = static_cast<std::uint32_t>(*id);
  const std::size_t room = std::min(layout.value->size, record.size() - layout.value->offset);
  const char* text = reinterpret_cast<const char*>(record.data() + layout.value->offset);
  post.value.assign(text, std::min<std::size_t>(*length, room));
  return post;
}

}  // namespace ndtel::cli
