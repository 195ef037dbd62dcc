// SPDX-License-Identifier: Apache-2.0
//
// What the trace engine asks of the program it lives in (struct nrt_sys_trace_host), with the
// defaults for what the program did not say.
#ifndef NDTEL_SYSTRACE_HOST_HPP
#define NDTEL_SYSTRACE_HOST_HPP

#include <cstdint>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::systrace::host {

/// Replaces the functions of the program; null members are the defaults.
void set(const nrt_sys_trace_host& functions) noexcept;

/// Sets what visible_cores() says when the program brought no function for it.
void set_visible_cores(std::uint32_t count) noexcept;

/// Cores visible to the process; a warning and 0 when nobody knows.
std::uint32_t visible_cores() noexcept;

/// Global id of the worker of a visible core.
std::int32_t worker_gid(std::uint32_t core) noexcept;

/// Whether JSON shows the collectives algorithm 0, too.
bool include_default_algorithm() noexcept;

}  // namespace ndtel::systrace::host

#endif  // NDTEL_SYSTRACE_HOST_HPP
