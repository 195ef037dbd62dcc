// SPDX-License-Identifier: Apache-2.0
#include "totals.hpp"

#include <fmt/format.h>

#include "ntff.pb.h"

namespace ndtel::cli {

Totals totals_of(const read::EventSummary& events) {
  Totals totals;
  for (const auto& [key, stats] : events.pairs()) {
    CoreTotals& core = totals.cores[key.first];
    core.all.add(stats);
    core.types[key.second].add(stats);
    totals.types[key.second].add(stats);
    totals.all.add(stats);
  }
  totals.all.add(events.rest());
  return totals;
}

std::map<std::string, std::uint64_t> dropped_of(const CaptureSummary& capture) {
  std::map<std::string, std::uint64_t> dropped;
  for (const auto& [core, counts] : capture.loss) {
    for (const char* name : {"displaced", "in_flight", "damaged"}) {
      const auto count = counts.find(name);
      if (count != counts.end()) dropped[name] += count->second;
    }
  }
  return dropped;
}

std::string version_text(const ::ntff::version_info& version) {
  const bool numbered = version.major() != 0 || version.minor() != 0 || version.patch() != 0 ||
                        version.maintenance() != 0;
  std::string text;
  if (numbered) {
    text = fmt::format("{}.{}.{}.{}", version.major(), version.minor(), version.patch(),
                       version.maintenance());
  }
  if (!version.detail().empty()) text += (text.empty() ? "" : " ") + version.detail();
  return text;
}

}  // namespace ndtel::cli
