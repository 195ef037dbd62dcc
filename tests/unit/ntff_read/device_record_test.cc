// SPDX-License-Identifier: Apache-2.0
#include "device_record.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

namespace ndtel::ntff::read {
namespace {

struct Bytes {
  char data[16];
};

/// @param low 24 bits before the header
Bytes bytes(std::uint32_t low, unsigned type, std::uint32_t high, unsigned flags = 0) {
  Bytes record;
  const std::uint32_t first = low | (type | flags << 5) << 24;
  const std::uint64_t time = 0x0123456789ABCDEF;
  std::memcpy(record.data, &first, 4);
  std::memcpy(record.data + 4, &high, 4);
  std::memcpy(record.data + 8, &time, 8);
  return record;
}

std::map<std::string, std::uint32_t> fields(const DeviceRecord& record) {
  std::map<std::string, std::uint32_t> fields;
  for (const auto& field : record.fields()) fields[field.name] = field.value;
  return fields;
}

using Fields = std::map<std::string, std::uint32_t>;

TEST(DeviceRecord, ReadsHeaderAndTime) {
  const auto record = decode_device_record(bytes(0, 0x1e, 0, 0b101).data);
  EXPECT_EQ(record.timestamp_ps, 0x0123456789ABCDEFu);
  EXPECT_TRUE(record.software_overflow);
  EXPECT_FALSE(record.hardware_overflow);
  EXPECT_TRUE(record.phase);
}

TEST(DeviceRecord, NamesAllTypes) {
  const char* engines[] = {"PE", "ACT", "POOL", "DVE", "SP"};
  const char* kinds[] = {"INST_START", "INST_END", "EXPLICIT", "EVT_SEM"};
  for (unsigned type = 0; type < 32; ++type) {
    const auto record = decode_device_record(bytes(0, type, 0).data);
    EXPECT_EQ(record.type, type);
    if (type >= 4 && type <= 0x17) {
      EXPECT_EQ(record.engine, engines[(type - 4) / 4]);
      EXPECT_EQ(record.kind, kinds[type % 4]);
    } else {
      EXPECT_EQ(record.engine, "");
    }
  }
  EXPECT_EQ(decode_device_record(bytes(0, 2, 0).data).kind, "DMA");
  EXPECT_EQ(decode_device_record(bytes(0, 0x1b, 0).data).kind, "AXI_EVT_SEM");
  EXPECT_EQ(decode_device_record(bytes(0, 0x1e, 0).data).kind, "HAM");
  EXPECT_EQ(decode_device_record(bytes(0, 0x1f, 0).data).kind, "TPB_ERROR");
  EXPECT_EQ(decode_device_record(bytes(0, 0, 0).data).kind, "");
}

TEST(DeviceRecord, ReadsPayloads) {
  const auto payload = [](std::uint32_t low, unsigned type, std::uint32_t high) {
    return fields(decode_device_record(bytes(low, type, high).data));
  };
  EXPECT_EQ(payload(0xA12345, 4, 0x00070009), (Fields{{"pc", 0x12345},
                                                      {"debug_hint", 0xA},
                                                      {"soft_reset_counter", 9},
                                                      {"evt_wait_num_cycles", 7}}));
  EXPECT_EQ(payload(0x012345, 5, 0x00070009),
            (Fields{{"pc", 0x12345}, {"debug_hint", 0}, {"input_crc", 9}, {"output_crc", 7}}));
  EXPECT_EQ(payload(0x012345, 0x16, 0x00060002), (Fields{{"pc", 0x12345},
                                                         {"debug_hint", 0},
                                                         {"soft_reset_counter", 2},
                                                         {"debug_hint_extended", 6}}));
  EXPECT_EQ(payload(0x112345, 6, 0xC0050003), (Fields{{"pc", 0x12345},
                                                      {"debug_hint", 1},
                                                      {"dma_map", 3},
                                                      {"num_packets", 5},
                                                      {"infer_pc", 1},
                                                      {"dma_group", 1}}));
  EXPECT_EQ(payload(0x250103, 7, 77), (Fields{{"id", 3},
                                              {"is_semaphore", 1},
                                              {"double_set_or_clear", 0},
                                              {"update_mode", 0x25},
                                              {"value", 77}}));
  EXPECT_EQ(payload(0x000012, 3, 0xF0),
            (Fields{{"group", 2}, {"block_id", 1}, {"cause_bits", 0xF0}}));
  EXPECT_EQ(payload(0x0C015A, 3, 1),
            (Fields{{"group", 2}, {"m0", 5}, {"block_id", 1}, {"m1", 3}, {"m2", 1}}));
  EXPECT_EQ(payload(0x000400, 2, 0xABCD0052),
            (Fields{{"dma_type", 2}, {"queue", 5}, {"nbytes", 0x400}, {"crc", 0xABCD}}));
  EXPECT_EQ(payload(0, 2, 0x7F94), (Fields{{"dma_type", 4}, {"queue", 9}, {"bd_word0", 0x7F}}));
  EXPECT_EQ(payload(0x08, 0x1f, 5),
            (Fields{{"error_id", 8}, {"metadata_lo", 0}, {"metadata_hi", 5}}));
}

}  // namespace
}  // namespace ndtel::ntff::read
