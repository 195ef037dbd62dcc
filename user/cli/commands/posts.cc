// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ndtel/cw.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "../nodes.hpp"
#include "../stop_flag.hpp"
#include "../trace/post_json.hpp"
#include "../trace/post_stream.hpp"
#include "commands.hpp"

namespace ndtel::cli {
namespace {

struct Options {
  NodeFilter filter;
  std::optional<double> seconds;
  std::optional<std::uint64_t> count;
  std::string record;
  std::string color = "auto";
  bool json = false;
  bool compact = false;
  bool quiet = false;
};

/// Posts for people, coloured or not.
class Lines {
 public:
  explicit Lines(bool colour) : colour_(colour) {}

  /// "[  12.345678] ndtel0 tick 0": where and when; and what is out of the ordinary about it.
  std::string origin(const PostEvent& post) const {
    std::string text =
        paint("2", fmt::format("[{:>12.6f}]", static_cast<double>(post.time_ns) / 1e9));
    text += " " + post.space;
    if (post.device) text += std::to_string(*post.device);
    if (post.tick)
      text += paint(*post.tick == 0 ? "36" : "35", fmt::format(" tick {}", *post.tick));
    if (post.sink && *post.sink != NMETRIC_SINK_TRACE) text += " via " + sink_name(*post.sink);
    if (post.result && *post.result != NMETRIC_ACCEPTED)
      text += " " + paint("31", result_name(*post.result));
    return text;
  }

  /// "NERR_OK=25".
  std::string content(const PostEvent& post) const {
    return fmt::format("{}={}", metric_name(post.id), paint("32", post.value));
  }

 private:
  std::string paint(const char* code, const std::string& text) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  bool colour_;
};

/// Whether two events, the second not before the first, came from the same post.
bool same_post(const PostEvent& a, const PostEvent& b) {
  constexpr std::uint64_t kLongestPostNs = 50'000'000;
  return a.space == b.space && a.device == b.device && a.tick == b.tick && a.sink == b.sink &&
         b.time_ns - a.time_ns < kLongestPostNs;
}

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

/// Prints and records what arrives; counts what it let through.
class Printer {
 public:
  Printer(const Options& options, bool colour)
      : options_(options), lines_(colour), record_(nullptr, &fclose) {
    if (options.record.empty()) return;
    record_.reset(fopen(options.record.c_str(), "we"));
    if (!record_) {
      throw Failure(Exit::kMissing,
                    fmt::format("cannot write {}: {}", options.record, std::strerror(errno)));
    }
  }

  void take(const PostStream::Batch& batch) {
    for (const PostEvent& post : batch.posts) {
      if (done()) break;
      // The recording keeps everything: an audit needs the numbers without holes.
      if (record_) fmt::print(record_.get(), "{}\n", post_to_json(post));
      if (post.device && !options_.filter.matches(post.space, *post.device)) continue;
      ++printed_;
      if (!options_.quiet) show(post);
    }
    print_lines();
    lost_ += batch.lost;
    for (std::size_t i = 0; i < batch.losses.size(); ++i) {
      const std::string line = loss_to_json(i == 0 ? batch.lost : 0, batch.losses[i]);
      if (record_) fmt::print(record_.get(), "{}\n", line);
      if (options_.json) fmt::print("{}\n", line);
      fmt::print(stderr, "ndtel: {}\n", batch.losses[i]);
    }
    if (record_ && fflush(record_.get()) != 0) {
      throw Failure(Exit::kFailed,
                    fmt::format("cannot write {}: {}", options_.record, std::strerror(errno)));
    }
  }

  bool done() const { return options_.count && printed_ >= *options_.count; }
  std::uint64_t lost() const { return lost_; }

 private:
  /// A line for people, and the post it began with.
  struct Line {
    PostEvent first;
    std::string text;
  };

  void show(const PostEvent& post) {
    if (options_.json) {
      fmt::print("{}\n", post_to_json(post));
      return;
    }
    // Events of devices that post at the same time come mixed.
    auto line = ready_.end();
    if (options_.compact) {
      line = std::find_if(ready_.begin(), ready_.end(),
                          [&](const Line& l) { return same_post(l.first, post); });
    }
    if (line == ready_.end()) line = ready_.insert(line, {post, lines_.origin(post)});
    line->text += "  " + lines_.content(post);
  }

  void print_lines() {
    for (const Line& line : ready_) fmt::print("{}\n", line.text);
    ready_.clear();
  }

  const Options& options_;
  Lines lines_;
  File record_;
  std::vector<Line> ready_;
  std::uint64_t printed_ = 0;
  std::uint64_t lost_ = 0;
};

Exit follow(const Options& options) {
  const StopFlag stop;
  const bool colour =
      options.color == "always" || (options.color == "auto" && isatty(STDOUT_FILENO) != 0);
  Printer printer(options, colour);
  PostStream stream(namespaces(options.filter));
  fmt::print(stderr, "following {}\n", fmt::join(stream.sources(), " "));
  const Deadline deadline(options.seconds);
  while (!stop.asked() && !deadline.passed() && !printer.done()) {
    constexpr int kLongestWaitMs = 200;
    printer.take(stream.read(deadline.left_ms(kLongestWaitMs)));
  }
  printer.take(stream.finish());
  return printer.lost() == 0 ? Exit::kOk : Exit::kFailed;
}

}  // namespace

void add_posts(CLI::App& app, Exit& code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("posts", "Follow posted metrics as the kernel traces them");
  options->filter.add_to(*command);
  command->add_option("-s,--seconds", options->seconds, "End after this time (default: on Ctrl-C)")
      ->check(CLI::PositiveNumber);
  command->add_option("-n,--count", options->count, "End after this many posts")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "Print one JSON object a line");
  command->add_option(
      "--record", options->record,
      "Also write every post of all devices to this file, as JSON lines, for 'ndtel audit'");
  command->add_flag("--compact", options->compact, "Print all metrics of one post in one line");
  command->add_option("--color", options->color, "auto (on a terminal), always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command->add_flag("-q,--quiet", options->quiet, "Print no posts");
  command->footer(
      "Uses a tracing instance of its own: what others trace is undisturbed. Exit code 1 when "
      "events were lost.");
  command->callback([options, &code] { code = follow(*options); });
}

}  // namespace ndtel::cli
