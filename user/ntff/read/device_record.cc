// SPDX-License-Identifier: Apache-2.0
#include "device_record.hpp"

#include <cstring>

namespace ndtel::ntff::read {
namespace {

enum Type : std::uint8_t {
  kDma = 0x02,
  kInterrupt = 0x03,
  kFirstOfEngines = 0x04,
  kLastOfEngines = 0x17,
  kAxiEventSemaphore = 0x1b,
  kHam = 0x1e,
  kTpbError = 0x1f,
};

enum DmaType : std::uint8_t {
  kM2sSop = 1,
  kM2sEop = 2,
  kM2sCompletion = 3,
  kS2mSop = 4,
  kS2mEop = 5,
  kS2mCompletion = 6,
  kAxiReq = 8,
  kAxiRsp = 0xa,
  kApbReq = 0xc,
};

/// The payload: 24 bits before the header and 32 behind it.
struct Words {
  std::uint32_t low, high;
};

std::uint32_t bits(std::uint32_t word, unsigned from, unsigned count) {
  return word >> from & ((1u << count) - 1);
}

class Payload {
 public:
  explicit Payload(DeviceRecord& record) : record_(record) {}
  Payload& put(const char* name, std::uint32_t value) {
    record_.payload[record_.payload_size++] = {name, value};
    return *this;
  }

 private:
  DeviceRecord& record_;
};

void decode_semaphore(Payload put, Words words) {
  put.put("id", bits(words.low, 0, 8))
      .put("is_semaphore", bits(words.low, 8, 1))
      .put("double_set_or_clear", bits(words.low, 9, 1))
      .put("update_mode", bits(words.low, 16, 8))
      .put("value", words.high);
}

void decode_explicit(Payload put, Words words) {
  // With this hint the DMA engine of descriptors speaks, not the program.
  constexpr std::uint32_t kDescriptors = 1;
  const std::uint32_t hint = bits(words.low, 20, 4);
  put.put("pc", bits(words.low, 0, 20)).put("debug_hint", hint);
  if (hint == kDescriptors) {
    put.put("dma_map", bits(words.high, 0, 16))
        .put("num_packets", bits(words.high, 16, 12))
        .put("infer_pc", bits(words.high, 30, 1))
        .put("dma_group", bits(words.high, 31, 1));
  } else {
    put.put("soft_reset_counter", bits(words.high, 0, 16))
        .put("debug_hint_extended", bits(words.high, 16, 16));
  }
}

void decode_engine(DeviceRecord& record, Words words) {
  constexpr std::string_view kEngines[] = {"PE", "ACT", "POOL", "DVE", "SP"};
  constexpr std::string_view kKinds[] = {"INST_START", "INST_END", "EXPLICIT", "EVT_SEM"};
  const unsigned index = record.type - kFirstOfEngines;
  record.engine = kEngines[index / 4];
  record.kind = kKinds[index % 4];
  Payload put(record);
  switch (index % 4) {
    case 0:
      put.put("pc", bits(words.low, 0, 20))
          .put("debug_hint", bits(words.low, 20, 4))
          .put("soft_reset_counter", bits(words.high, 0, 16))
          .put("evt_wait_num_cycles", bits(words.high, 16, 16));
      break;
    case 1:
      put.put("pc", bits(words.low, 0, 20))
          .put("debug_hint", bits(words.low, 20, 4))
          .put("input_crc", bits(words.high, 0, 16))
          .put("output_crc", bits(words.high, 16, 16));
      break;
    case 2:
      decode_explicit(put, words);
      break;
    default:
      decode_semaphore(put, words);
  }
}

void decode_interrupt(DeviceRecord& record, Words words) {
  const bool warning = bits(words.low, 3, 1) != 0;
  record.kind = warning ? "WARNING" : "INTERRUPT";
  Payload put(record);
  put.put("group", bits(words.low, 0, 3));
  if (warning) {
    put.put("m0", bits(words.low, 4, 4))
        .put("block_id", bits(words.low, 8, 10))
        .put("m1", bits(words.low, 18, 6))
        .put("m2", words.high);
  } else {
    put.put("block_id", bits(words.low, 4, 10)).put("cause_bits", words.high);
  }
}

void decode_dma(DeviceRecord& record, Words words) {
  record.kind = "DMA";
  const std::uint32_t type = bits(words.high, 0, 4);
  Payload put(record);
  put.put("dma_type", type);
  switch (type) {
    case kM2sSop:
    case kS2mSop:
      put.put("queue", bits(words.high, 4, 4)).put("bd_word0", bits(words.high, 8, 7));
      break;
    case kM2sEop:
    case kS2mEop:
      put.put("queue", bits(words.high, 4, 4))
          .put("nbytes", words.low)
          .put("crc", bits(words.high, 16, 16));
      break;
    case kM2sCompletion:
    case kS2mCompletion:
      put.put("queue", bits(words.high, 4, 4));
      break;
    case kAxiReq:
    case kAxiReq + 1:
      put.put("addr_lo", words.low)
          .put("arid", bits(words.high, 4, 5))
          .put("addr_hi", bits(words.high, 9, 23));
      break;
    case kAxiRsp:
    case kAxiRsp + 1:
      put.put("rid", bits(words.high, 4, 5));
      break;
    case kApbReq:
    case kApbReq + 1:
      put.put("addr_lo", words.low).put("addr_hi", bits(words.high, 4, 8));
      break;
    default:
      put.put("low", words.low).put("high", words.high);
  }
}

}  // namespace

DeviceRecord decode_device_record(const char* bytes) noexcept {
  std::uint64_t word;
  DeviceRecord record;
  std::memcpy(&word, bytes, sizeof word);
  std::memcpy(&record.timestamp_ps, bytes + sizeof word, sizeof record.timestamp_ps);
  const auto header = static_cast<std::uint32_t>(word);
  const Words words{header & 0xFFFFFF, static_cast<std::uint32_t>(word >> 32)};
  record.type = static_cast<std::uint8_t>(bits(header, 24, 5));
  record.software_overflow = bits(header, 29, 1) != 0;
  record.hardware_overflow = bits(header, 30, 1) != 0;
  record.phase = bits(header, 31, 1) != 0;
  switch (record.type) {
    case kDma:
      decode_dma(record, words);
      break;
    case kInterrupt:
      decode_interrupt(record, words);
      break;
    case kAxiEventSemaphore:
      record.kind = "AXI_EVT_SEM";
      decode_semaphore(Payload(record), words);
      break;
    case kHam:
      record.kind = "HAM";
      Payload(record)
          .put("metadata_0", bits(words.low, 0, 16))
          .put("metadata_1", bits(words.low, 16, 8))
          .put("metadata_2", words.high);
      break;
    case kTpbError:
      record.kind = "TPB_ERROR";
      Payload(record)
          .put("error_id", bits(words.low, 0, 8))
          .put("metadata_lo", bits(words.low, 8, 16))
          .put("metadata_hi", words.high);
      break;
    default:
      if (record.type >= kFirstOfEngines && record.type <= kLastOfEngines) {
        decode_engine(record, words);
      } else {
        Payload(record).put("low", words.low).put("high", words.high);
      }
  }
  return record;
}

}  // namespace ndtel::ntff::read
