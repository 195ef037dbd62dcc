// SPDX-License-Identifier: Apache-2.0
//
// Interned strings: events carry the id of a name, a shard remembers which name that is.
#ifndef NDTEL_SYSTRACE_STRINGS_HPP
#define NDTEL_SYSTRACE_STRINGS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "siphash.hpp"

namespace ndtel::systrace {

/// The hash keeps this many bits in an id: fifty.
inline constexpr std::uint64_t kStringIdMask = 0x3FFFFFFFFFFFF;

/// Id of a string: 1 to 2^50, the same in every process and run. 0 is no string's id.
constexpr std::uint64_t string_id(std::string_view text) noexcept {
  return (siphash13(text) & kStringIdMask) + 1;
}

/// What became of a name that was added.
enum class Added {
  kNew,       ///< the id was free
  kSame,      ///< the shard held this very name
  kConflict,  ///< the id has another name, which stays; a warning was logged
};

/// Ids and the names they stand for. It has no lock: who shares a shard keeps others out, from
/// everything while adding, from adding while reading.
class StringShard {
 public:
  /// Keeps a copy of `name` under `id`, whatever the id is: it is never recomputed. Throws
  /// std::bad_alloc, and has then changed nothing.
  Added add(std::uint64_t id, std::string_view name);

  /// Adds everything that `other` holds; where both have an id, this shard's name stays. Throws
  /// std::bad_alloc, and may then have added some.
  void merge(const StringShard& other);

  /// The name of an id. It lives as long as the shard.
  std::optional<std::string_view> find(std::uint64_t id) const noexcept;

  /// Calls `visit(id, name)` for all, in no particular order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [id, name] : names_) visit(id, std::string_view(name));
  }

  /// All ids and names by ascending id; the names live as long as the shard. Throws
  /// std::bad_alloc.
  std::vector<std::pair<std::uint64_t, std::string_view>> sorted() const;

  std::size_t size() const noexcept { return names_.size(); }

 private:
  // Ids are hashes already.
  struct Identity {
    std::size_t operator()(std::uint64_t id) const noexcept { return id; }
  };

  std::unordered_map<std::uint64_t, std::string, Identity> names_;
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_STRINGS_HPP
