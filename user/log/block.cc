// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <cstring>

namespace ndtel::nlog {

bool Block::push(std::string_view line, std::size_t reserve) noexcept {
  constexpr std::string_view kBetween = "\n\t";
  const std::string_view between = kBetween.substr(text().empty() ? kBetween.size() : 0);
  const std::size_t needed = line.size() + between.size();
  if (begin() < needed + reserve) return false;
  position_ -= static_cast<std::uint32_t>(needed);
  char* const to = text_ + begin();
  std::memcpy(to, line.data(), line.size());
  std::memcpy(to + line.size(), between.data(), between.size());
  ++pending_;
  return true;
}

std::string_view resolution_of(std::int32_t cause) noexcept {
  switch (cause) {
    case NRT_RESOURCE:
      return "free device memory: unload models and release tensors that are not needed";
    case NRT_FAIL_HOST_MEM_ALLOC:
      return "the host is out of memory: end other processes or raise the limits of this one";
    case NRT_LOAD_NOT_ENOUGH_NC:
      return "give the process more cores, or load a model that was compiled for fewer";
    case NRT_UNSUPPORTED_NEFF_VERSION:
      return "compile the model again with a compiler that matches this runtime";
    case NRT_UNINITIALIZED:
      return "call nrt_init() first";
    case NRT_CLOSED:
      return "nothing may be called after nrt_close()";
    case NRT_EXEC_NC_BUSY:
      return "another process uses these cores: end it or choose others";
    case NRT_EXEC_HW_ERR_HBM_UE:
    case NRT_EXEC_HW_ERR_NC_UE:
      return "the device has an error that cannot be repaired: replace the instance";
    case NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE:
      return "reset the device to have its memory repaired";
    default:
      return {};
  }
}

}  // namespace ndtel::nlog
