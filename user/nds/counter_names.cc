// SPDX-License-Identifier: Apache-2.0
#include "ndtel/nds.hpp"

namespace ndtel {
namespace {

#define COUNTER_NAME(id, name, kind, unit) \
  case id:                                 \
    return #name;

}  // namespace

std::string_view nc_counter_name(std::uint32_t counter) noexcept {
  switch (counter) {
    NDS_NC_COUNTERS_BASE(COUNTER_NAME)
    NDS_NC_COUNTERS_EXT(COUNTER_NAME)
    default:
      return {};
  }
}

std::string_view nd_counter_name(std::uint32_t counter) noexcept {
  switch (counter) {
    NDS_ND_COUNTERS(COUNTER_NAME)
    default:
      return {};
  }
}

#undef COUNTER_NAME

}  // namespace ndtel
