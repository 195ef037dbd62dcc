// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "captured_log.hpp"
#include "log.hpp"

namespace ndtel::systrace {
namespace {

// What a program answers, and what it is told.
struct Program {
  NRT_STATUS status = NRT_SUCCESS;
  std::uint32_t cores = 7;
  bool default_algo = true;
  std::vector<std::pair<int, std::string>> lines;

  nrt_sys_trace_host functions() {
    return {
        .context = this,
        .visible_vnc_count =
            [](void* self, std::uint32_t* count) {
              *count = static_cast<Program*>(self)->cores;
              return static_cast<Program*>(self)->status;
            },
        .worker_gid =
            [](void* self, std::uint32_t vnc) {
              return -static_cast<std::int32_t>(vnc + static_cast<Program*>(self)->cores);
            },
        .include_default_algo =
            [](void* self) { return static_cast<Program*>(self)->default_algo; },
        .log =
            [](void* self, int level, const char* message) {
              static_cast<Program*>(self)->lines.emplace_back(level, message);
            },
    };
  }
};

class Host : public testing::Test {
 protected:
  void SetUp() override { log::detail::forget_limits(); }
  void TearDown() override { nrt_sys_trace_set_host(nullptr); }

  Program program_;
};

// Whatever the process was told before stays: tests that need a fresh one run it in a child.
TEST(HostDeathTest, WithoutAnyAnswerThereAreNoCores) {
  EXPECT_EXIT(
      {
        test::CapturedLog captured;
        const bool none = host::visible_cores() == 0;
        std::_Exit(none && captured.lines().size() == 1 && captured.lines()[0].first == 2 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(Host, TheCountThatWasToldIsUsedWithoutAFunction) {
  nrt_sys_trace_set_visible_vnc_count(12);
  EXPECT_EQ(host::visible_cores(), 12u);
  const nrt_sys_trace_host functions = program_.functions();
  nrt_sys_trace_set_host(&functions);
  EXPECT_EQ(host::visible_cores(), 7u);
  nrt_sys_trace_set_host(nullptr);
  EXPECT_EQ(host::visible_cores(), 12u);
  nrt_sys_trace_set_visible_vnc_count(0);
  EXPECT_EQ(host::visible_cores(), 0u);
}

TEST_F(Host, AFailureMeansNoCoresAndAWarning) {
  program_.status = NRT_UNINITIALIZED;
  const nrt_sys_trace_host functions = program_.functions();
  nrt_sys_trace_set_host(&functions);
  EXPECT_EQ(host::visible_cores(), 0u);
  ASSERT_EQ(program_.lines.size(), 1u);
  EXPECT_EQ(program_.lines[0].first, 2);
  EXPECT_NE(program_.lines[0].second.find("13"), std::string::npos);
}

TEST_F(Host, EachFunctionReplacesItsDefault) {
  EXPECT_EQ(host::worker_gid(5), 5);
  const nrt_sys_trace_host functions = program_.functions();
  nrt_sys_trace_set_host(&functions);
  EXPECT_EQ(host::worker_gid(5), -12);
  EXPECT_TRUE(host::include_default_algorithm());
  program_.default_algo = false;
  EXPECT_FALSE(host::include_default_algorithm());
  log::write(log::Level::kInfo, "to the program");
  ASSERT_EQ(program_.lines.size(), 1u);
  EXPECT_EQ(program_.lines[0], (std::pair<int, std::string>(3, "to the program")));

  const nrt_sys_trace_host none{};
  nrt_sys_trace_set_host(&none);
  EXPECT_EQ(host::worker_gid(5), 5);
  log::write(log::Level::kInfo, "not to the program");
  EXPECT_EQ(program_.lines.size(), 1u);
}

TEST_F(Host, TheEnvironmentMayAskForTheDefaultAlgorithm) {
  constexpr const char* kVariable = "NEURON_RT_DBG_TOPSP_SYSTRACE_INCLUDE_DEFAULT_ALGO";
  ::unsetenv(kVariable);
  EXPECT_FALSE(host::include_default_algorithm());
  for (const char* yes : {"1", "true", "TRUE", "yes", "on"}) {
    ::setenv(kVariable, yes, 1);
    EXPECT_TRUE(host::include_default_algorithm()) << yes;
  }
  for (const char* no : {"", "0", "false", "no", "off", "2x"}) {
    ::setenv(kVariable, no, 1);
    EXPECT_FALSE(host::include_default_algorithm()) << no;
  }
  ::unsetenv(kVariable);
}

}  // namespace
}  // namespace ndtel::systrace
