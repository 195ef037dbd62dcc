// SPDX-License-Identifier: Apache-2.0
//
// Reads the trace memory of another process, typically one that was killed: a capture that was
// started with a socket (NDTEL_TRACE_SOCKET) sends its memory there.
#ifndef NDTEL_TRACE_HARVEST_HPP
#define NDTEL_TRACE_HARVEST_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ndtel/result.hpp"
#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::trace {

/// What one core of a harvested capture holds. pushed == drained + displaced + left.
struct HarvestedCore {
  std::uint32_t nc = 0;
  std::int32_t worker_gid = -1;
  std::uint64_t created = 0;    ///< events begun
  std::uint64_t pushed = 0;     ///< events completed
  std::uint64_t drained = 0;    ///< taken by the process itself
  std::uint64_t displaced = 0;  ///< overwritten
  std::uint64_t left = 0;       ///< what events() gives
  std::uint64_t in_flight = 0;  ///< begun and never completed: the process died inside
  std::uint64_t damaged = 0;  ///< places that no writer leaves like this; their events are left out
};

/// What is known of a capture.
struct HarvestSummary {
  std::uint32_t pid = 0;             ///< as the process saw itself
  std::uint64_t process_start = 0;   ///< field 22 of /proc/PID/stat
  bool stopped = false;              ///< it ended its capture; otherwise it was recording, or is
  bool written = false;              ///< and wrote all of it to files of its own before it did
  bool classic = false;              ///< which engine it used
  std::uint64_t capacity = 0;        ///< events a core keeps
  std::vector<HarvestedCore> cores;  ///< those that were captured
  std::vector<std::pair<std::uint64_t, std::string>> names;  ///< ids and names, as they came
  std::uint64_t names_lost = 0;                              ///< that found no room
  bool clock_known = true;            ///< false: no times; events have their ticks instead
  std::uint64_t clock_forgotten = 0;  ///< pieces of the clock's past that are estimated
  std::vector<std::string> warnings;  ///< a sentence for each thing that is not as it should be
};

/// Trace memory, mapped for reading. Nothing in it is trusted: whatever it holds, a harvester reads
/// inside it, ends, and says what does not fit.
///
/// Harvest when the process is gone or has stopped its capture. While it records, its memory
/// changes under the reader, and what is read is neither exact nor whole.
class Harvester {
 public:
  /// @param memfd as it was received; the caller keeps and closes it. EPERM when it is not sealed
  /// against shrinking, EPROTO when it holds no trace memory of a version that is known, or says
  /// impossible things of itself.
  static Result<Harvester> open(int memfd);

  /// The same over memory that the caller keeps for as long.
  static Result<Harvester> over(std::span<const std::byte> memory);

  Harvester(Harvester&&) noexcept;
  Harvester& operator=(Harvester&&) noexcept;
  ~Harvester();

  const HarvestSummary& summary() const noexcept;

  /// Calls `visit` for the events of a core of the summary, oldest first; false ends it. Memory in
  /// use does not depend on how many there are. May be called any number of times.
  void events(const HarvestedCore& core,
              const std::function<bool(const nrt_sys_trace_event_t&)>& visit) const;

 private:
  struct Impl;
  explicit Harvester(std::unique_ptr<Impl> impl) noexcept;

  std::unique_ptr<Impl> impl_;
};

/// The socket that captures are sent to, for those who harvest them.
class HandoverSocket {
 public:
  HandoverSocket(HandoverSocket&& other) noexcept;
  HandoverSocket& operator=(HandoverSocket&&) = delete;
  ~HandoverSocket();

  /// Listens at `path`, which must not exist; it is removed in the end.
  static Result<HandoverSocket> listen(const std::string& path);

  /// Readable when receive() has something to do.
  int fd() const noexcept { return fd_; }

  /// What one process sent.
  struct Received {
    int memfd;          ///< the caller's to close
    std::uint32_t pid;  ///< of the sender, as the kernel says
  };

  /// Takes one capture. Nothing, without waiting, when there is none; an error when somebody sent
  /// something else.
  Result<std::optional<Received>> receive();

 private:
  HandoverSocket(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
};

}  // namespace ndtel::trace

#endif  // NDTEL_TRACE_HARVEST_HPP
