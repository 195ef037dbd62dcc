// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_COMPANION_COURIER_HPP
#define NDTEL_CLI_COMPANION_COURIER_HPP

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "journal.hpp"
#include "ndtel/relay.hpp"

namespace ndtel::cli {

/// Delivers the posts of one companion device. On a thread of its own: a driver whose firmware is
/// silent may keep a post for half a minute, and that must not hold up the other devices.
class Courier {
 public:
  /// `journal` outlives it.
  Courier(Relay relay, std::string device, std::string driver_node, Journal& journal);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  /// Waits for the delivery that is under way.
  ~Courier();

  /// Asks it to end; a delivery under way is finished and acknowledged first.
  void stop();
  /// It has detached: asked to, or because one of the two devices is gone.
  bool ended() const { return ended_; }

 private:
  void run();
  /// Delivers the post that waits, if one does. False when there is no point in going on.
  bool relay_one();
  void report(const Delivery& delivery);

  std::optional<Relay> relay_;  ///< used by the thread only
  std::string device_;
  std::string driver_node_;
  Journal& journal_;
  std::uint64_t not_accepted_ = 0;  ///< posts in a row
  int wake_;                        ///< eventfd
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_COMPANION_COURIER_HPP
