// SPDX-License-Identifier: Apache-2.0
//
// Where a session puts its files.
#ifndef NDTEL_INSPECT_OUTPUT_DIRECTORY_HPP
#define NDTEL_INSPECT_OUTPUT_DIRECTORY_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ndtel/result.hpp"

namespace ndtel::inspect {

/// The absolute path of a base directory; empty means ./output. EINVAL for /dev/null, and for /tmp
/// and ./tmp, which are the scratch of captures that are kept on failure only.
Result<std::string> resolve_base(const std::string& base);

/// Whether it is where nothing can be written to in earnest.
bool is_null_device(const std::string& path);

/// The directory of a session. Unless it is kept, what was made for it is removed again.
class OutputDirectory {
 public:
  /// Makes `<base>/<process>`, or `<base>/<process>/<time_ns>` when asked to or when the former has
  /// trace files already, with all above it, and sees that files can be made there.
  /// @param base as resolve_base() returns it
  static Result<OutputDirectory> make(const std::string& base, const std::string& process,
                                      std::uint64_t time_ns, bool of_its_own);

  OutputDirectory(OutputDirectory&& other) noexcept
      : path_(std::move(other.path_)), made_(std::exchange(other.made_, {})) {}
  OutputDirectory& operator=(OutputDirectory&&) = delete;
  ~OutputDirectory();

  const std::string& path() const noexcept { return path_; }

  /// Leaves it to stay.
  void keep() noexcept { made_.clear(); }

  /// Makes it again, should somebody have removed it.
  void restore() const noexcept;

 private:
  OutputDirectory() = default;

  std::string path_;
  std::vector<std::string> made_;  // outermost first
};

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_OUTPUT_DIRECTORY_HPP
