// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_AUDIT_AUDIT_HPP
#define NDTEL_CLI_AUDIT_AUDIT_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../trace/post_json.hpp"
#include "books.hpp"
#include "ledger.hpp"

namespace ndtel::cli {

/// What all processes of a device put under its core counters, by counter.
using LedgerSums = std::map<DeviceKey, std::map<std::uint32_t, workload::LedgerRange>>;

/// Sum the ledgers named by a file or found in a directory (*.ledger). Throws Failure when there
/// are none or one is bad.
LedgerSums read_ledgers(const std::string& path);

/// The independent witnesses of an audit.
struct AuditInput {
  LedgerSums ledger;    ///< the processes
  Books books;          ///< the kernel
  Books baseline;       ///< the kernel before all this, when it was loaded earlier
  Recording recording;  ///< whoever received the posts
  std::string sink = "trace";
  std::map<DeviceKey, Received> firmware;  ///< what simulated firmware received; may be empty
};

/// The books of one counter of one device, or of several added up.
struct AuditRow {
  std::string device;               ///< "ndtel0", empty for a sum
  std::uint32_t counter = 0;        ///< NDS core counter
  std::string name;                 ///< "INFER_COMPLETED"
  std::string unit;                 ///< "count", "ps", "macs"
  std::optional<std::uint32_t> cw;  ///< CloudWatch id, absent for a counter that is never posted

  workload::LedgerRange incremented;    ///< by the processes' ledgers
  std::optional<std::uint64_t> seen;    ///< incremented, as the kernel saw it
  std::optional<std::uint64_t> posted;  ///< sum of accepted posts; absent for percents
  std::optional<std::uint64_t> confirmed;
  std::optional<std::uint64_t> pending;
  std::optional<std::uint64_t> unknown;       ///< a tally beside the books
  std::optional<std::uint64_t> fw_confirmed;  ///< by the firmware; absent when that was not asked
  std::optional<std::uint64_t> fw_unknown;    ///< sent to it, fate unknown; may have arrived
  std::optional<std::uint64_t> fw_received;   ///< by its own record
  std::uint64_t implausible = 0;
  std::uint64_t overflow = 0;
  std::uint64_t removed = 0;
  std::vector<std::string> problems;  ///< why the row is not conserved; empty when it is

  bool conserved() const { return problems.empty(); }
};

struct AuditReport {
  std::vector<AuditRow> rows;         ///< by device and counter; those where anything happened
  std::vector<std::string> problems;  ///< beside the rows: lost, duplicated, unassignable events
  std::uint64_t lost = 0;
  std::uint64_t events = 0;

  bool conserved() const;
};

/// Judge the books. For every counter of every device:
///   the kernel saw what the processes counted:  done <= incremented <= intent
///   nothing vanished in the kernel:             incremented == confirmed + pending + discarded
///   what was confirmed arrived, once:           sum of posts == confirmed
///   what firmware says it received fits:        confirmed <= received <= confirmed + unknown
/// and no event is missing or doubled. The last is judged by the books of the sink fwio, whichever
/// sink the others are judged for.
AuditReport audit(const AuditInput& input);

/// Rows of the same counter added up over devices.
std::vector<AuditRow> by_counter(const std::vector<AuditRow>& rows);

/// The table and the verdict, for people.
std::string audit_text(const AuditReport& report, bool per_device);

/// Everything, for machines.
std::string audit_json(const AuditReport& report);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_AUDIT_AUDIT_HPP
