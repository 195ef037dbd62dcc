// SPDX-License-Identifier: Apache-2.0
#include "ndtel/status.hpp"

// The names are string literals, so their data ends with a NUL.
const char* nrt_get_status_as_str(NRT_STATUS status) noexcept {
  return ndtel::status_name(static_cast<std::uint32_t>(status)).data();
}

int nrt_get_status_priority(NRT_STATUS status) noexcept {
  return ndtel::status_priority(static_cast<std::uint32_t>(status));
}
