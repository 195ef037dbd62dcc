// SPDX-License-Identifier: Apache-2.0
//
// Event types and their payloads as C++ types. A payload is filled by the names of its members:
//
//   event::TensorRead::Start{.tensor_id = id, .size = bytes}
//
// The reserved members stand where the layout has gaps, so that no byte of a record is left to
// chance; leave them alone.
#ifndef NDTEL_TRACE_EVENTS_HPP
#define NDTEL_TRACE_EVENTS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::trace {

/// Payloads. Ids of models and tensors are those of interned strings; sizes are bytes.
namespace payload {

struct Empty {};

/// One boundary seen by both clocks.
struct Sync {
  std::uint64_t nc_timestamp_ns = 0;   // device time
  std::uint64_t cpu_timestamp_ns = 0;  // CLOCK_REALTIME; 0 when not known
};

enum class MemType : std::uint8_t { kInvalid = 0, kHostDram = 1, kDeviceDram = 2 };

struct Model {
  std::uint64_t model_id = 0;
};

struct PostRequest {
  std::uint64_t model_id = 0;
  std::uint32_t request_id = 0;
  std::uint32_t reserved0 = 0;
};

struct CcLoadStart {
  std::uint32_t g_device_id = 0;
  std::uint32_t g_device_count = 0;
};

struct CcExecBarrierStart {
  std::uint64_t model_id = 0;
  std::uint32_t exec_id = 0;
  std::uint32_t reserved0 = 0;
  Sync sync{};
};

struct NcExecStart {
  std::uint32_t device_core_idx = 0;
  std::uint32_t exec_id = 0;
  Sync sync{};
  std::uint64_t model_id = 0;  // 0 when not known
};

struct CcExecStart {
  std::uint32_t gid = 0;
  std::uint32_t op_id = 0;
  std::uint32_t exec_id = 0;
  std::uint32_t reserved0 = 0;
  Sync sync{};
  std::uint32_t algo = 0;  // number of the collectives algorithm
  std::uint32_t reserved1 = 0;
};

struct NcModelSwitchStart {
  std::uint32_t device_core_idx = 0;
  std::uint32_t reserved0 = 0;
  std::uint64_t model_id = 0;
  std::uint64_t exec_id = 0;
  Sync sync{};
};

struct DeviceTime {
  Sync sync{};
};

struct Tensor {
  std::uint64_t tensor_id = 0;
  std::uint64_t size = 0;
};

struct TensorBatch {
  std::uint32_t num_batches = 0;
};

struct TensorFree {
  std::uint64_t tensor_id = 0;
  std::uint64_t size = 0;
  std::uint64_t ref_count = 0;
};

struct TensorBlock {
  std::uint64_t tensor_id = 0;
  std::uint64_t pending_reader_count = 0;
  std::uint64_t pending_writer_count = 0;
};

struct NumErr {
  std::uint32_t device_core_idx = 0;
  std::uint32_t exec_id = 0;
  Sync sync{};
  std::uint64_t model_id = 0;  // 0 when not known
};

struct EncBarrier {
  std::int32_t peer_id = 0;
  std::uint32_t reserved0 = 0;
  std::uint64_t exec_id = 0;
  std::int32_t nec_dev_id = 0;
  std::uint32_t reserved1 = 0;
};

struct Exec {
  std::uint64_t exec_id = 0;
  std::uint64_t model_id = 0;
};

struct ModelSwitch {
  std::uint32_t device_core_idx = 0;
  std::uint32_t reserved0 = 0;
  std::uint64_t model_id = 0;
  bool is_neuron_core_work = false;
  std::uint8_t reserved1 = 0;
  std::uint16_t reserved2 = 0;
  std::uint32_t reserved3 = 0;
};

struct AsyncSemaWait {
  std::uint64_t available_request_slots = 0;
  bool has_work = false;
  std::uint8_t reserved0 = 0;
  std::uint16_t reserved1 = 0;
  std::uint32_t reserved2 = 0;
};

struct HwNotify {
  std::uint32_t device_core_idx = 0;
  std::uint16_t hint = 0;
  std::uint16_t reserved0 = 0;
  std::uint32_t custom_data = 0;
  std::uint32_t reserved1 = 0;
  std::uint64_t exec_id = 0;
  Sync sync{};
};

struct TimestampSync {
  std::uint64_t exec_id = 0;
  std::uint64_t nc_timestamp_ns = 0;
  std::uint64_t cpu_timestamp_ns = 0;
};

struct DmemBufCopy {
  MemType mem_type = MemType::kInvalid;
  std::uint8_t reserved0 = 0;
  std::uint16_t reserved1 = 0;
  std::uint32_t reserved2 = 0;
  std::uint64_t mem_handle = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct DmemBufBatchCopy {
  MemType mem_type = MemType::kInvalid;
  std::uint8_t reserved0 = 0;
  std::uint16_t reserved1 = 0;
  std::uint32_t num_batches = 0;
  std::uint32_t total_num_ops = 0;
  std::uint32_t reserved2 = 0;
  std::uint64_t total_size = 0;
};

struct DmaMemAllocStart {
  std::uint32_t hbm_idx = 0;
  std::uint32_t usage_type = 0;  // tdrv_mem_usage_t
  bool is_nc_hbm = false;
  bool is_aligned = false;
  std::uint16_t reserved0 = 0;
  std::uint32_t mla_idx = 0;
};

struct DmaMemAllocStop {
  std::uint64_t allocated_bytes = 0;
  std::uint64_t physical_address = 0;
  std::uint64_t return_code = 0;
  std::uint64_t usage_type_total_bytes = 0;
  std::uint64_t total_bytes = 0;
};

struct DmaMemDeallocStart {
  std::uint32_t hbm_idx = 0;
  bool is_nc_hbm = false;
  std::uint8_t reserved0 = 0;
  std::uint16_t reserved1 = 0;
  std::uint32_t mla_idx = 0;
  std::uint32_t usage_type = 0;  // tdrv_mem_usage_t
  std::uint64_t physical_address = 0;
};

struct DmaMemDeallocStop {
  std::uint64_t freed_bytes = 0;
  std::uint64_t usage_type_total_bytes = 0;
  std::uint64_t total_bytes = 0;
};

struct HostccPrepare {
  std::uint32_t ctx_device_id = 0;
  std::uint32_t ctx_device_count = 0;
  std::uint32_t cc_op = 0;
};

struct HostccContext {
  std::uint32_t ctx_device_id = 0;
  std::uint32_t ctx_device_count = 0;
};

struct HostccLoad {
  std::uint32_t enc_op = 0;
  std::uint32_t dtype = 0;
  std::uint64_t num_elem = 0;
};

struct HostccExec {
  std::uint32_t stream_id = 0;
};

struct HostccWait {
  std::uint32_t total_notif_expected = 0;
};

#define NDTEL_SAME_SIZE(payload, member)                                                     \
  static_assert(std::has_unique_object_representations_v<payload>, #payload " has no gaps"); \
  static_assert(sizeof(payload) == sizeof(nrt_sys_trace_##member##_t))
#define NDTEL_SAME_PLACE(payload, member, field)                                          \
  static_assert(offsetof(payload, field) == offsetof(nrt_sys_trace_##member##_t, field)); \
  static_assert(sizeof(payload::field) == sizeof(nrt_sys_trace_##member##_t::field))

NDTEL_SAME_SIZE(Sync, sync);
NDTEL_SAME_PLACE(Sync, sync, nc_timestamp_ns);
NDTEL_SAME_PLACE(Sync, sync, cpu_timestamp_ns);
NDTEL_SAME_SIZE(Model, model);
NDTEL_SAME_PLACE(Model, model, model_id);
NDTEL_SAME_SIZE(PostRequest, post_request);
NDTEL_SAME_PLACE(PostRequest, post_request, model_id);
NDTEL_SAME_PLACE(PostRequest, post_request, request_id);
NDTEL_SAME_SIZE(CcLoadStart, cc_load_start);
NDTEL_SAME_PLACE(CcLoadStart, cc_load_start, g_device_id);
NDTEL_SAME_PLACE(CcLoadStart, cc_load_start, g_device_count);
NDTEL_SAME_SIZE(CcExecBarrierStart, cc_exec_barrier_start);
NDTEL_SAME_PLACE(CcExecBarrierStart, cc_exec_barrier_start, model_id);
NDTEL_SAME_PLACE(CcExecBarrierStart, cc_exec_barrier_start, exec_id);
NDTEL_SAME_PLACE(CcExecBarrierStart, cc_exec_barrier_start, sync);
NDTEL_SAME_SIZE(NcExecStart, nc_exec_start);
NDTEL_SAME_PLACE(NcExecStart, nc_exec_start, device_core_idx);
NDTEL_SAME_PLACE(NcExecStart, nc_exec_start, exec_id);
NDTEL_SAME_PLACE(NcExecStart, nc_exec_start, sync);
NDTEL_SAME_PLACE(NcExecStart, nc_exec_start, model_id);
NDTEL_SAME_SIZE(CcExecStart, cc_exec_start);
NDTEL_SAME_PLACE(CcExecStart, cc_exec_start, gid);
NDTEL_SAME_PLACE(CcExecStart, cc_exec_start, op_id);
NDTEL_SAME_PLACE(CcExecStart, cc_exec_start, exec_id);
NDTEL_SAME_PLACE(CcExecStart, cc_exec_start, sync);
NDTEL_SAME_PLACE(CcExecStart, cc_exec_start, algo);
NDTEL_SAME_SIZE(NcModelSwitchStart, nc_model_switch_start);
NDTEL_SAME_PLACE(NcModelSwitchStart, nc_model_switch_start, device_core_idx);
NDTEL_SAME_PLACE(NcModelSwitchStart, nc_model_switch_start, model_id);
NDTEL_SAME_PLACE(NcModelSwitchStart, nc_model_switch_start, exec_id);
NDTEL_SAME_PLACE(NcModelSwitchStart, nc_model_switch_start, sync);
NDTEL_SAME_SIZE(DeviceTime, sync_stop);
NDTEL_SAME_PLACE(DeviceTime, sync_stop, sync);
NDTEL_SAME_SIZE(Tensor, tensor);
NDTEL_SAME_PLACE(Tensor, tensor, tensor_id);
NDTEL_SAME_PLACE(Tensor, tensor, size);
NDTEL_SAME_SIZE(TensorBatch, tensor_batch);
NDTEL_SAME_PLACE(TensorBatch, tensor_batch, num_batches);
NDTEL_SAME_SIZE(TensorFree, tensor_free);
NDTEL_SAME_PLACE(TensorFree, tensor_free, tensor_id);
NDTEL_SAME_PLACE(TensorFree, tensor_free, size);
NDTEL_SAME_PLACE(TensorFree, tensor_free, ref_count);
NDTEL_SAME_SIZE(TensorBlock, tensor_block);
NDTEL_SAME_PLACE(TensorBlock, tensor_block, tensor_id);
NDTEL_SAME_PLACE(TensorBlock, tensor_block, pending_reader_count);
NDTEL_SAME_PLACE(TensorBlock, tensor_block, pending_writer_count);
NDTEL_SAME_SIZE(NumErr, num_err);
NDTEL_SAME_PLACE(NumErr, num_err, device_core_idx);
NDTEL_SAME_PLACE(NumErr, num_err, exec_id);
NDTEL_SAME_PLACE(NumErr, num_err, sync);
NDTEL_SAME_PLACE(NumErr, num_err, model_id);
NDTEL_SAME_SIZE(EncBarrier, enc_barrier);
NDTEL_SAME_PLACE(EncBarrier, enc_barrier, peer_id);
NDTEL_SAME_PLACE(EncBarrier, enc_barrier, exec_id);
NDTEL_SAME_PLACE(EncBarrier, enc_barrier, nec_dev_id);
NDTEL_SAME_SIZE(Exec, exec);
NDTEL_SAME_PLACE(Exec, exec, exec_id);
NDTEL_SAME_PLACE(Exec, exec, model_id);
NDTEL_SAME_SIZE(ModelSwitch, model_switch);
NDTEL_SAME_PLACE(ModelSwitch, model_switch, device_core_idx);
NDTEL_SAME_PLACE(ModelSwitch, model_switch, model_id);
NDTEL_SAME_PLACE(ModelSwitch, model_switch, is_neuron_core_work);
NDTEL_SAME_SIZE(AsyncSemaWait, async_sema_wait);
NDTEL_SAME_PLACE(AsyncSemaWait, async_sema_wait, available_request_slots);
NDTEL_SAME_PLACE(AsyncSemaWait, async_sema_wait, has_work);
NDTEL_SAME_SIZE(HwNotify, hw_notify);
NDTEL_SAME_PLACE(HwNotify, hw_notify, device_core_idx);
NDTEL_SAME_PLACE(HwNotify, hw_notify, hint);
NDTEL_SAME_PLACE(HwNotify, hw_notify, custom_data);
NDTEL_SAME_PLACE(HwNotify, hw_notify, exec_id);
NDTEL_SAME_PLACE(HwNotify, hw_notify, sync);
NDTEL_SAME_SIZE(TimestampSync, timestamp_sync);
NDTEL_SAME_PLACE(TimestampSync, timestamp_sync, exec_id);
NDTEL_SAME_PLACE(TimestampSync, timestamp_sync, nc_timestamp_ns);
NDTEL_SAME_PLACE(TimestampSync, timestamp_sync, cpu_timestamp_ns);
NDTEL_SAME_SIZE(DmemBufCopy, dmem_buf_copy);
NDTEL_SAME_PLACE(DmemBufCopy, dmem_buf_copy, mem_type);
NDTEL_SAME_PLACE(DmemBufCopy, dmem_buf_copy, mem_handle);
NDTEL_SAME_PLACE(DmemBufCopy, dmem_buf_copy, offset);
NDTEL_SAME_PLACE(DmemBufCopy, dmem_buf_copy, size);
NDTEL_SAME_SIZE(DmemBufBatchCopy, dmem_buf_batch_copy);
NDTEL_SAME_PLACE(DmemBufBatchCopy, dmem_buf_batch_copy, mem_type);
NDTEL_SAME_PLACE(DmemBufBatchCopy, dmem_buf_batch_copy, num_batches);
NDTEL_SAME_PLACE(DmemBufBatchCopy, dmem_buf_batch_copy, total_num_ops);
NDTEL_SAME_PLACE(DmemBufBatchCopy, dmem_buf_batch_copy, total_size);
NDTEL_SAME_SIZE(DmaMemAllocStart, dma_mem_alloc_start);
NDTEL_SAME_PLACE(DmaMemAllocStart, dma_mem_alloc_start, hbm_idx);
NDTEL_SAME_PLACE(DmaMemAllocStart, dma_mem_alloc_start, usage_type);
NDTEL_SAME_PLACE(DmaMemAllocStart, dma_mem_alloc_start, is_nc_hbm);
NDTEL_SAME_PLACE(DmaMemAllocStart, dma_mem_alloc_start, is_aligned);
NDTEL_SAME_PLACE(DmaMemAllocStart, dma_mem_alloc_start, mla_idx);
NDTEL_SAME_SIZE(DmaMemAllocStop, dma_mem_alloc_stop);
NDTEL_SAME_PLACE(DmaMemAllocStop, dma_mem_alloc_stop, allocated_bytes);
NDTEL_SAME_PLACE(DmaMemAllocStop, dma_mem_alloc_stop, physical_address);
NDTEL_SAME_PLACE(DmaMemAllocStop, dma_mem_alloc_stop, return_code);
NDTEL_SAME_PLACE(DmaMemAllocStop, dma_mem_alloc_stop, usage_type_total_bytes);
NDTEL_SAME_PLACE(DmaMemAllocStop, dma_mem_alloc_stop, total_bytes);
NDTEL_SAME_SIZE(DmaMemDeallocStart, dma_mem_dealloc_start);
NDTEL_SAME_PLACE(DmaMemDeallocStart, dma_mem_dealloc_start, hbm_idx);
NDTEL_SAME_PLACE(DmaMemDeallocStart, dma_mem_dealloc_start, is_nc_hbm);
NDTEL_SAME_PLACE(DmaMemDeallocStart, dma_mem_dealloc_start, mla_idx);
NDTEL_SAME_PLACE(DmaMemDeallocStart, dma_mem_dealloc_start, usage_type);
NDTEL_SAME_PLACE(DmaMemDeallocStart, dma_mem_dealloc_start, physical_address);
NDTEL_SAME_SIZE(DmaMemDeallocStop, dma_mem_dealloc_stop);
NDTEL_SAME_PLACE(DmaMemDeallocStop, dma_mem_dealloc_stop, freed_bytes);
NDTEL_SAME_PLACE(DmaMemDeallocStop, dma_mem_dealloc_stop, usage_type_total_bytes);
NDTEL_SAME_PLACE(DmaMemDeallocStop, dma_mem_dealloc_stop, total_bytes);
NDTEL_SAME_SIZE(HostccPrepare, hostcc_prepare);
NDTEL_SAME_PLACE(HostccPrepare, hostcc_prepare, ctx_device_id);
NDTEL_SAME_PLACE(HostccPrepare, hostcc_prepare, ctx_device_count);
NDTEL_SAME_PLACE(HostccPrepare, hostcc_prepare, cc_op);
NDTEL_SAME_SIZE(HostccContext, hostcc_context);
NDTEL_SAME_PLACE(HostccContext, hostcc_context, ctx_device_id);
NDTEL_SAME_PLACE(HostccContext, hostcc_context, ctx_device_count);
NDTEL_SAME_SIZE(HostccLoad, hostcc_load);
NDTEL_SAME_PLACE(HostccLoad, hostcc_load, enc_op);
NDTEL_SAME_PLACE(HostccLoad, hostcc_load, dtype);
NDTEL_SAME_PLACE(HostccLoad, hostcc_load, num_elem);
NDTEL_SAME_SIZE(HostccExec, hostcc_exec);
NDTEL_SAME_PLACE(HostccExec, hostcc_exec, stream_id);
NDTEL_SAME_SIZE(HostccWait, hostcc_wait);
NDTEL_SAME_PLACE(HostccWait, hostcc_wait, total_notif_expected);

#undef NDTEL_SAME_PLACE
#undef NDTEL_SAME_SIZE

}  // namespace payload

/// Event types: the payload of a start, of a stop and of an instant. What has no payload in a phase
/// has payload::Empty there.
namespace event {

// X(Name, SUFFIX of the enum constant, Start, Stop, Instant)
#define NDTEL_TRACE_EVENTS(X)                                                                  \
  X(Generic, GENERIC, Empty, Empty, Empty)                                                     \
  X(ModelLoad, MODEL_LOAD, Empty, Model, Empty)                                                \
  X(PostRequest, POST_REQUEST, PostRequest, Empty, PostRequest)                                \
  X(ExecuteApi, EXECUTE_API, Model, Empty, Model)                                              \
  X(RuntimeExecute, RUNTIME_EXECUTE, Model, Empty, Model)                                      \
  X(CcLoad, CC_LOAD, CcLoadStart, Model, Empty)                                                \
  X(CcExecBarrier, CC_EXEC_BARRIER, CcExecBarrierStart, DeviceTime, Empty)                     \
  X(DeviceExec, DEVICE_EXEC, NcExecStart, DeviceTime, Empty)                                   \
  X(CcExec, CC_EXEC, CcExecStart, DeviceTime, Empty)                                           \
  X(TensorRead, TENSOR_READ, Tensor, Empty, Tensor)                                            \
  X(TensorWrite, TENSOR_WRITE, Tensor, Empty, Tensor)                                          \
  X(TensorReadBatch, TENSOR_READ_BATCH, TensorBatch, Empty, TensorBatch)                       \
  X(TensorWriteBatch, TENSOR_WRITE_BATCH, TensorBatch, Empty, TensorBatch)                     \
  X(NumErr, NUM_ERR, Empty, Empty, NumErr)                                                     \
  X(EncBarrierRecv, ENC_BARRIER_RECV, EncBarrier, Empty, EncBarrier)                           \
  X(EncBarrierSend, ENC_BARRIER_SEND, EncBarrier, Empty, EncBarrier)                           \
  X(EncBarrier, ENC_BARRIER, EncBarrier, Empty, EncBarrier)                                    \
  X(ExecPre, EXEC_PRE, Exec, Empty, Exec)                                                      \
  X(ExecCore, EXEC_CORE, Exec, Empty, Exec)                                                    \
  X(ExecWait, EXEC_WAIT, Exec, Empty, Exec)                                                    \
  X(ExecPost, EXEC_POST, Exec, Empty, Exec)                                                    \
  X(ModelSwitch, MODEL_SWITCH, ModelSwitch, Empty, ModelSwitch)                                \
  X(ModelSubmit, MODEL_SUBMIT, Model, Empty, Model)                                            \
  X(AsyncSemaWait, ASYNC_SEMA_WAIT, AsyncSemaWait, Empty, AsyncSemaWait)                       \
  X(HwNotify, HW_NOTIFY, HwNotify, Empty, HwNotify)                                            \
  X(TimestampSync, TIMESTAMP_SYNC, TimestampSync, Empty, TimestampSync)                        \
  X(NcModelSwitch, NC_MODEL_SWITCH, NcModelSwitchStart, DeviceTime, Empty)                     \
  X(TensorAlloc, TENSOR_ALLOC, Tensor, Empty, Tensor)                                          \
  X(TensorFree, TENSOR_FREE, TensorFree, Empty, TensorFree)                                    \
  X(TensorBlockWhileExec, TENSOR_BLOCK_WHILE_EXEC, TensorBlock, Empty, TensorBlock)            \
  X(DmemBufCopyin, DMEM_BUF_COPYIN, DmemBufCopy, Empty, DmemBufCopy)                           \
  X(DmemBufCopyout, DMEM_BUF_COPYOUT, DmemBufCopy, Empty, DmemBufCopy)                         \
  X(DmemBufBatchCopyin, DMEM_BUF_BATCH_COPYIN, DmemBufBatchCopy, Empty, DmemBufBatchCopy)      \
  X(DmemBufBatchCopyout, DMEM_BUF_BATCH_COPYOUT, DmemBufBatchCopy, Empty, DmemBufBatchCopy)    \
  X(DmaMemAlloc, DMA_MEM_ALLOC, DmaMemAllocStart, DmaMemAllocStop, DmaMemAllocStart)           \
  X(DmaMemDealloc, DMA_MEM_DEALLOC, DmaMemDeallocStart, DmaMemDeallocStop, DmaMemDeallocStart) \
  X(ConsumeTpbStatusNotifications, CONSUME_TPB_STATUS_NOTIFICATIONS, Exec, Empty, Exec)        \
  X(ConsumeTopspCcNotifications, CONSUME_TOPSP_CC_NOTIFICATIONS, Exec, Empty, Exec)            \
  X(ConsumeErrorNotifications, CONSUME_ERROR_NOTIFICATIONS, Exec, Empty, Exec)                 \
  X(ConsumePoolStdio, CONSUME_POOL_STDIO, Exec, Empty, Exec)                                   \
  X(CcPrepare, CC_PREPARE, HostccPrepare, Empty, HostccPrepare)                                \
  X(CcSchedule, CC_SCHEDULE, HostccContext, Empty, HostccContext)                              \
  X(HostccBuildContext, HOSTCC_BUILD_CONTEXT, HostccContext, Empty, HostccContext)             \
  X(HostccLoad, HOSTCC_LOAD, HostccLoad, Empty, HostccLoad)                                    \
  X(HostccExec, HOSTCC_EXEC, HostccExec, Empty, HostccExec)                                    \
  X(HostccWait, HOSTCC_WAIT, HostccWait, Empty, HostccWait)

#define NDTEL_TRACE_EVENT(name, suffix, start, stop, instant)                              \
  struct name {                                                                            \
    static constexpr nrt_sys_trace_event_type_t kType = NRT_SYS_TRACE_EVENT_TYPE_##suffix; \
    using Start = payload::start;                                                          \
    using Stop = payload::stop;                                                            \
    using Instant = payload::instant;                                                      \
  };
NDTEL_TRACE_EVENTS(NDTEL_TRACE_EVENT)
#undef NDTEL_TRACE_EVENT

/// Calls `visit.template operator()<Event>()` for each type, by ascending number.
template <typename Visit>
constexpr void for_each_type(Visit&& visit) {
#define NDTEL_TRACE_EVENT(name, suffix, start, stop, instant) visit.template operator()<name>();
  NDTEL_TRACE_EVENTS(NDTEL_TRACE_EVENT)
#undef NDTEL_TRACE_EVENT
}

#undef NDTEL_TRACE_EVENTS

}  // namespace event

/// The payload as a record holds it.
template <typename Payload>
nrt_sys_trace_event_data_t to_data(const Payload& payload) noexcept {
  static_assert(std::is_trivially_copyable_v<Payload>);
  static_assert(sizeof(Payload) <= sizeof(nrt_sys_trace_event_data_t));
  nrt_sys_trace_event_data_t data{};
  if constexpr (!std::is_empty_v<Payload>) std::memcpy(&data, &payload, sizeof payload);
  return data;
}

namespace detail {

template <typename Event, typename Payload>
std::optional<Payload> payload_of(const nrt_sys_trace_event_t& event,
                                  nrt_sys_trace_event_phase_t phase) noexcept {
  if (event.trace_type != Event::kType || event.phase != phase) return std::nullopt;
  Payload payload;
  if constexpr (!std::is_empty_v<Payload>)
    std::memcpy(static_cast<void*>(&payload), &event.data, sizeof payload);
  return payload;
}

}  // namespace detail

/// Payload of a record, if it is the start of an `Event`.
template <typename Event>
std::optional<typename Event::Start> start_of(const nrt_sys_trace_event_t& event) noexcept {
  return detail::payload_of<Event, typename Event::Start>(event, NRT_SYS_TRACE_EVENT_PHASE_START);
}

/// Payload of a record, if it is the stop of an `Event`.
template <typename Event>
std::optional<typename Event::Stop> stop_of(const nrt_sys_trace_event_t& event) noexcept {
  return detail::payload_of<Event, typename Event::Stop>(event, NRT_SYS_TRACE_EVENT_PHASE_STOP);
}

/// Payload of a record, if it is an `Event` that has no duration.
template <typename Event>
std::optional<typename Event::Instant> instant_of(const nrt_sys_trace_event_t& event) noexcept {
  return detail::payload_of<Event, typename Event::Instant>(event,
                                                            NRT_SYS_TRACE_EVENT_PHASE_INSTANT);
}

}  // namespace ndtel::trace

#endif  // NDTEL_TRACE_EVENTS_HPP
