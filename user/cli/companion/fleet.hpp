// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_COMPANION_FLEET_HPP
#define NDTEL_CLI_COMPANION_FLEET_HPP

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "courier.hpp"
#include "journal.hpp"
#include "ndtel/relay.hpp"

namespace ndtel::cli {

/// The companions of all devices of the vendor's driver, each with a courier. Nothing is remembered
/// from one scan to the next but the couriers: what is there is looked up, so a restart on either
/// side is no special case.
class Fleet {
 public:
  /// Only these device indices; all when empty.
  Fleet(std::vector<int> devices, Journal& journal)
      : devices_(std::move(devices)), journal_(journal) {}

  /// Makes the companions that are missing; false when some could not be made. Throws Failure when
  /// this user may not.
  bool make_missing();
  /// Makes what is missing, attaches where nobody is, and lets go what is gone.
  void scan();
  /// Asks all couriers to end; false when some have not in that time.
  bool stop(std::chrono::milliseconds patience);

  std::size_t couriers() const { return couriers_.size(); }

 private:
  std::vector<Companionship> chosen() const;
  /// Says what is there; false when our module is not loaded.
  bool look(const std::vector<Companionship>& pairs);
  /// Whether the companion is there now.
  bool make(const Companionship& pair);
  void attach(const Companionship& pair);

  std::vector<int> devices_;
  Journal& journal_;
  std::map<int, std::unique_ptr<Courier>> couriers_;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_COMPANION_FLEET_HPP
