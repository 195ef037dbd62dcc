// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include "log.hpp"

// The runtime's function, where the program has a runtime.
extern "C" [[gnu::weak]] NRT_STATUS nrt_get_visible_vnc_count(std::uint32_t* count);

namespace ndtel::systrace::host {

namespace {

// Asked at start and at read-out only: a lock is good enough. It is not held during a call.
constinit std::mutex lock;
constinit nrt_sys_trace_host functions{};
constinit std::optional<std::uint32_t> told_cores;

nrt_sys_trace_host current() noexcept {
  const std::lock_guard guard(lock);
  return functions;
}

bool flag_of(const char* variable) noexcept {
  const char* value = std::getenv(variable);
  if (value == nullptr) return false;
  return std::strcmp(value, "1") == 0 || ::strcasecmp(value, "true") == 0 ||
         ::strcasecmp(value, "yes") == 0 || ::strcasecmp(value, "on") == 0;
}

}  // namespace

void set(const nrt_sys_trace_host& wanted) noexcept {
  const std::lock_guard guard(lock);
  functions = wanted;
  log::set_sink({wanted.log, wanted.context});
}

void set_visible_cores(std::uint32_t count) noexcept {
  const std::lock_guard guard(lock);
  told_cores = count;
}

std::uint32_t visible_cores() noexcept {
  std::optional<std::uint32_t> told;
  nrt_sys_trace_host wanted{};
  {
    const std::lock_guard guard(lock);
    wanted = functions;
    told = told_cores;
  }
  std::uint32_t count = 0;
  NRT_STATUS status = NRT_SUCCESS;
  if (wanted.visible_vnc_count != nullptr) {
    status = wanted.visible_vnc_count(wanted.context, &count);
  } else if (told) {
    count = *told;
  } else if (nrt_get_visible_vnc_count != nullptr) {
    status = nrt_get_visible_vnc_count(&count);
  } else {
    log::write(log::Level::kWarn, "no one says how many cores are visible: taking none");
    return 0;
  }
  if (status != NRT_SUCCESS) {
    log::write(log::Level::kWarn,
               "asking how many cores are visible failed with status {}: taking none",
               static_cast<unsigned>(status));
    return 0;
  }
  return count;
}

std::int32_t worker_gid(std::uint32_t core) noexcept {
  const nrt_sys_trace_host wanted = current();
  if (wanted.worker_gid != nullptr) return wanted.worker_gid(wanted.context, core);
  return static_cast<std::int32_t>(core);
}

bool include_default_algorithm() noexcept {
  const nrt_sys_trace_host wanted = current();
  if (wanted.include_default_algo != nullptr) return wanted.include_default_algo(wanted.context);
  return flag_of("NEURON_RT_DBG_TOPSP_SYSTRACE_INCLUDE_DEFAULT_ALGO");
}

}  // namespace ndtel::systrace::host

void nrt_sys_trace_set_host(const struct nrt_sys_trace_host* host) noexcept {
  ndtel::systrace::host::set(host != nullptr ? *host : nrt_sys_trace_host{});
}

void nrt_sys_trace_set_visible_vnc_count(std::uint32_t count) noexcept {
  ndtel::systrace::host::set_visible_cores(count);
}
