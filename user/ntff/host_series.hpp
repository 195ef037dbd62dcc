// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_NTFF_HOST_SERIES_HPP
#define NDTEL_NTFF_HOST_SERIES_HPP

#include "host_trace.hpp"
#include "message_writer.hpp"

namespace ndtel::ntff {

/// Appends the fields of `host_stats` that say what the rows of a series mean.
void write_host_scalars(MessageWriter& out, const HostSeries& series);

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_HOST_SERIES_HPP
