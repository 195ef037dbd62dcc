// SPDX-License-Identifier: Apache-2.0
//
// What each variable means, and what is said about a text that means nothing.
#include "environment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "filters.hpp"

namespace ndtel::inspect::test {
namespace {

using Variables = std::map<std::string, std::string>;

Environment read(const Variables& variables) {
  return read_environment([&](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

Environment read_one(const std::string& name, const std::string& value) {
  return read({{"NEURON_RT_" + name, value}});
}

TypeSet types_of(const Config& config) {
  TypeSet types;
  for (std::size_t i = 0; i < types.size(); ++i)
    types[i] = config.sys_trace.capture_enabled_for_event_type[i];
  return types;
}

TEST(Environment, WithoutVariablesOnlyTheHostIsRecorded) {
  const Environment read = test::read({});
  EXPECT_EQ(read.enabled, false);
  EXPECT_EQ(read.config.session_id, 1);
  EXPECT_EQ(read.config.output_dir, "");
  EXPECT_EQ(read.config.activities, NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE);
  EXPECT_EQ(read.config.sys_trace.max_events_per_nc, NRT_SYS_TRACE_DEFAULT_EVENTS_PER_NC);
  EXPECT_TRUE(read.config.enable_inspect);
  EXPECT_FALSE(read.config.enable_inspect_on_fail);
  EXPECT_EQ(read.config.mode, NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED);
  EXPECT_TRUE(read.config.cores.all());
  EXPECT_TRUE(types_of(read.config).all());
  EXPECT_TRUE(read.named_cores.none());
  EXPECT_FALSE(read.device.precache);
  EXPECT_FALSE(read.device.dge_notifications);
  EXPECT_TRUE(read.complaints.empty());
  EXPECT_TRUE(read.ignored.empty());
}

TEST(Environment, EmptyVariablesCountAsNotSet) {
  for (const char* name :
       {"INSPECT_ENABLE", "INSPECT_SYSTEM_PROFILE", "INSPECT_DEVICE_PROFILE",
        "INSPECT_EVENT_FILTER_NC", "INSPECT_EVENT_FILTER_TYPE",
        "INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "PROFILE_BUF_DMA_MB", "PROFILING_MODE"}) {
    const Environment read = read_one(name, "");
    EXPECT_TRUE(read.complaints.empty()) << name;
    EXPECT_TRUE(read.ignored.empty()) << name;
    EXPECT_EQ(read.config.activities, NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE) << name;
  }
}

TEST(Environment, SwitchesAreOnOrOff) {
  for (const char* on : {"1", "true", "YES", "On"})
    EXPECT_EQ(read_one("INSPECT_ENABLE", on).enabled, true) << on;
  for (const char* off : {"0", "False", "no", "OFF"})
    EXPECT_EQ(read_one("INSPECT_ENABLE", off).enabled, false) << off;
  const Environment neither = read_one("INSPECT_ENABLE", "2");
  EXPECT_EQ(neither.enabled, std::nullopt);
  ASSERT_EQ(neither.complaints.size(), 1u);
  EXPECT_EQ(neither.complaints[0], "NEURON_RT_INSPECT_ENABLE: '2' is neither 0 nor 1");
}

TEST(Environment, EachActivityHasItsSwitch) {
  EXPECT_EQ(read_one("INSPECT_SYSTEM_PROFILE", "0").config.activities, 0u);
  EXPECT_EQ(read_one("INSPECT_HOST_MEMORY", "1").config.activities,
            NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE | NRT_INSPECT_ACTIVITY_HOST_MEMORY);
  EXPECT_EQ(read_one("INSPECT_CPU_UTIL", "1").config.activities,
            NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE | NRT_INSPECT_ACTIVITY_CPU_UTIL);
  for (const char* name :
       {"INSPECT_SYSTEM_PROFILE", "INSPECT_HOST_MEMORY", "INSPECT_CPU_UTIL", "INSPECT_ON_FAIL",
        "INSPECT_PRECACHE_ENABLE", "ENABLE_DGE_NOTIFICATIONS"})
    EXPECT_EQ(read_one(name, "maybe").complaints,
              std::vector<std::string>{std::string("NEURON_RT_") + name +
                                       ": 'maybe' is neither 0 nor 1"});
}

TEST(Environment, DevicesAreProfiledByModelOrBySession) {
  const auto mode = [](const char* value) {
    const Environment read = read_one("INSPECT_DEVICE_PROFILE", value);
    EXPECT_TRUE(read.complaints.empty()) << value;
    EXPECT_EQ((read.config.activities & NRT_INSPECT_ACTIVITY_DEVICE_PROFILE) != 0,
              read.config.mode != NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED)
        << value;
    return read.config.mode;
  };
  EXPECT_EQ(mode("0"), NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED);
  EXPECT_EQ(mode("1"), NRT_INSPECT_DEVICE_PROFILE_MODE_MODEL);
  EXPECT_EQ(mode("model"), NRT_INSPECT_DEVICE_PROFILE_MODE_MODEL);
  EXPECT_EQ(mode("session"), NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION);
  EXPECT_EQ(read_one("INSPECT_DEVICE_PROFILE", "all").complaints,
            std::vector<std::string>{
                "NEURON_RT_INSPECT_DEVICE_PROFILE: 'all' is none of 0, 1, model and session"});

  EXPECT_TRUE(read_one("INSPECT_ON_FAIL", "1").config.enable_inspect_on_fail);
  EXPECT_TRUE(read_one("INSPECT_PRECACHE_ENABLE", "1").device.precache);
  EXPECT_TRUE(read_one("ENABLE_DGE_NOTIFICATIONS", "1").device.dge_notifications);
  for (std::size_t i = 0; i < kProfileBuffers.size(); ++i) {
    const std::string name = std::string("PROFILE_BUF_") + kProfileBuffers[i] + "_MB";
    EXPECT_EQ(read_one(name, "64").device.buffer_mib[i], 64u) << name;
    EXPECT_EQ(read_one(name, "64 MB").complaints.size(), 1u) << name;
    EXPECT_EQ(read_one(name, "64 MB").device.buffer_mib[i], std::nullopt) << name;
  }
}

TEST(Environment, NumbersAndPaths) {
  EXPECT_EQ(read_one("INSPECT_OUTPUT_DIR", "/data/x y").config.output_dir, "/data/x y");
  const char* const events = "INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC";
  EXPECT_EQ(read_one(events, "5000").config.sys_trace.max_events_per_nc, 5000u);
  EXPECT_EQ(read_one(events, "4294967296").config.sys_trace.max_events_per_nc, 4294967296u);
  for (const char* bad : {"4294967297", "99999999999999999999999", "-1", "1e6", " 5", "5 "}) {
    const Environment read = read_one(events, bad);
    EXPECT_EQ(read.complaints, std::vector<std::string>{
                                   std::string("NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC: '") +
                                   bad + "' is no number from 0 to 4294967296"});
    EXPECT_EQ(read.config.sys_trace.max_events_per_nc, NRT_SYS_TRACE_DEFAULT_EVENTS_PER_NC);
  }
}

TEST(Environment, VariablesWithoutEffectAreNamed) {
  const Environment read = test::read({{"NEURON_RT_INSPECT_DURATION_NSEC", "1"},
                                       {"NEURON_RT_INSPECT_START_OFFSET_NSEC", "x"},
                                       {"NEURON_RT_PROFILING_MODE", "3"}});
  EXPECT_TRUE(read.complaints.empty());
  EXPECT_EQ(read.ignored, (std::vector<std::string>{"NEURON_RT_INSPECT_DURATION_NSEC",
                                                    "NEURON_RT_INSPECT_START_OFFSET_NSEC",
                                                    "NEURON_RT_PROFILING_MODE"}));
}

TEST(Environment, TheCoreFilterRebuildsBothSets) {
  const Environment read = read_one("INSPECT_EVENT_FILTER_NC", "0,2, 4-6");
  ASSERT_TRUE(read.complaints.empty());
  CoreSet wanted;
  for (const int core : {0, 2, 4, 5, 6}) wanted.set(static_cast<std::size_t>(core));
  EXPECT_EQ(read.config.cores, wanted);
  EXPECT_EQ(read.named_cores, wanted);
  for (std::size_t core = 0; core < wanted.size(); ++core)
    EXPECT_EQ(read.config.sys_trace.capture_enabled_for_nc[core], wanted.test(core)) << core;
}

TEST(Environment, ABadCoreFilterIsAnsweredWithTheWordAndItsPlace) {
  const auto complaint = [](const char* text) {
    const Environment read = read_one("INSPECT_EVENT_FILTER_NC", text);
    EXPECT_TRUE(read.config.cores.all()) << text;
    EXPECT_TRUE(read.named_cores.none()) << text;
    EXPECT_EQ(read.complaints.size(), 1u) << text;
    return read.complaints.empty() ? "" : read.complaints[0];
  };
  const std::string name = "NEURON_RT_INSPECT_EVENT_FILTER_NC: ";
  EXPECT_EQ(complaint("0,x"), name + "'x' at character 3 is neither a core nor a range of cores");
  EXPECT_EQ(complaint("0, 1a"),
            name + "'1a' at character 4 is neither a core nor a range of cores");
  EXPECT_EQ(complaint("-1"), name + "'-1' at character 1 is neither a core nor a range of cores");
  EXPECT_EQ(complaint("1-"), name + "'1-' at character 1 is neither a core nor a range of cores");
  EXPECT_EQ(complaint("1-2-3"),
            name + "'1-2-3' at character 1 is neither a core nor a range of cores");
  EXPECT_EQ(complaint("7,256"),
            name + "'256' at character 3 is beyond the last possible core, 255");
  EXPECT_EQ(complaint("0-4000000000"),
            name + "'0-4000000000' at character 1 is beyond the last possible core, 255");
  EXPECT_EQ(complaint("3-1"), name + "'3-1' at character 1 ends before it begins");
  EXPECT_EQ(complaint("1,,2"), name + "'' at character 3 is empty");
  EXPECT_EQ(complaint("1,"), name + "'' at character 3 is empty");
  EXPECT_EQ(complaint(" "), name + "'' at character 2 is empty");
}

TEST(Environment, TheTypeFilterKnowsNamesAliasesGroupsAndExclusions) {
  const TypeSet hardware(NRT_SYS_TRACE_HARDWARE_TYPES);
  const auto types = [](const char* text) {
    const Environment read = read_one("INSPECT_EVENT_FILTER_TYPE", text);
    EXPECT_TRUE(read.complaints.empty()) << text;
    return types_of(read.config);
  };
  EXPECT_EQ(types("hardware"), hardware);
  EXPECT_EQ(types("software"), ~hardware);
  EXPECT_EQ(types("hardware,software"), ~TypeSet());
  EXPECT_EQ(types("nc_exec_running"), TypeSet().set(7));
  EXPECT_EQ(types("device_exec"), TypeSet().set(7));
  EXPECT_EQ(types("nrt_execute , hw_notify"), TypeSet().set(3).set(24));
  EXPECT_EQ(types("^hw_notify"), ~TypeSet().set(24));
  EXPECT_EQ(types(" ^hardware"), ~hardware);
  EXPECT_EQ(types("hardware,^hw_notify"), hardware & ~TypeSet().set(24));
  EXPECT_EQ(types("^hardware,hw_notify"), ~hardware | TypeSet().set(24));
  EXPECT_EQ(types("hw_notify,^hw_notify"), TypeSet());
}

TEST(Environment, ABadTypeFilterIsAnsweredWithTheWordAndItsPlace) {
  const auto complaint = [](const std::string& text) {
    const Environment read = read_one("INSPECT_EVENT_FILTER_TYPE", text);
    EXPECT_TRUE(types_of(read.config).all()) << text;
    EXPECT_EQ(read.complaints.size(), 1u) << text;
    return read.complaints.empty() ? "" : read.complaints[0];
  };
  const std::string name = "NEURON_RT_INSPECT_EVENT_FILTER_TYPE: ";
  const std::string no_type = " is neither an event type nor hardware or software";
  EXPECT_EQ(complaint("hw_notify,hw_notfy"), name + "'hw_notfy' at character 11" + no_type);
  EXPECT_EQ(complaint("^^hw_notify"), name + "'^^hw_notify' at character 1" + no_type);
  EXPECT_EQ(complaint("^"), name + "'^' at character 1" + no_type);
  EXPECT_EQ(complaint("HARDWARE"), name + "'HARDWARE' at character 1" + no_type);
  EXPECT_EQ(complaint("all"), name + "'all' at character 1" + no_type);
  EXPECT_EQ(complaint(","), name + "'' at character 1 is empty");
  EXPECT_EQ(complaint(std::string(100, 'x')),
            name + "'" + std::string(64, 'x') + "' at character 1" + no_type);
}

TEST(Environment, AllComplaintsAreCollected) {
  EXPECT_EQ(read({{"NEURON_RT_INSPECT_EVENT_FILTER_NC", "x"},
                  {"NEURON_RT_INSPECT_EVENT_FILTER_TYPE", "y"},
                  {"NEURON_RT_INSPECT_CPU_UTIL", "z"}})
                .complaints.size(),
            3u);
}

}  // namespace
}  // namespace ndtel::inspect::test
