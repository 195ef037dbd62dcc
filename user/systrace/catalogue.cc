// SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

#include <array>
#include <cstddef>
#include <type_traits>

namespace ndtel::systrace {

namespace {

template <typename Member>
constexpr Storage storage_of() {
  if constexpr (std::is_same_v<Member, bool>) return Storage::kBool;
  if constexpr (std::is_same_v<Member, std::uint8_t>) return Storage::kU8;
  if constexpr (std::is_same_v<Member, std::uint16_t>) return Storage::kU16;
  if constexpr (std::is_same_v<Member, std::uint32_t>) return Storage::kU32;
  if constexpr (std::is_same_v<Member, std::int32_t>) return Storage::kI32;
  if constexpr (std::is_same_v<Member, std::uint64_t>) return Storage::kU64;
}

template <typename Member>
constexpr Form form_of() {
  return std::is_same_v<Member, bool> ? Form::kBool : Form::kNumber;
}

template <typename Member>
constexpr Key make_key(const char* name, std::size_t offset, Form form, Rule rule) {
  return {name, storage_of<Member>(), form, rule, static_cast<std::uint8_t>(offset)};
}

// A key is called like the member it shows.
#define KEY_AS(payload, member, form, rule)                \
  make_key<decltype(nrt_sys_trace_##payload##_t::member)>( \
      #member, offsetof(nrt_sys_trace_##payload##_t, member), form, Rule::k##rule)
#define KEY(payload, member) \
  KEY_AS(payload, member, form_of<decltype(nrt_sys_trace_##payload##_t::member)>(), None)
#define MODEL(payload) KEY_AS(payload, model_id, Form::kNumber, Model)
#define KNOWN_MODEL(payload) KEY_AS(payload, model_id, Form::kNumber, KnownModel)
#define TEXT(payload, member, form) KEY_AS(payload, member, Form::form, None)
#define DEVICE_TIME(payload)                                                              \
  make_key<std::uint64_t>("nc_timestamp_ns", offsetof(nrt_sys_trace_##payload##_t, sync), \
                          Form::kNumber, Rule::kDeviceTime)

constexpr std::span<const Key> kNoKeys;

constexpr Key kModel[] = {MODEL(model)};
constexpr Key kPostRequest[] = {KEY(post_request, request_id), MODEL(post_request)};
constexpr Key kCcLoadStart[] = {KEY(cc_load_start, g_device_id),
                                KEY(cc_load_start, g_device_count)};
constexpr Key kCcExecBarrierStart[] = {DEVICE_TIME(cc_exec_barrier_start),
                                       MODEL(cc_exec_barrier_start)};
constexpr Key kNcExecStart[] = {KEY(nc_exec_start, device_core_idx), KEY(nc_exec_start, exec_id),
                                DEVICE_TIME(nc_exec_start), KNOWN_MODEL(nc_exec_start)};
constexpr Key kCcExecStart[] = {
    KEY(cc_exec_start, gid), KEY(cc_exec_start, op_id), DEVICE_TIME(cc_exec_start),
    KEY(cc_exec_start, exec_id),
    make_key<std::uint32_t>("algorithm", offsetof(nrt_sys_trace_cc_exec_start_t, algo),
                            Form::kAlgorithm, Rule::kAlgorithm)};
constexpr Key kNcModelSwitchStart[] = {
    KEY(nc_model_switch_start, device_core_idx), MODEL(nc_model_switch_start),
    KEY(nc_model_switch_start, exec_id), DEVICE_TIME(nc_model_switch_start)};
constexpr Key kSyncStop[] = {DEVICE_TIME(sync_stop)};
constexpr Key kTensor[] = {KEY(tensor, tensor_id), KEY(tensor, size)};
constexpr Key kTensorBatch[] = {KEY(tensor_batch, num_batches)};
constexpr Key kTensorFree[] = {KEY(tensor_free, tensor_id), KEY(tensor_free, size),
                               KEY(tensor_free, ref_count)};
constexpr Key kTensorBlock[] = {KEY(tensor_block, tensor_id),
                                KEY(tensor_block, pending_reader_count),
                                KEY(tensor_block, pending_writer_count)};
constexpr Key kNumErr[] = {KEY(num_err, device_core_idx), KEY(num_err, exec_id),
                           DEVICE_TIME(num_err), KNOWN_MODEL(num_err)};
constexpr Key kEncBarrier[] = {KEY(enc_barrier, peer_id), KEY(enc_barrier, exec_id),
                               KEY(enc_barrier, nec_dev_id)};
constexpr Key kExec[] = {KEY(exec, exec_id), MODEL(exec)};
constexpr Key kExecOnly[] = {KEY(exec, exec_id)};
constexpr Key kModelSwitch[] = {KEY(model_switch, device_core_idx),
                                KEY(model_switch, is_neuron_core_work), MODEL(model_switch)};
constexpr Key kAsyncSemaWait[] = {KEY(async_sema_wait, available_request_slots),
                                  KEY(async_sema_wait, has_work)};
constexpr Key kHwNotify[] = {KEY(hw_notify, device_core_idx), KEY(hw_notify, hint),
                             KEY(hw_notify, custom_data), DEVICE_TIME(hw_notify),
                             KEY(hw_notify, exec_id)};
// Its two times are members of their own, in the order of a sync pair.
static_assert(offsetof(nrt_sys_trace_timestamp_sync_t, cpu_timestamp_ns) ==
              offsetof(nrt_sys_trace_timestamp_sync_t, nc_timestamp_ns) + sizeof(std::uint64_t));
constexpr Key kTimestampSync[] = {
    KEY(timestamp_sync, exec_id),
    KEY_AS(timestamp_sync, nc_timestamp_ns, Form::kNumber, DeviceTime),
    KEY(timestamp_sync, cpu_timestamp_ns)};
constexpr Key kDmemBufCopy[] = {TEXT(dmem_buf_copy, mem_type, kMemType),
                                KEY(dmem_buf_copy, mem_handle), KEY(dmem_buf_copy, offset),
                                KEY(dmem_buf_copy, size)};
constexpr Key kDmemBufBatchCopy[] = {
    TEXT(dmem_buf_batch_copy, mem_type, kMemType), KEY(dmem_buf_batch_copy, num_batches),
    KEY(dmem_buf_batch_copy, total_num_ops), KEY(dmem_buf_batch_copy, total_size)};
constexpr Key kDmaMemAllocStart[] = {
    KEY(dma_mem_alloc_start, hbm_idx), KEY(dma_mem_alloc_start, is_nc_hbm),
    KEY(dma_mem_alloc_start, is_aligned), KEY(dma_mem_alloc_start, mla_idx),
    TEXT(dma_mem_alloc_start, usage_type, kUsageType)};
constexpr Key kDmaMemAllocStop[] = {
    KEY(dma_mem_alloc_stop, allocated_bytes), KEY(dma_mem_alloc_stop, total_bytes),
    KEY(dma_mem_alloc_stop, usage_type_total_bytes), KEY(dma_mem_alloc_stop, return_code),
    TEXT(dma_mem_alloc_stop, physical_address, kHex)};
constexpr Key kDmaMemDeallocStart[] = {
    KEY(dma_mem_dealloc_start, hbm_idx), KEY(dma_mem_dealloc_start, is_nc_hbm),
    KEY(dma_mem_dealloc_start, mla_idx), TEXT(dma_mem_dealloc_start, usage_type, kUsageType),
    TEXT(dma_mem_dealloc_start, physical_address, kHex)};
constexpr Key kDmaMemDeallocStop[] = {KEY(dma_mem_dealloc_stop, freed_bytes),
                                      KEY(dma_mem_dealloc_stop, total_bytes),
                                      KEY(dma_mem_dealloc_stop, usage_type_total_bytes)};
constexpr Key kHostccPrepare[] = {KEY(hostcc_prepare, ctx_device_id),
                                  KEY(hostcc_prepare, ctx_device_count),
                                  KEY(hostcc_prepare, cc_op)};
constexpr Key kHostccContext[] = {KEY(hostcc_context, ctx_device_id),
                                  KEY(hostcc_context, ctx_device_count)};
constexpr Key kHostccLoad[] = {KEY(hostcc_load, enc_op), KEY(hostcc_load, dtype),
                               KEY(hostcc_load, num_elem)};
constexpr Key kHostccExec[] = {KEY(hostcc_exec, stream_id)};
constexpr Key kHostccWait[] = {KEY(hostcc_wait, total_notif_expected)};

#undef DEVICE_TIME
#undef TEXT
#undef KNOWN_MODEL
#undef MODEL
#undef KEY
#undef KEY_AS

// A span whose start and stop have payloads of their own. Few of them are emitted as instants, too.
constexpr EventType span(nrt_sys_trace_event_type_t type, const char* name, const char* alias,
                         std::span<const Key> start, std::span<const Key> stop,
                         std::span<const Key> instant = {}) {
  return {type, name, alias, {start, stop, instant}};
}

// One payload: it belongs to the start, or to the instant if the event is emitted as one.
constexpr EventType single(nrt_sys_trace_event_type_t type, const char* name, const char* alias,
                           std::span<const Key> keys) {
  return {type, name, alias, {keys, {}, keys}};
}

constexpr EventType instant(nrt_sys_trace_event_type_t type, const char* name, const char* alias,
                            std::span<const Key> keys) {
  return {type, name, alias, {{}, {}, keys}};
}

#define TYPE(suffix) NRT_SYS_TRACE_EVENT_TYPE_##suffix

constexpr std::array<EventType, NRT_SYS_TRACE_EVENT_TYPE_COUNT> kTypes = {{
    single(TYPE(GENERIC), "generic", "generic", kNoKeys),
    span(TYPE(MODEL_LOAD), "nrt_load", "model_load", kNoKeys, kModel),
    single(TYPE(POST_REQUEST), "post_request", "post_request", kPostRequest),
    single(TYPE(EXECUTE_API), "nrt_execute", "execute_api", kModel),
    single(TYPE(RUNTIME_EXECUTE), "kmgr_exec", "runtime_execute", kModel),
    span(TYPE(CC_LOAD), "cc_load", "cc_load", kCcLoadStart, kModel),
    span(TYPE(CC_EXEC_BARRIER), "cc_exec_barrier", "cc_exec_barrier", kCcExecBarrierStart,
         kSyncStop),
    span(TYPE(DEVICE_EXEC), "nc_exec_running", "device_exec", kNcExecStart, kSyncStop),
    span(TYPE(CC_EXEC), "cc_running", "cc_exec", kCcExecStart, kSyncStop),
    single(TYPE(TENSOR_READ), "nrt_tensor_read", "tensor_read", kTensor),
    single(TYPE(TENSOR_WRITE), "nrt_tensor_write", "tensor_write", kTensor),
    single(TYPE(TENSOR_READ_BATCH), "nrt_tensor_read_batch", "tensor_read_batch", kTensorBatch),
    single(TYPE(TENSOR_WRITE_BATCH), "nrt_tensor_write_batch", "tensor_write_batch", kTensorBatch),
    instant(TYPE(NUM_ERR), "numerical_err", "num_err", kNumErr),
    single(TYPE(ENC_BARRIER_RECV), "enc_barrier_recv", "enc_barrier_recv", kEncBarrier),
    single(TYPE(ENC_BARRIER_SEND), "enc_barrier_send", "enc_barrier_send", kEncBarrier),
    single(TYPE(ENC_BARRIER), "enc_barrier", "enc_barrier", kEncBarrier),
    single(TYPE(EXEC_PRE), "kbl_exec_pre", "exec_pre", kExec),
    single(TYPE(EXEC_CORE), "kmgr_exec_core", "exec_core", kExec),
    single(TYPE(EXEC_WAIT), "kbl_exec_wait", "exec_wait", kExec),
    single(TYPE(EXEC_POST), "kbl_exec_post", "exec_post", kExec),
    single(TYPE(MODEL_SWITCH), "nrt_model_switch", "model_switch", kModelSwitch),
    single(TYPE(MODEL_SUBMIT), "nrt_model_submit", "model_submit", kModel),
    single(TYPE(ASYNC_SEMA_WAIT), "nrt_async_sema_wait", "async_sema_wait", kAsyncSemaWait),
    single(TYPE(HW_NOTIFY), "hw_notify", "hw_notify", kHwNotify),
    single(TYPE(TIMESTAMP_SYNC), "timestamp_sync_point", "timestamp_sync", kTimestampSync),
    span(TYPE(NC_MODEL_SWITCH), "nc_model_switch", "nc_model_switch", kNcModelSwitchStart,
         kSyncStop),
    single(TYPE(TENSOR_ALLOC), "nrt_tensor_allocate", "tensor_alloc", kTensor),
    single(TYPE(TENSOR_FREE), "nrt_tensor_free", "tensor_free", kTensorFree),
    single(TYPE(TENSOR_BLOCK_WHILE_EXEC), "tensor_block_while_exec", "tensor_block_while_exec",
           kTensorBlock),
    single(TYPE(DMEM_BUF_COPYIN), "dmem_buf_copyin", "dmem_buf_copyin", kDmemBufCopy),
    single(TYPE(DMEM_BUF_COPYOUT), "dmem_buf_copyout", "dmem_buf_copyout", kDmemBufCopy),
    single(TYPE(DMEM_BUF_BATCH_COPYIN), "dmem_buf_batch_copyin", "dmem_buf_batch_copyin",
           kDmemBufBatchCopy),
    single(TYPE(DMEM_BUF_BATCH_COPYOUT), "dmem_buf_batch_copyout", "dmem_buf_batch_copyout",
           kDmemBufBatchCopy),
    span(TYPE(DMA_MEM_ALLOC), "nrt_dma_mem_alloc", "dma_mem_alloc", kDmaMemAllocStart,
         kDmaMemAllocStop, kDmaMemAllocStart),
    span(TYPE(DMA_MEM_DEALLOC), "nrt_dma_mem_dealloc", "dma_mem_dealloc", kDmaMemDeallocStart,
         kDmaMemDeallocStop, kDmaMemDeallocStart),
    single(TYPE(CONSUME_TPB_STATUS_NOTIFICATIONS), "exec_consume_nc_status_notifications",
           "consume_tpb_status_notifications", kExecOnly),
    single(TYPE(CONSUME_TOPSP_CC_NOTIFICATIONS), "exec_consume_cc_core_notifications",
           "consume_topsp_cc_notifications", kExec),
    single(TYPE(CONSUME_ERROR_NOTIFICATIONS), "notification_consume_errors",
           "consume_error_notifications", kExec),
    single(TYPE(CONSUME_POOL_STDIO), "exec_consume_gpsimd_stdio", "consume_pool_stdio", kExec),
    single(TYPE(CC_PREPARE), "nrta_cc_prepare", "cc_prepare", kHostccPrepare),
    single(TYPE(CC_SCHEDULE), "nrta_cc_schedule", "cc_schedule", kHostccContext),
    single(TYPE(HOSTCC_BUILD_CONTEXT), "hostcc_build_context", "hostcc_build_context",
           kHostccContext),
    single(TYPE(HOSTCC_LOAD), "hostcc_load", "hostcc_load", kHostccLoad),
    single(TYPE(HOSTCC_EXEC), "hostcc_exec", "hostcc_exec", kHostccExec),
    single(TYPE(HOSTCC_WAIT), "hostcc_wait", "hostcc_wait", kHostccWait),
}};

#undef TYPE

constexpr bool numbers_are_indices() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].type != i) return false;
  }
  return true;
}
static_assert(numbers_are_indices());

constexpr std::string_view kUsageTypes[] = {
    "Generic",
    "Tensor Instructions",
    "Scalar Instructions",
    "GpSimd Instructions",
    "IO",
    "DRAM Spill",
    "Weights",
    "Profiler Buffers",
    "Scalar Table",
    "Vector Instructions",
    "Sync Instructions",
    "Shared Scratchpad",
    "Tensors",
    "Ucode lib",
    "GpSimd STDIO",
    "Collectives",
    "Scratchpad",
    "XT CC",
    "DMA Rings Runtime",
    "DMA Rings Spill",
    "DMA Rings IO",
    "DMA Rings Collectives",
};
static_assert(std::size(kUsageTypes) == 22);

constexpr std::string_view kMemTypes[] = {"INVALID", "HOST_DRAM", "TONGA_DRAM"};

constexpr std::string_view kAlgorithms[] = {
    "Ring",
    "Hier",
    "Mesh",
    "Kangaring",
    "Invalid",
    "RDH",
    "Single Step Mesh",
    "RDH",
    "UltraServer Mesh",
    "Mesh",
    "Bw Optimal Mesh",
};
static_assert(std::size(kAlgorithms) == 11);

template <std::size_t N>
std::string_view name_of(const std::string_view (&names)[N], std::uint64_t value,
                         std::string_view otherwise) {
  return value < N ? names[value] : otherwise;
}

}  // namespace

std::span<const EventType, NRT_SYS_TRACE_EVENT_TYPE_COUNT> event_types() noexcept { return kTypes; }

std::optional<nrt_sys_trace_event_type_t> find_event_type(std::string_view name) noexcept {
  for (const EventType& candidate : kTypes) {
    if (name == candidate.name || name == candidate.alias) return candidate.type;
  }
  return std::nullopt;
}

std::string_view event_type_name(std::uint32_t type) noexcept {
  return type < kTypes.size() ? kTypes[type].name : "unknown";
}

std::string_view phase_name(std::uint32_t phase) noexcept {
  switch (phase) {
    case NRT_SYS_TRACE_EVENT_PHASE_START:
      return "start";
    case NRT_SYS_TRACE_EVENT_PHASE_STOP:
      return "stop";
    case NRT_SYS_TRACE_EVENT_PHASE_INSTANT:
      return "instant";
    default:
      return "unknown";
  }
}

nrt_sys_trace_event_category_t event_category(std::uint32_t type) noexcept {
  if (type >= NRT_SYS_TRACE_EVENT_TYPE_COUNT) return NRT_SYS_TRACE_EVENT_CATEGORY_UNKNOWN;
  return (std::uint64_t{NRT_SYS_TRACE_HARDWARE_TYPES} >> type & 1) != 0
             ? NRT_SYS_TRACE_EVENT_CATEGORY_HARDWARE
             : NRT_SYS_TRACE_EVENT_CATEGORY_SOFTWARE;
}

std::string_view usage_type_name(std::uint64_t usage_type) noexcept {
  return name_of(kUsageTypes, usage_type, "UNKNOWN");
}

std::string_view mem_type_name(std::uint64_t mem_type) noexcept {
  return name_of(kMemTypes, mem_type, "UNKNOWN");
}

std::string_view algorithm_name(std::uint64_t algorithm) noexcept {
  return name_of(kAlgorithms, algorithm, "Invalid");
}

std::uint64_t host_time_ns(const nrt_sys_trace_event_t& event) noexcept {
  for (const Key& key : payload_keys(event.trace_type, event.phase)) {
    if (key.rule != Rule::kDeviceTime) continue;
    if (const std::uint64_t host = read_host_time(event.data, key); host != 0) return host;
  }
  return event.timestamp_ns;
}

}  // namespace ndtel::systrace
