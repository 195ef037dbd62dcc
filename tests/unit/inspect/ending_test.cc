// SPDX-License-Identifier: Apache-2.0
//
// All ways in which a process ends or goes on in another: exits, signals, forks.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "inspector.hpp"
#include "scene.hpp"
#include "signals.hpp"

namespace ndtel::inspect::test {
namespace {

using Names = std::vector<std::string>;
const Names kWhole = {"ntrace.pb", "trace_info.pb"};

// What handlers of these tests saw.
std::atomic<int> calls{0};
std::atomic<int> sender{0};
std::atomic<bool> files_were_there{false};
char info_path[4096];

void count(int) { ++calls; }

void look(int, siginfo_t* info, void*) {
  ++calls;
  sender = info->si_pid;
  files_were_there = ::access(info_path, R_OK) == 0;
}

void handle_with(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

template <typename Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 3000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// ThreadSanitizer delivers signals between calls, and one that comes just before pause() never.
[[noreturn]] void wait_for_end() {
  for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

class Ending : public Scene {
 protected:
  // What each child of these tests does first: it records ten events.
  static void record() {
    set("ENABLE", "1");
    if (init() != NRT_SUCCESS) ::_exit(90);
    for (std::uint64_t n = 1; n <= 10; ++n)
      if (!emit(1, n)) ::_exit(91);
  }

  // A child that does `body`, and the process id it had.
  template <typename Body>
  int run(Body body) {
    const pid_t child = ::fork();
    if (child == 0) {
      record();
      ::exit(body());
    }
    child_ = child;
    return ended(child);
  }

  TraceFiles files() const { return read_files(directory_of(child_)); }

  void expect_whole() const {
    const TraceFiles files = this->files();
    EXPECT_EQ(files.trouble, "");
    EXPECT_EQ(files.names, kWhole);
    EXPECT_EQ(files.events.size(), 10u);
    EXPECT_EQ(files.pid, static_cast<std::uint32_t>(child_));
  }

  pid_t child_ = 0;
};

TEST_F(Ending, AnExitWritesTheFiles) {
  EXPECT_EQ(run([] { return 3; }), exited(3));
  expect_whole();
}

TEST_F(Ending, AnImmediateExitWritesNothing) {
  EXPECT_EQ(run([]() -> int { ::_exit(3); }), exited(3));
  EXPECT_EQ(files().names, Names{});
}

TEST_F(Ending, ASignalThatEndsTheProcessWritesTheFilesFirst) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const int status = run([&] {
      ::kill(::getpid(), signal);
      wait_for_end();
      return 0;
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    expect_whole();
  }
}

TEST_F(Ending, ASignalEndsAProcessThatNeverStopsEmitting) {
  const int status = run([] {
    std::thread other([] {
      for (;;) emit(2, 1);
    });
    ::kill(::getpid(), SIGTERM);
    for (;;) emit(3, 1);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(files().trouble, "");
  EXPECT_EQ(files().names, kWhole);
}

TEST_F(Ending, TheHandlerBeforeIsCalledOnceAfterTheFilesAreThere) {
  const int status = run([&] {
    // It was there before the session that is to be ended.
    nrt_close();
    return 0;
  });
  ASSERT_EQ(status, exited(0));
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    struct sigaction action {};
    action.sa_sigaction = look;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGTERM, &action, nullptr);
    record();
    char directory[4000] = {};
    nrt_inspect_get_instance_output_dir(nullptr, directory, sizeof directory);
    std::snprintf(info_path, sizeof info_path, "%s/trace_info.pb", directory);
    ::kill(parent, SIGUSR1);
    if (!soon([] { return calls != 0; })) ::exit(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (calls != 1 || !files_were_there || sender != parent) ::exit(2);
    // The session is over; the next signal goes to the handler at once.
    ::raise(SIGTERM);
    if (calls != 2) ::exit(3);
    // Another session, another signal.
    if (nrt_inspect_begin() != NRT_SUCCESS || !emit(1, 1)) ::exit(4);
    ::kill(::getpid(), SIGTERM);
    if (!soon([] { return calls != 2; }) || calls != 3 || emit(1, 2)) ::exit(5);
    ::exit(0);
  }
  child_ = child;
  static std::atomic<bool> ready{false};
  handle_with(SIGUSR1, [](int) { ready = true; });
  ASSERT_TRUE(soon([] { return ready.load(); }));
  ::kill(child, SIGTERM);
  EXPECT_EQ(ended(child), exited(0));
  EXPECT_EQ(files().events.size(), 10u);
}

TEST_F(Ending, WhatWaitsIsInterruptedWhenTheHandlerHasRun) {
  const pid_t child = ::fork();
  if (child == 0) {
    handle_with(SIGINT, count);
    record();
    int ends[2];
    if (::pipe(ends) != 0) ::exit(1);
    ::alarm(60);
    std::thread([self = ::pthread_self()] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      ::pthread_kill(self, SIGINT);
    }).detach();
    char byte = 0;
    // As programs do: wait again until the handler has said to end.
    while (calls == 0) {
      if (::read(ends[0], &byte, 1) >= 0 || errno != EINTR) ::exit(2);
    }
    ::exit(calls == 1 ? 0 : 3);
  }
  child_ = child;
  EXPECT_EQ(ended(child), exited(0));
  expect_whole();
}

TEST_F(Ending, AHandlerForOneSignalIsForOneSignal) {
  const pid_t child = ::fork();
  if (child == 0) {
    handle_with(SIGTERM, count, static_cast<int>(SA_RESETHAND));
    record();
    ::kill(::getpid(), SIGTERM);
    if (!soon([] { return calls != 0; })) ::exit(1);
    ::kill(::getpid(), SIGTERM);
    wait_for_end();
  }
  child_ = child;
  const int status = ended(child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  expect_whole();
}

TEST_F(Ending, AnIgnoredSignalStaysIgnored) {
  const pid_t child = ::fork();
  if (child == 0) {
    handle_with(SIGINT, SIG_IGN);
    record();
    ::raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    struct sigaction now {};
    ::sigaction(SIGINT, nullptr, &now);
    ::exit(emit(1, 11) && now.sa_handler == SIG_IGN ? 0 : 1);
  }
  child_ = child;
  EXPECT_EQ(ended(child), exited(0));
  EXPECT_EQ(files().events.size(), 11u);
}

TEST_F(Ending, AHandlerThatCameLaterAndPassesOnIsNotCalledTwice) {
  const pid_t child = ::fork();
  if (child == 0) {
    handle_with(SIGTERM, count);
    record();
    static struct sigaction session {};
    static std::atomic<int> later{0};
    ::sigaction(SIGTERM, nullptr, &session);
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
      ++later;
      session.sa_sigaction(signal, info, context);
    };
    ::sigaction(SIGTERM, &action, nullptr);
    ::raise(SIGTERM);
    if (!soon([] { return calls != 0; })) ::exit(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::exit(calls == 1 && later == 1 && !emit(1, 11) ? 0 : 2);
  }
  child_ = child;
  EXPECT_EQ(ended(child), exited(0));
  expect_whole();
}

TEST_F(Ending, AfterStopASignalEndsTheProcessAtOnce) {
  const int status = run([] {
    nrt_inspect_stop();
    ::raise(SIGTERM);
    return 1;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  expect_whole();
}

// A device that takes its time.
class SlowDevice : public DeviceSessions {
 public:
  NRT_STATUS start(std::uint32_t) noexcept override { return NRT_SUCCESS; }
  NRT_STATUS stop(std::uint32_t, std::uint64_t&) noexcept override {
    std::this_thread::sleep_for(std::chrono::seconds(120));
    return NRT_FAILURE;
  }
  NRT_STATUS serialize(std::uint64_t, const std::string&) noexcept override { return NRT_SUCCESS; }
  NRT_STATUS drop(std::uint64_t) noexcept override { return NRT_SUCCESS; }
};

TEST_F(Ending, ASignalDoesNotWaitForEver) {
  const pid_t child = ::fork();
  if (child == 0) {
    static SlowDevice device;
    Inspector::get().surround([](Surroundings& all) { all.devices = &device; });
    signals::set_patience(std::chrono::milliseconds(50));
    set("DEVICE_PROFILE", "session");
    record();
    ::kill(::getpid(), SIGTERM);
    std::this_thread::sleep_for(std::chrono::seconds(60));
    ::_exit(1);
  }
  child_ = child;
  const int status = ended(child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(files().names, Names{});
}

// ---- other processes ----

TEST_F(Ending, AChildHasNoSession) {
  const int status = run([] {
    const int child = in_child([] {
      if (emit(1, 99) || nrt_inspect_stop() != NRT_UNINITIALIZED) return 1;
      return 0;  // it ends as the parent does, and writes nothing
    });
    if (child != exited(0)) return 1;
    // A signal to a child is none of the parent's business, and the other way round. Children of
    // processes with threads get none from ThreadSanitizer.
    if constexpr (!kThreadSanitizer) {
      const pid_t other = ::fork();
      if (other == 0) wait_for_end();
      ::kill(other, SIGTERM);
      if (!WIFSIGNALED(ended(other))) return 2;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return emit(1, 11) ? 0 : 3;
  });
  EXPECT_EQ(status, exited(0));
  EXPECT_EQ(files().trouble, "");
  EXPECT_EQ(files().events.size(), 11u);
  EXPECT_EQ(std::distance(fs::directory_iterator(here_ / "output"), fs::directory_iterator()), 1);
}

#if !defined(__SANITIZE_THREAD__)
// ThreadSanitizer has no threads in children of processes with threads.
TEST_F(Ending, AChildCanHaveASessionOfItsOwn) {
  const int status = run([] {
    const pid_t child = ::fork();
    if (child == 0) {
      record();
      ::raise(SIGTERM);
      wait_for_end();
    }
    const int status = ended(child);
    return WIFSIGNALED(status) && emit(1, 11) ? 0 : 1;
  });
  EXPECT_EQ(status, exited(0));
  EXPECT_EQ(files().events.size(), 11u);
  Names whole;
  for (const auto& process : fs::directory_iterator(here_ / "output")) {
    const TraceFiles files = read_files(process.path());
    EXPECT_EQ(files.trouble, "");
    EXPECT_EQ(files.names, kWhole) << process.path();
    whole.push_back(process.path().filename());
  }
  EXPECT_EQ(whole.size(), 2u);
}
#endif

TEST_F(Ending, TwoProcessesShareABase) {
  pid_t children[2];
  for (pid_t& child : children) {
    child = ::fork();
    if (child != 0) continue;
    record();
    ::exit(0);
  }
  for (const pid_t child : children) {
    child_ = child;
    EXPECT_EQ(ended(child), exited(0));
    expect_whole();
  }
  EXPECT_NE(directory_of(children[0]), directory_of(children[1]));
}

}  // namespace
}  // namespace ndtel::inspect::test
