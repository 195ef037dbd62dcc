// SPDX-License-Identifier: Apache-2.0
//
// The C functions of the ntrace ring.
#include <cerrno>
#include <cstdlib>
#include <new>

#include "nrt/nlog.h"
#include "nrt/nrt_experimental.h"
#include "nrt/ntrace.h"
#include "recorder.hpp"
#include "runtime_state.hpp"

using ndtel::ntrace::Recorder;

namespace {

NRT_STATUS refuse(const char* function, NRT_STATUS status, const char* why) noexcept {
  nlog_write("PROF", function, NRT_LOG_LEVEL_ERROR, true, true, "%s", why);
  return status;
}

/// What start and stop have in common; NRT_SUCCESS when they may go on.
NRT_STATUS guard(const char* function) noexcept {
  switch (const NRT_STATUS status = ndtel::runtime::guard()) {
    case NRT_SUCCESS:
      break;
    case NRT_UNINITIALIZED:
      return refuse(function, status, "the runtime is not initialised: call nrt_init() first");
    default:
      return refuse(function, status, "the runtime is closed");
  }
  if (ndtel::runtime::implicit_async())
    return refuse(function, NRT_INVALID, "the trace is unsupported in implicit-async execution");
  return NRT_SUCCESS;
}

}  // namespace

NRT_STATUS nrt_trace_start(bool trace_mem) noexcept {
  if (const NRT_STATUS status = guard(__func__); status != NRT_SUCCESS) return status;
  try {
    const auto entries = ndtel::ntrace::parse_entries(std::getenv("NEURON_RT_TRACE_NUM_ENTRIES"));
    if (!entries) return refuse(__func__, NRT_INVALID, entries.error().message.c_str());
    const auto started = Recorder::get().start(*entries, trace_mem);
    if (!started)
      return refuse(__func__, started.error().code == ENOMEM ? NRT_RESOURCE : NRT_INVALID,
                    started.error().message.c_str());
  } catch (const std::bad_alloc&) {
    return NRT_RESOURCE;
  }
  return NRT_SUCCESS;
}

NRT_STATUS nrt_trace_stop(const char* filename) noexcept {
  if (const NRT_STATUS status = guard(__func__); status != NRT_SUCCESS) return status;
  if (filename == nullptr || *filename == '\0')
    return refuse(__func__, NRT_INVALID, "there is no file name");
  try {
    const auto written = Recorder::get().stop(filename, ndtel::runtime::arch());
    if (!written) return refuse(__func__, NRT_FAILURE, written.error().message.c_str());
    if (!*written) return refuse(__func__, NRT_INVALID, "no trace was started");
    const auto [records, overwritten] = **written;
    nlog_write("PROF", __func__, overwritten != 0 ? NRT_LOG_LEVEL_WARN : NRT_LOG_LEVEL_INFO, true,
               false, "%zu records are in %s; %llu older ones were overwritten", records, filename,
               static_cast<unsigned long long>(overwritten));
  } catch (const std::bad_alloc&) {
    return NRT_RESOURCE;
  }
  return NRT_SUCCESS;
}

void ntrace_record_event(uint32_t type, uint64_t data, uint32_t nd_idx, uint32_t nc_idx,
                         const char* hint) noexcept {
  Recorder::get().record(type, data, nd_idx, nc_idx, hint);
}
