// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_COMMANDS_COMMANDS_HPP
#define NDTEL_CLI_COMMANDS_COMMANDS_HPP

#include <CLI/CLI.hpp>

#include "../failure.hpp"

namespace ndtel::cli {

// One function a subcommand, each in a file of its name. When the subcommand was chosen, parsing
// runs it; it throws Failure, or leaves its exit code in `code`.
void add_ls(CLI::App& app, Exit& code);
void add_counters(CLI::App& app, Exit& code);
void add_posts(CLI::App& app, Exit& code);
void add_pause(CLI::App& app, Exit& code);
void add_workload(CLI::App& app, Exit& code);
void add_audit(CLI::App& app, Exit& code);
void add_companion(CLI::App& app, Exit& code);
void add_firmware(CLI::App& app, Exit& code);
void add_health(CLI::App& app, Exit& code);
void add_run(CLI::App& app, Exit& code);
void add_view(CLI::App& app, Exit& code);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_COMMANDS_COMMANDS_HPP
