// SPDX-License-Identifier: Apache-2.0
//
// Header, records and model slots of a slab.
#include <bit>
#include <chrono>
#include <thread>

#include "ndtel/nds.hpp"
#include "record.hpp"

namespace ndtel {
namespace {

// A reader that finds no header looks once more after this time: the producer maps first and writes
// it then.
constexpr std::chrono::microseconds kHeaderRetryDelay{500};

std::uint32_t* at(std::uint64_t* words, std::size_t offset) {
  return reinterpret_cast<std::uint32_t*>(words) + offset / 4;
}

std::uint32_t* model_at(std::uint64_t* words, int slot) {
  return at(words, NDS_MODEL_OFFSET + static_cast<std::size_t>(slot) * sizeof(nds_model_record));
}

std::atomic_ref<std::uint64_t> bitmap_of(std::uint64_t* words) {
  return std::atomic_ref<std::uint64_t>(words[NDS_MODEL_BITMAP_OFFSET / 8]);
}

bool slot_exists(int slot) { return slot >= 0 && slot < NDS_MODEL_SLOTS; }

// Lowest free slot, taken, or -1. Lock-free, so that two instances of one process on the same slab
// cannot take the same.
int take_slot(std::uint64_t* words) {
  auto bitmap = bitmap_of(words);
  std::uint64_t taken = bitmap.load(std::memory_order_relaxed);
  for (;;) {
    const int slot = std::countr_one(taken);
    if (slot >= NDS_MODEL_SLOTS) return -1;
    if (bitmap.compare_exchange_weak(taken, taken | std::uint64_t{1} << slot,
                                     std::memory_order_acq_rel, std::memory_order_relaxed))
      return slot;
  }
}

void write_header(std::uint64_t* words) {
  std::atomic_ref<std::uint64_t>(words[0]).store(NDS_HEADER_WORD, std::memory_order_release);
}

}  // namespace

bool SlabView::header_valid() const noexcept {
  std::uint64_t* words = map_.words();
  return words != nullptr && std::atomic_ref<std::uint64_t>(words[0]).load(
                                 std::memory_order_acquire) == NDS_HEADER_WORD;
}

std::optional<nds_process_info_record> SlabView::process_info() const {
  if (!mapped()) return std::nullopt;
  return record::snapshot<nds_process_info_record>(at(map_.words(), NDS_PROCESS_INFO_OFFSET));
}

std::optional<nds_process_info_ext_record> SlabView::process_info_ext() const {
  if (!mapped()) return std::nullopt;
  return record::snapshot<nds_process_info_ext_record>(at(map_.words(), NDS_PROCESS_EXT_OFFSET));
}

std::uint64_t SlabView::model_slots() const noexcept {
  return mapped() ? bitmap_of(map_.words()).load(std::memory_order_acquire) : 0;
}

std::optional<nds_model_record> SlabView::model(int slot) const {
  if (!slot_exists(slot) || (model_slots() >> slot & 1) == 0) return std::nullopt;
  return record::snapshot<nds_model_record>(model_at(map_.words(), slot));
}

std::vector<PublishedModel> SlabView::models() const {
  std::vector<PublishedModel> models;
  for (std::uint64_t left = model_slots(); left != 0; left &= left - 1) {
    const int slot = std::countr_zero(left);
    if (auto record = model(slot)) models.push_back({slot, *record});
  }
  return models;
}

Result<Instance> Instance::open(const Device& device) {
  auto map = SlabMapping::map(device, 0);
  if (!map) return map.error();
  write_header(map->words());
  return Instance(std::move(*map));
}

Result<Instance> Instance::over_memory(std::span<std::byte> memory) {
  auto map = SlabMapping::over_memory(memory);
  if (!map) return map.error();
  write_header(map->words());
  return Instance(std::move(*map));
}

int Instance::publish(const nds_process_info_record& record) noexcept {
  if (!mapped()) return -EPERM;
  record::publish(at(map_.words(), NDS_PROCESS_INFO_OFFSET), record::sealed(record));
  return 0;
}

int Instance::publish(const nds_process_info_ext_record& record) noexcept {
  if (!mapped()) return -EPERM;
  record::publish(at(map_.words(), NDS_PROCESS_EXT_OFFSET), record::sealed(record));
  return 0;
}

int Instance::publish(const nds_model_record& record, int* slot) noexcept {
  if (!mapped()) return -EPERM;
  if (slot == nullptr || *slot >= NDS_MODEL_SLOTS) return -EINVAL;
  if (*slot < 0) {
    const int taken = take_slot(map_.words());
    if (taken < 0) return kNoModelSlot;
    *slot = taken;
  } else if ((model_slots() >> *slot & 1) == 0) {
    return -EINVAL;
  }
  record::publish(model_at(map_.words(), *slot), record::sealed(record));
  return 0;
}

int Instance::remove_model(int slot) noexcept {
  if (!mapped()) return -EPERM;
  if (!slot_exists(slot) || (model_slots() >> slot & 1) == 0) return -EINVAL;
  record::publish(model_at(map_.words(), slot), nds_model_record{});
  bitmap_of(map_.words()).fetch_and(~(std::uint64_t{1} << slot), std::memory_order_release);
  return 0;
}

namespace {

// The header decides whether the slab may be parsed at all; nothing branches on other versions, so
// they are refused.
Result<void> check_header(const SlabView& view, std::string_view whose) {
  if (!view.header_valid()) std::this_thread::sleep_for(kHeaderRetryDelay);
  if (view.header_valid()) return {};
  return Error{EINVAL, std::string(whose) +
                           " has no valid header: its owner has not initialised it, has left, or "
                           "writes a version this program does not know"};
}

}  // namespace

Result<Reader> Reader::open(const Device& device, pid_t pid) {
  if (pid <= 0)
    return Error{EINVAL,
                 std::to_string(pid) + " is no process id: a reader names the process it watches"};
  auto map = SlabMapping::map(device, pid);
  if (!map) return map.error();
  Reader reader(std::move(*map));
  if (auto valid = check_header(
          reader, "the slab of process " + std::to_string(pid) + " on " + device.path());
      !valid)
    return valid.error();
  return reader;
}

Result<Reader> Reader::over_memory(std::span<std::byte> memory) {
  auto map = SlabMapping::over_memory(memory);
  if (!map) return map.error();
  Reader reader(std::move(*map));
  if (auto valid = check_header(reader, "the slab in memory"); !valid) return valid.error();
  return reader;
}

}  // namespace ndtel
