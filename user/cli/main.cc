// SPDX-License-Identifier: Apache-2.0
//
// ndtel: look at and exercise the telemetry plane. One file of commands/ for each subcommand.
#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>

#include <exception>

#include "commands/commands.hpp"

namespace {

using ndtel::cli::Exit;
using ndtel::cli::Failure;

int run(int argc, char** argv) {
  using namespace ndtel::cli;
  CLI::App app("Telemetry of Neuron devices: counters, posts, and whether the books balance.",
               "ndtel");
  app.set_version_flag("--version", NDTEL_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 fine; 1 failed, or the books do not balance; 2 the command line or a file "
      "makes no sense;\n"
      "3 a device, module, file or permission is missing (the message says which).");
  Exit code = Exit::kOk;
  add_ls(app, code);
  add_counters(app, code);
  add_posts(app, code);
  add_pause(app, code);
  add_workload(app, code);
  add_audit(app, code);
  add_companion(app, code);
  add_firmware(app, code);
  add_health(app, code);
  add_run(app, code);
  add_view(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& e) {
    const auto words = app.remaining();
    if (words.empty() || !app.get_subcommands().empty()) {
      app.exit(e);
    } else {
      fmt::print(stderr, "ndtel: there is no subcommand '{}'; see 'ndtel --help'\n", words.front());
    }
    return static_cast<int>(Exit::kUsage);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(Exit::kUsage);
  }
  return static_cast<int>(code);
}

int complain(const char* sentence, Exit code) {
  fprintf(stderr, "ndtel: %s\n", sentence);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  // Whoever follows our output through a pipe wants each line when it is there.
  setvbuf(stdout, nullptr, _IOLBF, 0);
  // A reader that leaves is an error of the next write, which cleans up; not the end on the spot.
  signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const Failure& e) {
    return complain(e.what(), e.code());
  } catch (const std::exception& e) {
    return complain(e.what(), Exit::kFailed);
  }
}
