// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../table.hpp"
#include "audit.hpp"

namespace ndtel::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string amount(const std::optional<std::uint64_t>& value) {
  return value ? grouped(*value) : "-";
}

std::string range(const workload::LedgerRange& r) {
  return r.done == r.intent ? grouped(r.done) : grouped(r.done) + ".." + grouped(r.intent);
}

/// Amounts that will never be posted, each with its reason.
std::string discarded(const AuditRow& row) {
  std::string text;
  const auto add = [&](std::uint64_t value, const char* reason) {
    if (value > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(value), reason);
  };
  add(row.implausible, "implausible");
  add(row.overflow, "overflow");
  add(row.removed, "device removed");
  return text.empty() ? (row.cw ? "0" : "-") : text;
}

Json to_json(const AuditRow& row) {
  Json j;
  if (!row.device.empty()) j["device"] = row.device;
  j["counter"] = row.counter;
  j["name"] = row.name;
  j["unit"] = row.unit;
  if (row.cw) j["cw"] = *row.cw;
  j["incremented"] = {{"done", row.incremented.done}, {"intent", row.incremented.intent}};
  const auto put = [&](const char* key, const std::optional<std::uint64_t>& value) {
    if (value) j[key] = *value;
  };
  put("seen_by_kernel", row.seen);
  put("posted", row.posted);
  put("confirmed", row.confirmed);
  put("pending", row.pending);
  put("unknown", row.unknown);
  if (row.fw_received) {
    j["firmware"] = {{"confirmed", *row.fw_confirmed},
                     {"unknown", *row.fw_unknown},
                     {"received", *row.fw_received}};
  }
  if (row.seen) {
    j["discarded"] = {
        {"implausible", row.implausible}, {"overflow", row.overflow}, {"removed", row.removed}};
  }
  if (row.cw) {
    j["conserved"] = row.conserved();
  } else {
    j["not_posted"] = "no CloudWatch id";
  }
  if (!row.problems.empty()) j["problems"] = row.problems;
  return j;
}

}  // namespace

std::string audit_text(const AuditReport& report, bool per_device) {
  using Align = Table::Align;
  std::vector<Table::Column> columns;
  const bool firmware =
      std::any_of(report.rows.begin(), report.rows.end(),
                  [](const AuditRow& row) { return row.fw_received.has_value(); });
  if (per_device) columns.push_back({"device"});
  columns.insert(columns.end(), {{"counter"},
                                 {"unit"},
                                 {"incremented", Align::kRight},
                                 {"posted", Align::kRight},
                                 {"confirmed", Align::kRight},
                                 {"pending", Align::kRight},
                                 {"unknown", Align::kRight},
                                 {"discarded", Align::kRight}});
  if (firmware) {
    columns.insert(columns.end(), {{"fw confirmed", Align::kRight},
                                   {"fw unknown", Align::kRight},
                                   {"fw received", Align::kRight}});
  }
  columns.push_back({"conserved"});
  Table table(columns);
  const auto rows = per_device ? report.rows : by_counter(report.rows);
  std::string details;
  for (const AuditRow& row : rows) {
    std::vector<std::string> cells;
    if (per_device) cells.push_back(row.device);
    const std::string posted = row.confirmed && !row.posted ? "as percent" : amount(row.posted);
    const std::string verdict = !row.cw           ? "not posted: no CloudWatch id"
                                : row.conserved() ? "yes"
                                                  : "NO";
    cells.insert(cells.end(),
                 {row.name, row.unit, range(row.incremented), posted, amount(row.confirmed),
                  amount(row.pending), amount(row.unknown), discarded(row)});
    if (firmware) {
      for (const auto& value : {row.fw_confirmed, row.fw_unknown, row.fw_received})
        cells.push_back(row.confirmed && !value ? "as percent" : amount(value));
    }
    cells.push_back(verdict);
    table.add(std::move(cells));
    for (const std::string& problem : row.problems) {
      const std::string where = row.device.empty() ? row.name : row.device + " " + row.name;
      details += fmt::format("  {}: {}\n", where, problem);
    }
  }
  for (const std::string& problem : report.problems) details += fmt::format("  {}\n", problem);
  std::string text = table.text();
  if (!details.empty()) text += "what does not balance:\n" + details;
  text +=
      fmt::format("events received: {}, lost: {}\n", grouped(report.events), grouped(report.lost));
  text += fmt::format("conserved: {}\n", report.conserved() ? "yes" : "no");
  return text;
}

std::string audit_json(const AuditReport& report) {
  Json j;
  j["conserved"] = report.conserved();
  j["events"] = report.events;
  j["lost"] = report.lost;
  j["problems"] = report.problems;
  j["counters"] = Json::array();
  for (const AuditRow& row : by_counter(report.rows)) j["counters"].push_back(to_json(row));
  j["devices"] = Json::array();
  for (const AuditRow& row : report.rows) j["devices"].push_back(to_json(row));
  return j.dump(2);
}

}  // namespace ndtel::cli
