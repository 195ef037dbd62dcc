// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_FAILURE_HPP
#define NDTEL_CLI_FAILURE_HPP

#include <stdexcept>
#include <string>

namespace ndtel::cli {

/// Exit codes of `ndtel`; --help lists them.
enum class Exit : int {
  kOk = 0,
  kFailed = 1,   ///< something went wrong on the way, or the books do not balance
  kUsage = 2,    ///< the command line makes no sense
  kBadFile = 2,  ///< a file that was given makes no sense, or not up to its end
  kMissing = 3,  ///< a device, module, file or permission is missing
};

/// Ends a subcommand with one sentence for the user: what is missing or wrong, where, and what to
/// do.
class Failure : public std::runtime_error {
 public:
  Failure(Exit code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_FAILURE_HPP
