// SPDX-License-Identifier: Apache-2.0
//
// Errors name what is missing, and the exit code says of which kind they are.
#include <gtest/gtest.h>

#include "command.hpp"
#include "support/fixture.hpp"
#include "support/privileges.hpp"

namespace ndtel::vm {
namespace {

constexpr int kUsage = 2, kMissing = 3;

void expect(const std::vector<std::string>& arguments, int code, const std::string& text,
            const std::function<void()>& before_exec = {}) {
  Command command(arguments, before_exec);
  EXPECT_EQ(command.wait(), code) << arguments[0] << ": " << command.out() << command.err();
  EXPECT_NE((command.err() + command.out()).find(text), std::string::npos)
      << arguments[0] << ": " << command.err();
}

TEST(CliErrors, WithoutAModule) {
  ASSERT_FALSE(Module::loaded());
  for (const char* command : {"ls", "counters", "workload", "pause"}) {
    expect({command}, kMissing, "module ndtel");
  }
  expect({"posts"}, kMissing, "load the module");
  EXPECT_TRUE(posts_instances().empty());
}

using CliErrorsLoaded = ModuleTest;

TEST_F(CliErrorsLoaded, MissingDevice) {
  for (const char* command : {"ls", "counters", "workload", "pause"}) {
    expect({command, "--device", "7"}, kMissing, "index 7");
  }
  expect({"ls", "--namespace", "neuron"}, kMissing, "neuron");
}

TEST_F(CliErrorsLoaded, MissingPermission) {
  const auto nobody = [] { drop_privileges(65534, 65534); };
  expect({"counters"}, kMissing, "/dev/ndtel0", nobody);
  expect({"workload"}, kMissing, "/dev/ndtel0", nobody);
  expect({"pause"}, kMissing, "/dev/ndtel0", nobody);
  expect({"posts"}, kMissing, "/sys/kernel/tracing", nobody);
  // What can be said without permission is said.
  expect({"ls"}, 0, "/dev/ndtel1", nobody);
}

TEST_F(CliErrorsLoaded, MissingFiles) {
  expect({"audit", "--ledger", "/nowhere", "--posts", "/nowhere"}, kMissing, "/nowhere");
  expect({"posts", "--record", "/nowhere/posts"}, kMissing, "/nowhere/posts");
  expect({"workload", "--ledger", "/proc/nowhere"}, kMissing, "/proc/nowhere");
}

TEST_F(CliErrorsLoaded, Usage) {
  expect({"frobnicate"}, kUsage, "frobnicate");
  expect({"posts", "--count", "-3"}, kUsage, "--count");
  expect({"ls", "--device", "64"}, kUsage, "--device");
  expect({"audit"}, kUsage, "--ledger");
  expect({"workload", "--faults", "nan=2"}, kUsage, "nan=2");
  expect({"workload", "--processes", "3", "--cores", "8"}, kUsage, "8 cores");
  expect({"workload", "--rate", "0"}, kUsage, "--rate");
  expect({"--help"}, 0, "Exit codes");
}

}  // namespace
}  // namespace ndtel::vm
