// SPDX-License-Identifier: Apache-2.0
#include "name_fragments.hpp"

#include <algorithm>

#include "message_writer.hpp"
#include "neuron_trace.pb.h"
#include "utf8.hpp"

namespace ndtel::ntff {

namespace {

using Info = ::ntff::ntrace_info;
using Db = ::ntff::interned_data_db;

constexpr std::string_view kDataType = "strings";
constexpr std::string_view kReservedName = "Invalid interned string";

// Tags, lengths and the id of an entry, at most.
constexpr std::size_t kEntryOverhead = 3 + 3 * wire::kMaxVarint;
// The same of a fragment.
constexpr std::size_t kFragmentOverhead = 2 + 2 * wire::kMaxVarint + kDataType.size();

}  // namespace

NameFragments::NameFragments(const systrace::StringShard& names, std::size_t bytes)
    : names_(names), bytes_(bytes) {
  ids_.reserve(names.size() + 1);
  ids_.push_back(0);
  names.for_each([this](std::uint64_t id, std::string_view) {
    if (id != 0) ids_.push_back(id);
  });
  std::sort(ids_.begin(), ids_.end());
}

std::string_view NameFragments::name_of(std::uint64_t id, std::string* room) const {
  return id == 0 ? kReservedName : as_utf8(names_.find(id).value_or(""), room);
}

bool NameFragments::next(std::string* out) {
  out->clear();
  if (at_ == ids_.size()) return false;
  MessageWriter root(out);
  root.nested(Info::kInternedDataFieldNumber, [&](MessageWriter& db) {
    db.text(Db::kDataTypeFieldNumber, kDataType);
    std::string room;
    const std::size_t first = at_;
    for (; at_ < ids_.size(); ++at_) {
      const std::string_view name = name_of(ids_[at_], &room);
      if (at_ != first && out->size() + name.size() + kEntryOverhead > bytes_) break;
      db.nested(Db::kIdMapFieldNumber, [&](MessageWriter& entry) {
        entry.integer_always(wire::kMapKey, ids_[at_]);
        entry.text_always(wire::kMapValue, name);
      });
    }
  });
  return true;
}

std::uint64_t names_size(const systrace::StringShard& names, std::size_t bytes) {
  std::uint64_t size = kReservedName.size() + kEntryOverhead;
  names.for_each([&](std::uint64_t, std::string_view name) {
    // A byte that is repaired becomes three.
    size += name.size() * (systrace::is_utf8(name) ? 1 : 3) + kEntryOverhead;
  });
  // A fragment is at least half full, or followed by one that is.
  return size + (size / std::max<std::size_t>(bytes / 4, 1) + 2) * kFragmentOverhead;
}

}  // namespace ndtel::ntff
