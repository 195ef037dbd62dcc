// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_VIEW_SUMMARY_TEXT_HPP
#define NDTEL_CLI_VIEW_SUMMARY_TEXT_HPP

#include <string>

#include "capture_summary.hpp"

namespace ndtel::cli {

/// A capture for people.
std::string summary_text(const CaptureSummary& capture);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_VIEW_SUMMARY_TEXT_HPP
