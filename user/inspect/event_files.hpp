// SPDX-License-Identifier: Apache-2.0
//
// The events of one session on their way to files: what was taken while it recorded, and what is
// left when recording has ended. However often writing fails, no event is written twice, and none
// is left out.
#ifndef NDTEL_INSPECT_EVENT_FILES_HPP
#define NDTEL_INSPECT_EVENT_FILES_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../ntff/host_trace.hpp"
#include "../systrace/strings.hpp"
#include "ndtel/result.hpp"
#include "ndtel/trace_harvest.hpp"

namespace ndtel::inspect {

class EventFiles {
 public:
  /// @param gids workers of the visible cores
  EventFiles(std::string directory, std::vector<std::int32_t> gids);
  EventFiles(const EventFiles&) = delete;
  EventFiles& operator=(const EventFiles&) = delete;

  /// Takes what the running capture holds and writes it. What is recorded meanwhile may be left for
  /// the next time: it ends, however many events come.
  Result<void> export_running();

  /// Writes what the finished capture still holds. After an error: call it again, with the same
  /// capture.
  Result<void> write_finished();

  /// The same when there is no capture any more: what was taken before.
  Result<void> write_taken();

  const systrace::StringShard& names() const noexcept { return names_; }
  const std::vector<ntff::DataFile>& files() const noexcept { return writer_.files(); }
  /// What the rings said when they were read last.
  const std::vector<ntff::CoreLoss>& loss() const noexcept { return loss_; }
  /// Sentences for who reads the files.
  std::vector<std::string> warnings() const;

 private:
  Result<void> add_portion();
  Result<void> flush();
  Result<void> finish_part();
  Result<void> save_what_fits(const Result<void>& failed);

  const std::vector<std::int32_t> gids_;
  systrace::StringShard names_;
  ntff::TraceWriter writer_;
  bool stuck_ = false;  // the writer keeps events that it could not write
  // Events on their way from a running capture to the writer: those it does not have yet.
  std::vector<nrt_sys_trace_event_t> portion_;
  std::size_t portion_at_ = 0;
  std::size_t portion_end_ = 0;
  // Of a finished capture: cores that are through, and events of the next one that are.
  std::size_t cores_written_ = 0;
  std::uint64_t events_written_ = 0;
  std::vector<ntff::CoreLoss> loss_;
  std::vector<std::string> harvest_warnings_;
};

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_EVENT_FILES_HPP
