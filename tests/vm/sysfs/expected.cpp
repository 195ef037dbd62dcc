// SPDX-License-Identifier: Apache-2.0
#include "expected.hpp"

namespace ndtel::vm {

const std::vector<Kind> kKinds = {
    {"v2", 2, "NDv2", "NCv2", "Trn1", "Trainium1"},
    {"inf2", 2, "NDv3", "NCv2", "Inf2", "Inferentia2"},
    {"v3", 8, "NDv3", "NCv3", "Trn2", "Trainium2"},
    {"v4", 8, "NDv4", "NCv4", "Trn3", "Trainium3"},
};

const std::vector<CounterFile> kStatusFiles = {
    {"success", 1},
    {"failure", 16},
    {"timeout", 4},
    {"exec_bad_input", 5},
    {"hw_error", 11},
    {"execute_completed_with_error", 2},
    {"execute_completed_with_num_error", 3},
    {"generic_error", 7},
    {"resource_error", 17},
    {"resource_nc_error", 18},
    {"execute_failed_to_queue", 6},
    {"invalid_error", 19},
    {"unsupported_neff_version", 20},
    {"oob_error", 30},
    {"hw_collectives_error", 31},
    {"hw_hbm_ue_error", 32},
    {"hw_nc_ue_error", 33},
    {"hw_dma_abort_error", 34},
    {"execute_sw_nq_overflow", 35},
    {"execute_sw_semaphore_error", 36},
    {"execute_sw_event_error", 37},
    {"execute_sw_psum_collision", 38},
    {"execute_sw_sequencer_fatal", 39},
    {"hw_repairable_hbm_ue_error", 40},
};

const std::vector<CounterFile> kOtherFiles = {
    {"model_load_count", 27},
    {"inference_count", 28},
    {"flop_count", 29},
    {"nc_time_in_use", 0},
};

const std::vector<const char*> kDeviceMemory = {
    "model_code",     "tensors",       "constants",     "model_shared_scratchpad",
    "runtime_memory", "driver_memory", "collectives",   "nonshared_scratchpad",
    "notifications",  "dma_rings",     "uncategorized",
};

const std::vector<const char*> kHostMemory = {
    "dma_buffers",   "tensors",       "constants", "application_memory",
    "driver_memory", "notifications", "dma_rings", "uncategorized",
};

namespace {

const char kNumber[] = "(0|[1-9][0-9]*)\n";

using Tree = std::map<std::string, ExpectedFile>;

void add_counter(Tree& tree, const std::string& directory) {
  tree[directory + "/total"] = {0644, kNumber};
  tree[directory + "/present"] = {0644, kNumber};
}

void add_memory(Tree& tree, const std::string& directory) {
  tree[directory + "/total"] = {0444, kNumber};
  tree[directory + "/present"] = {0644, kNumber};
  tree[directory + "/peak"] = {0644, kNumber};
}

void add_core(Tree& tree, const std::string& core, const Kind& kind) {
  const auto stats = core + "/stats/";
  for (const auto& file : kStatusFiles) add_counter(tree, stats + "status/" + file.directory);
  for (const auto& file : kOtherFiles) add_counter(tree, stats + "other_info/" + file.directory);
  add_counter(tree, stats + "other_info/reset_req_count");
  add_counter(tree, stats + "other_info/reset_fail_count");
  add_memory(tree, stats + "memory_usage/host_mem");
  add_memory(tree, stats + "memory_usage/device_mem");
  for (const auto* name : kDeviceMemory) {
    add_memory(tree, stats + "memory_usage/device_mem/" + name);
  }
  tree[stats + "tensor_engine/pe_cntrs"] = {
      0444,
      "xrow_grp,mm_active,wl_active,idle\n"
      "0(,[0-9]+){3}\n1(,[0-9]+){3}\n2(,[0-9]+){3}\n3(,[0-9]+){3}\n"};
  tree[core + "/info/architecture/arch_type"] = {0444, kind.core_arch + "\n"};
}

}  // namespace

std::map<std::string, ExpectedFile> expected_tree(const Kind& kind) {
  Tree tree = {
      {"reset", {0600, "[012]\n"}},
      {"state", {0444, "(reset|ready|invalid)\n"}},
      {"provider", {0444, "sim\n"}},
      {"core_count", {0444, std::to_string(kind.cores)}},
      {"connected_devices", {0444, "([0-9]+(, [0-9]+)*)?\n"}},
      {"fw_api_version", {0444, "([1-9][0-9]*|busy)\n"}},
      {"info/notify_delay", {0644, "(0|-1)\n"}},
      {"info/serial_number", {0444, "([0-9a-f]{16})?\n"}},
      {"info/architecture/arch_type", {0444, kind.device_arch + "\n"}},
      {"info/architecture/instance_type", {0444, kind.instance + "\n"}},
      {"info/architecture/device_name", {0444, kind.product + "\n"}},
      {"stats/hardware/sram_ecc_uncorrected", {0444, kNumber}},
      {"stats/hardware/mem_ecc_uncorrected", {0444, kNumber}},
      {"stats/hardware/mem_ecc_repairable_uncorrected", {0444, kNumber}},
      {"stats/power/utilization",
       {0444, "POWER_STATUS_(VALID|NO_DATA),[0-9]+(,[0-9]{1,3}\\.[0-9]{2}){3}\n"}},
  };
  for (const auto* name : kHostMemory) {
    add_memory(tree, std::string("stats/memory_usage/host_mem/") + name);
  }
  for (unsigned core = 0; core < kind.cores; ++core) {
    add_core(tree, "neuron_core" + std::to_string(core), kind);
  }
  return tree;
}

std::map<std::string, ExpectedFile> expected_companion_tree(const Kind& kind) {
  auto tree = expected_tree(kind);
  std::erase_if(tree, [](const auto& file) {
    const std::string& path = file.first;
    return path == "fw_api_version" || path == "info/serial_number" ||
           path.starts_with("stats/hardware/") || path.starts_with("stats/power/") ||
           path.find("/tensor_engine/") != std::string::npos;
  });
  tree["provider"] = {0444, "companion\n"};
  return tree;
}

}  // namespace ndtel::vm
