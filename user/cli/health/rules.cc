// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <fmt/format.h>
#include <ndtel/cw.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "../audit/books.hpp"
#include "../nodes.hpp"

namespace ndtel::cli {
namespace {

/// An agent that has a post for longer than any driver takes for one has stopped working.
constexpr std::uint64_t kAgentPatienceMs = 60'000;

/// The rules of one device. Each looks at one question.
class Examination {
 public:
  Examination(const Node& node, const ReadFact& read)
      : node_(node),
        read_(read),
        name_(node.name_space + std::to_string(node.index)),
        class_(fmt::format("/sys/class/{}_device/{}/", node.name_space, name_)),
        debug_(fmt::format("/sys/kernel/debug/{}/{}/", node.name_space, name_)),
        parameters_(fmt::format("/sys/module/{}/parameters/", node.name_space)) {}

  std::vector<Finding> run() {
    driver();
    state();
    ecc();
    power();
    resets();
    if (ours()) {
      switches();
      books();
    }
    return std::move(findings_);
  }

 private:
  /// A file that has been read: its path, and what it said.
  struct Source {
    std::string path;
    Fact fact;
  };

  bool ours() const { return node_.driver == Driver::kNdtel || node_.driver == Driver::kTwin; }

  Source look(const std::string& path) const { return {path, read_(path)}; }

  void find(Severity severity, std::string what, std::string evidence, std::string advice) {
    findings_.push_back({severity, name_, std::move(what), std::move(evidence), std::move(advice)});
  }

  static std::string quote(const Source& source) {
    std::string text = source.fact.text.substr(0, source.fact.text.find('\n'));
    return fmt::format("{}: {}", source.path, text);
  }

  void cannot_read(const Source& source, const std::string& question) {
    const int error = source.fact.error;
    std::string advice = "see dmesg";
    if (error == EACCES || error == EPERM) advice = "run as root";
    if (error == EAGAIN) advice = "look again when the firmware answers";
    find(Severity::kUnknown, fmt::format("cannot tell {}", question),
         fmt::format("{}: {}", source.path, std::strerror(error)), advice);
  }

  /// A count from a file that a driver may not have. Nothing when it is absent or cannot be read;
  /// the latter is a finding.
  std::optional<std::uint64_t> count(const Source& source, const std::string& question) {
    if (source.fact.absent()) return std::nullopt;
    if (!source.fact.known()) {
      cannot_read(source, question);
      return std::nullopt;
    }
    const auto value = number_of(source.fact.text);
    if (!value) {
      find(Severity::kUnknown, fmt::format("cannot tell {}", question), quote(source),
           "this driver's file has another form; use the tool that belongs to it");
    }
    return value;
  }

  void driver() {
    if (node_.driver != Driver::kUnknown) return;
    find(Severity::kCritical, "the node has no driver behind it",
         fmt::format("/sys/module/{} does not exist", node_.name_space),
         "load the module, or remove the stale node");
  }

  void state() {
    const Source named = look(class_ + "state");
    if (!named.fact.absent()) {
      if (!named.fact.known()) return cannot_read(named, "the device's state");
      return judge_state(named, named.fact.text.substr(0, named.fact.text.find('\n')));
    }
    const Source numbered = look(class_ + "reset");
    if (numbered.fact.absent()) {
      if (node_.driver == Driver::kUnknown) return;
      return cannot_read(numbered, "the device's state");
    }
    const auto number = count(numbered, "the device's state");
    if (!number) return;
    judge_state(numbered, *number == ND_STATE_READY     ? "ready"
                          : *number == ND_STATE_RESET   ? "reset"
                          : *number == ND_STATE_INVALID ? "invalid"
                                                        : "");
  }

  void judge_state(const Source& source, const std::string& state) {
    if (state == "ready") return;
    if (state == "invalid") {
      find(Severity::kCritical, "the driver has given the device up after a reset that failed",
           quote(source), "see dmesg for the reset; then write 1 to " + class_ + "reset");
    } else if (state == "reset") {
      find(Severity::kWarning, "a reset is running; whoever opens the device waits", quote(source),
           "wait; a reset that does not end makes the device invalid");
    } else {
      find(Severity::kUnknown, "the device is in a state this tool does not know", quote(source),
           "use the tool that belongs to the driver");
    }
  }

  void ecc() {
    const struct {
      const char* file;
      Severity severity;
      const char* what;
      const char* advice;
    } tallies[] = {
        {"sram_ecc_uncorrected", Severity::kCritical, "on-chip memory had {} uncorrected error{}",
         "results since then may be wrong; replace the instance"},
        {"mem_ecc_uncorrected", Severity::kCritical, "device memory had {} uncorrected error{}",
         "results since then may be wrong; replace the instance"},
        {"mem_ecc_repairable_uncorrected", Severity::kWarning,
         "device memory had {} uncorrected error{} that a repair mends",
         "stop the processes on the device and reset it: the repair is done then"},
    };
    for (const auto& tally : tallies) {
      const Source source = look(class_ + "stats/hardware/" + tally.file);
      const auto errors = count(source, "whether memory had errors");
      if (!errors || *errors == 0) continue;
      find(tally.severity, fmt::format(fmt::runtime(tally.what), *errors, *errors == 1 ? "" : "s"),
           quote(source), tally.advice);
    }
  }

  void power() {
    const Source source = look(class_ + "stats/power/utilization");
    if (source.fact.absent()) return;
    if (!source.fact.known()) return cannot_read(source, "the device's power");
    if (source.fact.text.find("NO_DATA") == std::string::npos) return;
    std::string evidence = quote(source);
    const Source fwio = look(debug_ + "fwio");
    const auto keys = fwio.fact.known() ? keys_of(fwio.fact.text) : decltype(keys_of("")){};
    const auto accepted = number_at(keys, "power_accepted");
    const auto stale = number_at(keys, "power_stale");
    const auto failed = number_at(keys, "power_failed");
    if (accepted && stale && failed) {
      evidence += fmt::format("; {}: {} samples taken, {} old ones, {} failed", fwio.path,
                              *accepted, *stale, *failed);
    }
    // A window needs a minute of samples, so that soon after the start nothing is wrong.
    find(Severity::kNote, "there is no power reading for the last minute", evidence,
         "normal in the first two minutes; later it means that the firmware measures nothing");
  }

  void resets() {
    constexpr int kMostCores = ND_MAX_NC_PER_DEVICE;
    std::uint64_t most = 0;
    Source worst;
    for (int core = 0; core < kMostCores; ++core) {
      const Source source = look(
          fmt::format("{}neuron_core{}/stats/other_info/reset_fail_count/total", class_, core));
      const auto failed = count(source, "whether resets failed");
      if (!source.fact.known() && !source.fact.absent()) return;
      if (failed && *failed > most) {
        most = *failed;
        worst = source;
      }
    }
    if (most == 0) return;
    find(Severity::kWarning, fmt::format("{} reset{} failed", most, most == 1 ? "" : "s"),
         quote(worst), "see dmesg for why; write 0 to the file once it is dealt with");
  }

  void switches() {
    const Source source = look(parameters_ + "nmetric_log_posts");
    if (source.fact.absent()) return;
    const auto bits = count(source, "where posts go");
    if (!bits) return;
    to_firmware_ = (*bits & 1) != 0;
    if (*bits == 0) {
      find(Severity::kWarning, "no sink is switched on; all counts stay pending", quote(source),
           fmt::format("write 1 (firmware), 2 (trace events) or 3 (both) to {}", source.path));
    } else if (!to_firmware_) {
      find(Severity::kNote, "nothing is posted to firmware", quote(source),
           fmt::format("write {} to {} to post to firmware too", *bits | 1, source.path));
    }
  }

  void books() {
    const Source source = look(debug_ + "pending");
    if (!source.fact.known()) {
      if (!source.fact.absent()) return cannot_read(source, "where the counts are");
      find(Severity::kUnknown, "cannot tell where the counts are",
           fmt::format("{}: {}", source.path, std::strerror(source.fact.error)),
           "mount debugfs: 'mount -t debugfs none /sys/kernel/debug'");
      return;
    }
    try {
      lines_ = parse_books(source.fact.text, source.path);
    } catch (const Failure& e) {
      find(Severity::kUnknown, "cannot tell where the counts are", e.what(),
           "use the tool that belongs to the module");
      return;
    }
    discarded(source);
    posting();
    firmware();
    relay(source);
    fates();
  }

  void discarded(const Source& source) {
    std::uint64_t rows = 0;
    std::string example;
    for (const BookLine& line : lines_) {
      if (line.implausible + line.overflow + line.removed == 0) continue;
      if (rows++ > 0) continue;
      example =
          fmt::format("{}: {} of sink {}: implausible {}, overflow {}, removed {}", source.path,
                      line.name, line.sink, line.implausible, line.overflow, line.removed);
    }
    if (rows > 0) {
      find(Severity::kWarning,
           fmt::format("counts were discarded in {} row{}", rows, rows == 1 ? "" : "s"), example,
           "a process wrote garbage into its counters; 'ndtel counters' shows who is there");
    }
  }

  void posting() {
    const Source source = look(debug_ + "posting");
    if (!source.fact.known()) return;
    keys_ = keys_of(source.fact.text);
    const auto votes = number_at(keys_, "pause_votes");
    if (votes && *votes > 0) {
      find(Severity::kWarning,
           fmt::format("posting is paused by {} open file{}", *votes, *votes == 1 ? "" : "s"),
           fmt::format("{}: pause_votes {}", source.path, *votes),
           fmt::format("find who holds the node with 'fuser {}', and end 'ndtel pause'",
                       node_.path));
    }
  }

  void firmware() {
    const Source source = look(debug_ + "fwio");
    if (source.fact.absent()) return;
    if (!source.fact.known()) return cannot_read(source, "whether the firmware answers");
    const auto keys = keys_of(source.fact.text);
    const auto at = [&](const char* key) { return number_at(keys, key).value_or(0); };
    const std::string evidence = fmt::format(
        "{}: calls {}, failed {}, timeouts {}, bad_replies {}, silences {}, refusals {}",
        source.path, at("calls"), at("failed"), at("timeouts"), at("bad_replies"), at("silences"),
        at("refusals"));
    const auto streak = number_at(keys_, "firmware_failed").value_or(0);
    const char* how = at("timeouts") >= at("failed") && at("timeouts") >= at("bad_replies")
                          ? "is silent"
                      : at("failed") >= at("bad_replies") ? "refuses what it is asked"
                                                          : "answers with garbage";
    if (streak > 0) {
      find(Severity::kCritical,
           fmt::format("the firmware {}: it did not take the last {} post{}", how, streak,
                       streak == 1 ? "" : "s"),
           fmt::format("{}posting: firmware_failed {}; {}", debug_, streak, evidence),
           "counts stay pending and are posted again; see dmesg, and reset the device if it lasts");
    } else if (at("failed") + at("timeouts") + at("bad_replies") > 0) {
      find(Severity::kNote, "the firmware did not always answer well, and does now", evidence,
           "nothing, unless the numbers grow");
    }
  }

  void relay(const Source& pending) {
    const Source source = look(debug_ + "relay");
    if (source.fact.absent()) return;
    if (!source.fact.known()) return cannot_read(source, "whether an agent is attached");
    const auto keys = keys_of(source.fact.text);
    const auto agent = number_at(keys, "agent");
    std::uint64_t waiting = 0;
    for (const BookLine& line : lines_) {
      if (line.sink == "relay" && line.pending > 0) ++waiting;
    }
    if (agent && *agent == 0) {
      find(Severity::kWarning,
           fmt::format("no agent is attached; {} row{} stay pending", waiting,
                       waiting == 1 ? "" : "s"),
           fmt::format("{}: agent 0; {}", source.path, pending.path),
           "run 'ndtel companion', or start ndtel-companion.service");
      return;
    }
    const auto waits = number_at(keys, "waits_ms");
    if (agent && waits && *waits > kAgentPatienceMs) {
      find(Severity::kWarning,
           fmt::format("the agent, process {}, has not acknowledged its post for {} s", *agent,
                       *waits / 1000),
           fmt::format("{}: waits_ms {}", source.path, *waits), "restart it");
    }
  }

  /// Posts that were refused or have an unknown fate, and the other oddities the engine counts.
  void fates() {
    const Source source = look(debug_ + "anomalies");
    if (!source.fact.known()) {
      if (!source.fact.absent()) cannot_read(source, "what became of posts");
      return;
    }
    static constexpr const char* kSinkNames[NMETRIC_SINK_COUNT] = {"firmware", "trace", "relay"};
    std::istringstream lines(source.fact.text);
    for (std::string line; std::getline(lines, line);) {
      unsigned sink = 0;
      unsigned long long posts = 0, refused = 0, unknown = 0, amount = 0;
      if (sscanf(line.c_str(), "sink%u posts %llu refused %llu unknown %llu", &sink, &posts,
                 &refused, &unknown) == 4) {
        if (sink >= NMETRIC_SINK_COUNT || refused + unknown == 0) continue;
        find(Severity::kNote,
             fmt::format("of {} posts to the {} sink {} were refused and {} have an unknown fate",
                         posts, kSinkNames[sink], refused, unknown),
             fmt::format("{}: {}", source.path, line),
             unknown > 0 ? "what is unknown was posted again and may be counted twice downstream"
                         : "nothing; what was refused was posted again");
      } else if (sscanf(line.c_str(), "words_down %llu", &amount) == 1 && amount > 0) {
        find(Severity::kNote, fmt::format("counters of processes went down {} times", amount),
             fmt::format("{}: {}", source.path, line),
             "a process decrements or resets a counter that only grows; nothing was posted for it");
      }
    }
  }

  const Node& node_;
  const ReadFact& read_;
  std::string name_, class_, debug_, parameters_;
  bool to_firmware_ = true;
  std::vector<BookLine> lines_;
  std::map<std::string, std::string> keys_;  ///< of `posting`
  std::vector<Finding> findings_;
};

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kUnknown:
      return "unknown";
    case Severity::kWarning:
      return "warning";
    case Severity::kCritical:
      break;
  }
  return "critical";
}

std::vector<Finding> examine(const Node& node, const ReadFact& read) {
  return Examination(node, read).run();
}

Exit verdict(const std::vector<Finding>& findings) {
  Severity worst = Severity::kNote;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  if (worst >= Severity::kWarning) return Exit::kFailed;
  return worst == Severity::kUnknown ? Exit::kMissing : Exit::kOk;
}

}  // namespace ndtel::cli
