// SPDX-License-Identifier: Apache-2.0
#include "support/thread.hpp"

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "support/file.hpp"

namespace ndtel::vm {
namespace {

// Fields of /proc/PID/stat behind the name, which may hold spaces: state is the first.
std::vector<std::string> stat_fields(const std::string& directory) {
  const auto text = read_file(directory + "stat");
  const auto name_end = text ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) throw std::runtime_error("no thread behind " + directory);
  return split(text->substr(name_end + 1), ' ');
}

}  // namespace

std::vector<pid_t> kernel_threads(const std::string& name) {
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  if (!proc) fail_errno("opening /proc");
  while (const dirent* entry = ::readdir(proc.get())) {
    const pid_t pid = std::atoi(entry->d_name);
    // A thread that ends meanwhile has no name any more.
    if (pid > 0 && read_file(std::string("/proc/") + entry->d_name + "/comm") == name + "\n") {
      found.push_back(pid);
    }
  }
  return found;
}

MetricsThread::MetricsThread(int device) {
  const std::string name = "nd" + std::to_string(device) + " metrics";
  const auto pids = kernel_threads(name);
  if (pids.size() != 1) {
    throw std::runtime_error(std::to_string(pids.size()) + " threads are named '" + name + "'");
  }
  pid_ = pids.front();
  directory_ = "/proc/" + std::to_string(pid_) + "/";
}

bool MetricsThread::asleep() const { return stat_fields(directory_).at(0) == "I"; }

std::chrono::milliseconds MetricsThread::processor_time() const {
  const auto fields = stat_fields(directory_);
  // utime and stime are the fields 14 and 15 of the file, of which two are cut off.
  const auto ticks = std::stoull(fields.at(11)) + std::stoull(fields.at(12));
  return std::chrono::milliseconds(ticks * 1000 /
                                   static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

std::uint64_t MetricsThread::switches() const {
  const auto text = read_file(directory_ + "status");
  if (!text) throw std::runtime_error("no thread behind " + directory_);
  std::uint64_t total = 0;
  for (const auto& line : split(*text, '\n')) {
    const auto at = line.find("voluntary_ctxt_switches:");
    if (at != std::string::npos) total += std::stoull(line.substr(line.find(':') + 1));
  }
  return total;
}

}  // namespace ndtel::vm
