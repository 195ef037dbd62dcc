// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "../firmware/firmware_log.hpp"
#include "../nodes.hpp"
#include "../stop_flag.hpp"
#include "commands.hpp"

namespace ndtel::cli {
namespace {

struct Options {
  NodeFilter filter;
  bool json = false;
  bool follow = false;
};

std::string device_name(const Node& node) { return node.name_space + std::to_string(node.index); }

std::string posts_file(const Node& node) {
  return fmt::format("/sys/kernel/debug/{}/{}/firmware/posts", node.name_space, device_name(node));
}

/// The text of a file; nothing, with errno set, when it cannot be read.
std::optional<std::string> read_text(const std::string& path) {
  errno = 0;
  std::ifstream in(path);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) return std::nullopt;
  return text.str();
}

/// Prints what is new of one device, from post number `next` on; says what was already forgotten.
/// False when there is no such file.
bool print_new(const Node& node, bool json, std::uint64_t& next) {
  const std::string file = posts_file(node);
  const auto text = read_text(file);
  if (!text) return false;
  for (const FirmwarePost& post : parse_firmware_posts(*text, file)) {
    if (post.index < next) continue;
    if (post.index > next) {
      fmt::print(stderr, "ndtel: {}: posts {} to {} are no longer kept\n", device_name(node), next,
                 post.index - 1);
    }
    next = post.index + 1;
    fmt::print("{}\n", json ? firmware_post_json(device_name(node), post)
                            : firmware_post_text(device_name(node), post));
  }
  return true;
}

void run(const Options& options) {
  const StopFlag stop;
  const Deadline never({});
  const auto nodes = select_nodes(options.filter);
  std::map<std::string, std::uint64_t> next;
  bool any = false;
  for (const Node& node : nodes) any = print_new(node, options.json, next[node.path]) || any;
  if (!any) {
    const int error = errno;
    throw Failure(
        Exit::kMissing,
        fmt::format("cannot read {}: {}; only simulated devices record what their firmware took, "
                    "in debugfs, for root",
                    posts_file(nodes.front()), std::strerror(error != 0 ? error : ENOENT)));
  }
  constexpr double kPauseS = 0.2;
  while (options.follow && !sleep_unless_done(kPauseS, stop, never)) {
    any = false;
    for (const Node& node : nodes) any = print_new(node, options.json, next[node.path]) || any;
    if (!any) throw Failure(Exit::kMissing, "the devices were removed");
  }
}

}  // namespace

void add_firmware(CLI::App& app, Exit&) {
  auto options = std::make_shared<Options>();
  CLI::App* group = app.add_subcommand("firmware", "What the firmware of simulated devices says");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("log", "Show the posts the firmware has taken");
  options->filter.add_to(*command);
  command->add_flag("--json", options->json, "Print one JSON object a line");
  command->add_flag("-f,--follow", options->follow, "Go on with new posts until Ctrl-C");
  command->callback([options] { run(*options); });
}

}  // namespace ndtel::cli
