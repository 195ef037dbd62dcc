// SPDX-License-Identifier: Apache-2.0
#include "traced_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "../failure.hpp"
#include "../table.hpp"
#include "harvest.hpp"
#include "ndtel/trace_harvest.hpp"
#include "process.hpp"

namespace ndtel::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
constexpr std::chrono::milliseconds kTick{500};
constexpr int kCannotRun = 126, kNotFound = 127, kKilled = 128;

// Signals come through a descriptor for as long as this lives.
class SignalSource {
 public:
  SignalSource() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kSignals) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
    fd_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~SignalSource() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalSource(const SignalSource&) = delete;
  SignalSource& operator=(const SignalSource&) = delete;

  int fd() const noexcept { return fd_.get(); }
  const sigset_t& before() const noexcept { return before_; }
  std::optional<signalfd_siginfo> next() const noexcept {
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
    return info;
  }

 private:
  sigset_t before_{};
  Descriptor fd_;
};

// The command as a child process.
class Child {
 public:
  /// Starts it. When it cannot be run, exit_code() says so at once.
  Child(const RunOptions& options, const std::string& socket, const sigset_t& mask) {
    int report[2];
    if (::pipe2(report, O_CLOEXEC) != 0) fail("pipe");
    Descriptor in(report[0]);
    Descriptor out(report[1]);
    pid_ = ::fork();
    if (pid_ < 0) fail("fork");
    if (pid_ == 0) become(options, socket, mask, out.get());
    out = Descriptor();
    int error = 0;
    if (::read(in.get(), &error, sizeof error) != sizeof error) return;  // it was run
    ::waitpid(pid_, nullptr, 0);
    exit_code_ = error == ENOENT ? kNotFound : kCannotRun;
    fmt::print(options.talk, "ndtel run: {}: {}\n", options.command[0], std::strerror(error));
    pid_ = -1;
  }

  bool running() const noexcept { return pid_ > 0; }
  pid_t pid() const noexcept { return pid_; }
  const std::string& end() const noexcept { return end_; }
  int exit_code() const noexcept { return exit_code_; }

  void send(int signal) const noexcept {
    if (running()) ::kill(pid_, signal);
  }

  /// Whether it just ended.
  bool reap() {
    int status = 0;
    if (!running() || ::waitpid(pid_, &status, WNOHANG) != pid_) return false;
    end_ = describe_end(status);
    exit_code_ = WIFSIGNALED(status) ? kKilled + WTERMSIG(status) : WEXITSTATUS(status);
    pid_ = -1;
    return true;
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw Failure(Exit::kFailed,
                  fmt::format("the command cannot be started: {}: {}", what, std::strerror(errno)));
  }

  [[noreturn]] static void become(const RunOptions& options, const std::string& socket,
                                  const sigset_t& mask, int report) {
    std::vector<char*> arguments;
    for (const std::string& word : options.command)
      arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::setenv("NEURON_RT_INSPECT_ENABLE", "1", 1);
    ::setenv("NEURON_RT_INSPECT_OUTPUT_DIR", options.directory.c_str(), 1);
    ::setenv("NDTEL_TRACE_SOCKET", socket.c_str(), 1);
    for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::signal(SIGPIPE, SIG_DFL);  // ndtel ignores it, commands do not expect that
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
    ::_exit(kNotFound);
  }

  pid_t pid_ = -1;
  std::string end_;
  int exit_code_ = 0;
};

// A process that handed over its memory and may live.
struct Process {
  std::uint32_t pid = 0;
  Descriptor memory;
  Descriptor watch;  // none: it is gone
  std::uint64_t begun_ns = 0;
  std::string end;
};

class TracedRun {
 public:
  explicit TracedRun(const RunOptions& options)
      : options_(options),
        socket_(listen(place_.path() + "/trace.sock")),
        salvage_(options.directory),
        child_(options, place_.path() + "/trace.sock", signals_.before()) {}

  int run();

 private:
  static trace::HandoverSocket listen(const std::string& path) {
    auto socket = trace::HandoverSocket::listen(path);
    if (!socket) throw Failure(Exit::kMissing, socket.error().message);
    return std::move(*socket);
  }

  template <typename... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    clear_progress();
    fmt::print(options_.talk, "ndtel run: {}\n", fmt::format(text, std::forward<Args>(args)...));
  }
  void receive();
  void handle_signals();
  void wait(std::chrono::milliseconds longest);
  void harvest_dead();
  void harvest(Process& process, bool newest);
  void report(const Process& process, const HarvestReport& done);
  void show_progress();
  void clear_progress();

  const RunOptions& options_;
  SignalSource signals_;
  PrivateDirectory place_;
  trace::HandoverSocket socket_;
  Salvage salvage_;
  Child child_;
  std::vector<Process> living_;
  bool enough_ = false;  // the user does not want to wait for processes that outlive the command
  bool shown_ = false;   // a line of progress is on the screen
  Clock::time_point next_progress_ = Clock::now();
  std::size_t processes_ = 0, failures_ = 0;
  std::uint64_t events_ = 0, displaced_ = 0, in_flight_ = 0, damaged_ = 0;
};

void TracedRun::receive() {
  while (true) {
    auto received = socket_.receive();
    if (!received) {
      say("{}", received.error().message);
      continue;
    }
    if (!*received) return;
    Process process;
    process.pid = (*received)->pid;
    process.memory = Descriptor((*received)->memfd);
    process.begun_ns = realtime_ns();
    // A process has one capture at a time: the one before is at rest.
    for (auto it = living_.begin(); it != living_.end();) {
      if (it->pid != process.pid) {
        ++it;
        continue;
      }
      harvest(*it, /*newest=*/false);
      it = living_.erase(it);
    }
    process.watch = watch_process(static_cast<pid_t>(process.pid));
    living_.push_back(std::move(process));
  }
}

void TracedRun::handle_signals() {
  while (const auto signal = signals_.next()) {
    const int number = static_cast<int>(signal->ssi_signo);
    if (number == SIGCHLD) {
      const pid_t pid = child_.pid();
      if (!child_.reap()) continue;
      for (Process& process : living_)
        if (process.pid == static_cast<std::uint32_t>(pid)) process.end = child_.end();
      continue;
    }
    if (!child_.running()) {
      enough_ = true;
    } else if (signal->ssi_code <= 0) {
      // Sent to us alone. What the terminal sends has reached the command, too.
      child_.send(number);
    }
  }
}

void TracedRun::wait(std::chrono::milliseconds longest) {
  std::vector<pollfd> ready{{signals_.fd(), POLLIN, 0}, {socket_.fd(), POLLIN, 0}};
  for (const Process& process : living_)
    if (process.watch) ready.push_back({process.watch.get(), POLLIN, 0});
  ::poll(ready.data(), ready.size(), static_cast<int>(longest.count()));
}

void TracedRun::harvest_dead() {
  for (auto it = living_.begin(); it != living_.end();) {
    pollfd gone{it->watch.get(), POLLIN, 0};
    if (it->watch && ::poll(&gone, 1, 0) <= 0) {
      ++it;
      continue;
    }
    harvest(*it, /*newest=*/true);
    it = living_.erase(it);
  }
}

void TracedRun::harvest(Process& process, bool newest) {
  const auto done = salvage_.harvest({.memfd = process.memory.get(),
                                      .pid = process.pid,
                                      .begun_ns = process.begun_ns,
                                      .ended_ns = realtime_ns(),
                                      .newest = newest,
                                      .end = process.end});
  if (!done) {
    ++failures_;
    say("process {}: {}", process.pid, done.error().message);
    return;
  }
  report(process, *done);
}

void TracedRun::report(const Process& process, const HarvestReport& done) {
  ++processes_;
  events_ += done.events;
  displaced_ += done.displaced;
  in_flight_ += done.in_flight;
  damaged_ += done.damaged;
  const char* const how = done.done == HarvestReport::Done::kByProcess ? "written by the process"
                          : done.done == HarvestReport::Done::kHarvested
                              ? "harvested from its memory"
                              : "completed from its memory";
  say("process {}: {}: {} events, {} dropped, {} in flight, {} damaged, {}", process.pid,
      done.directory, grouped(done.events), grouped(done.displaced), done.in_flight, done.damaged,
      how);
  for (const std::string& warning : done.warnings) say("process {}: {}", process.pid, warning);
}

void TracedRun::show_progress() {
  if (!options_.progress || Clock::now() < next_progress_) return;
  next_progress_ = Clock::now() + kTick;
  std::uint64_t events = events_;
  for (const Process& process : living_) {
    // It records meanwhile: the number is no more than an impression.
    const auto now = trace::Harvester::open(process.memory.get());
    if (!now) continue;
    for (const auto& core : now->summary().cores) events += core.pushed;
  }
  fmt::print(options_.talk, "\r\033[Kndtel run: {} processes, {} events",
             processes_ + living_.size(), grouped(events));
  std::fflush(options_.talk);
  shown_ = true;
}

void TracedRun::clear_progress() {
  if (std::exchange(shown_, false)) fmt::print(options_.talk, "\r\033[K");
}

int TracedRun::run() {
  std::optional<Clock::time_point> patience_ends;
  while (true) {
    handle_signals();
    receive();
    harvest_dead();
    if (!child_.running()) {
      if (living_.empty() || enough_) break;
      if (!patience_ends) {
        patience_ends = Clock::now() + options_.patience;
        say("{} traced processes outlive the command; waiting {} s for them", living_.size(),
            std::chrono::duration<double>(options_.patience).count());
      }
      if (Clock::now() >= *patience_ends) break;
    }
    show_progress();
    wait(kTick);
  }
  for (const Process& process : living_)
    say("process {} is still running: it writes its files when it ends, and if it is killed they "
        "are lost",
        process.pid);
  clear_progress();
  if (processes_ != 0)
    say("{}: {} events of {} captures, {} dropped, {} in flight, {} damaged; see 'ndtel view {}'",
        options_.directory, grouped(events_), processes_, grouped(displaced_), in_flight_, damaged_,
        options_.directory);
  if (processes_ == 0 && living_.empty() && failures_ == 0 && child_.exit_code() != kNotFound &&
      child_.exit_code() != kCannotRun)
    say("no process recorded anything: does the command use libndtel, and call nrt_init()?");
  return failures_ != 0 && child_.exit_code() == 0 ? static_cast<int>(Exit::kFailed)
                                                   : child_.exit_code();
}

}  // namespace

int run_traced(const RunOptions& options) {
  // A descriptor or two for each process.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  return TracedRun(options).run();
}

}  // namespace ndtel::cli
