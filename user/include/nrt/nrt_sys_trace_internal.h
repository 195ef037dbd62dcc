/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of system tracing: records, payloads, and the functions with which a runtime emits
 * events and other components of one process read them. Programs that only capture and fetch need
 * nrt/nrt_sys_trace.h alone.
 */
#ifndef NRT_NRT_SYS_TRACE_INTERNAL_H
#define NRT_NRT_SYS_TRACE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt_sys_trace.h"

#ifdef __cplusplus
extern "C" {
#define NRT_SYS_TRACE_ASSERT(condition, text) static_assert(condition, text)
#else
#define NRT_SYS_TRACE_ASSERT(condition, text) _Static_assert(condition, text)
#endif
#define NRT_SYS_TRACE_SIZE(type, size) NRT_SYS_TRACE_ASSERT(sizeof(type) == (size), #type)
#define NRT_SYS_TRACE_OFFSET(type, member, offset) \
  NRT_SYS_TRACE_ASSERT(offsetof(type, member) == (offset), #type "." #member)

/** Cores a process can trace. */
#define NRT_SYS_TRACE_MAX_NC 256
/** Events a core keeps by default, and at least. */
#define NRT_SYS_TRACE_DEFAULT_EVENTS_PER_NC 0x100000
#define NRT_SYS_TRACE_MIN_EVENTS_PER_NC 1024
/** Events a core can be asked to keep. */
#define NRT_SYS_TRACE_MAX_EVENTS_PER_NC 0x100000000
/** Bits of a sequence number and of the id of a string less one; above them is the core of an id.
 */
#define NRT_SYS_TRACE_ID_BITS 50

/* ---- event types and phases ---- */

typedef enum nrt_sys_trace_event_type {
  NRT_SYS_TRACE_EVENT_TYPE_GENERIC = 0,
  NRT_SYS_TRACE_EVENT_TYPE_MODEL_LOAD = 1,
  NRT_SYS_TRACE_EVENT_TYPE_POST_REQUEST = 2,
  NRT_SYS_TRACE_EVENT_TYPE_EXECUTE_API = 3,
  NRT_SYS_TRACE_EVENT_TYPE_RUNTIME_EXECUTE = 4,
  NRT_SYS_TRACE_EVENT_TYPE_CC_LOAD = 5,
  NRT_SYS_TRACE_EVENT_TYPE_CC_EXEC_BARRIER = 6,
  NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC = 7,
  NRT_SYS_TRACE_EVENT_TYPE_CC_EXEC = 8,
  NRT_SYS_TRACE_EVENT_TYPE_TENSOR_READ = 9,
  NRT_SYS_TRACE_EVENT_TYPE_TENSOR_WRITE = 10,
  NRT_SYS_TRACE_EVENT_TYPE_TENSOR_READ_BATCH = 11,
  NRT_SYS_TRACE_EVENT_TYPE_TENSOR_WRITE_BATCH = 12,
  NRT_SYS_TRACE_EVENT_TYPE_NUM_ERR = 13,
  NRT_SYS_TRACE_EVENT_TYPE_ENC_BARRIER_RECV = 14,
  NRT_SYS_TRACE_EVENT_TYPE_ENC_BARRIER_SEND = 15,
  NRT_SYS_TRACE_EVENT_TYPE_ENC_BARRIER = 16,
  NRT_SYS_TRACE_EVENT_TYPE_EXEC_PRE = 17,
  NRT_SYS_TRACE_EVENT_TYPE_EXEC_CORE = 18,
  NRT_SYS_TRACE_EVENT_TYPE_EXEC_WAIT = 19,
  NRT_SYS_TRACE_EVENT_TYPE_EXEC_POST = 20,
  NRT_SYS_TRACE_EVENT_TYPE_MODEL_SWITCH = 21,
  NRT_SYS_TRACE_EVENT_TYPE_MODEL_SUBMIT = 22,
  NRT_SYS_TRACE_EVENT_TYPE_ASYNC_SEMA_WAIT = 23,
  NRT_SYS_TRACE_EVENT_TYPE_HW_NOTIFY = 24,
  NRT_SYS_TRACE_EVENT_TYPE_TIMESTAMP_SYNC = 25,
  NRT_SYS_TRACE_EVENT_TYPE_NC_MODEL_SWITCH = 26,
  NRT_SYS_TRACE_EVENT_TYPE_TENSOR_ALLOC = 27,
  NRT_SYS_TRACE_EVENT_TYPE_TENSOR_FREE = 28,
  NRT_SYS_TRACE_EVENT_TYPE_TENSOR_BLOCK_WHILE_EXEC = 29,
  NRT_SYS_TRACE_EVENT_TYPE_DMEM_BUF_COPYIN = 30,
  NRT_SYS_TRACE_EVENT_TYPE_DMEM_BUF_COPYOUT = 31,
  NRT_SYS_TRACE_EVENT_TYPE_DMEM_BUF_BATCH_COPYIN = 32,
  NRT_SYS_TRACE_EVENT_TYPE_DMEM_BUF_BATCH_COPYOUT = 33,
  NRT_SYS_TRACE_EVENT_TYPE_DMA_MEM_ALLOC = 34,
  NRT_SYS_TRACE_EVENT_TYPE_DMA_MEM_DEALLOC = 35,
  NRT_SYS_TRACE_EVENT_TYPE_CONSUME_TPB_STATUS_NOTIFICATIONS = 36,
  NRT_SYS_TRACE_EVENT_TYPE_CONSUME_TOPSP_CC_NOTIFICATIONS = 37,
  NRT_SYS_TRACE_EVENT_TYPE_CONSUME_ERROR_NOTIFICATIONS = 38,
  NRT_SYS_TRACE_EVENT_TYPE_CONSUME_POOL_STDIO = 39,
  NRT_SYS_TRACE_EVENT_TYPE_CC_PREPARE = 40,
  NRT_SYS_TRACE_EVENT_TYPE_CC_SCHEDULE = 41,
  NRT_SYS_TRACE_EVENT_TYPE_HOSTCC_BUILD_CONTEXT = 42,
  NRT_SYS_TRACE_EVENT_TYPE_HOSTCC_LOAD = 43,
  NRT_SYS_TRACE_EVENT_TYPE_HOSTCC_EXEC = 44,
  NRT_SYS_TRACE_EVENT_TYPE_HOSTCC_WAIT = 45,
  NRT_SYS_TRACE_EVENT_TYPE_COUNT = 46
} nrt_sys_trace_event_type_t;

typedef enum nrt_sys_trace_event_phase {
  NRT_SYS_TRACE_EVENT_PHASE_START = 0,
  NRT_SYS_TRACE_EVENT_PHASE_STOP = 1,
  NRT_SYS_TRACE_EVENT_PHASE_INSTANT = 2,
  NRT_SYS_TRACE_EVENT_PHASE_COUNT = 3
} nrt_sys_trace_event_phase_t;

typedef enum nrt_sys_trace_event_category {
  NRT_SYS_TRACE_EVENT_CATEGORY_UNKNOWN = 0,
  NRT_SYS_TRACE_EVENT_CATEGORY_HARDWARE = 1,
  NRT_SYS_TRACE_EVENT_CATEGORY_SOFTWARE = 2,
  NRT_SYS_TRACE_EVENT_CATEGORY_COUNT = 3
} nrt_sys_trace_event_category_t;

/** Bit t is set when type t happens on the device. */
#define NRT_SYS_TRACE_HARDWARE_TYPES 0x70021C0

/* ---- payloads: which one an event carries depends on its type and its phase ---- */

/** One boundary seen by both clocks: device time, and CLOCK_REALTIME or 0 when not known. */
typedef struct nrt_sys_trace_sync {
  uint64_t nc_timestamp_ns;
  uint64_t cpu_timestamp_ns;
} nrt_sys_trace_sync_t;

typedef struct nrt_sys_trace_model {
  uint64_t model_id; /* id of an interned string, as all model and tensor ids */
} nrt_sys_trace_model_t;

typedef struct nrt_sys_trace_post_request {
  uint64_t model_id;
  uint32_t request_id;
} nrt_sys_trace_post_request_t;

typedef struct nrt_sys_trace_cc_load_start {
  uint32_t g_device_id;
  uint32_t g_device_count;
} nrt_sys_trace_cc_load_start_t;

typedef struct nrt_sys_trace_cc_exec_barrier_start {
  uint64_t model_id;
  uint32_t exec_id;
  nrt_sys_trace_sync_t sync;
} nrt_sys_trace_cc_exec_barrier_start_t;

typedef struct nrt_sys_trace_nc_exec_start {
  uint32_t device_core_idx;
  uint32_t exec_id;
  nrt_sys_trace_sync_t sync;
  uint64_t model_id; /* the executing model, 0 when not known */
} nrt_sys_trace_nc_exec_start_t;

typedef struct nrt_sys_trace_cc_exec_start {
  uint32_t gid;
  uint32_t op_id;
  uint32_t exec_id;
  nrt_sys_trace_sync_t sync;
  uint32_t algo; /* enc algorithm enum */
} nrt_sys_trace_cc_exec_start_t;

typedef struct nrt_sys_trace_nc_model_switch_start {
  uint32_t device_core_idx;
  uint64_t model_id;
  uint64_t exec_id;
  nrt_sys_trace_sync_t sync;
} nrt_sys_trace_nc_model_switch_start_t;

typedef struct nrt_sys_trace_sync_stop {
  nrt_sys_trace_sync_t sync;
} nrt_sys_trace_sync_stop_t;

typedef struct nrt_sys_trace_tensor {
  uint64_t tensor_id;
  uint64_t size;
} nrt_sys_trace_tensor_t;

typedef struct nrt_sys_trace_tensor_batch {
  uint32_t num_batches;
} nrt_sys_trace_tensor_batch_t;

typedef struct nrt_sys_trace_tensor_free {
  uint64_t tensor_id;
  uint64_t size;
  uint64_t ref_count;
} nrt_sys_trace_tensor_free_t;

typedef struct nrt_sys_trace_tensor_block {
  uint64_t tensor_id;
  uint64_t pending_reader_count;
  uint64_t pending_writer_count;
} nrt_sys_trace_tensor_block_t;

typedef struct nrt_sys_trace_num_err {
  uint32_t device_core_idx;
  uint32_t exec_id;
  nrt_sys_trace_sync_t sync;
  uint64_t model_id; /* the executing model, 0 when not known */
} nrt_sys_trace_num_err_t;

typedef struct nrt_sys_trace_enc_barrier {
  int32_t peer_id;
  uint64_t exec_id;
  int32_t nec_dev_id;
} nrt_sys_trace_enc_barrier_t;

typedef struct nrt_sys_trace_exec {
  uint64_t exec_id;
  uint64_t model_id;
} nrt_sys_trace_exec_t;

typedef struct nrt_sys_trace_model_switch {
  uint32_t device_core_idx;
  uint64_t model_id;
  bool is_neuron_core_work;
} nrt_sys_trace_model_switch_t;

typedef struct nrt_sys_trace_async_sema_wait {
  uint64_t available_request_slots;
  bool has_work;
} nrt_sys_trace_async_sema_wait_t;

typedef struct nrt_sys_trace_hw_notify {
  uint32_t device_core_idx;
  uint16_t hint;
  uint32_t custom_data;
  uint64_t exec_id;
  nrt_sys_trace_sync_t sync;
} nrt_sys_trace_hw_notify_t;

typedef struct nrt_sys_trace_timestamp_sync {
  uint64_t exec_id;
  uint64_t nc_timestamp_ns;
  uint64_t cpu_timestamp_ns;
} nrt_sys_trace_timestamp_sync_t;

typedef struct nrt_sys_trace_dmem_buf_copy {
  uint8_t mem_type; /* 0 invalid, 1 host DRAM, 2 device HBM */
  uint64_t mem_handle;
  uint32_t offset;
  uint32_t size;
} nrt_sys_trace_dmem_buf_copy_t;

typedef struct nrt_sys_trace_dmem_buf_batch_copy {
  uint8_t mem_type; /* 0 invalid, 1 host DRAM, 2 device HBM */
  uint32_t num_batches;
  uint32_t total_num_ops;
  uint64_t total_size;
} nrt_sys_trace_dmem_buf_batch_copy_t;

typedef struct nrt_sys_trace_dma_mem_alloc_start {
  uint32_t hbm_idx;
  uint32_t usage_type; /* tdrv_mem_usage_t of nrt/kmetric.h */
  bool is_nc_hbm;
  bool is_aligned;
  uint32_t mla_idx;
} nrt_sys_trace_dma_mem_alloc_start_t;

typedef struct nrt_sys_trace_dma_mem_alloc_stop {
  uint64_t allocated_bytes;
  uint64_t physical_address;
  uint64_t return_code;
  uint64_t usage_type_total_bytes;
  uint64_t total_bytes;
} nrt_sys_trace_dma_mem_alloc_stop_t;

typedef struct nrt_sys_trace_dma_mem_dealloc_start {
  uint32_t hbm_idx;
  bool is_nc_hbm;
  uint32_t mla_idx;
  uint32_t usage_type; /* tdrv_mem_usage_t of nrt/kmetric.h */
  uint64_t physical_address;
} nrt_sys_trace_dma_mem_dealloc_start_t;

typedef struct nrt_sys_trace_dma_mem_dealloc_stop {
  uint64_t freed_bytes;
  uint64_t usage_type_total_bytes;
  uint64_t total_bytes;
} nrt_sys_trace_dma_mem_dealloc_stop_t;

typedef struct nrt_sys_trace_hostcc_prepare {
  uint32_t ctx_device_id;
  uint32_t ctx_device_count;
  uint32_t cc_op;
} nrt_sys_trace_hostcc_prepare_t;

typedef struct nrt_sys_trace_hostcc_context {
  uint32_t ctx_device_id;
  uint32_t ctx_device_count;
} nrt_sys_trace_hostcc_context_t;

typedef struct nrt_sys_trace_hostcc_load {
  uint32_t enc_op;
  uint32_t dtype;
  uint64_t num_elem;
} nrt_sys_trace_hostcc_load_t;

typedef struct nrt_sys_trace_hostcc_exec {
  uint32_t stream_id;
} nrt_sys_trace_hostcc_exec_t;

typedef struct nrt_sys_trace_hostcc_wait {
  uint32_t total_notif_expected;
} nrt_sys_trace_hostcc_wait_t;

/** 40 bytes. What the payload of an event does not use is zero. */
typedef union nrt_sys_trace_event_data {
  uint64_t words[5]; /* the first member, so that {0} means all of it */
  nrt_sys_trace_model_t model_load_stop;
  nrt_sys_trace_model_t nrt_exec;
  nrt_sys_trace_model_t runtime_exec;
  nrt_sys_trace_model_t model_submit;
  nrt_sys_trace_model_t cc_load_stop;
  nrt_sys_trace_post_request_t exec_post_request;
  nrt_sys_trace_cc_load_start_t cc_load_start;
  nrt_sys_trace_cc_exec_barrier_start_t cc_exec_barrier_start;
  nrt_sys_trace_nc_exec_start_t nc_exec_start;
  nrt_sys_trace_cc_exec_start_t cc_exec_start;
  nrt_sys_trace_nc_model_switch_start_t nc_model_switch_start;
  nrt_sys_trace_sync_stop_t cc_exec_barrier_stop;
  nrt_sys_trace_sync_stop_t nc_exec_stop;
  nrt_sys_trace_sync_stop_t cc_exec_stop;
  nrt_sys_trace_sync_stop_t nc_model_switch_stop;
  nrt_sys_trace_tensor_t exec_tensor_read;
  nrt_sys_trace_tensor_t exec_tensor_write;
  nrt_sys_trace_tensor_t exec_tensor_alloc;
  nrt_sys_trace_tensor_batch_t exec_tensor_read_batch;
  nrt_sys_trace_tensor_batch_t exec_tensor_write_batch;
  nrt_sys_trace_tensor_free_t exec_tensor_free;
  nrt_sys_trace_tensor_block_t exec_tensor_block;
  nrt_sys_trace_num_err_t num_err;
  nrt_sys_trace_enc_barrier_t enc_barrier_recv;
  nrt_sys_trace_enc_barrier_t enc_barrier_send;
  nrt_sys_trace_enc_barrier_t enc_barrier;
  nrt_sys_trace_exec_t exec_pre;
  nrt_sys_trace_exec_t exec_core;
  nrt_sys_trace_exec_t exec_wait;
  nrt_sys_trace_exec_t exec_post;
  nrt_sys_trace_exec_t model_exec;
  nrt_sys_trace_model_switch_t model_switch;
  nrt_sys_trace_async_sema_wait_t async_sema_wait;
  nrt_sys_trace_hw_notify_t hw_notify;
  nrt_sys_trace_timestamp_sync_t timestamp_sync;
  nrt_sys_trace_dmem_buf_copy_t dmem_buf_copyin;
  nrt_sys_trace_dmem_buf_copy_t dmem_buf_copyout;
  nrt_sys_trace_dmem_buf_batch_copy_t dmem_buf_batch_copyin;
  nrt_sys_trace_dmem_buf_batch_copy_t dmem_buf_batch_copyout;
  nrt_sys_trace_dma_mem_alloc_start_t dma_mem_alloc_start;
  nrt_sys_trace_dma_mem_alloc_stop_t dma_mem_alloc_stop;
  nrt_sys_trace_dma_mem_dealloc_start_t dma_mem_dealloc_start;
  nrt_sys_trace_dma_mem_dealloc_stop_t dma_mem_dealloc_stop;
  nrt_sys_trace_hostcc_prepare_t hostcc_prepare;
  nrt_sys_trace_hostcc_context_t hostcc_schedule;
  nrt_sys_trace_hostcc_context_t hostcc_build_ctx;
  nrt_sys_trace_hostcc_load_t hostcc_load;
  nrt_sys_trace_hostcc_exec_t hostcc_exec;
  nrt_sys_trace_hostcc_wait_t hostcc_wait;
} nrt_sys_trace_event_data_t;
/* ---- the record ---- */

/** One event, as rings hold it and nrt_sys_trace_capture_drain_events() returns it. */
typedef struct nrt_sys_trace_event {
  uint32_t trace_type;   /* nrt_sys_trace_event_type_t; readers tolerate larger ones */
  uint64_t thread_id;    /* of the kernel */
  uint64_t id;           /* sequence number | nc_idx << 50 */
  uint64_t nc_local_id;  /* sequence number, from 1 */
  uint64_t tracking_id;  /* the same for the start and the stop of a span */
  uint64_t timestamp_ns; /* CLOCK_REALTIME */
  nrt_sys_trace_event_data_t data;
  uint32_t phase; /* nrt_sys_trace_event_phase_t */
  uint32_t nc_idx;
  uint64_t nrta_seq_id;    /* execution unit in the top 16 bits, its sequence number below */
  uint8_t has_nrta_seq_id; /* not 0: nrta_seq_id is set */
  uint8_t reserved[7];     /* 0 */
} nrt_sys_trace_event_t;

/* ---- what is behind the opaque types of nrt_sys_trace.h ---- */

struct nrt_sys_trace_config {
  uint64_t max_events_per_nc;
  bool capture_enabled_for_nc[NRT_SYS_TRACE_MAX_NC];
  bool capture_enabled_for_event_type[NRT_SYS_TRACE_EVENT_TYPE_COUNT];
};

struct nrt_sys_trace_fetch_options {
  uint64_t max_events_per_nc; /* 0: no limit */
  int64_t nc_idx;             /* read as 32 bits; negative: all */
};

/* ---- emitting ---- */

/**
 * Records an event, if a capture is running and has its core and its type switched on.
 *
 * @param phase       nrt_sys_trace_event_phase_t; others are stored as they are
 * @param type        nrt_sys_trace_event_type_t; others record nothing
 * @param data        payload of (type, phase), all 40 bytes are copied; NULL for zeroes
 * @param tracking_id what the start of the span returned, to end it; 0 for a new id
 * @param nc_idx      core; one above 255 is warned about and taken as core 0
 * @return the tracking id of the event; 0 when nothing was recorded
 */
uint64_t nrt_sys_trace_new_event(uint32_t phase, uint32_t type,
                                 const nrt_sys_trace_event_data_t* data, uint64_t tracking_id,
                                 uint32_t nc_idx) NRT_NOEXCEPT;

/** nrt_sys_trace_new_event() with the sequence number of an asynchronous request. */
uint64_t nrt_sys_trace_new_event_with_seq(uint32_t phase, uint32_t type,
                                          const nrt_sys_trace_event_data_t* data,
                                          uint64_t tracking_id, uint32_t nc_idx,
                                          uint64_t nrta_seq_id) NRT_NOEXCEPT;

/* ---- lifecycle ---- */

/** What nrt_sys_trace_start() does. */
NRT_STATUS nrt_sys_trace_capture_start(const nrt_sys_trace_config_t* options) NRT_NOEXCEPT;
/** What nrt_sys_trace_stop() does. */
NRT_STATUS nrt_sys_trace_capture_stop(void) NRT_NOEXCEPT;
/** Stops if a capture is running. @return NRT_SUCCESS */
NRT_STATUS nrt_sys_trace_capture_close(void) NRT_NOEXCEPT;

/** @return events that each core keeps, as of the last start; 0 before the first */
uint64_t nrt_sys_trace_ring_size(void) NRT_NOEXCEPT;
/** @return events accepted since start, all cores together, whether still held or not */
uint64_t nrt_sys_trace_total_event_count(void) NRT_NOEXCEPT;

/* ---- reading out ---- */

/**
 * Takes the oldest events of one core. Concurrent callers get different ones.
 *
 * @param out   room for `max` records
 * @param count receives how many were written; 0 when the core captures nothing
 * @return NRT_SUCCESS; NRT_INVALID a NULL pointer or nc_idx above 255
 */
NRT_STATUS nrt_sys_trace_capture_drain_events(uint32_t nc_idx, nrt_sys_trace_event_t* out,
                                              uint64_t max, uint64_t* count) NRT_NOEXCEPT;

/** What nrt_sys_trace_fetch_events() does. */
NRT_STATUS nrt_sys_trace_fetch_events_internal(
    char** out, size_t* len, const nrt_sys_trace_fetch_options_t* options) NRT_NOEXCEPT;
/** What nrt_sys_trace_buffer_free() does. */
void nrt_sys_trace_buffer_free_internal(char* buffer) NRT_NOEXCEPT;

/* ---- interned strings: payloads carry ids, names are kept beside the events ---- */

/** Names by id. */
typedef struct nrt_interned_string_db_shard nrt_interned_string_db_shard_t;

/**
 * Computes the id of a string and keeps its name while a capture runs.
 *
 * @param s      UTF-8
 * @param nc_idx core whose events will use the id; one above 255 is taken as core 0
 * @return the id, 1..2^50, the same in every process; 0 for NULL and invalid UTF-8
 */
uint64_t nrt_sys_trace_capture_intern_string(const char* s, uint32_t nc_idx) NRT_NOEXCEPT;

/**
 * Adds the names that all cores know to a shard.
 *
 * @return NRT_SUCCESS; NRT_INVALID dst is NULL; NRT_RESOURCE no memory
 */
NRT_STATUS nrt_sys_trace_get_combined_string_db(nrt_interned_string_db_shard_t* dst) NRT_NOEXCEPT;

/** @return the id of a string without keeping it; 0 for NULL and invalid UTF-8 */
uint64_t nrt_interned_string_db_get_id(const char* s) NRT_NOEXCEPT;

/**
 * Keeps a name under an id, which is taken as it is. An id that has another name keeps the first,
 * with a warning.
 *
 * @return NRT_SUCCESS; NRT_INVALID a NULL pointer, an empty string or invalid UTF-8; NRT_RESOURCE
 * no memory
 */
NRT_STATUS nrt_interned_string_db_register_entry(
    const char* s, uint64_t id, nrt_interned_string_db_shard_t* shard) NRT_NOEXCEPT;

/**
 * Lists a shard, ids ascending.
 *
 * @param ids   receives an array of `count` ids
 * @param names receives an array of `count` names. Release both arrays with
 *              nrt_interned_string_db_free_entries(); they are not NULL even when empty
 * @return NRT_SUCCESS; NRT_INVALID a NULL pointer; NRT_RESOURCE no memory
 */
NRT_STATUS nrt_interned_string_db_get_entries(const nrt_interned_string_db_shard_t* shard,
                                              uint64_t** ids, char*** names,
                                              size_t* count) NRT_NOEXCEPT;
/** Releases what nrt_interned_string_db_get_entries() gave. */
void nrt_interned_string_db_free_entries(uint64_t* ids, char** names, size_t count) NRT_NOEXCEPT;

/** @return an empty shard, to be released with the function below; NULL without memory */
nrt_interned_string_db_shard_t* nrt_interned_string_db_shard_alloc(void) NRT_NOEXCEPT;
/** Releases a shard; NULL is ignored. */
void nrt_interned_string_db_shard_free(nrt_interned_string_db_shard_t* shard) NRT_NOEXCEPT;

/** Adds what `src` holds to `dst`. @return NRT_SUCCESS; NRT_INVALID a NULL pointer; NRT_RESOURCE */
NRT_STATUS nrt_interned_string_db_combine_shards(
    nrt_interned_string_db_shard_t* dst, const nrt_interned_string_db_shard_t* src) NRT_NOEXCEPT;

/* ---- what tracing asks of the program it lives in ---- */

/** Functions of the host program. They may be called from any thread, and must not emit events. */
struct nrt_sys_trace_host {
  void* context; /* first argument of the others */
  /**
   * How many cores are visible to the process. Without it: what
   * nrt_sys_trace_set_visible_vnc_count() was told; else nrt_get_visible_vnc_count(), if the
   * program has that function; else a warning, and none.
   */
  NRT_STATUS (*visible_vnc_count)(void* context, uint32_t* count);
  /** Global id of the worker that a visible core belongs to. Without it: the index of the core. */
  int32_t (*worker_gid)(void* context, uint32_t vnc);
  /**
   * Whether the default collectives algorithm (0) is shown, too. Without it: the environment
   * variable NEURON_RT_DBG_TOPSP_SYSTRACE_INCLUDE_DEFAULT_ALGO.
   */
  bool (*include_default_algo)(void* context);
  /** Takes one line; level: 1 error, 2 warning, 3 info, 4 debug, 5 trace. Without it: nlog. */
  void (*log)(void* context, int level, const char* message);
};

/** Sets the functions of the host program; the table is copied. NULL sets the defaults. */
void nrt_sys_trace_set_host(const struct nrt_sys_trace_host* host) NRT_NOEXCEPT;

/** For programs without a runtime: says how many cores are visible, from the next start on. */
void nrt_sys_trace_set_visible_vnc_count(uint32_t count) NRT_NOEXCEPT;

/* ---- the layouts are contracts ---- */

NRT_SYS_TRACE_SIZE(nrt_sys_trace_model_t, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_model_t, model_id, 0);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_post_request_t, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_post_request_t, model_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_post_request_t, request_id, 8);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_cc_load_start_t, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_load_start_t, g_device_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_load_start_t, g_device_count, 4);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_cc_exec_barrier_start_t, 32);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_exec_barrier_start_t, model_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_exec_barrier_start_t, exec_id, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_exec_barrier_start_t, sync, 16);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_nc_exec_start_t, 32);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_nc_exec_start_t, device_core_idx, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_nc_exec_start_t, exec_id, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_nc_exec_start_t, sync, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_nc_exec_start_t, model_id, 24);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_cc_exec_start_t, 40);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_exec_start_t, gid, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_exec_start_t, op_id, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_exec_start_t, exec_id, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_exec_start_t, sync, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_cc_exec_start_t, algo, 32);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_nc_model_switch_start_t, 40);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_nc_model_switch_start_t, device_core_idx, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_nc_model_switch_start_t, model_id, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_nc_model_switch_start_t, exec_id, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_nc_model_switch_start_t, sync, 24);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_sync_stop_t, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_sync_stop_t, sync, 0);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_tensor_t, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_tensor_t, tensor_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_tensor_t, size, 8);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_tensor_batch_t, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_tensor_batch_t, num_batches, 0);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_tensor_free_t, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_tensor_free_t, tensor_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_tensor_free_t, size, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_tensor_free_t, ref_count, 16);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_tensor_block_t, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_tensor_block_t, tensor_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_tensor_block_t, pending_reader_count, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_tensor_block_t, pending_writer_count, 16);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_num_err_t, 32);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_num_err_t, device_core_idx, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_num_err_t, exec_id, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_num_err_t, sync, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_num_err_t, model_id, 24);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_enc_barrier_t, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_enc_barrier_t, peer_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_enc_barrier_t, exec_id, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_enc_barrier_t, nec_dev_id, 16);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_exec_t, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_exec_t, exec_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_exec_t, model_id, 8);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_model_switch_t, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_model_switch_t, device_core_idx, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_model_switch_t, model_id, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_model_switch_t, is_neuron_core_work, 16);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_async_sema_wait_t, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_async_sema_wait_t, available_request_slots, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_async_sema_wait_t, has_work, 8);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_hw_notify_t, 40);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hw_notify_t, device_core_idx, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hw_notify_t, hint, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hw_notify_t, custom_data, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hw_notify_t, exec_id, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hw_notify_t, sync, 24);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_timestamp_sync_t, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_timestamp_sync_t, exec_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_timestamp_sync_t, nc_timestamp_ns, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_timestamp_sync_t, cpu_timestamp_ns, 16);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_dmem_buf_copy_t, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dmem_buf_copy_t, mem_type, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dmem_buf_copy_t, mem_handle, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dmem_buf_copy_t, offset, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dmem_buf_copy_t, size, 20);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_dmem_buf_batch_copy_t, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dmem_buf_batch_copy_t, mem_type, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dmem_buf_batch_copy_t, num_batches, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dmem_buf_batch_copy_t, total_num_ops, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dmem_buf_batch_copy_t, total_size, 16);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_dma_mem_alloc_start_t, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_start_t, hbm_idx, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_start_t, usage_type, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_start_t, is_nc_hbm, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_start_t, is_aligned, 9);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_start_t, mla_idx, 12);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_dma_mem_alloc_stop_t, 40);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_stop_t, allocated_bytes, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_stop_t, physical_address, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_stop_t, return_code, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_stop_t, usage_type_total_bytes, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_alloc_stop_t, total_bytes, 32);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_dma_mem_dealloc_start_t, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_dealloc_start_t, hbm_idx, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_dealloc_start_t, is_nc_hbm, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_dealloc_start_t, mla_idx, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_dealloc_start_t, usage_type, 12);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_dealloc_start_t, physical_address, 16);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_dma_mem_dealloc_stop_t, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_dealloc_stop_t, freed_bytes, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_dealloc_stop_t, usage_type_total_bytes, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_dma_mem_dealloc_stop_t, total_bytes, 16);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_hostcc_prepare_t, 12);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_prepare_t, ctx_device_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_prepare_t, ctx_device_count, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_prepare_t, cc_op, 8);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_hostcc_context_t, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_context_t, ctx_device_id, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_context_t, ctx_device_count, 4);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_hostcc_load_t, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_load_t, enc_op, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_load_t, dtype, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_load_t, num_elem, 8);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_hostcc_exec_t, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_exec_t, stream_id, 0);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_hostcc_wait_t, 4);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_hostcc_wait_t, total_notif_expected, 0);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_sync_t, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_sync_t, cpu_timestamp_ns, 8);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_event_data_t, 40);
NRT_SYS_TRACE_SIZE(nrt_sys_trace_event_t, 112);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, trace_type, 0);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, thread_id, 8);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, id, 16);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, nc_local_id, 24);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, tracking_id, 32);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, timestamp_ns, 40);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, data, 48);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, phase, 88);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, nc_idx, 92);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, nrta_seq_id, 96);
NRT_SYS_TRACE_OFFSET(nrt_sys_trace_event_t, has_nrta_seq_id, 104);
NRT_SYS_TRACE_SIZE(struct nrt_sys_trace_config, 312);
NRT_SYS_TRACE_OFFSET(struct nrt_sys_trace_config, max_events_per_nc, 0);
NRT_SYS_TRACE_OFFSET(struct nrt_sys_trace_config, capture_enabled_for_nc, 8);
NRT_SYS_TRACE_OFFSET(struct nrt_sys_trace_config, capture_enabled_for_event_type, 264);
NRT_SYS_TRACE_SIZE(struct nrt_sys_trace_fetch_options, 16);
NRT_SYS_TRACE_OFFSET(struct nrt_sys_trace_fetch_options, max_events_per_nc, 0);
NRT_SYS_TRACE_OFFSET(struct nrt_sys_trace_fetch_options, nc_idx, 8);

#undef NRT_SYS_TRACE_OFFSET
#undef NRT_SYS_TRACE_SIZE
#undef NRT_SYS_TRACE_ASSERT

#ifdef __cplusplus
}
#endif

#endif /* NRT_NRT_SYS_TRACE_INTERNAL_H */
