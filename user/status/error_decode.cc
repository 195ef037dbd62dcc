// SPDX-License-Identifier: Apache-2.0
//
// Hardware error records: error id (layer 3) to subtype (layer 2) to status (layer 1).
#include <array>

#include "ndtel/status.hpp"

namespace ndtel {
namespace {

// Error ids with a rule beyond the table.
constexpr std::uint32_t kIdFpNan = 1;
constexpr std::uint32_t kIdMemoryError = 4;

// Bits of the mask that tell an uncorrected memory event from a corrected one.
constexpr std::uint32_t kMemoryUncorrected = 0xFD6B;
// Bits of the mask that a vector engine sets without a NaN having been seen. Masks of single
// architectures are not public; these bits are common to all.
constexpr std::uint32_t kNanSpurious = 0x7E00;

constexpr std::array<ErrorSubtype, 12> kRemap = {
    ErrorSubtype::kNone,           // 0 FP underflow
    ErrorSubtype::kNumerical,      // 1 FP NaN
    ErrorSubtype::kNone,           // 2 FP infinity
    ErrorSubtype::kNone,           // 3 FP overflow
    ErrorSubtype::kMemory,         // 4 memory error
    ErrorSubtype::kFake,           // 5 fake error
    ErrorSubtype::kSemaphore,      // 6 semaphore error
    ErrorSubtype::kEvent,          // 7 event error
    ErrorSubtype::kPsumCollision,  // 8 PSUM collision
    ErrorSubtype::kTransient,      // 9 sequencer, not fatal
    ErrorSubtype::kSequencer,      // 10 sequencer, fatal
    ErrorSubtype::kNone,           // 11 reserved
};

std::uint32_t id_of(std::uint64_t word) { return word & 0xFF; }
std::uint32_t mask_of(std::uint64_t word) { return word >> 8 & 0xFFFF; }

}  // namespace

std::string_view error_subtype_name(std::uint32_t subtype) noexcept {
  static constexpr std::array<std::string_view, kErrorSubtypes> kNames = {
      "NONE",
      "NUMERICAL",
      "TRANSIENT",
      "MEMORY_ERROR",
      "SW_FAKE_ERROR",
      "SW_SEMAPHORE_ERROR",
      "SW_EVENT_ERROR",
      "SW_PSUM_COLLISION_ERROR",
      "SW_SEQUENCER_ERROR",
  };
  return kNames[subtype < kNames.size() ? subtype : 0];
}

ErrorSubtype decode_error(std::uint64_t word) noexcept {
  const std::uint32_t id = id_of(word);
  if (id >= kRemap.size()) return ErrorSubtype::kNone;
  if (id == kIdMemoryError && (mask_of(word) & kMemoryUncorrected) == 0)
    return ErrorSubtype::kTransient;
  if (id == kIdFpNan && (mask_of(word) & ~kNanSpurious) == 0) return ErrorSubtype::kNone;
  return kRemap[id];
}

NRT_STATUS error_status(std::uint64_t word) noexcept {
  switch (decode_error(word)) {
    case ErrorSubtype::kNone:
      return NRT_SUCCESS;
    case ErrorSubtype::kNumerical:
      return NRT_EXEC_COMPLETED_WITH_NUM_ERR;
    case ErrorSubtype::kMemory:
      return NRT_EXEC_HW_ERR_NC_UE;
    case ErrorSubtype::kTransient:
      return id_of(word) == kIdMemoryError ? NRT_SUCCESS : NRT_EXEC_COMPLETED_WITH_ERR;
    default:
      return NRT_EXEC_COMPLETED_WITH_ERR;
  }
}

}  // namespace ndtel
