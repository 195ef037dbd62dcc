// SPDX-License-Identifier: Apache-2.0
#include "view.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "capture_summary.hpp"
#include "dump.hpp"
#include "summary_json.hpp"
#include "summary_text.hpp"

namespace ndtel::cli {

Exit view(const ViewOptions& options, std::FILE* out, std::FILE* err) {
  std::vector<CaptureFiles> found;
  for (const std::string& path : options.paths)
    for (CaptureFiles& files : find_captures(path)) found.push_back(std::move(files));
  // Also before a dump: of a file that is damaged at its end nothing is shown unasked.
  std::vector<CaptureSummary> captures;
  for (const CaptureFiles& files : found) captures.push_back(summarise(files));
  Exit code = Exit::kOk;
  for (const CaptureSummary& capture : captures) {
    for (const read::Fault& fault : capture.faults) {
      fmt::print(err, "ndtel: {}\n", fault.sentence());
      code = Exit::kBadFile;
    }
  }
  if (code != Exit::kOk && !options.partial) return code;
  if (options.dump) {
    for (const CaptureFiles& files : found) dump(files, out);
  } else if (options.json) {
    fmt::print(out, "{}\n", summary_json(captures));
  } else {
    for (std::size_t i = 0; i < captures.size(); ++i)
      fmt::print(out, "{}{}", i == 0 ? "" : "\n", summary_text(captures[i]));
  }
  if (std::fflush(out) != 0)
    throw Failure(Exit::kFailed, fmt::format("cannot write: {}", std::strerror(errno)));
  return code;
}

}  // namespace ndtel::cli
