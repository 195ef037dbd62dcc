// SPDX-License-Identifier: Apache-2.0
#include "../view/view.hpp"

#include <memory>

#include "commands.hpp"

namespace ndtel::cli {
void add_view(CLI::App& app, Exit& code) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* command = app.add_subcommand("view", "Show what trace files hold");
  command
      ->add_option("path", options->paths,
                   "A directory of traces, of one process or of several, or a .pb or .ntff file")
      ->required();
  CLI::Option* json = command->add_flag("--json", options->json, "Print one JSON document");
  command->add_flag("--dump", options->dump, "Print all records, one JSON object a line")
      ->excludes(json);
  command->add_flag("--partial", options->partial, "Also show what is whole of damaged files");
  command->footer(
      "Exit code 2 when a file is truncated, corrupt, of another kind, of a newer version or "
      "empty:\nthe message says which, where, and what was expected there. Without --partial "
      "nothing else is shown then.");
  command->callback([options, &code] { code = view(*options, stdout, stderr); });
}

}  // namespace ndtel::cli
