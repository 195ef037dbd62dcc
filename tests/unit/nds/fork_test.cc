// SPDX-License-Identifier: Apache-2.0
//
// Two processes: what a child may do with inherited instances, and what a reader sees of another
// process.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capi.hpp"
#include "slab_fixture.hpp"

namespace ndtel::test {
namespace {

// Runs a check in a forked child; the number it returns is the child's exit status.
template <typename Check>
int in_child(Check check) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(check());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "the child was killed by signal " << WTERMSIG(status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

using Fork = SlabTest;

TEST_F(Fork, InheritedInstancesAnswerEpermInTheChildOnly) {
  ASSERT_EQ(instance.increment(0, 0, 5), 0);
  EXPECT_EQ(in_child([&] {
              if (instance.mapped() || reader.mapped()) return 1;
              if (instance.increment(0, 0, 100) != -EPERM) return 2;
              if (instance.set_nd(0, 1) != -EPERM) return 3;
              int slot = -1;
              if (instance.publish(nds_model_record{}, &slot) != -EPERM) return 4;
              if (reader.nc(0, 0).has_value() || reader.process_info().has_value()) return 5;
              instance.close();
              reader.close();
              return 0;
            }),
            0);
  EXPECT_EQ(instance.increment(0, 0, 1), 0);
  EXPECT_EQ(reader.nc(0, 0), 6u);
  EXPECT_TRUE(reader.header_valid());
}

TEST_F(Fork, MovedInstancesAreFoundByTheForkHandler) {
  std::vector<Instance> held;
  held.push_back(std::move(instance));
  for (int i = 0; i < 10; ++i) {
    auto another = Instance::over_memory(memory.bytes());
    ASSERT_TRUE(another);
    held.push_back(std::move(*another));  // reallocation moves all of them
  }
  held.erase(held.begin() + 3, held.begin() + 6);
  EXPECT_EQ(in_child([&] {
              for (auto& one : held) {
                if (one.increment(0, 0, 1) != -EPERM) return 1;
              }
              held.clear();
              return 0;
            }),
            0);
  for (auto& one : held) EXPECT_EQ(one.increment(0, 0, 1), 0);
}

TEST_F(Fork, TheChildMayOpenItsOwn) {
  EXPECT_EQ(in_child([&] {
              SlabMemory own;
              auto fresh = Instance::over_memory(own.bytes());
              if (!fresh) return 1;
              return fresh->increment(1, 1, 1) == 0 && fresh->nc(1, 1) == 1 ? 0 : 2;
            }),
            0);
}

TEST_F(Fork, GrandchildrenAnswerEpermToo) {
  EXPECT_EQ(in_child([&] {
              return in_child([&] { return instance.increment(0, 0, 1) == -EPERM ? 0 : 1; });
            }),
            0);
}

TEST_F(Fork, AnInheritedCHandleAnswersEpermAndCloses) {
  auto own = Instance::over_memory(memory.bytes());
  ASSERT_TRUE(own);
  auto* handle = new nds_instance(std::move(*own));
  nds_obj_handle_t node = nds_obj_new(handle, NDS_OBJ_MODEL_NODE);
  ASSERT_EQ(nds_obj_commit(node), 0);
  EXPECT_EQ(in_child([&] {
              if (nds_increment_nc_counter(handle, 0, 0, 1) != -EPERM) return 1;
              std::uint64_t value = 0;
              if (nds_get_nc_counter(handle, 0, 0, &value) != -EPERM) return 2;
              if (nds_obj_commit(node) != -EPERM) return 3;
              if (nds_obj_delete(node) != 0) return 4;
              return nds_close(handle) == 0 ? 0 : 5;
            }),
            0);
  EXPECT_EQ(reader.models().size(), 1u) << "the child removed its parent's model node";
  EXPECT_EQ(nds_obj_delete(node), 0);
  EXPECT_TRUE(reader.models().empty());
  EXPECT_EQ(nds_close(handle), 0);
}

TEST(TwoProcesses, AReaderSeesWhatAnotherProcessCountsAndPublishes) {
  SlabMemory memory;
  EXPECT_EQ(in_child([&] {
              auto producer = Instance::over_memory(memory.bytes());
              if (!producer) return 1;
              producer->increment(7, NDS_NC_COUNTER_MAC_COUNT, 123456789);
              producer->increment(1, NDS_EXT_NC_COUNTER_ERR_SW_NQ_OVERFLOW, 2);
              producer->increment(2, NDS_NC_COUNTER_OOB, 3);
              producer->set_nd(NDS_ND_COUNTER_DEVICE_CLUSTER_ID, 42);
              nds_process_info_record info{};
              copy_text(info.tag, "other process");
              int slot = -1;
              nds_model_record model{};
              model.model_id = 77;
              return producer->publish(info) == 0 && producer->publish(model, &slot) == 0 ? 0 : 2;
            }),
            0);
  auto reader = Reader::over_memory(memory.bytes());
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->nc(7, NDS_NC_COUNTER_MAC_COUNT), 123456789u);
  EXPECT_EQ(reader->nc(1, NDS_EXT_NC_COUNTER_ERR_SW_NQ_OVERFLOW), 2u);
  EXPECT_EQ(reader->nc(2, NDS_NC_COUNTER_OOB), 3u);
  EXPECT_EQ(reader->nd(NDS_ND_COUNTER_DEVICE_CLUSTER_ID), 42u);
  const auto info = reader->process_info();
  ASSERT_TRUE(info);
  EXPECT_EQ(field_text(info->tag), "other process");
  ASSERT_EQ(reader->models().size(), 1u);
  EXPECT_EQ(reader->models()[0].record.model_id, 77u);
}

// A producer killed in the middle of publishing leaves a record that either reads whole or not at
// all.
TEST(TwoProcesses, AProducerKilledWhilePublishingLeavesNoTornRecord) {
  for (int round = 0; round < 20; ++round) {
    SlabMemory memory;
    auto* ready = reinterpret_cast<std::uint64_t*>(memory.at(NDS_USED_SIZE));
    const pid_t child = ::fork();
    if (child == 0) {
      auto producer = Instance::over_memory(memory.bytes());
      if (!producer) ::_exit(1);
      for (std::uint32_t i = 0;; ++i) {
        nds_process_info_ext_record ext{};
        std::memset(ext.tag, 'a' + static_cast<int>(i % 26), sizeof ext.tag - 1);
        producer->publish(ext);
        std::atomic_ref<std::uint64_t>(*ready).store(1);
      }
    }
    while (std::atomic_ref<std::uint64_t>(*ready).load() == 0) ::usleep(100);
    ::usleep(static_cast<useconds_t>(37 * round));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);

    auto reader = Reader::over_memory(memory.bytes());
    ASSERT_TRUE(reader);
    if (const auto ext = reader->process_info_ext()) {
      const auto text = field_text(ext->tag);
      EXPECT_EQ(text.size(), 255u);
      EXPECT_EQ(text.find_first_not_of(text[0]), std::string_view::npos) << text;
    }
  }
}

}  // namespace
}  // namespace ndtel::test
