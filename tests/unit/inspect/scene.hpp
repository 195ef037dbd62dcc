// SPDX-License-Identifier: Apache-2.0
//
// A directory and an environment for one test, children to be ended in all ways, and events.
#ifndef NDTEL_TESTS_UNIT_INSPECT_SCENE_HPP
#define NDTEL_TESTS_UNIT_INSPECT_SCENE_HPP

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ndtel/trace.hpp"
#include "nrt/nrt.h"
#include "nrt/nrt_inspect_internal.h"
#include "nrt/nrt_sys_trace_internal.h"
#include "trace_files.hpp"

namespace ndtel::inspect::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

namespace fs = std::filesystem;

/// An event that says which it is; false when it was not recorded.
inline bool emit(std::uint64_t thread, std::uint64_t number, std::uint32_t nc = 0) {
  return trace::instant<trace::event::ExecPre>(nc, {.exec_id = number, .model_id = thread}) != 0;
}

/// A config that is gone with the test.
class Options {
 public:
  Options() { EXPECT_EQ(nrt_inspect_config_allocate(&config_), NRT_SUCCESS); }
  ~Options() { nrt_inspect_config_free(config_); }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  operator nrt_inspect_config_t*() const noexcept { return config_; }

 private:
  nrt_inspect_config_t* config_ = nullptr;
};

/// Each test runs in a directory of its own, with one visible core and small rings.
class Scene : public ::testing::Test {
 protected:
  Scene() {
    char name[] = "/tmp/ndtel_inspect_XXXXXX";
    EXPECT_NE(::mkdtemp(name), nullptr);
    here_ = name;
    before_ = fs::current_path();
    fs::current_path(here_);
    for (const char* variable : {"SYSTEM_PROFILE", "DEVICE_PROFILE", "HOST_MEMORY", "CPU_UTIL",
                                 "ENABLE", "OUTPUT_DIR", "EVENT_FILTER_NC", "EVENT_FILTER_TYPE"})
      ::unsetenv((std::string("NEURON_RT_INSPECT_") + variable).c_str());
    set("SYS_TRACE_MAX_EVENTS_PER_NC", "65536");
    nrt_sys_trace_set_visible_vnc_count(1);
  }
  ~Scene() override {
    nrt_close();
    fs::current_path(before_);
    std::error_code error;
    fs::remove_all(here_, error);
  }

  static void set(const char* variable, const std::string& value) {
    ::setenv((std::string("NEURON_RT_INSPECT_") + variable).c_str(), value.c_str(), 1);
  }
  static NRT_STATUS init() { return nrt_init(NRT_FRAMEWORK_TYPE_PYTORCH, "2.9", nullptr); }

  /// Where the files of a process are that was begun from the environment.
  std::string directory_of(pid_t pid, const std::string& base = "output") const {
    char text[4096] = {};
    EXPECT_EQ(nrt_inspect_get_instance_output_dir((here_ / base).c_str(), text, sizeof text),
              NRT_SUCCESS);
    std::string path = text;
    return path.substr(0, path.rfind('_') + 1) + std::to_string(pid);
  }
  std::string directory() const { return directory_of(::getpid()); }

  /// Runs `body` in a child, which ends with what it returns. Returns how it ended.
  template <typename Body>
  static int in_child(Body body) {
    const pid_t child = ::fork();
    if (child == 0) ::exit(body());
    return ended(child);
  }
  static int ended(pid_t child) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }
  /// The status of a process that ended by itself.
  static constexpr int exited(int code) { return code << 8; }

  /// Whatever there is in the directory of the test, with what is beneath.
  std::vector<std::string> everything() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(here_))
      all.push_back(entry.path().lexically_relative(here_));
    std::ranges::sort(all);
    return all;
  }

  fs::path here_;

 private:
  fs::path before_;
};

}  // namespace ndtel::inspect::test

#endif  // NDTEL_TESTS_UNIT_INSPECT_SCENE_HPP
