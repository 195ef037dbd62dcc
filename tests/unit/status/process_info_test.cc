// SPDX-License-Identifier: Apache-2.0
//
// What a process says about itself.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "ndtel/kmetric.hpp"

namespace ndtel::test {
namespace {

class ProcessInfo : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("NEURON_PROCESS_TAG");
    auto own = Instance::over_memory(std::as_writable_bytes(std::span(words)));
    ASSERT_TRUE(own);
    instance = std::move(*own);
  }
  void TearDown() override { ::unsetenv("NEURON_PROCESS_TAG"); }

  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(NDS_SLAB_SIZE / 8);
  Instance instance;
  kmetric_process_versions_t versions{.framework_type = NDS_FRAMEWORK_PYTORCH,
                                      .framework = {.major = 2, .minor = 1, .pad = {}, .build = 7},
                                      .fal = {.major = 1, .minor = 9, .pad = {}, .build = 3},
                                      .runtime = "2.31.24.0"};
};

TEST_F(ProcessInfo, TagIsThePidAndVersionsReachTheirWords) {
  ASSERT_EQ(save_process_info(instance, versions), NRT_SUCCESS);
  const auto info = instance.process_info();
  const auto ext = instance.process_info_ext();
  ASSERT_TRUE(info && ext);
  const std::string pid = std::to_string(::getpid());
  EXPECT_EQ(field_text(info->tag), pid);
  EXPECT_EQ(field_text(ext->tag), pid);
  EXPECT_EQ(info->framework_type, NDS_FRAMEWORK_PYTORCH);
  EXPECT_EQ(info->framework.build, 7u);
  EXPECT_EQ(info->fal.minor, 9);
  EXPECT_EQ(info->runtime.build, 24u);
  EXPECT_EQ(instance.nd(NDS_ND_COUNTER_RUNTIME_VERSION), pack_version(2, 31, 24));
  EXPECT_EQ(instance.nd(NDS_ND_COUNTER_FRAMEWORK_VERSION), pack_version(2, 1, 7, 3));
  EXPECT_EQ(instance.nd(NDS_ND_COUNTER_FAL_VERSION), pack_version(1, 9, 3));
}

TEST_F(ProcessInfo, TagOfTheEnvironmentIsCutTo31And255) {
  const std::string tag(300, 't');
  ASSERT_EQ(::setenv("NEURON_PROCESS_TAG", tag.c_str(), 1), 0);
  ASSERT_EQ(save_process_info(instance, versions), NRT_SUCCESS);
  EXPECT_EQ(field_text(instance.process_info()->tag), tag.substr(0, 31));
  EXPECT_EQ(field_text(instance.process_info_ext()->tag), tag.substr(0, 255));
}

TEST_F(ProcessInfo, AnEmptyTagIsNone) {
  ASSERT_EQ(::setenv("NEURON_PROCESS_TAG", "", 1), 0);
  ASSERT_EQ(save_process_info(instance, versions), NRT_SUCCESS);
  EXPECT_EQ(field_text(instance.process_info()->tag), std::to_string(::getpid()));
}

TEST_F(ProcessInfo, WithoutAFrameworkItsWordsStayUnset) {
  versions.framework_type = NDS_FRAMEWORK_INVALID;
  ASSERT_EQ(save_process_info(instance, versions), NRT_SUCCESS);
  EXPECT_EQ(instance.nd(NDS_ND_COUNTER_RUNTIME_VERSION), pack_version(2, 31, 24));
  EXPECT_EQ(instance.nd(NDS_ND_COUNTER_FRAMEWORK_VERSION), 0u);
  EXPECT_EQ(instance.nd(NDS_ND_COUNTER_FAL_VERSION), 0u);
}

TEST_F(ProcessInfo, FrameworklessIsTypeOneWithVersionZero) {
  versions.framework_type = NDS_FRAMEWORK_NONE;
  versions.framework = {};
  ASSERT_EQ(save_process_info(instance, versions), NRT_SUCCESS);
  EXPECT_EQ(instance.nd(NDS_ND_COUNTER_FRAMEWORK_VERSION), 1ULL << 48);
}

TEST_F(ProcessInfo, BadInputIsInvalidAndWritesNothing) {
  versions.runtime = "latest";
  EXPECT_EQ(save_process_info(instance, versions), NRT_INVALID);
  versions.runtime = nullptr;
  EXPECT_EQ(save_process_info(instance, versions), NRT_INVALID);
  versions.runtime = "1.2.3";
  versions.framework_type = -1;
  EXPECT_EQ(save_process_info(instance, versions), NRT_INVALID);
  EXPECT_EQ(instance.nd(NDS_ND_COUNTER_RUNTIME_VERSION), 0u);
  EXPECT_FALSE(instance.process_info());
}

TEST_F(ProcessInfo, AClosedInstanceFails) {
  instance.close();
  EXPECT_EQ(save_process_info(instance, versions), NRT_FAILURE);
}

}  // namespace
}  // namespace ndtel::test
