// SPDX-License-Identifier: Apache-2.0
#include "trace_instance.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../failure.hpp"

namespace ndtel::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPrefix = "ndtel-posts-";

[[noreturn]] void refuse(const std::string& what, const std::string& path, int error) {
  const bool permission = error == EACCES || error == EPERM;
  throw Failure(permission || error == ENOENT ? Exit::kMissing : Exit::kFailed,
                fmt::format("cannot {} {}: {}{}", what, path, std::strerror(error),
                            permission ? "; run as root" : ""));
}

/// Instances of this tool whose process is gone.
void remove_leftovers(const std::string& instances) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(instances, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPrefix)) continue;
    int pid = 0;
    const char* digits = name.c_str() + std::strlen(kPrefix);
    std::from_chars(digits, name.c_str() + name.size(), pid);
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) rmdir(entry.path().c_str());
  }
}

}  // namespace

std::string find_tracefs() {
  for (const char* root : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    if (access(root, X_OK) != 0 && errno == EACCES) refuse("enter", root, EACCES);
    if (access((std::string(root) + "/instances").c_str(), F_OK) == 0) return root;
    if (errno == EACCES) refuse("enter", root, EACCES);
  }
  throw Failure(Exit::kMissing,
                "tracefs is not mounted at /sys/kernel/tracing; mount it with "
                "'mount -t tracefs nodev /sys/kernel/tracing'");
}

TraceInstance::TraceInstance(const std::string& tracefs) {
  const std::string instances = tracefs + "/instances";
  remove_leftovers(instances);
  path_ = fmt::format("{}/{}{}", instances, kPrefix, getpid());
  if (mkdir(path_.c_str(), 0750) != 0) {
    refuse("create the tracing instance", path_, errno);
  }
  try {
    write("trace_clock", "mono");  // the clock users can compare with
    open_buffers();
  } catch (...) {
    for (const int fd : buffers_) close(fd);
    rmdir(path_.c_str());
    throw;
  }
}

TraceInstance::~TraceInstance() {
  // The kernel keeps an instance whose buffers are open.
  for (const int fd : buffers_) close(fd);
  rmdir(path_.c_str());
}

void TraceInstance::open_buffers() {
  for (const auto& cpu : fs::directory_iterator(path_ + "/per_cpu")) {
    const std::string file = cpu.path() / "trace_pipe_raw";
    const int fd = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) refuse("open", file, errno);
    buffers_.push_back(fd);
  }
}

std::string TraceInstance::event_dir(const std::string& system, const std::string& event) const {
  return fmt::format("{}/events/{}/{}", path_, system, event);
}

bool TraceInstance::has_event(const std::string& system, const std::string& event) const {
  return access(event_dir(system, event).c_str(), F_OK) == 0;
}

std::string TraceInstance::format(const std::string& system, const std::string& event) const {
  const std::string path = event_dir(system, event) + "/format";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) refuse("read", path, errno);
  return text.str();
}

void TraceInstance::enable(const std::string& system, const std::string& event) {
  write(fmt::format("events/{}/{}/enable", system, event), "1");
}

void TraceInstance::disable(const std::string& system, const std::string& event) {
  write(fmt::format("events/{}/{}/enable", system, event), "0");
}

void TraceInstance::write(const std::string& file, const std::string& text) const {
  const std::string path = path_ + "/" + file;
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) refuse("write", path, errno);
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int error = errno;
  close(fd);
  if (written != static_cast<ssize_t>(text.size())) refuse("write", path, error);
}

}  // namespace ndtel::cli
