// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_MODEL_HPP
#define NDTEL_WORKLOAD_MODEL_HPP

#include <array>
#include <cstdint>
#include <string>

#include "ledger_writer.hpp"
#include "ndtel/kmetric.hpp"
#include "ndtel/trace.hpp"
#include "transformer.hpp"

namespace ndtel::workload {

using CountingBridge = KmetricBridge<LedgerWriter<Instance>>;

/// A transformer block loaded on a core: its weights and scratch memory, registered for as long as
/// it is loaded, its model node in the datastore, and its share in the aggregated NEFF id.
class LoadedModel {
 public:
  struct Place {
    std::uint32_t core = 0;
    std::uint32_t model_id = 0;  ///< unique within the process
  };

  /// Builds the model from its seed and counts the load. `instance` and `bridge` must outlive it.
  LoadedModel(const BlockShape& shape, std::uint64_t seed, const Place& place, Instance& instance,
              CountingBridge& bridge);
  /// Unloads it: what was registered is taken back.
  ~LoadedModel();
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  TransformerBlock<float>& block() { return block_; }
  const std::array<std::uint8_t, 16>& uuid() const { return uuid_; }
  /// Id of its name in traces.
  std::uint64_t trace_id() const { return trace_id_; }

 private:
  trace::Span<trace::event::ModelLoad> load_;  // from before the weights are made
  TransformerBlock<float> block_;
  Place place_;
  Instance& instance_;
  CountingBridge& bridge_;
  std::array<std::uint8_t, 16> uuid_{};
  int slot_ = -1;
  std::uint64_t trace_id_ = 0;
};

/// 128 bits over a block's weights: models with the same weights are the same model.
std::array<std::uint8_t, 16> weights_uuid(const TransformerBlock<float>& block);

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_MODEL_HPP
