// SPDX-License-Identifier: Apache-2.0
//
// Runtime statuses, the decode of hardware error records, and which counter each of them counts
// into. Pure functions.
#ifndef NDTEL_STATUS_HPP
#define NDTEL_STATUS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "nrt/nrt_status.h"

namespace ndtel {

/// Enumerator name, "UNKNOWN" outside the table.
std::string_view status_name(std::uint32_t status) noexcept;
/// NRT_PRIORITY_*; medium outside the table.
int status_priority(std::uint32_t status) noexcept;
/// The status of a request whose cores ended differently: highest priority, the first seen among
/// equals; success for none.
NRT_STATUS worst_status(std::span<const NRT_STATUS> statuses) noexcept;

/// Infer-error subtypes, the second layer of the decode; also the index of an execution's error
/// flags.
enum class ErrorSubtype : std::uint8_t {
  kNone = 0,
  kNumerical = 1,
  kTransient = 2,
  kMemory = 3,
  kFake = 4,
  kSemaphore = 5,
  kEvent = 6,
  kPsumCollision = 7,
  kSequencer = 8,
};
inline constexpr int kErrorSubtypes = 9;

/// "NUMERICAL" and so on; "NONE" outside the table.
std::string_view error_subtype_name(std::uint32_t subtype) noexcept;

/// Decodes an error ring word: error id in bits 7..0, mask in bits 23..8.
ErrorSubtype decode_error(std::uint64_t word) noexcept;

/// The status an error word raises. NRT_SUCCESS when it raises none: no error, or a memory event
/// that was corrected (which only sets its flag). A memory error is NRT_EXEC_HW_ERR_NC_UE.
NRT_STATUS error_status(std::uint64_t word) noexcept;

/// Core counter of a status on the load path: 1, 2, 4, 9 and 10 have one.
std::optional<std::uint32_t> generic_status_counter(std::uint32_t status) noexcept;
/// Core counter of a status on the execution path.
std::optional<std::uint32_t> exec_status_counter(std::uint32_t status) noexcept;
/// Core counter of an error flag (index = subtype): 5..8 have one.
std::optional<std::uint32_t> error_flag_counter(std::uint32_t subtype) noexcept;

}  // namespace ndtel

#endif  // NDTEL_STATUS_HPP
