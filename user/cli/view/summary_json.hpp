// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_VIEW_SUMMARY_JSON_HPP
#define NDTEL_CLI_VIEW_SUMMARY_JSON_HPP

#include <string>
#include <vector>

#include "capture_summary.hpp"

namespace ndtel::cli {

/// One document with all captures. Keys of what is not known are left out.
std::string summary_json(const std::vector<CaptureSummary>& captures);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_VIEW_SUMMARY_JSON_HPP
