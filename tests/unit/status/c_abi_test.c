// SPDX-License-Identifier: Apache-2.0
//
// A plain C program on libndtel.so. That it links proves that every function is exported; the calls
// prove that they work from C.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "nrt/kmetric.h"
#include "nrt/ndl.h"
#include "nrt/nds.h"
#include "nrt/nrt_status.h"

typedef void (*function)(void);

// Volatile, so that no reference is optimised away.
static function volatile exported[] = {
    (function)ndl_open_device,
    (function)ndl_open_path,
    (function)ndl_close_device,
    (function)ndl_device_fd,
    (function)ndl_nds_open,
    (function)ndl_nds_close,
    (function)ndl_metrics_ctrl,
    (function)nds_open,
    (function)nds_close,
    (function)nds_increment_nc_counter,
    (function)nds_decrement_nc_counter,
    (function)nds_get_nc_counter,
    (function)nds_set_nc_counter,
    (function)nds_increment_nd_counter,
    (function)nds_decrement_nd_counter,
    (function)nds_or_nd_counter,
    (function)nds_get_nd_counter,
    (function)nds_set_nd_counter,
    (function)nds_obj_new,
    (function)nds_obj_commit,
    (function)nds_obj_delete,
    (function)nds_obj_handle_to_model_node_info,
    (function)nds_obj_handle_to_model_node_mem_usage,
    (function)nds_obj_handle_to_process_info,
    (function)nds_obj_handle_to_process_info_ext,
    (function)nds_read_all_model_nodes,
    (function)nds_read_process_info,
    (function)nds_read_process_info_ext,
    (function)kmetric_update_nds_generic_status,
    (function)kmetric_update_nds_exec_stats,
    (function)kmetric_update_nds_error_stats,
    (function)kmetric_update_nds_exec_latencies,
    (function)kmetric_finalise_exec,
    (function)kmetric_count_model_load,
    (function)kmetric_fold_neff_uuid,
    (function)kmetric_load_model_update_agg_neff_id,
    (function)kmetric_unload_model_update_agg_neff_id,
    (function)tdrv_nds_register_mem_alloc,
    (function)tdrv_nds_register_mem_free,
    (function)kmetric_save_process_info,
    (function)nrt_get_status_as_str,
    (function)nrt_get_status_priority,
};

static int failures;

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "c_abi_test: failed: %s\n", what);
  failures++;
}

int main(void) {
  ndl_device_t* device = NULL;
  nds_instance_t* instance = NULL;

  for (size_t i = 0; i < sizeof exported / sizeof exported[0]; i++)
    check(exported[i] != NULL, "a function is missing");
  check(strcmp(nrt_get_status_as_str(NRT_EXEC_OOB), "NRT_EXEC_OOB") == 0, "status name");
  check(nrt_get_status_priority(NRT_TIMEOUT) == NRT_PRIORITY_HIGH, "status priority");
  check(nds_increment_nc_counter(NULL, -1, 0, 1) == -EINVAL, "counting without an instance");
  check(ndl_open_path("/dev/null", O_RDWR, &device) == 0, "opening a character device");
  check(nds_open(device, 0, &instance) == -ENOTTY, "a node that is no Neuron device");
  check(ndl_close_device(device) == 0, "closing");
  return failures != 0;
}
