// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_NTFF_READ_FAULT_HPP
#define NDTEL_NTFF_READ_FAULT_HPP

#include <cstdint>
#include <string>

namespace ndtel::ntff::read {

enum class FaultKind {
  kEmpty,      ///< nothing in it
  kForeign,    ///< of no kind that is known here
  kTruncated,  ///< ends too early
  kCorrupt,    ///< says something that cannot be
  kNewer,      ///< of a version that is not known here
};

/// What is wrong with a file, and where.
struct Fault {
  FaultKind kind = FaultKind::kCorrupt;
  std::string file;
  std::uint64_t offset = 0;  ///< of the first byte that is not as it should be
  std::string expected;      ///< what should be there, and what is: "expected ..., found ..."

  /// "FILE: at byte OFFSET: expected ..., found ...".
  std::string sentence() const;
};

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_FAULT_HPP
