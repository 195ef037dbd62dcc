// SPDX-License-Identifier: Apache-2.0
//
// Which member of a struct is which field of its message. `fields(message, visit)` calls
// `visit(number, member)` for all by ascending numbers, except for what has a form of its own:
// `visit.blob(offset_number, size_number, blob)`, and `visit.one_of(variant, numbers)` with the
// numbers of its alternatives behind the empty one, 0 for those whose place is elsewhere. Messages
// may be const or not.
#ifndef NDTEL_NTFF_MESSAGE_FIELDS_HPP
#define NDTEL_NTFF_MESSAGE_FIELDS_HPP

#include <concepts>
#include <type_traits>

#include "messages.hpp"
#include "ntff.pb.h"

namespace ndtel::ntff::device {

template <typename T, typename Message>
concept Is = std::same_as<std::remove_const_t<T>, Message>;

template <typename Visit>
void fields(Is<VersionInfo> auto& m, Visit& visit) {
  using F = ::ntff::version_info;
  visit(F::kMajorFieldNumber, m.major);
  visit(F::kMinorFieldNumber, m.minor);
  visit(F::kPatchFieldNumber, m.patch);
  visit(F::kMaintenanceFieldNumber, m.maintenance);
  visit(F::kDetailFieldNumber, m.detail);
  visit.bytes(F::kGitHashFieldNumber, m.git_hash);
}

template <typename Visit>
void fields(Is<UltraserverInfo> auto& m, Visit& visit) {
  using F = ::ntff::ultraserver_info;
  visit(F::kIdFieldNumber, m.id);
  visit(F::kTypeFieldNumber, m.type);
  visit(F::kSizeFieldNumber, m.size);
  visit(F::kInstanceIndexFieldNumber, m.instance_index);
}

template <typename Visit>
void fields(Is<ExecutionInfo> auto& m, Visit& visit) {
  using F = ::ntff::execution_info;
  visit(F::kUidFieldNumber, m.uid);
  visit(F::kStartTimestampFieldNumber, m.start_timestamp);
  visit(F::kEndTimestampFieldNumber, m.end_timestamp);
}

template <typename Visit>
void fields(Is<NotificationBufferSize> auto& m, Visit& visit) {
  using F = ::ntff::notification_buffer_size;
  visit(F::kBlockTypeFieldNumber, m.block_type);
  visit(F::kTraceTypeFieldNumber, m.trace_type);
  visit(F::kBufferSizeFieldNumber, m.buffer_size);
}

template <typename Visit>
void fields(Is<BlockTimestampInfo> auto& m, Visit& visit) {
  using F = ::ntff::block_timestamp_info;
  visit(F::kInitTimestampFieldNumber, m.init_timestamp);
  visit(F::kActualTimestampIncFieldNumber, m.actual_timestamp_inc);
  visit(F::kExpectedTimestampIncFieldNumber, m.expected_timestamp_inc);
}

template <typename Visit>
void fields(Is<NcTimestampInfo> auto& m, Visit& visit) {
  using F = ::ntff::nc_timestamp_info;
  visit(F::kTpbPeFieldNumber, m.tpb_pe);
  visit(F::kTpbActFieldNumber, m.tpb_act);
  visit(F::kTpbDveFieldNumber, m.tpb_dve);
  visit(F::kTpbPoolFieldNumber, m.tpb_pool);
  visit(F::kTpbSpFieldNumber, m.tpb_sp);
  visit(F::kTpbAxiFieldNumber, m.tpb_axi);
  visit(F::kTpbHamFieldNumber, m.tpb_ham);
  visit(F::kDmaFieldNumber, m.dma);
  visit(F::kTopSpFieldNumber, m.top_sp);
}

template <typename Visit>
void fields(Is<NcMemoryUsage> auto& m, Visit& visit) {
  using F = ::ntff::nc_memory_usage;
  visit(F::kTypeFieldNumber, m.type);
  visit(F::kUsageFieldNumber, m.usage);
}

template <typename Visit>
void fields(Is<EngineInstructionInfo> auto& m, Visit& visit) {
  using F = ::ntff::engine_instruction_info;
  visit(F::kStartAddressFieldNumber, m.start_address);
  visit(F::kNcEngineTypeFieldNumber, m.nc_engine_type);
  visit.bytes(F::kInstructionsFieldNumber, m.instructions);
  visit(F::kEngineIndexFieldNumber, m.engine_index);
  visit(F::kBlockTypeFieldNumber, m.block_type);
  visit(F::kFunctionSectionFieldNumber, m.function_section);
  visit.blob(F::kInstructionsOffsetFieldNumber, F::kInstructionsSizeFieldNumber, m.blob);
}

template <typename Visit>
void fields(Is<TraceInfo> auto& m, Visit& visit) {
  using F = ::ntff::trace_info;
  visit(F::kTraceTypeFieldNumber, m.trace_type);
  visit(F::kBlockTypeFieldNumber, m.block_type);
  visit(F::kEngineIndexFieldNumber, m.engine_index);
  visit(F::kNdIdxFieldNumber, m.nd_idx);
  visit(F::kNcIdxFieldNumber, m.nc_idx);
  visit.bytes(F::kTraceFieldNumber, m.trace);
  visit.blob(F::kTraceOffsetFieldNumber, F::kTraceSizeFieldNumber, m.blob);
}

template <typename Visit>
void fields(Is<DescBlockInfo> auto& m, Visit& visit) {
  using F = ::ntff::desc_block_info;
  visit(F::kBlockIdFieldNumber, m.block_id);
  visit(F::kPacketCountFieldNumber, m.packet_count);
  visit(F::kM2SDescCountFieldNumber, m.m2s_desc_count);
  visit(F::kS2MDescCountFieldNumber, m.s2m_desc_count);
  visit(F::kFunctionNameFieldNumber, m.function_name);
}

template <typename Visit>
void fields(Is<DmaQueueUsageInfo> auto& m, Visit& visit) {
  using F = ::ntff::dma_queue_usage_info;
  visit(F::kEngineIndexFieldNumber, m.engine_index);
  visit(F::kQueueIndexFieldNumber, m.queue_index);
  visit(F::kQueueTypeFieldNumber, m.queue_type);
  visit(F::kNameFieldNumber, m.name);
  visit(F::kDescBlockInfoFieldNumber, m.desc_block_info);
  visit(F::kDmaTracingEventIdFieldNumber, m.dma_tracing_event_id);
  visit(F::kAxiPortFieldNumber, m.axi_port);
}

template <typename Visit>
void fields(Is<CollectivesStreamInfo> auto& m, Visit& visit) {
  using F = ::ntff::collectives_stream_info;
  visit(F::kIdFieldNumber, m.id);
  visit(F::kCcCoreIdFieldNumber, m.cc_core_id);
}

template <typename Visit>
void fields(Is<CollectivesCommInfo> auto& m, Visit& visit) {
  using F = ::ntff::collectives_comm_info;
  visit(F::kIdFieldNumber, m.id);
  visit(F::kRankFieldNumber, m.rank);
  visit(F::kRankNFieldNumber, m.rank_n);
  visit(F::kNodeNFieldNumber, m.node_n);
  visit(F::kLocalRankNFieldNumber, m.local_rank_n);
  visit(F::kStreamIdFieldNumber, m.stream_id);
}

template <typename Visit>
void fields(Is<CollectivesOp> auto& m, Visit& visit) {
  using F = ::ntff::collectives_op;
  visit(F::kTypeFieldNumber, m.type);
  visit(F::kAlgorithmFieldNumber, m.algorithm);
  visit(F::kNumElementsFieldNumber, m.num_elements);
  visit(F::kCommIdFieldNumber, m.comm_id);
  visit(F::kDataTypeFieldNumber, m.data_type);
  visit(F::kAlgorithmNameFieldNumber, m.algorithm_name);
}

template <typename Visit>
void fields(Is<CollectivesOpTrace> auto& m, Visit& visit) {
  using F = ::ntff::collectives_op_trace;
  visit(F::kCcCoreIdFieldNumber, m.cc_core_id);
  visit.bytes(F::kNotificationsFieldNumber, m.notifications);
}

template <typename Visit>
void fields(Is<CollectivesOpInfo> auto& m, Visit& visit) {
  using F = ::ntff::collectives_op_info;
  visit(F::kOpsFieldNumber, m.ops);
  visit(F::kCcOpTraceFieldNumber, m.cc_op_trace);
}

template <typename Visit>
void fields(Is<CollectivesSemaphore> auto& m, Visit& visit) {
  using F = ::ntff::collectives_semaphore;
  visit(F::kIndexFieldNumber, m.index);
  visit(F::kAddressFieldNumber, m.address);
}

template <typename Visit>
void fields(Is<CollectivesSemaphoreUpdate> auto& m, Visit& visit) {
  using F = ::ntff::collectives_semaphore_update;
  visit(F::kIndexFieldNumber, m.index);
  visit(F::kValueFieldNumber, m.value);
  visit(F::kAddressFieldNumber, m.address);
}

template <typename Visit>
void fields(Is<CollectivesNetIdxUpdate> auto& m, Visit& visit) {
  using F = ::ntff::collectives_net_idx_update;
  visit(F::kNetIdxFieldNumber, m.net_idx);
  visit(F::kValueFieldNumber, m.value);
}

template <typename Visit>
void fields(Is<CollectivesDmaPackets> auto& m, Visit& visit) {
  using F = ::ntff::collectives_dma_packets;
  visit(F::kTypeFieldNumber, m.type);
  visit(F::kSizeFieldNumber, m.size);
  visit(F::kNeighFieldNumber, m.neigh);
  visit.one_of(m.data, {F::kSemaUpdateFieldNumber, F::kNetIdxUpdateFieldNumber});
  visit(F::kOpIdxFieldNumber, m.op_idx);
  visit(F::kStreamIdxFieldNumber, m.stream_idx);
}

template <typename Visit>
void fields(Is<CollectivesSubchannel> auto& m, Visit& visit) {
  using F = ::ntff::collectives_subchannel;
  visit(F::kIndexFieldNumber, m.index);
  visit(F::kDmaFieldNumber, m.dma);
  visit(F::kSemaphoreFieldNumber, m.semaphore);
  visit(F::kPacketsFieldNumber, m.packets);
}

template <typename Visit>
void fields(Is<CollectivesChannel> auto& m, Visit& visit) {
  using F = ::ntff::collectives_channel;
  visit(F::kNameFieldNumber, m.name);
  visit(F::kSubchannelsFieldNumber, m.subchannels);
  visit(F::kEngineIndexFieldNumber, m.engine_index);
}

template <typename Visit>
void fields(Is<CollectivesInfo> auto& m, Visit& visit) {
  using F = ::ntff::collectives_info;
  visit(F::kChannelsFieldNumber, m.channels);
  visit(F::kTopspFieldNumber, m.topsp);
}

template <typename Visit>
void fields(Is<InstructionPatchLocation> auto& m, Visit& visit) {
  using F = ::ntff::instruction_patch_location;
  visit(F::kNcEngineTypeFieldNumber, m.nc_engine_type);
  visit(F::kOffsetFieldNumber, m.offset);
}

template <typename Visit>
void fields(Is<InstructionPatchInfo> auto& m, Visit& visit) {
  using F = ::ntff::instruction_patch_info;
  visit(F::kTypeFieldNumber, m.type);
  visit(F::kLocationFieldNumber, m.location);
  visit.bytes(F::kInstructionsFieldNumber, m.instructions);
  visit(F::kCountFieldNumber, m.count);
}

template <typename Visit>
void fields(Is<SubgraphInfo> auto& m, Visit& visit) {
  using F = ::ntff::subgraph_info;
  visit(F::kNameFieldNumber, m.name);
  visit(F::kNdIdxFieldNumber, m.nd_idx);
  visit(F::kNcIdxFieldNumber, m.nc_idx);
  visit(F::kInstructionInfoFieldNumber, m.instruction_info);
  visit(F::kPatchInfoFieldNumber, m.patch_info);
  visit(F::kTracesFieldNumber, m.traces);
  visit(F::kDmaQueueUsageFieldNumber, m.dma_queue_usage);
  visit(F::kIoDmaDataHostFieldNumber, m.io_dma_data_host);
  visit(F::kCollInfoFieldNumber, m.coll_info);
  visit(F::kTimestampInfoFieldNumber, m.timestamp_info);
  visit(F::kMemoryUsageBreakdownFieldNumber, m.memory_usage_breakdown);
  visit(F::kCollectivesDmaInfoFieldNumber, m.collectives_dma_info);
  visit(F::kCollectivesInstructionInfoFieldNumber, m.collectives_instruction_info);
  visit(F::kExecDurationFieldNumber, m.exec_duration);
  visit(F::kCcOpInfoFieldNumber, m.cc_op_info);
  visit(F::kCommInfoFieldNumber, m.comm_info);
  visit(F::kStreamInfoFieldNumber, m.stream_info);
}

template <typename Visit>
void fields(Is<CpuNodeInfo> auto& m, Visit& visit) {
  using F = ::ntff::cpu_node_info;
  visit(F::kNameFieldNumber, m.name);
}

template <typename Visit>
void fields(Is<NdNodeInfo> auto& m, Visit& visit) {
  using F = ::ntff::nd_node_info;
  visit(F::kGraphsFieldNumber, m.graphs);
}

template <typename Visit>
void fields(Is<OutccInfo> auto& m, Visit& visit) {
  using F = ::ntff::outcc_info;
  visit(F::kCommInfoFieldNumber, m.comm_info);
  visit(F::kStreamInfoFieldNumber, m.stream_info);
  visit(F::kCollectivesDmaInfoFieldNumber, m.collectives_dma_info);
  visit(F::kParticipantsFieldNumber, m.participants);
  visit(F::kCcOpInfoFieldNumber, m.cc_op_info);
}

template <typename Visit>
void fields(Is<NeffNodeInfo> auto& m, Visit& visit) {
  using F = ::ntff::neff_node_info;
  visit(F::kNameFieldNumber, m.name);
  visit(F::kRuntimeLatencyFieldNumber, m.runtime_latency);
  visit.one_of(m.node_info, {F::kCpuNodeFieldNumber, F::kNdNodeFieldNumber, 0});
  visit(F::kUidFieldNumber, m.uid);
  visit.one_of(m.node_info, {0, 0, F::kOutccFieldNumber});
}

template <typename Visit>
void fields(Is<NtffInfo> auto& m, Visit& visit) {
  using F = ::ntff::ntff_info;
  visit(F::kIdFieldNumber, m.id);
  visit(F::kNeffNodesFieldNumber, m.neff_nodes);
  visit(F::kArchFieldNumber, m.arch);
  visit(F::kNeuronRuntimeVersionFieldNumber, m.neuron_runtime_version);
  visit(F::kProfileStartTimeFieldNumber, m.profile_start_time);
  visit(F::kNeuronDriverVersionFieldNumber, m.neuron_driver_version);
  visit(F::kNeuronCollectivesVersionFieldNumber, m.neuron_collectives_version);
  visit(F::kNotificationBufferSizesFieldNumber, m.notification_buffer_sizes);
  visit(F::kUltraserverFieldNumber, m.ultraserver);
  visit(F::kNcfwNotificationVersionFieldNumber, m.ncfw_notification_version);
  visit(F::kStartNcFieldNumber, m.start_nc);
  visit(F::kExecutionTimelineFieldNumber, m.execution_timeline);
  visit(F::kPidFieldNumber, m.pid);
  visit(F::kSessionIdFieldNumber, m.session_id);
  visit(F::kSessionNotificationsFieldNumber, m.session_notifications);
}

}  // namespace ndtel::ntff::device

#endif  // NDTEL_NTFF_MESSAGE_FIELDS_HPP
