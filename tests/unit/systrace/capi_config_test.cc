// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "captured_log.hpp"
#include "catalogue.hpp"
#include "config.hpp"
#include "nrt/nrt_sys_trace.h"

namespace ndtel::systrace {
namespace {

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

class CapiConfig : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(nrt_sys_trace_config_allocate(&config_), NRT_SUCCESS); }
  void TearDown() override { nrt_sys_trace_config_free(config_); }

  std::vector<std::string> enabled_types() {
    const char** names = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(nrt_sys_trace_config_get_enabled_event_types(config_, &names, &count), NRT_SUCCESS);
    EXPECT_NE(names, nullptr);
    std::vector<std::string> copies(names, names + count);
    nrt_sys_trace_free_event_types(names, count);
    return copies;
  }

  nrt_sys_trace_config_t* config_ = nullptr;
  test::CapturedLog log_;
};

void expect_defaults(const nrt_sys_trace_config_t& config) {
  EXPECT_EQ(config.max_events_per_nc, 1'048'576u);
  EXPECT_TRUE(std::ranges::all_of(config.capture_enabled_for_nc, [](bool on) { return on; }));
  EXPECT_TRUE(
      std::ranges::all_of(config.capture_enabled_for_event_type, [](bool on) { return on; }));
}

TEST_F(CapiConfig, NewConfigsHaveTheDefaults) {
  expect_defaults(*config_);
  EXPECT_EQ(enabled_types().size(), 46u);
}

TEST_F(CapiConfig, DefaultsUndoEverything) {
  nrt_sys_trace_config_set_max_events_per_nc(config_, 5);
  nrt_sys_trace_config_set_capture_enabled_for_nc(config_, 0, false);
  nrt_sys_trace_config_set_capture_enabled_for_nc(config_, 255, false);
  EXPECT_EQ(nrt_sys_trace_config_set_capture_enabled_for_event_type(config_, "nrt_load", false),
            NRT_SUCCESS);
  EXPECT_FALSE(config_->capture_enabled_for_nc[0]);
  EXPECT_TRUE(config_->capture_enabled_for_nc[1]);
  EXPECT_FALSE(config_->capture_enabled_for_nc[255]);
  EXPECT_EQ(enabled_types().size(), 45u);
  nrt_sys_trace_config_set_defaults(config_);
  expect_defaults(*config_);
  EXPECT_TRUE(log_.lines().empty());
}

TEST_F(CapiConfig, RingSizesAreKeptAsGiven) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, kMax64}) {
    nrt_sys_trace_config_set_max_events_per_nc(config_, size);
    EXPECT_EQ(config_->max_events_per_nc, size);
  }
}

TEST_F(CapiConfig, RingCapacityHasAFloorAndACeiling) {
  const auto capacity = [this](std::uint64_t size) {
    nrt_sys_trace_config_set_max_events_per_nc(config_, size);
    return ring_capacity(*config_);
  };
  EXPECT_EQ(capacity(0), 1024u);
  EXPECT_EQ(capacity(1023), 1024u);
  EXPECT_EQ(capacity(1024), 1024u);
  EXPECT_EQ(capacity(1025), 1025u);
  EXPECT_EQ(capacity(std::uint64_t{1} << 32), std::uint64_t{1} << 32);
  EXPECT_EQ(capacity((std::uint64_t{1} << 32) + 1), std::nullopt);
  EXPECT_EQ(capacity(kMax64), std::nullopt);
}

TEST_F(CapiConfig, CoresOutOfRangeChangeNothing) {
  for (const std::uint32_t core : {256u, 257u, 0x80000000u, 0xFFFFFFFFu})
    nrt_sys_trace_config_set_capture_enabled_for_nc(config_, core, false);
  expect_defaults(*config_);
  ASSERT_EQ(log_.lines().size(), 1u);  // rate-limited
  EXPECT_EQ(log_.lines()[0].first, 2);
  EXPECT_NE(log_.lines()[0].second.find("256"), std::string::npos);
}

TEST_F(CapiConfig, TypesGoByNameAndByAlias) {
  for (const EventType& type : event_types()) {
    for (const char* name : {type.name, type.alias}) {
      EXPECT_EQ(nrt_sys_trace_config_set_capture_enabled_for_event_type(config_, name, false),
                NRT_SUCCESS);
      EXPECT_FALSE(config_->capture_enabled_for_event_type[type.type]);
      EXPECT_EQ(enabled_types().size(), 45u);
      EXPECT_EQ(nrt_sys_trace_config_set_capture_enabled_for_event_type(config_, name, true),
                NRT_SUCCESS);
    }
  }
  expect_defaults(*config_);
}

TEST_F(CapiConfig, UnknownTypesAreRefused) {
  const std::string huge(100'000, 'x');
  for (const char* name : {"", "NRT_LOAD", "nrt_load ", "unknown", "hardware", "^nrt_load",
                           "\xFF\xFE", "nrt_load\nERROR", huge.c_str()})
    EXPECT_EQ(nrt_sys_trace_config_set_capture_enabled_for_event_type(config_, name, false),
              NRT_INVALID);
  expect_defaults(*config_);
  EXPECT_EQ(log_.lines().size(), 1u);
}

TEST_F(CapiConfig, NullChangesNothing) {
  nrt_sys_trace_config_set_defaults(nullptr);
  nrt_sys_trace_config_free(nullptr);
  nrt_sys_trace_fetch_options_set_defaults(nullptr);
  nrt_sys_trace_fetch_options_free(nullptr);
  nrt_sys_trace_free_event_types(nullptr, 7);
  EXPECT_TRUE(log_.lines().empty());

  EXPECT_EQ(nrt_sys_trace_config_allocate(nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_fetch_options_allocate(nullptr), NRT_INVALID);
  nrt_sys_trace_config_set_max_events_per_nc(nullptr, 1);
  nrt_sys_trace_config_set_capture_enabled_for_nc(nullptr, 0, false);
  nrt_sys_trace_fetch_options_set_max_events_per_nc(nullptr, 1);
  nrt_sys_trace_fetch_options_set_nc_idx(nullptr, 1);
  EXPECT_EQ(nrt_sys_trace_config_set_capture_enabled_for_event_type(nullptr, "nrt_load", false),
            NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_config_set_capture_enabled_for_event_type(config_, nullptr, false),
            NRT_INVALID);
  expect_defaults(*config_);

  const char* untouched = nullptr;
  const char** names = &untouched;
  std::size_t count = 77;
  EXPECT_EQ(nrt_sys_trace_get_event_types(nullptr, &count), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_get_event_types(&names, nullptr), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_config_get_enabled_event_types(nullptr, &names, &count), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_config_get_enabled_event_types(config_, nullptr, &count), NRT_INVALID);
  EXPECT_EQ(nrt_sys_trace_config_get_enabled_event_types(config_, &names, nullptr), NRT_INVALID);
  EXPECT_EQ(names, &untouched);
  EXPECT_EQ(count, 77u);
  ASSERT_EQ(log_.lines().size(), 1u);
  EXPECT_NE(log_.lines()[0].second.find("nrt_sys_trace_config_allocate: options is NULL"),
            std::string::npos);
}

TEST_F(CapiConfig, ListsOfTypesBelongToTheCaller) {
  const char** names = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(nrt_sys_trace_get_event_types(&names, &count), NRT_SUCCESS);
  ASSERT_EQ(count, 46u);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(names[i], event_type_name(i));
  // One by one with free(), in any order.
  std::free(const_cast<char*>(names[45]));
  for (std::size_t i = 0; i < 45; ++i) std::free(const_cast<char*>(names[i]));
  std::free(names);

  ASSERT_EQ(nrt_sys_trace_get_event_types(&names, &count), NRT_SUCCESS);
  nrt_sys_trace_free_event_types(names, count);
}

TEST_F(CapiConfig, EnabledTypesComeInTheOrderOfTheirNumbers) {
  for (const EventType& type : event_types())
    ASSERT_EQ(nrt_sys_trace_config_set_capture_enabled_for_event_type(config_, type.name, false),
              NRT_SUCCESS);
  EXPECT_TRUE(enabled_types().empty());
  for (const char* name : {"hostcc_wait", "nrt_load", "cc_exec"})
    ASSERT_EQ(nrt_sys_trace_config_set_capture_enabled_for_event_type(config_, name, true),
              NRT_SUCCESS);
  EXPECT_EQ(enabled_types(), (std::vector<std::string>{"nrt_load", "cc_running", "hostcc_wait"}));
}

TEST(CapiFetchOptions, DefaultsAndBounds) {
  nrt_sys_trace_fetch_options_t* options = nullptr;
  ASSERT_EQ(nrt_sys_trace_fetch_options_allocate(&options), NRT_SUCCESS);
  EXPECT_EQ(options->max_events_per_nc, 0u);
  EXPECT_EQ(options->nc_idx, -1);
  EXPECT_EQ(selected_core(*options), std::nullopt);
  EXPECT_EQ(fetch_limit(*options, 4096), 4096u);

  nrt_sys_trace_fetch_options_set_max_events_per_nc(options, 10);
  EXPECT_EQ(fetch_limit(*options, 4096), 10u);
  nrt_sys_trace_fetch_options_set_max_events_per_nc(options, kMax64);
  EXPECT_EQ(fetch_limit(*options, 4096), 4096u);

  nrt_sys_trace_fetch_options_set_nc_idx(options, 3);
  EXPECT_EQ(selected_core(*options), 3u);
  nrt_sys_trace_fetch_options_set_nc_idx(options, 255);
  EXPECT_EQ(selected_core(*options), 255u);
  nrt_sys_trace_fetch_options_set_nc_idx(options, 0x7FFFFFFF);
  EXPECT_EQ(selected_core(*options), 0x7FFFFFFFu);
  // Read as 32 bits: what is negative then means all cores.
  nrt_sys_trace_fetch_options_set_nc_idx(options, kMax64);
  EXPECT_EQ(selected_core(*options), std::nullopt);
  nrt_sys_trace_fetch_options_set_nc_idx(options, 0xFFFFFFFF);
  EXPECT_EQ(selected_core(*options), std::nullopt);
  nrt_sys_trace_fetch_options_set_nc_idx(options, std::uint64_t{1} << 32 | 5);
  EXPECT_EQ(selected_core(*options), 5u);

  nrt_sys_trace_fetch_options_set_defaults(options);
  EXPECT_EQ(options->max_events_per_nc, 0u);
  EXPECT_EQ(options->nc_idx, -1);
  nrt_sys_trace_fetch_options_free(options);
}

}  // namespace
}  // namespace ndtel::systrace
