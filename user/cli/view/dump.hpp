// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_VIEW_DUMP_HPP
#define NDTEL_CLI_VIEW_DUMP_HPP

#include <cstdio>

#include "capture_files.hpp"

namespace ndtel::cli {

/// Writes what is whole of the files of a capture, a record a line, each a JSON object that says in
/// `file` and `record` where it is and what. Throws Failure when a file cannot be read or the lines
/// cannot be written.
void dump(const CaptureFiles& files, std::FILE* out);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_VIEW_DUMP_HPP
