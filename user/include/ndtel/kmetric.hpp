// SPDX-License-Identifier: Apache-2.0
//
// The kmetric bridge over any writer of counters: an Instance, or something that wraps one (a
// ledger, a test).
#ifndef NDTEL_KMETRIC_HPP
#define NDTEL_KMETRIC_HPP

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ndtel/nds.hpp"
#include "ndtel/status.hpp"
#include "nrt/kmetric.h"

namespace ndtel {

/// Writes counters as Instance does: 0 or a negative errno.
template <typename W>
concept CounterWriter = requires(W& writer, std::uint32_t core, std::uint32_t counter,
                                 std::uint64_t value) {
  { writer.increment(core, counter, value) } -> std::same_as<int>;
  { writer.decrement(core, counter, value) } -> std::same_as<int>;
  { writer.set(core, counter, value) } -> std::same_as<int>;
  { writer.increment_nd(counter, value) } -> std::same_as<int>;
  { writer.decrement_nd(counter, value) } -> std::same_as<int>;
  { writer.set_nd(counter, value) } -> std::same_as<int>;
};

/// Latencies of one execution, microseconds.
struct ExecLatencies {
  double total = 0;    ///< submit to completion
  double device = 0;   ///< device span, start to end
  double nc_time = 0;  ///< device time of the execution
  double cc_time = 0;  ///< collectives span
};

/// A counter of one of the two spaces.
struct MemCounter {
  bool on_device = false;  ///< true: core counter, false: device (ND) counter
  std::uint32_t counter = 0;
};

/// Where memory of a usage at a location is counted; nothing for an unknown usage or location, or
/// one that does not exist there.
std::optional<MemCounter> mem_usage_counter(int usage, int location) noexcept;
/// Kernel allocation class of a usage at a location; nothing as above.
std::optional<int> mem_usage_category(int usage, int location) noexcept;

/// Microseconds as the latency words hold them: truncated; negative and not-a-number are 0, too
/// large is the largest.
std::uint64_t truncate_us(double us) noexcept;

/// Workload id of a NEFF: low half xor high half of its UUID, little-endian.
std::uint64_t fold_neff_uuid(std::span<const std::uint8_t, 16> uuid) noexcept;

/// Parses "major.minor.build"; further parts are ignored. Nothing when a part is missing or too
/// large for its field.
std::optional<nds_version> parse_version(std::string_view text) noexcept;

/// What the runtime counts. Failures of the writer are ignored, except where a function returns a
/// status.
template <CounterWriter W>
class KmetricBridge {
 public:
  explicit KmetricBridge(W& writer) noexcept : writer_(writer) {}

  /// Load path.
  void generic_status(std::uint32_t core, std::uint32_t status) {
    if (auto counter = generic_status_counter(status)) writer_.increment(core, *counter, 1);
  }

  /// Execution path.
  void exec_stats(std::uint32_t core, std::uint32_t status) {
    if (auto counter = exec_status_counter(status)) writer_.increment(core, *counter, 1);
  }

  /// Execution path; flags[i] belongs to ErrorSubtype i, those beyond the subtypes are ignored.
  void error_stats(std::uint32_t core, std::span<const bool> flags) {
    for (std::uint32_t i = 0; i < flags.size(); ++i) {
      if (!flags[i]) continue;
      if (auto counter = error_flag_counter(i)) writer_.increment(core, *counter, 1);
    }
  }

  /// Last execution wins.
  void exec_latencies(std::uint32_t core, const ExecLatencies& us) {
    writer_.set(core, NDS_NC_COUNTER_LATENCY_TOTAL, truncate_us(us.total));
    writer_.set(core, NDS_NC_COUNTER_LATENCY_DEVICE, truncate_us(us.device));
    writer_.set(core, NDS_NC_COUNTER_NC_TIME, truncate_us(us.nc_time));
    writer_.set(core, NDS_NC_COUNTER_CC_TIME, truncate_us(us.cc_time));
  }

  /// Finalise of an execution that ran: time in use (ps) and MACs always, the inference count on
  /// success.
  void finalise(std::uint32_t core, std::uint32_t status, std::uint64_t busy_ps,
                std::uint64_t macs) {
    writer_.increment(core, NDS_NC_COUNTER_TIME_IN_USE, busy_ps);
    writer_.increment(core, NDS_NC_COUNTER_MAC_COUNT, macs);
    if (status == NRT_SUCCESS) writer_.increment(core, NDS_NC_COUNTER_INFERENCE_COUNT, 1);
  }

  /// Completion of an execution in the runtime's order: latencies, error flags, status.
  void complete(std::uint32_t core, std::uint32_t status, std::span<const bool> flags,
                const ExecLatencies& us) {
    exec_latencies(core, us);
    error_stats(core, flags);
    exec_stats(core, status);
  }

  void model_loaded(std::uint32_t core) {
    writer_.increment(core, NDS_NC_COUNTER_MODEL_LOAD_COUNT, 1);
  }

  /// Modulo 2^64, so that unloading everything returns to the start, in any order.
  void neff_loaded(std::uint64_t neff_id) {
    writer_.increment_nd(NDS_ND_COUNTER_AGG_NEFF_ID, neff_id);
  }
  void neff_unloaded(std::uint64_t neff_id) {
    writer_.decrement_nd(NDS_ND_COUNTER_AGG_NEFF_ID, neff_id);
  }

  NRT_STATUS register_alloc(std::uint32_t core, int usage, int location, std::uint64_t bytes) {
    return register_memory(core, usage, location, [&](const MemCounter& where) {
      return where.on_device ? writer_.increment(core, where.counter, bytes)
                             : writer_.increment_nd(where.counter, bytes);
    });
  }
  NRT_STATUS register_free(std::uint32_t core, int usage, int location, std::uint64_t bytes) {
    return register_memory(core, usage, location, [&](const MemCounter& where) {
      return where.on_device ? writer_.decrement(core, where.counter, bytes)
                             : writer_.decrement_nd(where.counter, bytes);
    });
  }

 private:
  template <typename Write>
  NRT_STATUS register_memory(std::uint32_t core, int usage, int location, Write write) {
    const auto where = mem_usage_counter(usage, location);
    if (!where || (where->on_device && core >= NDS_MAX_NC)) return NRT_INVALID;
    return write(*where) == 0 ? NRT_SUCCESS : NRT_FAILURE;
  }

  W& writer_;
};

/// Publishes the process record, its extension and the version words; see
/// kmetric_save_process_info().
NRT_STATUS save_process_info(Instance& instance, const kmetric_process_versions_t& versions);

}  // namespace ndtel

#endif  // NDTEL_KMETRIC_HPP
