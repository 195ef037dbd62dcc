// SPDX-License-Identifier: Apache-2.0
//
// Interned strings as fragments of a root message: whole fields, one behind the other.
#ifndef NDTEL_NTFF_NAME_FRAGMENTS_HPP
#define NDTEL_NTFF_NAME_FRAGMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strings.hpp"

namespace ndtel::ntff {

/// Cuts names, by ascending id and with the reserved one of id 0, into interned_data_db fields of
/// ntrace_info.
class NameFragments {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 18;

  /// `names` does not change while this is in use. @param bytes of a fragment; a longer name has
  /// one of its own.
  explicit NameFragments(const systrace::StringShard& names, std::size_t bytes = kBytes);

  /// Puts the next fragment into `*out`, in place of what was there. False: that was all of them.
  bool next(std::string* out);

 private:
  std::string_view name_of(std::uint64_t id, std::string* room) const;

  const systrace::StringShard& names_;
  const std::size_t bytes_;
  std::vector<std::uint64_t> ids_;
  std::size_t at_ = 0;
};

/// Bytes of all fragments together, at most.
std::uint64_t names_size(const systrace::StringShard& names,
                         std::size_t bytes = NameFragments::kBytes);

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_NAME_FRAGMENTS_HPP
