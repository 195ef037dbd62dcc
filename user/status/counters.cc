// SPDX-License-Identifier: Apache-2.0
//
// Which counter a status or an error flag counts into.
#include <ndtel/nds.h>

#include "ndtel/status.hpp"

namespace ndtel {

std::optional<std::uint32_t> generic_status_counter(std::uint32_t status) noexcept {
  switch (status) {
    case NRT_FAILURE:
      return NDS_NC_COUNTER_GENERIC_FAIL;
    case NRT_INVALID:
      return NDS_NC_COUNTER_ERR_INVALID;
    case NRT_RESOURCE:
      return NDS_NC_COUNTER_ERR_RESOURCE;
    case NRT_LOAD_NOT_ENOUGH_NC:
      return NDS_NC_COUNTER_ERR_RESOURCE_NC;
    case NRT_UNSUPPORTED_NEFF_VERSION:
      return NDS_NC_COUNTER_ERR_UNSUPPORTED_NEFF_VERSION;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> exec_status_counter(std::uint32_t status) noexcept {
  switch (status) {
    case NRT_SUCCESS:
      return NDS_NC_COUNTER_INFER_COMPLETED;
    case NRT_FAILURE:
      return NDS_NC_COUNTER_GENERIC_FAIL;
    case NRT_INVALID:
      return NDS_NC_COUNTER_ERR_INVALID;
    case NRT_RESOURCE:
      return NDS_NC_COUNTER_ERR_RESOURCE;
    case NRT_TIMEOUT:
      return NDS_NC_COUNTER_INFER_TIMED_OUT;
    case NRT_HW_ERROR:
      return NDS_NC_COUNTER_ERR_HW;
    case NRT_QUEUE_FULL:
      return NDS_NC_COUNTER_INFER_FAILED_TO_QUEUE;
    case NRT_EXEC_BAD_INPUT:
      return NDS_NC_COUNTER_INFER_INCORRECT_INPUT;
    case NRT_EXEC_COMPLETED_WITH_NUM_ERR:
      return NDS_NC_COUNTER_INFER_COMPLETED_WITH_NUM_ERR;
    case NRT_EXEC_COMPLETED_WITH_ERR:
      return NDS_NC_COUNTER_INFER_COMPLETED_WITH_ERR;
    case NRT_EXEC_OOB:
      return NDS_NC_COUNTER_OOB;
    case NRT_EXEC_HW_ERR_COLLECTIVES:
      return NDS_EXT_NC_COUNTER_HW_ERR_COLLECTIVES;
    case NRT_EXEC_HW_ERR_HBM_UE:
      return NDS_EXT_NC_COUNTER_HW_ERR_HBM_UE;
    case NRT_EXEC_HW_ERR_NC_UE:
      return NDS_EXT_NC_COUNTER_HW_ERR_NC_UE;
    case NRT_EXEC_HW_ERR_DMA_ABORT:
      return NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT;
    case NRT_EXEC_SW_NQ_OVERFLOW:
      return NDS_EXT_NC_COUNTER_ERR_SW_NQ_OVERFLOW;
    case NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE:
      return NDS_EXT_NC_COUNTER_HW_ERR_REPAIRABLE_HBM_UE;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> error_flag_counter(std::uint32_t subtype) noexcept {
  switch (static_cast<ErrorSubtype>(subtype < kErrorSubtypes ? subtype : 0)) {
    case ErrorSubtype::kSemaphore:
      return NDS_EXT_NC_COUNTER_ERR_SW_SEMAPHORE_ERROR;
    case ErrorSubtype::kEvent:
      return NDS_EXT_NC_COUNTER_ERR_SW_EVENT_ERROR;
    case ErrorSubtype::kPsumCollision:
      return NDS_EXT_NC_COUNTER_ERR_SW_PSUM_COLLISION;
    case ErrorSubtype::kSequencer:
      return NDS_EXT_NC_COUNTER_ERR_SW_SEQUENCER_FATAL;
    default:
      return std::nullopt;
  }
}

}  // namespace ndtel
