// SPDX-License-Identifier: Apache-2.0
#include "audit.hpp"

#include <fmt/format.h>
#include <ndtel/cw.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "../failure.hpp"
#include "../table.hpp"
#include "counter_info.hpp"

namespace ndtel::cli {
namespace fs = std::filesystem;
namespace {

using workload::LedgerRange;

std::optional<std::uint64_t> decimal(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Sums of accepted posts by device and CloudWatch id, and whether every event arrived once.
class PostTotals {
 public:
  PostTotals(const AuditInput& input, AuditReport& report) {
    std::map<DeviceKey, std::vector<std::uint64_t>> numbers;
    std::uint64_t homeless = 0;
    for (const PostEvent& post : input.recording.posts) {
      if (!post.device || !post.seq || !post.sink || !post.result) {
        ++homeless;
        continue;
      }
      const DeviceKey key{post.space, *post.device};
      numbers[key].push_back(*post.seq);
      if (sink_name(*post.sink) != input.sink || *post.result != NMETRIC_ACCEPTED) continue;
      if (!is_posted_as_amount(post.id)) continue;
      if (const auto value = decimal(post.value)) {
        sums_[{key, post.id}] += *value;
      } else {
        report.problems.push_back(fmt::format("event {} of {}: '{}' is no decimal number for {}",
                                              *post.seq, key.name(), post.value,
                                              metric_name(post.id)));
      }
    }
    report.events = input.recording.posts.size();
    report.lost = input.recording.lost;
    if (homeless > 0) {
      report.problems.push_back(
          fmt::format("{} posts do not say which device and sink they belong to; only the "
                      "event metrics_post_nd does",
                      homeless));
    }
    for (const std::string& loss : input.recording.losses)
      report.problems.emplace_back("recording: " + loss);
    std::uint64_t missing = 0;
    for (auto& [key, seen] : numbers) missing += check_numbers(key, seen, report);
    // The recorder may have told of some of them already.
    report.lost = std::max(report.lost, missing);
  }

  std::uint64_t sum(const DeviceKey& key, std::uint32_t cw) const {
    const auto found = sums_.find({key, cw});
    return found == sums_.end() ? 0 : found->second;
  }

  std::set<DeviceKey> devices() const {
    std::set<DeviceKey> keys;
    for (const auto& [key, sum] : sums_) keys.insert(key.first);
    return keys;
  }

 private:
  /// How many events are missing between the first and the last.
  static std::uint64_t check_numbers(const DeviceKey& key, std::vector<std::uint64_t>& seen,
                                     AuditReport& report) {
    std::uint64_t missing = 0;
    std::sort(seen.begin(), seen.end());
    for (std::size_t i = 1; i < seen.size(); ++i) {
      const std::uint64_t step = seen[i] - seen[i - 1];
      if (step == 0) {
        report.problems.push_back(
            fmt::format("event {} of {} arrived more than once", seen[i], key.name()));
      } else if (step > 1) {
        missing += step - 1;
        report.problems.push_back(fmt::format("{} events of {} after number {} are missing",
                                              step - 1, key.name(), seen[i - 1]));
      }
    }
    return missing;
  }

  std::map<std::pair<DeviceKey, std::uint32_t>, std::uint64_t> sums_;
};

const BookLine* find_line(const Books& books, const DeviceKey& key, const std::string& sink,
                          std::uint32_t cw) {
  const auto device = books.find(key);
  if (device == books.end()) return nullptr;
  for (const BookLine& line : device->second) {
    if (line.sink == sink && line.cw == cw) return &line;
  }
  return nullptr;
}

void judge(AuditRow& row, const BookLine& now, const BookLine& before, bool percent,
           std::uint64_t posted) {
  const auto problem = [&](const std::string& text) { row.problems.push_back(text); };
  row.seen = now.incremented - before.incremented;
  row.confirmed = now.confirmed - before.confirmed;
  row.pending = now.pending;
  row.unknown = now.unknown - before.unknown;
  row.implausible = now.implausible - before.implausible;
  row.overflow = now.overflow - before.overflow;
  row.removed = now.removed - before.removed;

  if (!row.incremented.contains(*row.seen)) {
    problem(row.incremented.done == row.incremented.intent
                ? fmt::format("the processes counted {} and the kernel saw {}",
                              row.incremented.done, *row.seen)
                : fmt::format("the processes counted {} to {} and the kernel saw {}",
                              row.incremented.done, row.incremented.intent, *row.seen));
  }
  // Modulo 2^64, like the kernel's own sums.
  const std::uint64_t accounted =
      now.confirmed + now.pending + now.implausible + now.overflow + now.removed;
  if (now.incremented != accounted) {
    problem(fmt::format("the kernel saw {} and accounts for {}", now.incremented, accounted));
  }
  if (percent) return;
  row.posted = posted;
  if (posted < *row.confirmed) {
    problem(
        fmt::format("{} of {} confirmed never arrived", *row.confirmed - posted, *row.confirmed));
  } else if (posted > *row.confirmed) {
    problem(fmt::format("{} more arrived than the {} confirmed", posted - *row.confirmed,
                        *row.confirmed));
  }
}

/// A doorbell without a valid reply may have delivered, so what it carried may have arrived more
/// than once; what was confirmed must have.
void judge_firmware(AuditRow& row, const BookLine& fwio, std::uint64_t received) {
  row.fw_confirmed = fwio.confirmed;
  row.fw_unknown = fwio.unknown;
  row.fw_received = received;
  if (received < fwio.confirmed) {
    row.problems.push_back(
        fmt::format("the firmware received {} of {} it confirmed", received, fwio.confirmed));
  } else if (received > fwio.confirmed + fwio.unknown) {
    row.problems.push_back(
        fmt::format("the firmware received {}, of which {} confirmed and {} "
                    "possible",
                    received, fwio.confirmed, fwio.unknown));
  }
  const std::uint64_t accounted =
      fwio.confirmed + fwio.pending + fwio.implausible + fwio.overflow + fwio.removed;
  if (fwio.incremented != accounted) {
    row.problems.push_back(fmt::format("towards firmware the kernel saw {} and accounts for {}",
                                       fwio.incremented, accounted));
  }
}

bool anything(const AuditRow& row) {
  return row.incremented.intent > 0 || row.seen.value_or(0) > 0 || row.posted.value_or(0) > 0 ||
         row.fw_received.value_or(0) > 0 || !row.conserved();
}

}  // namespace

LedgerSums read_ledgers(const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (const auto& entry : fs::directory_iterator(path, error)) {
      if (entry.path().extension() == ".ledger") files.push_back(entry.path());
    }
  } else if (!error) {
    files.push_back(path);
  }
  if (error)
    throw Failure(Exit::kMissing,
                  fmt::format("cannot read the ledger {}: {}", path, error.message()));
  if (files.empty())
    throw Failure(Exit::kMissing, fmt::format("{} holds no ledger (*.ledger)", path));

  LedgerSums sums;
  for (const std::string& file : files) {
    try {
      const auto ledger = workload::Ledger::open(file);
      auto& device = sums[{ledger.space(), ledger.header().device}];
      for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_COUNT; ++counter) {
        if (const LedgerRange range = ledger.sum(counter); range.intent > 0)
          device[counter] += range;
      }
    } catch (const std::exception& e) {
      throw Failure(Exit::kFailed, e.what());
    }
  }
  return sums;
}

bool AuditReport::conserved() const {
  return lost == 0 && problems.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const AuditRow& row) { return row.conserved(); });
}

AuditReport audit(const AuditInput& input) {
  AuditReport report;
  const PostTotals totals(input, report);
  std::set<DeviceKey> devices = totals.devices();
  for (const auto& [key, sums] : input.ledger) devices.insert(key);
  for (const auto& [key, lines] : input.books) devices.insert(key);

  for (const DeviceKey& key : devices) {
    const auto ledger = input.ledger.find(key);
    std::uint64_t without_line = 0;
    for (const CounterInfo& info : counter_infos()) {
      AuditRow row;
      row.device = key.name();
      row.counter = info.counter;
      row.name = info.name;
      row.unit = info.unit;
      row.cw = info.cw;
      if (ledger != input.ledger.end()) {
        const auto sum = ledger->second.find(info.counter);
        if (sum != ledger->second.end()) row.incremented = sum->second;
      }
      if (info.cw) {
        const BookLine* now = find_line(input.books, key, input.sink, *info.cw);
        const BookLine* before = find_line(input.baseline, key, input.sink, *info.cw);
        const std::uint64_t posted = totals.sum(key, *info.cw);
        if (now != nullptr) {
          judge(row, *now, before != nullptr ? *before : BookLine{}, info.percent, posted);
        } else if (row.incremented.intent > 0 || posted > 0) {
          row.problems.emplace_back("the kernel keeps no books of it");
          ++without_line;
        }
        const BookLine* fwio = find_line(input.books, key, "fwio", *info.cw);
        const auto firmware = input.firmware.find(key);
        if (fwio != nullptr && firmware != input.firmware.end() && !info.percent) {
          const auto sum = firmware->second.find(*info.cw);
          judge_firmware(row, *fwio, sum == firmware->second.end() ? 0 : sum->second);
        }
      }
      if (anything(row)) report.rows.push_back(std::move(row));
    }
    if (without_line > 0) {
      report.problems.push_back(fmt::format(
          "no books of {} for the sink '{}'; is its bit of nmetric_log_posts set, and quirks off?",
          key.name(), input.sink));
    }
  }
  if (report.rows.empty())
    report.problems.emplace_back("nothing was counted: there is nothing to audit");
  return report;
}

std::vector<AuditRow> by_counter(const std::vector<AuditRow>& rows) {
  std::vector<AuditRow> sums;
  const auto add = [](std::optional<std::uint64_t>& into,
                      const std::optional<std::uint64_t>& from) {
    if (from) into = into.value_or(0) + *from;
  };
  for (const AuditRow& row : rows) {
    auto sum = std::find_if(sums.begin(), sums.end(),
                            [&](const AuditRow& other) { return other.counter == row.counter; });
    if (sum == sums.end()) {
      AuditRow fresh;
      fresh.counter = row.counter;
      fresh.name = row.name;
      fresh.unit = row.unit;
      fresh.cw = row.cw;
      sum = sums.insert(
          std::find_if(sums.begin(), sums.end(),
                       [&](const AuditRow& other) { return other.counter > row.counter; }),
          fresh);
    }
    sum->incremented += row.incremented;
    add(sum->seen, row.seen);
    add(sum->posted, row.posted);
    add(sum->confirmed, row.confirmed);
    add(sum->pending, row.pending);
    add(sum->unknown, row.unknown);
    add(sum->fw_confirmed, row.fw_confirmed);
    add(sum->fw_unknown, row.fw_unknown);
    add(sum->fw_received, row.fw_received);
    sum->implausible += row.implausible;
    sum->overflow += row.overflow;
    sum->removed += row.removed;
    for (const std::string& p : row.problems)
      sum->problems.push_back(fmt::format("{}: {}", row.device, p));
  }
  return sums;
}

}  // namespace ndtel::cli
