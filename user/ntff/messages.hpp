// SPDX-License-Identifier: Apache-2.0
//
// What an .ntff file says of a device, as plain structs: one for each message of ntff.proto, with
// the same names. Zero and empty mean not known, and are not written.
#ifndef NDTEL_NTFF_MESSAGES_HPP
#define NDTEL_NTFF_MESSAGES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ndtel/result.hpp"

namespace ndtel::ntff::device {

/// Bytes that lie behind the message; the writer sets where. Either `memory`, which has to live
/// until the file is written, or what `read` gives.
struct Blob {
  std::span<const std::byte> memory = {};
  /// Fills `to`, whole, with what lies `offset` bytes into the blob.
  std::function<Result<void>(std::uint64_t offset, std::span<std::byte> to)> read = nullptr;
  std::uint64_t read_size = 0;  ///< bytes that `read` can give

  std::uint64_t size() const noexcept { return read ? read_size : memory.size(); }
};

enum class NcEngineType : std::uint32_t { kPe = 0, kAct = 1, kPool = 2, kDve = 3, kSp = 4 };
enum class BlockType : std::uint32_t { kNc = 0, kDma = 1, kTopSp = 2 };
enum class TraceType : std::uint32_t {
  kInstruction = 0,
  kEvent = 1,
  kError = 2,
  kExplicit = 3,
  kDma = 4,
  kThrottle = 5,
};
enum class DmaQueueType : std::uint32_t {
  kUnknown = 0,
  kInstructions = 1,
  kWeights = 2,
  kInput = 3,
  kOutput = 4,
  kH2t = 6,
};
enum class PacketType : std::uint32_t {
  kMemcpy = 0,
  kAdd = 1,
  kSemaUpdateRecv = 2,
  kSemaUpdateSend = 3,
  kNetIdxUpdate = 4,
};
enum class PatchType : std::uint32_t { kInsert = 0, kModify = 1, kDelete = 2 };
/// Numbered like tdrv_mem_usage_t of nrt/kmetric.h.
enum class MemoryUsageType : std::uint32_t {};

struct VersionInfo {
  std::uint64_t major = 0, minor = 0, patch = 0, maintenance = 0;
  std::string detail;
  std::string git_hash;
};

struct UltraserverInfo {
  std::uint64_t id = 0;
  std::uint32_t type = 0, size = 0, instance_index = 0;
};

struct ExecutionInfo {
  std::uint64_t uid = 0;
  std::uint64_t start_timestamp = 0, end_timestamp = 0;  ///< device ps
};

struct NotificationBufferSize {
  BlockType block_type{};
  TraceType trace_type{};
  std::uint64_t buffer_size = 0;  ///< bytes
};

struct BlockTimestampInfo {
  std::uint64_t init_timestamp = 0;
  std::uint64_t actual_timestamp_inc = 0, expected_timestamp_inc = 0;
};

struct NcTimestampInfo {
  std::optional<BlockTimestampInfo> tpb_pe, tpb_act, tpb_dve, tpb_pool, tpb_sp, tpb_axi, tpb_ham;
  std::vector<BlockTimestampInfo> dma;
  std::optional<BlockTimestampInfo> top_sp;
};

struct NcMemoryUsage {
  MemoryUsageType type{};
  std::uint64_t usage = 0;  ///< bytes
};

struct EngineInstructionInfo {
  std::uint64_t start_address = 0;
  NcEngineType nc_engine_type{};
  std::string instructions;  ///< inline; else `blob`
  std::uint32_t engine_index = 0;
  BlockType block_type{};
  bool function_section = false;
  Blob blob;
};

struct TraceInfo {
  TraceType trace_type{};
  BlockType block_type{};
  std::uint32_t engine_index = 0;
  std::uint32_t nd_idx = 0, nc_idx = 0;
  std::string trace;  ///< inline; else `blob`
  Blob blob;          ///< whole records of 16 bytes
};

struct DescBlockInfo {
  std::uint32_t block_id = 0, packet_count = 0, m2s_desc_count = 0, s2m_desc_count = 0;
  std::string function_name;
};

/// Without `channel`, whose type the sources do not agree on.
struct DmaQueueUsageInfo {
  std::uint32_t engine_index = 0, queue_index = 0;
  DmaQueueType queue_type{};
  std::string name;
  std::vector<DescBlockInfo> desc_block_info;
  std::uint32_t dma_tracing_event_id = 0, axi_port = 0;
};

struct CollectivesStreamInfo {
  std::uint32_t id = 0;
  std::vector<std::uint64_t> cc_core_id;
};

struct CollectivesCommInfo {
  std::int32_t id = 0, rank = 0, rank_n = 0, node_n = 0, local_rank_n = 0, stream_id = 0;
};

struct CollectivesOp {
  std::uint32_t type = 0, algorithm = 0;
  std::uint64_t num_elements = 0;
  std::uint32_t comm_id = 0, data_type = 0;
  std::string algorithm_name;
};

struct CollectivesOpTrace {
  std::uint32_t cc_core_id = 0;
  std::string notifications;  ///< whole records of 16 bytes
};

struct CollectivesOpInfo {
  std::vector<CollectivesOp> ops;
  std::vector<CollectivesOpTrace> cc_op_trace;
};

struct CollectivesSemaphore {
  std::uint32_t index = 0;
  std::uint64_t address = 0;
};

struct CollectivesSemaphoreUpdate {
  std::uint32_t index = 0, value = 0;
  std::uint64_t address = 0;
};

struct CollectivesNetIdxUpdate {
  std::uint32_t net_idx = 0, value = 0;
};

struct CollectivesDmaPackets {
  PacketType type{};
  std::uint64_t size = 0;
  std::uint32_t neigh = 0;
  std::variant<std::monostate, CollectivesSemaphoreUpdate, CollectivesNetIdxUpdate> data;
  std::uint32_t op_idx = 0, stream_idx = 0;
};

struct CollectivesSubchannel {
  std::uint32_t index = 0;
  std::optional<DmaQueueUsageInfo> dma;
  std::vector<CollectivesSemaphore> semaphore;
  std::vector<CollectivesDmaPackets> packets;
};

struct CollectivesChannel {
  std::string name;
  std::vector<CollectivesSubchannel> subchannels;
  std::uint32_t engine_index = 0;
};

struct CollectivesInfo {
  std::vector<CollectivesChannel> channels;
  std::vector<EngineInstructionInfo> topsp;
};

struct InstructionPatchLocation {
  NcEngineType nc_engine_type{};
  std::uint64_t offset = 0;  ///< bytes into the stream of the engine
};

struct InstructionPatchInfo {
  PatchType type{};
  std::optional<InstructionPatchLocation> location;
  std::string instructions;
  std::uint32_t count = 0;
};

struct SubgraphInfo {
  std::string name;
  std::uint32_t nd_idx = 0, nc_idx = 0;
  std::vector<EngineInstructionInfo> instruction_info;
  std::vector<InstructionPatchInfo> patch_info;
  std::vector<TraceInfo> traces;
  std::vector<DmaQueueUsageInfo> dma_queue_usage;
  bool io_dma_data_host = false;
  std::optional<CollectivesInfo> coll_info;
  std::optional<NcTimestampInfo> timestamp_info;
  std::vector<NcMemoryUsage> memory_usage_breakdown;
  std::vector<CollectivesChannel> collectives_dma_info;
  std::vector<EngineInstructionInfo> collectives_instruction_info;
  std::uint64_t exec_duration = 0;  ///< ns
  std::optional<CollectivesOpInfo> cc_op_info;
  std::vector<CollectivesCommInfo> comm_info;
  std::vector<CollectivesStreamInfo> stream_info;
};

struct CpuNodeInfo {
  std::string name;
};

struct NdNodeInfo {
  std::vector<SubgraphInfo> graphs;  ///< one a physical core
};

struct OutccInfo {
  std::vector<CollectivesCommInfo> comm_info;
  std::vector<CollectivesStreamInfo> stream_info;
  std::vector<CollectivesChannel> collectives_dma_info;
  std::vector<std::uint32_t> participants;
  std::optional<CollectivesOpInfo> cc_op_info;
};

struct NeffNodeInfo {
  std::string name;
  double runtime_latency = 0;  ///< seconds
  std::variant<std::monostate, CpuNodeInfo, NdNodeInfo, OutccInfo> node_info;
  std::string uid;
};

struct NtffInfo {
  std::string id;
  std::vector<NeffNodeInfo> neff_nodes;
  std::uint32_t arch = 0;
  std::optional<VersionInfo> neuron_runtime_version;
  std::uint64_t profile_start_time = 0;  ///< CLOCK_REALTIME ns
  std::optional<VersionInfo> neuron_driver_version, neuron_collectives_version;
  std::vector<NotificationBufferSize> notification_buffer_sizes;
  std::optional<UltraserverInfo> ultraserver;
  std::uint32_t ncfw_notification_version = 0, start_nc = 0;
  std::vector<ExecutionInfo> execution_timeline;
  std::uint32_t pid = 0, session_id = 0;
  std::vector<TraceInfo> session_notifications;
};

}  // namespace ndtel::ntff::device

#endif  // NDTEL_NTFF_MESSAGES_HPP
