// SPDX-License-Identifier: Apache-2.0
#include "lttng_peer.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

namespace ndtel::bench {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kPatience{10'000};

// Starts a program with its output in `log`; -1 when there is no such program.
pid_t start(std::vector<std::string> words, const std::string& log) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = -1;
  if (::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) != 0)
    child = -1;
  ::posix_spawn_file_actions_destroy(&actions);
  return child;
}

template <typename Condition>
bool wait_until(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(50));
  }
  return true;
}

}  // namespace

LttngPeer::LttngPeer() {
#ifdef NDTEL_PEER_LTTNG
  std::string pattern = std::filesystem::temp_directory_path() / "ndtel-bench-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    problem_ = "no temporary folder";
    return;
  }
  home_ = pattern;
  // Both the daemon and the tracepoint look for each other below it, unless root runs them.
  ::setenv("LTTNG_HOME", home_.c_str(), 1);
  if (start_daemon()) load();
#else
  problem_ = "not built: liblttng-ust-dev or lttng-tools is not installed";
#endif
}

LttngPeer::~LttngPeer() {
  if (!session_.empty()) lttng({"destroy", session_});
  // The module stays loaded: LTTng's own threads run in it.
  if (daemon_ > 0) {
    ::kill(daemon_, SIGTERM);
    ::waitpid(daemon_, nullptr, 0);
  }
  std::error_code ignored;
  if (!home_.empty()) std::filesystem::remove_all(home_, ignored);
}

bool LttngPeer::lttng(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"lttng", "--no-sessiond"});
  const pid_t child = start(std::move(arguments), home_ + "/log");
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

bool LttngPeer::start_daemon() {
  if (lttng({"list"})) return true;
  daemon_ = start({"lttng-sessiond", "--no-kernel"}, home_ + "/log");
  if (daemon_ > 0 && wait_until([&] { return lttng({"list"}); })) return true;
  problem_ = "the session daemon does not start";
  return false;
}

bool LttngPeer::load() {
#ifdef NDTEL_PEER_LTTNG
  module_ = ::dlopen(NDTEL_PEER_LTTNG, RTLD_NOW | RTLD_LOCAL);
  if (module_ != nullptr) {
    emit_ = reinterpret_cast<decltype(emit_)>(::dlsym(module_, "peer_lttng_emit"));
    enabled_ = reinterpret_cast<decltype(enabled_)>(::dlsym(module_, "peer_lttng_enabled"));
  }
  if (emit_ != nullptr && enabled_ != nullptr) return true;
  problem_ = "the tracepoint cannot be loaded";
#endif
  return false;
}

bool LttngPeer::enable() {
  const std::string name = "ndtel-bench-" + std::to_string(::getpid());
  if (!lttng({"create", name, "--snapshot", "--output=" + home_ + "/out"})) {
    problem_ = "no session can be created";
    return false;
  }
  session_ = name;
  // 128 MiB a processor, as much as a ring of 1 Mi records takes.
  if (lttng({"enable-channel", "--userspace", "--session=" + name, "--overwrite",
             "--subbuf-size=8M", "--num-subbuf=16", "records"}) &&
      lttng({"enable-event", "--userspace", "--session=" + name, "--channel=records",
             "ndtel_bench:record"}) &&
      lttng({"start", name}) && wait_until([&] { return enabled_() != 0; }))
    return true;
  problem_ = "the tracepoint cannot be enabled";
  return false;
}

}  // namespace ndtel::bench
