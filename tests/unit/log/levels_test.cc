// SPDX-License-Identifier: Apache-2.0
//
// The matrix of levels, and what the environment makes of it.
#include "levels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

namespace ndtel::nlog::test {
namespace {

constexpr const char* kAll[] = {"NRT",  "TDRV", "NMGR", "HAL",  "ENC",  "NLOG",
                                "RUST", "NDS",  "NTFF", "INSP", "PROF", "COMP"};

TEST(Levels, BeginWithErrorsOnTheConsole) {
  const Levels levels;
  for (const char* name : kAll) {
    EXPECT_EQ(levels.get(name), NRT_LOG_LEVEL_ERROR) << name;
    EXPECT_TRUE(levels.gates(name, NRT_LOG_LEVEL_ERROR).console);
    EXPECT_FALSE(levels.gates(name, NRT_LOG_LEVEL_ERROR).syslog);
    EXPECT_FALSE(levels.gates(name, NRT_LOG_LEVEL_WARN).console);
  }
}

TEST(Levels, TheKeyIsTheFirstFourBytes) {
  std::uint32_t key = 0;
  std::memcpy(&key, "TDRV", 4);
  EXPECT_EQ(submodule_key("TDRV"), key);
  EXPECT_EQ(submodule_key("TDRVX"), key);
  std::memcpy(&key, "NRT\0", 4);
  EXPECT_EQ(submodule_key("NRT"), key);
  EXPECT_EQ(submodule_key(""), 0u);

  Levels levels;
  EXPECT_TRUE(levels.set("TDRV and more", "CONSOLE", "INFO"));
  EXPECT_EQ(levels.get("TDRV"), NRT_LOG_LEVEL_INFO);
}

TEST(Levels, TheFirstWordOfTheOrderCounts) {
  const std::pair<const char*, Level> cases[] = {
      {"ERROR", NRT_LOG_LEVEL_ERROR},          {"warn", NRT_LOG_LEVEL_WARN},
      {"WARNING", NRT_LOG_LEVEL_WARN},         {"Info", NRT_LOG_LEVEL_INFO},
      {"my-debug-level", NRT_LOG_LEVEL_DEBUG}, {"TRACE", NRT_LOG_LEVEL_TRACE},
      {"TRACE INFO", NRT_LOG_LEVEL_INFO},      {"debug error", NRT_LOG_LEVEL_ERROR},
      {"nonsense", NRT_LOG_LEVEL_ERROR},       {"", NRT_LOG_LEVEL_ERROR},
      {nullptr, NRT_LOG_LEVEL_ERROR}};
  for (const auto& [text, level] : cases) {
    Levels levels;
    EXPECT_TRUE(levels.set("HAL", "CONSOLE", text));
    EXPECT_EQ(levels.get("HAL"), level) << (text != nullptr ? text : "NULL");
  }
}

TEST(Levels, TheSinkThatIsNotNamedIsOff) {
  struct {
    const char* location;
    bool syslog;
    bool console;
  } const cases[] = {
      {"SYSLOG", true, false},    {"console", false, true}, {"syslog,console", true, true},
      {"elsewhere", false, true}, {"", false, true},        {nullptr, false, true}};
  for (const auto& expected : cases) {
    Levels levels;
    EXPECT_TRUE(levels.set("ENC", expected.location, "DEBUG"));
    const Gates gates = levels.gates("ENC", NRT_LOG_LEVEL_DEBUG);
    EXPECT_EQ(gates.syslog, expected.syslog);
    EXPECT_EQ(gates.console, expected.console);
    EXPECT_FALSE(levels.gates("ENC", NRT_LOG_LEVEL_TRACE).console);
    EXPECT_FALSE(levels.gates("ENC", NRT_LOG_LEVEL_TRACE).syslog);
    EXPECT_EQ(levels.get("ENC"), NRT_LOG_LEVEL_DEBUG);
    EXPECT_EQ(levels.get("HAL"), NRT_LOG_LEVEL_ERROR) << "the others stay";
  }
}

TEST(Levels, AllOfThemAtOnce) {
  Levels levels;
  EXPECT_TRUE(levels.set("ALL", "SYSLOG", "INFO"));
  for (const char* name : kAll) EXPECT_EQ(levels.get(name), NRT_LOG_LEVEL_INFO) << name;
}

TEST(Levels, UnknownSubmodulesAreRefusedAndWrittenLikeNrt) {
  Levels levels;
  EXPECT_FALSE(levels.set("XYZ", "CONSOLE", "INFO"));
  EXPECT_FALSE(levels.set("", "CONSOLE", "INFO"));
  EXPECT_FALSE(levels.get("XYZ"));
  EXPECT_FALSE(levels.worth(NRT_LOG_LEVEL_INFO));
  EXPECT_TRUE(levels.gates("XYZ", NRT_LOG_LEVEL_ERROR).console);
  levels.set("NRT", "SYSLOG", "INFO");
  EXPECT_FALSE(levels.gates("XYZ", NRT_LOG_LEVEL_INFO).console);
  EXPECT_TRUE(levels.gates("XYZ", NRT_LOG_LEVEL_INFO).syslog);
}

TEST(Levels, TheCeilingOnlyRises) {
  Levels levels;
  EXPECT_TRUE(levels.worth(NRT_LOG_LEVEL_ERROR));
  EXPECT_FALSE(levels.worth(NRT_LOG_LEVEL_WARN));
  EXPECT_FALSE(levels.worth(NRT_LOG_LEVEL_DISABLED));
  levels.set("HAL", "CONSOLE", "DEBUG");
  EXPECT_TRUE(levels.worth(NRT_LOG_LEVEL_DEBUG));
  levels.set("HAL", "CONSOLE", "ERROR");
  EXPECT_TRUE(levels.worth(NRT_LOG_LEVEL_DEBUG));
  EXPECT_FALSE(levels.worth(NRT_LOG_LEVEL_TRACE));
  levels.set("HAL", "CONSOLE", "TRACE");
  EXPECT_TRUE(levels.worth(NRT_LOG_LEVEL_TRACE));
  EXPECT_FALSE(levels.worth(static_cast<Level>(6)));
  EXPECT_FALSE(levels.worth(static_cast<Level>(~0u)));
}

// An environment of the test's own.
std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> variables;
  return variables;
}

const char* variable(const char* name) {
  const auto at = variables().find(name);
  return at != variables().end() ? at->second.c_str() : nullptr;
}

TEST(Levels, AnEmptyEnvironmentChangesNothing) {
  variables().clear();
  Levels levels;
  levels.read_environment(variable);
  for (const char* name : kAll) EXPECT_EQ(levels.get(name), NRT_LOG_LEVEL_ERROR) << name;
  EXPECT_FALSE(levels.worth(NRT_LOG_LEVEL_WARN));
}

TEST(Levels, TheEnvironmentSetsAllAndThenEach) {
  variables() = {
      {"NEURON_RT_LOG_LEVEL", "info"},      {"NEURON_RT_LOG_LOCATION", "syslog"},
      {"NEURON_RT_LOG_LEVEL_HAL", "trace"}, {"NEURON_RT_LOG_LOCATION_TDRV", "console"},
      {"NEURON_RT_LOG_LEVEL_ENC", "warn"},  {"NEURON_RT_LOG_LOCATION_ENC", "syslog,console"}};
  Levels levels;
  levels.read_environment(variable);
  const auto expect = [&](const char* name, Level level, bool syslog, bool console) {
    const auto next = static_cast<Level>(level + 1);
    EXPECT_EQ(levels.gates(name, level).syslog, syslog) << name;
    EXPECT_EQ(levels.gates(name, level).console, console) << name;
    EXPECT_FALSE(levels.gates(name, next).syslog) << name;
    EXPECT_FALSE(levels.gates(name, next).console) << name;
  };
  expect("NRT", NRT_LOG_LEVEL_INFO, true, false);
  expect("HAL", NRT_LOG_LEVEL_TRACE, true, false);
  expect("TDRV", NRT_LOG_LEVEL_INFO, false, true);
  expect("ENC", NRT_LOG_LEVEL_WARN, true, true);
  EXPECT_TRUE(levels.worth(NRT_LOG_LEVEL_TRACE));
}

}  // namespace
}  // namespace ndtel::nlog::test
