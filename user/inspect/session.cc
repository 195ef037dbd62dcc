// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "../systrace/engine.hpp"
#include "../systrace/host.hpp"
#include "log.hpp"
#include "ndtel/status.hpp"

namespace ndtel::inspect {
namespace {

std::uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

ntff::Version own_version() {
  ntff::Version version;
  std::uint64_t* const parts[] = {&version.major, &version.minor, &version.patch};
  const char* at = NDTEL_VERSION;
  for (std::uint64_t* part : parts) {
    for (; *at >= '0' && *at <= '9'; ++at)
      *part = *part * 10 + static_cast<std::uint64_t>(*at - '0');
    if (*at != '.') break;
    ++at;
  }
  version.detail = "ndtel " NDTEL_VERSION;
  return version;
}

std::vector<std::int32_t> worker_gids(std::uint32_t visible) {
  std::vector<std::int32_t> gids(visible);
  for (std::uint32_t nc = 0; nc < visible; ++nc) gids[nc] = systrace::host::worker_gid(nc);
  return gids;
}

}  // namespace

NRT_STATUS Session::Capture::start(const nrt_sys_trace_config_t& config) {
  const NRT_STATUS status =
      systrace::Engine::get().start(config, systrace::CaptureOptions::from_environment());
  started_ = status == NRT_SUCCESS;
  return status;
}

bool Session::Capture::finish() noexcept {
  if (started_ && systrace::Engine::get().finish() != NRT_SUCCESS) started_ = false;
  return started_;
}

void Session::Capture::close_written() noexcept {
  if (std::exchange(started_, false)) systrace::Engine::get().close_written();
}

Session::Capture::~Capture() {
  if (started_) systrace::Engine::get().close();
}

Session::Session(const Config& config, OutputDirectory directory, std::string base,
                 Instance instance, const Surroundings& surroundings, std::uint64_t time_ns)
    : config_(config),
      base_(std::move(base)),
      instance_(std::move(instance)),
      framework_(surroundings.framework),
      start_ns_(time_ns),
      directory_(std::move(directory)) {}

Session::~Session() = default;

NRT_STATUS Session::begin(const Config& config, const Surroundings& surroundings, bool of_its_own,
                          std::unique_ptr<Session>& session) {
  const std::uint64_t now = clock_ns(CLOCK_REALTIME);
  if (config.output_dir.empty()) log::info("no output directory is given: it is ./output");
  Result<std::string> base = resolve_base(config.output_dir);
  if (!base) {
    log::error("no session: {}", base.error().message);
    return base.error().code == EINVAL ? NRT_INVALID : NRT_FAILURE;
  }
  Instance instance = this_instance(surroundings.dmi);
  Result<OutputDirectory> directory =
      OutputDirectory::make(*base, process_directory(instance, ::getpid()), now, of_its_own);
  if (!directory) {
    log::error("no session: {}", directory.error().message);
    return NRT_FAILURE;
  }
  std::unique_ptr<Session> made(new Session(config, std::move(*directory), *std::move(base),
                                            std::move(instance), surroundings, now));
  const std::uint32_t visible = systrace::host::visible_cores();
  if (const NRT_STATUS status = made->start_recording(surroundings, visible); status != NRT_SUCCESS)
    return status;
  made->directory_.keep();
  log::info("recording to {}", made->directory());
  session = std::move(made);
  return NRT_SUCCESS;
}

NRT_STATUS Session::start_recording(const Surroundings& surroundings, std::uint32_t visible) {
  if (records(NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE)) {
    if (const NRT_STATUS status = capture_.start(config_.sys_trace); status != NRT_SUCCESS) {
      log::error("no session: events cannot be captured: {}",
                 status_name(static_cast<std::uint32_t>(status)));
      return status;
    }
    events_.emplace(directory(), worker_gids(visible));
  }
  if (records(kSamplerActivities)) {
    auto monitor = sysmon::Monitor::start(surroundings.sampler);
    if (monitor) {
      monitor_ = std::move(*monitor);
    } else {
      log::warn("the host is not sampled: {}", monitor.error().message);
      warnings_.push_back(fmt::format("the host was not sampled: {}", monitor.error().message));
    }
  }
  if (config_.mode != NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED &&
      records(NRT_INSPECT_ACTIVITY_DEVICE_PROFILE) &&
      (config_.enable_inspect || config_.enable_inspect_on_fail)) {
    if (surroundings.devices == nullptr) {
      log::warn("nothing here profiles devices: there will be no .ntff files");
      warnings_.emplace_back("devices were not profiled: nothing in the process does that");
    } else if (config_.mode == NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION) {
      return cores_.start(*surroundings.devices, config_.cores, visible);
    }
  }
  return NRT_SUCCESS;
}

NRT_STATUS Session::failed(const Error& error) const {
  log::error("{}; what was recorded is kept: stop again to write it", error.message);
  return error.code == ENOMEM ? NRT_RESOURCE : NRT_FAILURE;
}

NRT_STATUS Session::stop() {
  const std::uint64_t begun = clock_ns(CLOCK_MONOTONIC);
  if (!is_null_device(base_)) directory_.restore();
  cores_.stop_and_write(directory());
  if (monitor_) monitor_->stop();
  const bool captured = capture_.finish();
  if (stop_ns_ == 0) {
    stop_ns_ = clock_ns(CLOCK_REALTIME);
    if (events_ && !captured)
      warnings_.emplace_back("the program ended the capture of events itself; those are lost");
  }
  if (events_) {
    const Result<void> written = captured ? events_->write_finished() : events_->write_taken();
    if (!written) return failed(written.error());
  }
  if (const Result<void> written = write_series(config_.activities); !written)
    return failed(written.error());
  if (const Result<void> written = write_info(); !written) return failed(written.error());
  capture_.close_written();
  const double seconds = static_cast<double>(clock_ns(CLOCK_MONOTONIC) - begun) / 1e9;
  log::info("{} is complete, in {:.2f} s", directory(), seconds);
  return NRT_SUCCESS;
}

NRT_STATUS Session::export_files(std::uint32_t activities) {
  activities &= config_.activities;
  if (activities == 0 || stop_ns_ != 0) return NRT_INVALID;
  directory_.restore();
  if (events_ && (activities & NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE) != 0)
    if (const Result<void> written = events_->export_running(); !written)
      return failed(written.error());
  if (const Result<void> written = write_series(activities); !written)
    return failed(written.error());
  if (const Result<void> written = write_info(); !written) return failed(written.error());
  return NRT_SUCCESS;
}

Result<void> Session::write_series(std::uint32_t activities) {
  if (!monitor_ || (activities & kSamplerActivities) == 0) return {};
  series_ = monitor_->series();
  const auto write = [&](std::uint32_t activity, std::optional<ntff::DataFile>& file,
                         const auto& writer) -> Result<void> {
    if ((activities & activity) == 0) return {};
    Result<ntff::DataFile> written = writer(directory(), *series_, ntff::Framing::kSingle);
    if (!written) return written.error();
    file = *std::move(written);
    return {};
  };
  if (Result<void> written = write(NRT_INSPECT_ACTIVITY_CPU_UTIL, cpu_util_, ntff::write_cpu_util);
      !written)
    return written;
  return write(NRT_INSPECT_ACTIVITY_HOST_MEMORY, host_mem_, ntff::write_host_mem);
}

Result<void> Session::write_info() {
  ntff::TraceInfo info;
  info.pid = static_cast<std::uint32_t>(::getpid());
  info.session_id = static_cast<std::uint32_t>(config_.session_id);
  info.runtime_version = own_version();
  info.start_time_ns = start_ns_;
  info.stop_time_ns = stop_ns_ != 0 ? stop_ns_ : clock_ns(CLOCK_REALTIME);
  info.instance_id = instance_.id;
  info.instance_type = instance_.type;
  info.hostname = instance_.hostname;
  info.framework = framework_;
  info.host = series_ ? &*series_ : nullptr;
  info.warnings = warnings_;
  if (events_) {
    info.files = events_->files();
    info.loss = events_->loss();
    std::ranges::move(events_->warnings(), std::back_inserter(info.warnings));
  }
  for (const auto& file : {cpu_util_, host_mem_})
    if (file) info.files.push_back(*file);
  static const systrace::StringShard kNone;
  return ntff::write_trace_info(directory(), info, events_ ? events_->names() : kNone);
}

}  // namespace ndtel::inspect
