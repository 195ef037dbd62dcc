// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <fmt/format.h>

#include <cstring>
#include <span>

namespace ndtel::workload {
namespace {

// Slots of a model record's memory grid.
constexpr int kDevice = 1;
constexpr int kConstants = 2, kScratchpad = 3;
static_assert(kDevice < NDS_MEM_LOCATIONS && kScratchpad < NDS_MEM_SLOTS);

}  // namespace

std::array<std::uint8_t, 16> weights_uuid(const TransformerBlock<float>& block) {
  std::array<std::uint8_t, 16> uuid{};
  for (std::uint32_t part = 0; part < 4; ++part) {
    std::uint32_t hash = NDS_FNV_BASIS + part;  // four hashes that differ in where they start
    for (const Tensor<float>* weights : block.weights()) {
      const auto bytes = std::as_bytes(std::span(weights->data));
      hash = fnv1a({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, hash);
    }
    std::memcpy(uuid.data() + part * sizeof(hash), &hash, sizeof(hash));
  }
  return uuid;
}

LoadedModel::LoadedModel(const BlockShape& shape, std::uint64_t seed, const Place& place,
                         Instance& instance, CountingBridge& bridge)
    : load_(place.core),
      block_(shape, seed),
      place_(place),
      instance_(instance),
      bridge_(bridge),
      uuid_(weights_uuid(block_)) {
  bridge_.register_alloc(place_.core, TDRV_MEM_USAGE_WEIGHT, TDRV_MEM_LOCATION_DEVICE,
                         block_.weight_bytes());
  bridge_.register_alloc(place_.core, TDRV_MEM_USAGE_SCRATCHPAD, TDRV_MEM_LOCATION_DEVICE,
                         block_.scratch_bytes());

  nds_model_record record{};
  record.model_id = place_.model_id;
  const std::string name = fmt::format("transformer-{}x{}-seed{}", shape.tokens, shape.width, seed);
  copy_text(record.name, name);
  std::memcpy(record.uuid, uuid_.data(), uuid_.size());
  record.nc_index = static_cast<std::uint8_t>(place_.core);
  record.mem[kDevice][kConstants] = {block_.weight_bytes(),
                                     static_cast<std::uint32_t>(block_.weights().size()), 0};
  record.mem[kDevice][kScratchpad] = {block_.scratch_bytes(), 5, 0};
  // A process with more models than the slab has slots runs on; the surplus ones are not listed.
  if (instance_.publish(record, &slot_) != 0) slot_ = -1;

  bridge_.neff_loaded(fold_neff_uuid(uuid_));
  bridge_.model_loaded(place_.core);
  trace_id_ = trace::intern(name, place_.core);
  load_.set_stop({.model_id = trace_id_});
  load_.end();
}

LoadedModel::~LoadedModel() {
  bridge_.neff_unloaded(fold_neff_uuid(uuid_));
  if (slot_ >= 0) instance_.remove_model(slot_);
  bridge_.register_free(place_.core, TDRV_MEM_USAGE_SCRATCHPAD, TDRV_MEM_LOCATION_DEVICE,
                        block_.scratch_bytes());
  bridge_.register_free(place_.core, TDRV_MEM_USAGE_WEIGHT, TDRV_MEM_LOCATION_DEVICE,
                        block_.weight_bytes());
}

}  // namespace ndtel::workload
