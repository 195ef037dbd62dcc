// SPDX-License-Identifier: Apache-2.0
#include "../audit/audit.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "commands.hpp"

namespace ndtel::cli {
namespace {

struct Options {
  std::string ledger;
  std::string posts;
  std::string pending = "/sys/kernel/debug/ndtel";
  std::string baseline;
  std::string sink = "trace";
  std::string firmware;
  std::string json_file;
  bool json = false;
  bool per_device = false;
};

Exit run(const Options& options) {
  AuditInput input;
  input.sink = options.sink;
  input.ledger = read_ledgers(options.ledger);
  input.books = read_books(options.pending);
  if (!options.baseline.empty()) input.baseline = read_books(options.baseline);
  if (!options.firmware.empty()) input.firmware = read_received(options.firmware);
  std::ifstream posts(options.posts);
  if (!posts) {
    throw Failure(Exit::kMissing,
                  fmt::format("cannot read {}: {}; record posts with 'ndtel posts --record {}'",
                              options.posts, std::strerror(errno), options.posts));
  }
  input.recording = read_recording(posts, options.posts);

  const AuditReport report = audit(input);
  if (!options.json_file.empty()) {
    std::ofstream file(options.json_file);
    file << audit_json(report) << "\n";
    if (!file.flush()) {
      throw Failure(Exit::kMissing,
                    fmt::format("cannot write {}: {}", options.json_file, std::strerror(errno)));
    }
  }
  if (options.json) {
    fmt::print("{}\n", audit_json(report));
  } else {
    fmt::print("{}", audit_text(report, options.per_device));
  }
  return report.conserved() ? Exit::kOk : Exit::kFailed;
}

}  // namespace

void add_audit(CLI::App& app, Exit& code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "audit",
      "Compare what processes counted, what the kernel keeps in its books and what was posted");
  command
      ->add_option("--ledger", options->ledger,
                   "Directory of ledgers that 'ndtel workload --ledger' wrote, or one file")
      ->required();
  command->add_option("--posts", options->posts, "Recording of 'ndtel posts --record'")->required();
  command
      ->add_option("--pending", options->pending,
                   "The kernel's books: its debugfs directory, or copies named DEVICE.pending")
      ->capture_default_str();
  command->add_option("--baseline", options->baseline,
                      "Books from before the ledgers began, when the module had counted already");
  command->add_option("--sink", options->sink, "Whose books to judge")
      ->check(CLI::IsMember({"trace", "fwio"}))
      ->capture_default_str();
  command->add_option("--firmware", options->firmware,
                      "Also judge what simulated firmware received: its debugfs directory, or "
                      "copies named DEVICE.received");
  command->add_flag("--per-device", options->per_device, "One line for each device and counter");
  command->add_flag("--json", options->json, "Print JSON");
  command->add_option("--json-file", options->json_file, "Also write the JSON to this file");
  command->footer(
      "A counter is conserved when the kernel saw what the ledgers say was counted (between done "
      "and\n"
      "intent for processes that were killed), when what it saw equals confirmed + pending + "
      "discarded,\n"
      "and when the accepted posts add up to what is confirmed. With --firmware also: confirmed <= "
      "received\n"
      "<= confirmed + unknown. Exit code 0 only if all counters are conserved and no event was "
      "lost "
      "or\n"
      "doubled. Read the books while posting is paused.");
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace ndtel::cli
