// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_VIEW_TOTALS_HPP
#define NDTEL_CLI_VIEW_TOTALS_HPP

#include <cstdint>
#include <map>
#include <string>

#include "capture_summary.hpp"

namespace ntff {
class version_info;
}

namespace ndtel::cli {

struct CoreTotals {
  read::TypeStats all;
  std::map<read::TypeKey, read::TypeStats> types;
};

/// Events of a capture: all, by core, and by type.
struct Totals {
  read::TypeStats all;
  std::map<read::CoreKey, CoreTotals> cores;
  std::map<read::TypeKey, read::TypeStats> types;
};

Totals totals_of(const read::EventSummary& events);

/// Events that are in no file, of all cores: what was "displaced", "in_flight" and "damaged".
/// Nothing when the capture does not say.
std::map<std::string, std::uint64_t> dropped_of(const CaptureSummary& capture);

/// "2.31.24.0-detail"; empty for a version that says nothing.
std::string version_text(const ::ntff::version_info& version);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_VIEW_TOTALS_HPP
