// SPDX-License-Identifier: Apache-2.0
#include "counter_info.hpp"

#include <ndtel/nds.h>

#include <algorithm>

extern "C" {
#include "kmod/core/nmetric_defs.h"
}

namespace ndtel::cli {
namespace {

std::vector<CounterInfo> build() {
  struct Named {
    std::uint32_t id;
    const char* name;
    nds_counter_kind kind;
    const char* unit;
  };
  static constexpr Named kCounters[] = {
#define NDTEL_ROW(id, name, kind, unit) {id, #name, NDS_KIND_##kind, unit},
      NDS_NC_COUNTERS_BASE(NDTEL_ROW) NDS_NC_COUNTERS_EXT(NDTEL_ROW)
#undef NDTEL_ROW
  };
  std::vector<CounterInfo> infos;
  for (const Named& counter : kCounters) {
    if (counter.kind != NDS_KIND_ADD) continue;
    CounterInfo info{counter.id, counter.name, counter.unit, std::nullopt, false};
    for (const nmetric_counter_def& followed : nmetric_counters) {
      if (followed.ds_id != counter.id) continue;
      const nmetric_def& row = nmetric_defs[followed.row];
      info.cw = row.cw_id;
      info.percent = row.type == NMETRIC_UTILIZATION;
    }
    infos.push_back(info);
  }
  return infos;
}

}  // namespace

const std::vector<CounterInfo>& counter_infos() {
  static const std::vector<CounterInfo> infos = build();
  return infos;
}

bool is_posted_as_amount(std::uint32_t cw) {
  const auto& infos = counter_infos();
  return std::any_of(infos.begin(), infos.end(),
                     [cw](const CounterInfo& info) { return info.cw == cw && !info.percent; });
}

}  // namespace ndtel::cli
