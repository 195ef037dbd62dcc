// SPDX-License-Identifier: Apache-2.0
#include "view.hpp"

#include <fmt/format.h>

#include "capture_summary.hpp"
#include "summary_json.hpp"
#include "summary_text.hpp"

namespace ndtel::cli {

Exit view(const ViewOptions& options, std::FILE* out, std::FILE* err) {
  std::vector<CaptureSummary> captures;
  for (const std::string& path : options.paths)
    for (const CaptureFiles& files : find_captures(path)) captures.push_back(summarise(files));
  Exit code = Exit::kOk;
  for (const CaptureSummary& capture : captures) {
    for (const read::Fault& fault : capture.faults) {
      fmt::print(err, "ndtel: {}\n", fault.sentence());
      code = Exit::kBadFile;
    }
  }
  if (code != Exit::kOk && !options.partial) return code;
  if (options.json) {
    fmt::print(out, "{}\n", summary_json(captures));
    return code;
  }
  for (std::size_t i = 0; i < captures.size(); ++i)
    fmt::print(out, "{}{}", i == 0 ? "" : "\n", summary_text(captures[i]));
  return code;
}

}  // namespace ndtel::cli
