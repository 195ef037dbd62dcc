// SPDX-License-Identifier: Apache-2.0
//
// The functions on configs: each changes what it says, and nothing when it is given nonsense.
#include "config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "scene.hpp"

namespace ndtel::inspect::test {
namespace {

const Config& inside(const Options& options) {
  return *static_cast<nrt_inspect_config_t*>(options);
}

std::vector<std::string> enabled(const Options& options) {
  const char** names = nullptr;
  size_t count = 99;
  EXPECT_EQ(nrt_inspect_config_get_enabled_activity_types(options, &names, &count), NRT_SUCCESS);
  EXPECT_NE(names, nullptr);
  std::vector<std::string> list(names, names + count);
  nrt_inspect_config_free_activity_types(names, count);
  return list;
}

TEST(InspectConfig, DefaultsAreRestored) {
  Options options;
  const auto expect_defaults = [&] {
    EXPECT_EQ(inside(options).session_id, 1);
    EXPECT_EQ(inside(options).output_dir, "");
    EXPECT_EQ(inside(options).activities, 15u);
    EXPECT_EQ(inside(options).sys_trace.max_events_per_nc, 1048576u);
    EXPECT_TRUE(inside(options).cores.all());
    EXPECT_FALSE(inside(options).enable_inspect);
    EXPECT_FALSE(inside(options).enable_inspect_on_fail);
    EXPECT_EQ(inside(options).mode, NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED);
    for (const bool type : inside(options).sys_trace.capture_enabled_for_event_type)
      EXPECT_TRUE(type);
  };
  expect_defaults();
  nrt_inspect_config_set_session_id(options, 5);
  nrt_inspect_config_set_output_dir(options, "there");
  nrt_inspect_config_set_activity(options, "all", false);
  nrt_inspect_config_set_sys_trace_max_events_per_nc(options, 7);
  nrt_inspect_config_set_capture_enabled_for_nc(options, 255, false);
  nrt_inspect_config_set_capture_enabled_for_event_type_string(options, "hw_notify", false);
  nrt_inspect_config_set_enable_inspect(options, true);
  nrt_inspect_config_set_enable_inspect_on_fail(options, true);
  nrt_inspect_config_set_inspect_device_profile_mode(options,
                                                     NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION);
  EXPECT_EQ(inside(options).session_id, 5);
  EXPECT_EQ(inside(options).output_dir, "there");
  EXPECT_EQ(inside(options).activities, 0u);
  EXPECT_EQ(inside(options).sys_trace.max_events_per_nc, 7u);
  EXPECT_FALSE(inside(options).cores[255]);
  EXPECT_FALSE(inside(options).sys_trace.capture_enabled_for_nc[255]);
  EXPECT_FALSE(inside(options).sys_trace.capture_enabled_for_event_type[24]);
  EXPECT_TRUE(inside(options).enable_inspect);
  EXPECT_TRUE(inside(options).enable_inspect_on_fail);
  EXPECT_EQ(inside(options).mode, NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION);
  EXPECT_EQ(nrt_inspect_config_set_defaults(options), NRT_SUCCESS);
  expect_defaults();
}

TEST(InspectConfig, NonsenseIsRefusedAndChangesNothing) {
  Options options;
  nrt_inspect_config_set_session_id(options, 3);
  EXPECT_EQ(nrt_inspect_config_set_session_id(options, -1), NRT_INVALID);
  EXPECT_EQ(inside(options).session_id, 3);
  EXPECT_EQ(nrt_inspect_config_set_sys_trace_max_events_per_nc(options, (1ull << 32) + 1),
            NRT_INVALID);
  EXPECT_EQ(inside(options).sys_trace.max_events_per_nc, 1048576u);
  EXPECT_EQ(nrt_inspect_config_set_capture_enabled_for_nc(options, 256, false), NRT_INVALID);
  EXPECT_TRUE(inside(options).cores.all());
  for (const char* type : {"", "nothing", "hardware"})
    EXPECT_EQ(nrt_inspect_config_set_capture_enabled_for_event_type_string(options, type, false),
              NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_capture_enabled_for_event_type_string(options, nullptr, false),
            NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_inspect_device_profile_mode(
                options, static_cast<nrt_inspect_device_profile_mode_t>(3)),
            NRT_INVALID);
  EXPECT_EQ(inside(options).mode, NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED);
  for (const char* activity : {"", "cpu", "ALL"})
    EXPECT_EQ(nrt_inspect_config_set_activity(options, activity, false), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_activity(options, nullptr, false), NRT_INVALID);
  EXPECT_EQ(inside(options).activities, 15u);
  // A directory that is taken back is the default one.
  for (const char* none : {"", static_cast<const char*>(nullptr)}) {
    nrt_inspect_config_set_output_dir(options, "there");
    EXPECT_EQ(nrt_inspect_config_set_output_dir(options, none), NRT_INVALID);
    EXPECT_EQ(inside(options).output_dir, "");
  }
}

TEST(InspectConfig, NoFunctionTakesNull) {
  EXPECT_EQ(nrt_inspect_config_allocate(nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_free(nullptr), NRT_SUCCESS);
  EXPECT_EQ(nrt_inspect_config_set_defaults(nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_session_id(nullptr, 1), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_output_dir(nullptr, "x"), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_sys_trace_max_events_per_nc(nullptr, 1), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_capture_enabled_for_nc(nullptr, 1, true), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_capture_enabled_for_event_type_string(nullptr, "x", true),
            NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_enable_inspect(nullptr, true), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_enable_inspect_on_fail(nullptr, true), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_inspect_device_profile_mode(
                nullptr, NRT_INSPECT_DEVICE_PROFILE_MODE_MODEL),
            NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_set_activity(nullptr, "all", true), NRT_INVALID);
  Options options;
  const char** names = nullptr;
  size_t count = 0;
  EXPECT_EQ(nrt_inspect_config_get_all_activity_types(nullptr, &count), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_get_all_activity_types(&names, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_get_enabled_activity_types(nullptr, &names, &count), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_get_enabled_activity_types(options, nullptr, &count), NRT_INVALID);
  EXPECT_EQ(nrt_inspect_config_get_enabled_activity_types(options, &names, nullptr), NRT_INVALID);
  nrt_inspect_config_free_activity_types(nullptr, 4);
}

TEST(InspectConfig, ActivitiesAreSwitchedByName) {
  Options options;
  const char** names = nullptr;
  size_t count = 0;
  ASSERT_EQ(nrt_inspect_config_get_all_activity_types(&names, &count), NRT_SUCCESS);
  const std::vector<std::string> all(names, names + count);
  for (size_t i = 0; i < count; ++i) std::free(const_cast<char*>(names[i]));
  std::free(names);
  EXPECT_EQ(all, (std::vector<std::string>{"system_profile", "device_profile", "host_memory",
                                           "cpu_util"}));
  EXPECT_EQ(enabled(options), all);
  EXPECT_EQ(nrt_inspect_config_set_activity(options, "all", false), NRT_SUCCESS);
  EXPECT_EQ(enabled(options), std::vector<std::string>{});
  std::uint32_t bit = 1;
  for (const std::string& name : all) {
    EXPECT_EQ(nrt_inspect_config_set_activity(options, name.c_str(), true), NRT_SUCCESS);
    EXPECT_EQ(enabled(options), std::vector<std::string>{name});
    EXPECT_EQ(inside(options).activities, bit);
    EXPECT_EQ(nrt_inspect_config_set_activity(options, name.c_str(), false), NRT_SUCCESS);
    bit *= 2;
  }
  EXPECT_EQ(nrt_inspect_config_set_activity(options, "all", true), NRT_SUCCESS);
  EXPECT_EQ(enabled(options), all);
}

}  // namespace
}  // namespace ndtel::inspect::test
