// SPDX-License-Identifier: Apache-2.0
#include "support/trace.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace ndtel::vm {
namespace {

const char kInstances[] = "/sys/kernel/tracing/instances/";

// Making an instance takes a large part of a second under emulation, because it gets a directory
// for every event of the kernel. So those of earlier tests are used again, and go at the end of the
// process that made them.
class Instances {
 public:
  ~Instances() {
    for (const auto& directory : free_) {
      if (maker_ == ::getpid() && ::rmdir(directory.c_str()) != 0) {
        std::perror(directory.c_str());
      }
    }
  }

  std::string take() {
    if (maker_ != ::getpid()) {
      free_.clear();
      maker_ = ::getpid();
    }
    if (free_.empty()) return make();
    auto directory = free_.back();
    free_.pop_back();
    // Opening for truncation empties the ring.
    const Fd trace(::open((directory + "trace").c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (!trace.valid()) fail_errno("emptying " + directory);
    return directory;
  }

  void give_back(const std::string& directory) {
    if (maker_ == ::getpid()) free_.push_back(directory);
  }

 private:
  std::string make() {
    auto directory = kInstances + std::to_string(maker_) + "-" + std::to_string(made_++) + "/";
    if (::mkdir(directory.c_str(), 0755) != 0) fail_errno("making " + directory);
    // Per processor; thousands of events.
    write_file(directory + "buffer_size_kb", "2048");
    // The clock of the schedule.
    if (write_file(directory + "trace_clock", "mono") != 0) fail_errno("clock of " + directory);
    return directory;
  }

  std::vector<std::string> free_;
  pid_t maker_ = 0;
  int made_ = 0;
};

Instances& instances() {
  static Instances all;
  return all;
}

// "id:length:value", where the value may hold colons itself.
bool parse_record(const std::string& text, PostEvent* event) {
  int value = 0;
  if (std::sscanf(text.c_str(), "%u:%u:%n", &event->id, &event->length, &value) != 2) return false;
  event->value = text.substr(static_cast<std::size_t>(value));
  return true;
}

bool parse_located(const std::string& text, PostEvent* event) {
  unsigned long long seq = 0;
  int record = 0;
  event->located =
      std::sscanf(text.c_str(), "nd%u seq=%llu tick=%u sink=%u result=%u %n", &event->device, &seq,
                  &event->tick, &event->sink, &event->result, &record) == 5;
  event->seq = seq;
  return event->located && parse_record(text.substr(static_cast<std::size_t>(record)), event);
}

// "   nd0 metrics-70    [000] .....    12.345678: metrics_post: 12:1:0"
double event_time(const std::string& line, std::size_t colon) {
  const auto start = line.rfind(' ', colon);
  return start == std::string::npos ? 0 : std::strtod(line.c_str() + start, nullptr);
}

}  // namespace

std::uint64_t PostEvent::number() const {
  std::size_t used = 0;
  const auto parsed = std::stoull(value, &used);
  if (used != value.size()) throw std::runtime_error("'" + value + "' is no number");
  return parsed;
}

Trace::Trace(Events events, const std::string& name) : name_(name), directory_(instances().take()) {
  pipe_ = Fd(::open((directory_ + "trace_pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!pipe_.valid()) fail_errno("opening trace_pipe of " + directory_);
  enable(events);
}

Trace::~Trace() {
  pipe_.reset();
  enable(Events::kNone);
  instances().give_back(directory_);
}

void Trace::enable(Events events) {
  const bool post = events == Events::kBoth || events == Events::kPost;
  const bool post_nd = events == Events::kBoth || events == Events::kPostNd;
  const std::string folder = directory_ + "events/" + name_ + "/";
  write_file(folder + "metrics_post/enable", post ? "1" : "0");
  write_file(folder + "metrics_post_nd/enable", post_nd ? "1" : "0");
}

void Trace::take_line(const std::string& line) {
  unsigned long long lost = 0;
  int cpu = 0;
  if (std::sscanf(line.c_str(), "CPU:%d [LOST %llu EVENTS]", &cpu, &lost) == 2) {
    lost_ += lost;
    return;
  }
  for (const std::string kind : {": metrics_post: ", ": metrics_post_nd: "}) {
    const auto at = line.find(kind);
    if (at == std::string::npos) continue;
    PostEvent event;
    event.time_s = event_time(line, at);
    const std::string text = line.substr(at + kind.size());
    const bool located = kind.find("_nd") != std::string::npos;
    if (!(located ? parse_located(text, &event) : parse_record(text, &event))) {
      throw std::runtime_error("cannot parse the trace line '" + line + "'");
    }
    events_.push_back(event);
    lines_.push_back(line);
    return;
  }
}

const std::vector<PostEvent>& Trace::read() {
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(pipe_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    rest_.append(buffer, static_cast<std::size_t>(got));
  }
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
    take_line(rest_.substr(0, end));
    rest_.erase(0, end + 1);
  }
  return events_;
}

bool Trace::read_until(const std::function<bool(const std::vector<PostEvent>&)>& condition,
                       std::chrono::milliseconds timeout) {
  return eventually([&] { return condition(read()); }, timeout);
}

std::vector<PostEvent> Trace::posts(unsigned device, unsigned id) const {
  std::vector<PostEvent> found;
  for (const auto& event : events_) {
    if (event.located && event.device == device && event.id == id) found.push_back(event);
  }
  return found;
}

std::uint64_t Trace::sum(unsigned device, unsigned id) const {
  std::uint64_t total = 0;
  for (const auto& event : posts(device, id)) total += event.number();
  return total;
}

void Trace::clear() {
  read();
  events_.clear();
  lines_.clear();
  lost_ = 0;
}

}  // namespace ndtel::vm
