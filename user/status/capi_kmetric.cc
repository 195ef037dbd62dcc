// SPDX-License-Identifier: Apache-2.0
//
// C ABI of the kmetric bridge.
#include "capi.hpp"
#include "ndtel/kmetric.hpp"

using ndtel::Instance;
using ndtel::KmetricBridge;

namespace {

// Runs an update on the instance's bridge; without an instance there is nothing to count into.
template <typename Update>
void with_bridge(nds_instance_t* instance, Update update) {
  if (instance == nullptr) return;
  KmetricBridge<Instance> bridge(instance->producer);
  update(bridge);
}

// A negative core becomes a huge one, which no slab has.
std::uint32_t core_of(int nc) { return static_cast<std::uint32_t>(nc); }

}  // namespace

void kmetric_update_nds_generic_status(nds_instance_t* instance, int nc,
                                       NRT_STATUS status) noexcept {
  with_bridge(instance, [&](auto& bridge) { bridge.generic_status(core_of(nc), status); });
}

void kmetric_update_nds_exec_stats(nds_instance_t* instance, int nc, NRT_STATUS status) noexcept {
  with_bridge(instance, [&](auto& bridge) { bridge.exec_stats(core_of(nc), status); });
}

void kmetric_update_nds_error_stats(nds_instance_t* instance, int nc,
                                    const bool flags[KMETRIC_ERROR_FLAGS]) noexcept {
  if (flags == nullptr) return;
  with_bridge(instance, [&](auto& bridge) {
    bridge.error_stats(core_of(nc), std::span<const bool>(flags, KMETRIC_ERROR_FLAGS));
  });
}

void kmetric_update_nds_exec_latencies(nds_instance_t* instance, int nc, double total_us,
                                       double device_us, double nc_time_us,
                                       double cc_time_us) noexcept {
  with_bridge(instance, [&](auto& bridge) {
    bridge.exec_latencies(
        core_of(nc),
        {.total = total_us, .device = device_us, .nc_time = nc_time_us, .cc_time = cc_time_us});
  });
}

void kmetric_finalise_exec(nds_instance_t* instance, int nc, NRT_STATUS status, uint64_t busy_ps,
                           uint64_t macs) noexcept {
  with_bridge(instance, [&](auto& bridge) { bridge.finalise(core_of(nc), status, busy_ps, macs); });
}

void kmetric_count_model_load(nds_instance_t* instance, int nc) noexcept {
  with_bridge(instance, [&](auto& bridge) { bridge.model_loaded(core_of(nc)); });
}

uint64_t kmetric_fold_neff_uuid(const uint8_t uuid[16]) noexcept {
  return uuid == nullptr ? 0 : ndtel::fold_neff_uuid(std::span<const std::uint8_t, 16>(uuid, 16));
}

void kmetric_load_model_update_agg_neff_id(nds_instance_t* instance, uint64_t neff_id) noexcept {
  with_bridge(instance, [&](auto& bridge) { bridge.neff_loaded(neff_id); });
}

void kmetric_unload_model_update_agg_neff_id(nds_instance_t* instance, uint64_t neff_id) noexcept {
  with_bridge(instance, [&](auto& bridge) { bridge.neff_unloaded(neff_id); });
}

NRT_STATUS tdrv_nds_register_mem_alloc(nds_instance_t* instance, int nc, int usage, int location,
                                       size_t bytes) noexcept {
  if (instance == nullptr) return NRT_INVALID;
  return KmetricBridge<Instance>(instance->producer)
      .register_alloc(core_of(nc), usage, location, bytes);
}

NRT_STATUS tdrv_nds_register_mem_free(nds_instance_t* instance, int nc, int usage, int location,
                                      size_t bytes) noexcept {
  if (instance == nullptr) return NRT_INVALID;
  return KmetricBridge<Instance>(instance->producer)
      .register_free(core_of(nc), usage, location, bytes);
}

NRT_STATUS kmetric_save_process_info(nds_instance_t* instance,
                                     const kmetric_process_versions_t* versions) noexcept {
  if (instance == nullptr || versions == nullptr) return NRT_INVALID;
  try {
    return ndtel::save_process_info(instance->producer, *versions);
  } catch (...) {
    return NRT_FAIL_HOST_MEM_ALLOC;
  }
}
