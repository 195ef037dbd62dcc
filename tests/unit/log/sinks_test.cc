// SPDX-License-Identifier: Apache-2.0
//
// Console, syslog and the kernel's log.
#include "sinks.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <syslog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace ndtel::nlog::test {
namespace {

// Stands in for stdout or stderr: what was written there can be read from `from`.
class Redirected {
 public:
  Redirected(int fd, int to, int from) : fd_(fd), saved_(::dup(fd)), from_(from) { ::dup2(to, fd); }
  ~Redirected() {
    ::dup2(saved_, fd_);
    ::close(saved_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

  std::string read() const {
    std::string text(256, '\0');
    const ssize_t n = ::read(from_, text.data(), text.size());
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

 private:
  int fd_;
  int saved_;
  int from_;
};

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int ends[2];
};

TEST(Console, ErrorsGoToStderrAndTheOthersToStdout) {
  const Pipe out, err;
  std::string out_text, err_text;
  {
    const Redirected to_out(STDOUT_FILENO, out.ends[1], out.ends[0]);
    const Redirected to_err(STDERR_FILENO, err.ends[1], err.ends[0]);
    write_console(NRT_LOG_LEVEL_ERROR, "failed");
    write_console(NRT_LOG_LEVEL_WARN, "warned");
    write_console(NRT_LOG_LEVEL_TRACE, "traced");
    out_text = to_out.read();
    err_text = to_err.read();
  }
  EXPECT_EQ(err_text, "failed\n");
  EXPECT_EQ(out_text, "warned\ntraced\n");
}

TEST(Console, ATerminalGetsColours) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(master, 0);
  ASSERT_EQ(::grantpt(master), 0);
  ASSERT_EQ(::unlockpt(master), 0);
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  std::string error, warning, info;
  {
    const Redirected to_out(STDOUT_FILENO, terminal, master);
    const Redirected to_err(STDERR_FILENO, terminal, master);
    write_console(NRT_LOG_LEVEL_ERROR, "failed");
    error = to_err.read();
    write_console(NRT_LOG_LEVEL_WARN, "warned");
    warning = to_out.read();
    write_console(NRT_LOG_LEVEL_INFO, "told");
    info = to_out.read();
  }
  ::close(terminal);
  ::close(master);
  EXPECT_EQ(error, "\x1B[91mfailed\x1B[0m\r\n");
  EXPECT_EQ(warning, "\x1B[95mwarned\x1B[0m\r\n");
  EXPECT_EQ(info, "told\r\n");
}

TEST(Console, ALongLineArrivesWhole) {
  char path[] = "/tmp/ndtel-console-XXXXXX";
  const int file = ::mkstemp(path);
  ASSERT_GE(file, 0);
  const std::string line(100000, 'x');
  {
    const Redirected to_out(STDOUT_FILENO, file, file);
    write_console(NRT_LOG_LEVEL_INFO, line);
  }
  EXPECT_EQ(::lseek(file, 0, SEEK_END), static_cast<off_t>(line.size() + 1));
  ::close(file);
  ::unlink(path);
}

TEST(Console, AClosedDescriptorIsIgnored) {
  const int saved = ::dup(STDOUT_FILENO);
  ::close(STDOUT_FILENO);
  write_console(NRT_LOG_LEVEL_INFO, "lost");
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
}

TEST(Syslog, LevelsBecomePriorities) {
  EXPECT_EQ(syslog_priority(NRT_LOG_LEVEL_ERROR), LOG_ERR);
  EXPECT_EQ(syslog_priority(NRT_LOG_LEVEL_WARN), LOG_WARNING);
  EXPECT_EQ(syslog_priority(NRT_LOG_LEVEL_INFO), LOG_INFO);
  EXPECT_EQ(syslog_priority(NRT_LOG_LEVEL_DEBUG), LOG_DEBUG);
  EXPECT_EQ(syslog_priority(NRT_LOG_LEVEL_TRACE), LOG_DEBUG);
}

TEST(KernelLog, WhatIsNoDeviceIsIgnored) {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(null, 0);
  write_kernel(null, "nobody reads this");
  write_kernel(null, std::string(100000, 'x'));
  write_kernel(-1, "nor this");
  ::close(null);
}

}  // namespace
}  // namespace ndtel::nlog::test
