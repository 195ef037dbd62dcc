// SPDX-License-Identifier: Apache-2.0
//
// What events of each type and phase say, transcribed from the specification and from nothing else.
#ifndef NDTEL_TESTS_UNIT_NTFF_EVENT_ROWS_HPP
#define NDTEL_TESTS_UNIT_NTFF_EVENT_ROWS_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace ndtel::ntff::test {

/// How a value lies in a payload, and how it is shown.
enum class As { kU8, kU16, kU32, kU64, kI32, kBool, kHex, kUsage, kMem, kAlgorithm, kKnownModel };

struct Value {
  const char* key;
  unsigned offset;
  As as;
};

/// Phases a row is for, as bits.
inline constexpr unsigned kStart = 1, kStop = 2, kInstant = 4;

struct Row {
  std::uint32_t type;
  unsigned phases;
  std::vector<Value> values;
  int device_time = -1;  // offset of the pair of times, for events of the device
};

/// A type and phase without a row has no values.
inline const std::vector<Row>& rows() {
  using enum As;
  constexpr unsigned kOnce = kStart | kInstant;
  const std::vector<Value> exec = {{"exec_id", 0, kU64}, {"model_id", 8, kU64}};
  const std::vector<Value> tensor = {{"tensor_id", 0, kU64}, {"size", 8, kU64}};
  const std::vector<Value> barrier = {
      {"peer_id", 0, kI32}, {"exec_id", 8, kU64}, {"nec_dev_id", 16, kI32}};
  const std::vector<Value> copy = {
      {"mem_type", 0, kMem}, {"mem_handle", 8, kU64}, {"offset", 16, kU32}, {"size", 20, kU32}};
  const std::vector<Value> batch_copy = {{"mem_type", 0, kMem},
                                         {"num_batches", 4, kU32},
                                         {"total_num_ops", 8, kU32},
                                         {"total_size", 16, kU64}};
  const std::vector<Value> context = {{"ctx_device_id", 0, kU32}, {"ctx_device_count", 4, kU32}};
  static const std::vector<Row> all = {
      {1, kStop, {{"model_id", 0, kU64}}},
      {2, kOnce, {{"model_id", 0, kU64}, {"request_id", 8, kU32}}},
      {3, kOnce, {{"model_id", 0, kU64}}},
      {4, kOnce, {{"model_id", 0, kU64}}},
      {5, kStart, {{"g_device_id", 0, kU32}, {"g_device_count", 4, kU32}}},
      {5, kStop, {{"model_id", 0, kU64}}},
      {6, kStart, {{"model_id", 0, kU64}, {"nc_timestamp_ns", 16, kU64}}, 16},
      {6, kStop, {{"nc_timestamp_ns", 0, kU64}}, 0},
      {7,
       kStart,
       {{"device_core_idx", 0, kU32},
        {"exec_id", 4, kU32},
        {"nc_timestamp_ns", 8, kU64},
        {"model_id", 24, kKnownModel}},
       8},
      {7, kStop, {{"nc_timestamp_ns", 0, kU64}}, 0},
      {8,
       kStart,
       {{"gid", 0, kU32},
        {"op_id", 4, kU32},
        {"exec_id", 8, kU32},
        {"nc_timestamp_ns", 16, kU64},
        {"algorithm", 32, kAlgorithm}},
       16},
      {8, kStop, {{"nc_timestamp_ns", 0, kU64}}, 0},
      {9, kOnce, tensor},
      {10, kOnce, tensor},
      {11, kOnce, {{"num_batches", 0, kU32}}},
      {12, kOnce, {{"num_batches", 0, kU32}}},
      {13,
       kInstant,
       {{"device_core_idx", 0, kU32},
        {"exec_id", 4, kU32},
        {"nc_timestamp_ns", 8, kU64},
        {"model_id", 24, kKnownModel}},
       8},
      {14, kOnce, barrier},
      {15, kOnce, barrier},
      {16, kOnce, barrier},
      {17, kOnce, exec},
      {18, kOnce, exec},
      {19, kOnce, exec},
      {20, kOnce, exec},
      {21,
       kOnce,
       {{"device_core_idx", 0, kU32}, {"model_id", 8, kU64}, {"is_neuron_core_work", 16, kBool}}},
      {22, kOnce, {{"model_id", 0, kU64}}},
      {23, kOnce, {{"available_request_slots", 0, kU64}, {"has_work", 8, kBool}}},
      {24,
       kOnce,
       {{"device_core_idx", 0, kU32},
        {"hint", 4, kU16},
        {"custom_data", 8, kU32},
        {"exec_id", 16, kU64},
        {"nc_timestamp_ns", 24, kU64}},
       24},
      {25,
       kOnce,
       {{"exec_id", 0, kU64}, {"nc_timestamp_ns", 8, kU64}, {"cpu_timestamp_ns", 16, kU64}},
       8},
      {26,
       kStart,
       {{"device_core_idx", 0, kU32},
        {"model_id", 8, kU64},
        {"exec_id", 16, kU64},
        {"nc_timestamp_ns", 24, kU64}},
       24},
      {26, kStop, {{"nc_timestamp_ns", 0, kU64}}, 0},
      {27, kOnce, tensor},
      {28, kOnce, {{"tensor_id", 0, kU64}, {"size", 8, kU64}, {"ref_count", 16, kU64}}},
      {29,
       kOnce,
       {{"tensor_id", 0, kU64},
        {"pending_reader_count", 8, kU64},
        {"pending_writer_count", 16, kU64}}},
      {30, kOnce, copy},
      {31, kOnce, copy},
      {32, kOnce, batch_copy},
      {33, kOnce, batch_copy},
      {34,
       kOnce,
       {{"hbm_idx", 0, kU32},
        {"usage_type", 4, kUsage},
        {"is_nc_hbm", 8, kBool},
        {"is_aligned", 9, kBool},
        {"mla_idx", 12, kU32}}},
      {34,
       kStop,
       {{"allocated_bytes", 0, kU64},
        {"physical_address", 8, kHex},
        {"return_code", 16, kU64},
        {"usage_type_total_bytes", 24, kU64},
        {"total_bytes", 32, kU64}}},
      {35,
       kOnce,
       {{"hbm_idx", 0, kU32},
        {"is_nc_hbm", 4, kBool},
        {"mla_idx", 8, kU32},
        {"usage_type", 12, kUsage},
        {"physical_address", 16, kHex}}},
      {35,
       kStop,
       {{"freed_bytes", 0, kU64}, {"usage_type_total_bytes", 8, kU64}, {"total_bytes", 16, kU64}}},
      {36, kOnce, {{"exec_id", 0, kU64}}},
      {37, kOnce, exec},
      {38, kOnce, exec},
      {39, kOnce, exec},
      {40, kOnce, {{"ctx_device_id", 0, kU32}, {"ctx_device_count", 4, kU32}, {"cc_op", 8, kU32}}},
      {41, kOnce, context},
      {42, kOnce, context},
      {43, kOnce, {{"enc_op", 0, kU32}, {"dtype", 4, kU32}, {"num_elem", 8, kU64}}},
      {44, kOnce, {{"stream_id", 0, kU32}}},
      {45, kOnce, {{"total_notif_expected", 0, kU32}}},
  };
  return all;
}

inline const std::vector<std::string>& usage_names() {
  static const std::vector<std::string> names = {"Generic",
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
                                                 "DMA Rings Collectives"};
  return names;
}

inline const std::vector<std::string>& algorithm_names() {
  static const std::vector<std::string> names = {"Ring",
                                                 "Hier",
                                                 "Mesh",
                                                 "Kangaring",
                                                 "Invalid",
                                                 "RDH",
                                                 "Single Step Mesh",
                                                 "RDH",
                                                 "UltraServer Mesh",
                                                 "Mesh",
                                                 "Bw Optimal Mesh"};
  return names;
}

}  // namespace ndtel::ntff::test

#endif  // NDTEL_TESTS_UNIT_NTFF_EVENT_ROWS_HPP
