// SPDX-License-Identifier: Apache-2.0
//
// Where registered memory is counted: usage and location to kernel category and to counter.
#include <array>

#include "ndtel/kmetric.hpp"

namespace ndtel {
namespace {

// The five slots of the slab, each with a counter on either side.
struct Slot {
  std::uint32_t host;
  std::uint32_t device;
};
constexpr Slot kSlotCODE = {NDS_ND_COUNTER_MEM_USAGE_CODE_HOST,
                            NDS_NC_COUNTER_MEM_USAGE_CODE_DEVICE};
constexpr Slot kSlotTENSORS = {NDS_ND_COUNTER_MEM_USAGE_TENSORS_HOST,
                               NDS_NC_COUNTER_MEM_USAGE_TENSORS_DEVICE};
constexpr Slot kSlotCONSTANTS = {NDS_ND_COUNTER_MEM_USAGE_CONSTANTS_HOST,
                                 NDS_NC_COUNTER_MEM_USAGE_CONSTANTS_DEVICE};
constexpr Slot kSlotSCRATCHPAD = {NDS_ND_COUNTER_MEM_USAGE_SCRATCHPAD_HOST,
                                  NDS_NC_COUNTER_MEM_USAGE_SCRATCHPAD_DEVICE};
constexpr Slot kSlotMISC = {NDS_ND_COUNTER_MEM_USAGE_MISC_HOST,
                            NDS_NC_COUNTER_MEM_USAGE_MISC_DEVICE};

struct Usage {
  int host_category;
  int device_category;
  Slot slot;
};

#define USAGE_ROW(usage, name, host, device, slot) Usage{host, device, kSlot##slot},
constexpr std::array<Usage, TDRV_MEM_USAGE_MAX> kUsages = {NDS_MEM_USAGES(USAGE_ROW)};
#undef USAGE_ROW

// The table is indexed by usage, so its rows must stand in order.
#define USAGE_ID(usage, name, host, device, slot) usage,
constexpr bool in_order() {
  int expected = 0;
  for (int usage : {NDS_MEM_USAGES(USAGE_ID)}) {
    if (usage != expected++) return false;
  }
  return true;
}
#undef USAGE_ID
static_assert(in_order());

}  // namespace

std::optional<int> mem_usage_category(int usage, int location) noexcept {
  if (usage < 0 || usage >= TDRV_MEM_USAGE_MAX) return std::nullopt;
  if (location != TDRV_MEM_LOCATION_HOST && location != TDRV_MEM_LOCATION_DEVICE)
    return std::nullopt;
  const Usage& row = kUsages[static_cast<std::size_t>(usage)];
  const int category = location == TDRV_MEM_LOCATION_HOST ? row.host_category : row.device_category;
  if (category == NDS_MEM_CATEGORY_INVALID) return std::nullopt;
  return category;
}

std::optional<MemCounter> mem_usage_counter(int usage, int location) noexcept {
  if (!mem_usage_category(usage, location)) return std::nullopt;
  const Slot& slot = kUsages[static_cast<std::size_t>(usage)].slot;
  const bool on_device = location == TDRV_MEM_LOCATION_DEVICE;
  return MemCounter{on_device, on_device ? slot.device : slot.host};
}

}  // namespace ndtel
