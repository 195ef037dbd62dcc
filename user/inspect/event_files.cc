// SPDX-License-Identifier: Apache-2.0
#include "event_files.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "../systrace/engine.hpp"

namespace ndtel::inspect {
namespace {

// Events are taken from a running capture in portions of this many: half a megabyte.
constexpr std::uint64_t kPortion = 4096;

}  // namespace

EventFiles::EventFiles(std::string directory, std::vector<std::int32_t> gids)
    : gids_(std::move(gids)),
      writer_(std::move(directory),
              {.names = &names_, .worker_gid = gids_, .device = std::span<const std::uint32_t>()}) {
}

// Gives the writer what it does not have of the portion. It counts what it took, whatever happens.
Result<void> EventFiles::add_portion() {
  const std::uint64_t before = writer_.tally().events;
  const auto advance = [&] {
    portion_at_ += writer_.tally().events - before;
    stuck_ = portion_at_ != portion_end_;
  };
  try {
    Result<void> added =
        writer_.add(std::span(portion_).subspan(portion_at_, portion_end_ - portion_at_));
    advance();
    stuck_ = stuck_ || !added;
    return added;
  } catch (...) {
    advance();
    stuck_ = true;
    throw;
  }
}

// Nothing may be added to a writer that keeps what it could not write.
Result<void> EventFiles::flush() {
  if (!stuck_) return {};
  if (Result<void> cut = finish_part(); !cut) return cut;
  return add_portion();
}

Result<void> EventFiles::finish_part() {
  systrace::Engine::get().combine_strings(names_);
  stuck_ = true;
  if (Result<void> cut = writer_.cut(names_); !cut) return cut;
  stuck_ = false;
  return {};
}

// The process may end before it is tried again.
Result<void> EventFiles::save_what_fits(const Result<void>& failed) {
  static_cast<void>(writer_.cut(names_));
  stuck_ = true;  // there may be more to add before anything else
  return failed;
}

Result<void> EventFiles::export_running() {
  if (Result<void> before = flush(); !before) return before;
  systrace::Engine& engine = systrace::Engine::get();
  engine.combine_strings(names_);
  portion_.resize(kPortion);
  loss_.clear();
  for (std::uint32_t nc = 0; nc < gids_.size(); ++nc) {
    const auto counts = engine.counts(nc);
    if (!counts) continue;
    for (std::uint64_t left = counts->left; left > 0;) {
      portion_at_ = 0;
      portion_end_ = engine.drain(nc, portion_.data(), std::min(left, kPortion));
      if (portion_end_ == 0) break;
      left -= portion_end_;
      if (Result<void> added = add_portion(); !added) return save_what_fits(added);
    }
    // What is still in the ring is of the next file.
    if (const auto now = engine.counts(nc)) {
      const std::uint64_t passed = now->drained + now->displaced;
      loss_.push_back({.nc = nc,
                       .created = passed,
                       .pushed = passed,
                       .drained = now->drained,
                       .displaced = now->displaced});
    }
  }
  return finish_part();
}

Result<void> EventFiles::write_finished() {
  if (Result<void> before = flush(); !before) return before;
  systrace::Engine& engine = systrace::Engine::get();
  const auto harvester = trace::Harvester::over(engine.finished());
  if (!harvester) return harvester.error();
  engine.combine_strings(names_);
  const trace::HarvestSummary& summary = harvester->summary();
  for (; cores_written_ < summary.cores.size(); ++cores_written_, events_written_ = 0) {
    Result<void> added;
    std::uint64_t skip = events_written_;
    harvester->events(summary.cores[cores_written_], [&](const nrt_sys_trace_event_t& event) {
      if (skip > 0) {
        --skip;
        return true;
      }
      // From here on the writer has it, whatever becomes of it.
      ++events_written_;
      stuck_ = true;
      added = writer_.add(event);
      if (added) stuck_ = false;
      return added.ok();
    });
    if (!added) return save_what_fits(added);
  }
  if (Result<void> last = finish_part(); !last) return last;

  loss_.clear();
  for (const trace::HarvestedCore& core : summary.cores) loss_.push_back(ntff::loss_of(core));
  harvest_warnings_ = summary.warnings;
  return {};
}

Result<void> EventFiles::write_taken() {
  if (Result<void> before = flush(); !before) return before;
  return finish_part();
}

std::vector<std::string> EventFiles::warnings() const {
  std::vector<std::string> all = harvest_warnings_;
  std::ranges::move(ntff::warnings_of(writer_.tally()), std::back_inserter(all));
  return all;
}

}  // namespace ndtel::inspect
