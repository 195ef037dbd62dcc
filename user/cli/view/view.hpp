// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_VIEW_VIEW_HPP
#define NDTEL_CLI_VIEW_VIEW_HPP

#include <cstdio>
#include <string>
#include <vector>

#include "../failure.hpp"

namespace ndtel::cli {

struct ViewOptions {
  std::vector<std::string> paths;  ///< directories and files
  bool json = false;               ///< the summary as one document
  bool dump = false;               ///< instead of the summary: one record a line
  bool partial = false;            ///< show what is whole of damaged files
};

/// What `ndtel view` does. Says on `err` what is wrong with files, a line each, and then returns
/// kBadFile. Throws Failure for files that are not there or cannot be read.
Exit view(const ViewOptions& options, std::FILE* out, std::FILE* err);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_VIEW_VIEW_HPP
