// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <sstream>

#include "support/child.hpp"
#include "support/file.hpp"

namespace ndtel::vm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTracing = "/sys/kernel/tracing";

std::string fresh_path(const char* what) {
  static std::atomic<int> number{0};
  return "/tmp/" + std::string(what) + "." + std::to_string(getpid()) + "." +
         std::to_string(number++);
}

}  // namespace

Command::Command(const std::vector<std::string>& arguments,
                 const std::function<void()>& before_exec)
    : out_(fresh_path("out")), err_(fresh_path("err")) {
  std::vector<std::string> words = {"ndtel"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) fail_errno("fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (before_exec) before_exec();
    execv("/bin/ndtel", argv.data());
    _exit(127);
  }
}

Command::~Command() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  unlink(out_.c_str());
  unlink(err_.c_str());
}

void Command::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

int Command::wait(std::chrono::milliseconds timeout) {
  if (pid_ > 0) {
    result_ = wait_for(pid_, timeout);
    pid_ = -1;
  }
  return result_;
}

std::string Command::out() const { return read_file(out_).value_or(""); }
std::string Command::err() const { return read_file(err_).value_or(""); }

std::vector<nlohmann::json> Command::json_lines() const {
  std::vector<nlohmann::json> lines;
  std::istringstream text(out());
  for (std::string line; std::getline(text, line) && !text.eof();) {
    lines.push_back(nlohmann::json::parse(line));
  }
  return lines;
}

TempDir::TempDir() : path_(fresh_path("dir")) { fs::create_directories(path_); }
TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool listens(const Command& posts) {
  return eventually([&] { return posts.err().find("following ") != std::string::npos; });
}

std::vector<std::string> posts_instances() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(std::string(kTracing) + "/instances")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("ndtel-posts-")) found.push_back(entry.path());
  }
  return found;
}

}  // namespace ndtel::vm
