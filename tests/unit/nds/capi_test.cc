// SPDX-License-Identifier: Apache-2.0
//
// The C ABI: return codes, NULLs, objects and snapshots.
#include "capi.hpp"

#include <fcntl.h>

#include <climits>
#include <cstdlib>

#include "slab_fixture.hpp"

namespace ndtel::test {
namespace {

class CApi : public ::testing::Test {
 protected:
  void SetUp() override {
    auto own = Instance::over_memory(memory.bytes());
    ASSERT_TRUE(own);
    producer = new nds_instance(std::move(*own));
    auto monitor = Reader::over_memory(memory.bytes());
    ASSERT_TRUE(monitor);
    reader = new nds_instance(std::move(*monitor));
  }
  void TearDown() override {
    if (producer != nullptr) {
      EXPECT_EQ(nds_close(producer), 0);
    }
    EXPECT_EQ(nds_close(reader), 0);
  }

  SlabMemory memory;
  nds_instance_t* producer = nullptr;
  nds_instance_t* reader = nullptr;
};

TEST_F(CApi, CountersCountAndReadersRead) {
  EXPECT_EQ(nds_increment_nc_counter(producer, 4, NDS_NC_COUNTER_OOB, 5), 0);
  EXPECT_EQ(nds_decrement_nc_counter(producer, 4, NDS_NC_COUNTER_OOB, 2), 0);
  std::uint64_t value = 99;
  EXPECT_EQ(nds_get_nc_counter(reader, 4, NDS_NC_COUNTER_OOB, &value), 0);
  EXPECT_EQ(value, 3u);
  value = 77;
  EXPECT_EQ(nds_set_nc_counter(producer, 4, NDS_NC_COUNTER_LATENCY_DEVICE, &value), 0);
  value = 0;
  EXPECT_EQ(nds_get_nc_counter(producer, 4, NDS_NC_COUNTER_LATENCY_DEVICE, &value), 0);
  EXPECT_EQ(value, 77u);

  EXPECT_EQ(nds_increment_nd_counter(producer, 30, 8), 0);
  EXPECT_EQ(nds_decrement_nd_counter(producer, 30, 1), 0);
  EXPECT_EQ(nds_get_nd_counter(reader, 30, &value), 0);
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(nds_or_nd_counter(producer, NDS_ND_COUNTER_FEATURE_BITMAP, 1), 0);
  EXPECT_EQ(nds_get_nd_counter(reader, NDS_ND_COUNTER_FEATURE_BITMAP, &value), 0);
  EXPECT_EQ(value, 2u) << "the argument is a bit's index";
  value = 6;
  EXPECT_EQ(nds_set_nd_counter(producer, 0, &value), 0);
}

TEST_F(CApi, ReadersNeverWrite) {
  std::uint64_t value = 1;
  EXPECT_EQ(nds_increment_nc_counter(reader, 0, 0, 1), -EPERM);
  EXPECT_EQ(nds_decrement_nc_counter(reader, 0, 0, 1), -EPERM);
  EXPECT_EQ(nds_set_nc_counter(reader, 0, 0, &value), -EPERM);
  EXPECT_EQ(nds_increment_nd_counter(reader, 0, 1), -EPERM);
  EXPECT_EQ(nds_decrement_nd_counter(reader, 0, 1), -EPERM);
  EXPECT_EQ(nds_or_nd_counter(reader, 0, 1), -EPERM);
  EXPECT_EQ(nds_set_nd_counter(reader, 0, &value), -EPERM);
  for (int type : {NDS_OBJ_MODEL_NODE, NDS_OBJ_PROCESS_INFO, NDS_OBJ_PROCESS_INFO_EXT}) {
    nds_obj_handle_t object = nds_obj_new(reader, type);
    ASSERT_NE(object, nullptr);
    EXPECT_EQ(nds_obj_commit(object), -EINVAL);
    EXPECT_EQ(nds_obj_delete(object), 0);
  }
  for (std::size_t offset = 8; offset < NDS_SLAB_SIZE; offset += 8)
    ASSERT_EQ(memory.word(offset), 0u);
}

TEST_F(CApi, NegativeAndHugeCoresAndCountersAreRefused) {
  std::uint64_t value = 5;
  for (int nc : {-1, -4, INT_MIN, 16, INT_MAX}) {
    for (std::uint32_t counter : {0u, 30u, 31u, 94u}) {
      EXPECT_EQ(nds_increment_nc_counter(producer, nc, counter, 1), -EINVAL);
      EXPECT_EQ(nds_decrement_nc_counter(producer, nc, counter, 1), -EINVAL);
      EXPECT_EQ(nds_set_nc_counter(producer, nc, counter, &value), -EINVAL);
      EXPECT_EQ(nds_get_nc_counter(producer, nc, counter, &value), -EINVAL);
    }
  }
  for (std::uint32_t counter : {95u, 1000u, 0xFFFFFFFFu}) {
    for (int nc = 0; nc < NDS_MAX_NC; ++nc) {
      EXPECT_EQ(nds_increment_nc_counter(producer, nc, counter, 1), -EINVAL);
      EXPECT_EQ(nds_get_nc_counter(producer, nc, counter, &value), -EINVAL);
    }
  }
  EXPECT_EQ(nds_increment_nd_counter(producer, 31, 1), -EINVAL);
  EXPECT_EQ(nds_get_nd_counter(producer, 31, &value), -EINVAL);
  EXPECT_EQ(nds_or_nd_counter(producer, 0, 64), -EINVAL);
  EXPECT_EQ(value, 5u);
  for (std::size_t offset = 8; offset < NDS_SLAB_SIZE; offset += 8)
    ASSERT_EQ(memory.word(offset), 0u);
}

TEST_F(CApi, NullsAreRefusedEverywhere) {
  std::uint64_t value = 0;
  std::size_t count = 0;
  nds_obj_handle_t* objects = nullptr;
  nds_instance_t* instance = nullptr;
  ndl_device_t* device = nullptr;
  void* data = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(nds_open(nullptr, 0, &instance), -EINVAL);
  EXPECT_EQ(nds_close(nullptr), -EINVAL);
  EXPECT_EQ(nds_increment_nc_counter(nullptr, 0, 0, 1), -EINVAL);
  EXPECT_EQ(nds_decrement_nc_counter(nullptr, 0, 0, 1), -EINVAL);
  EXPECT_EQ(nds_get_nc_counter(nullptr, 0, 0, &value), -EINVAL);
  EXPECT_EQ(nds_get_nc_counter(producer, 0, 0, nullptr), -EINVAL);
  EXPECT_EQ(nds_set_nc_counter(nullptr, 0, 0, &value), -EINVAL);
  EXPECT_EQ(nds_set_nc_counter(producer, 0, 0, nullptr), -EINVAL);
  EXPECT_EQ(nds_increment_nd_counter(nullptr, 0, 1), -EINVAL);
  EXPECT_EQ(nds_decrement_nd_counter(nullptr, 0, 1), -EINVAL);
  EXPECT_EQ(nds_or_nd_counter(nullptr, 0, 1), -EINVAL);
  EXPECT_EQ(nds_get_nd_counter(nullptr, 0, &value), -EINVAL);
  EXPECT_EQ(nds_get_nd_counter(producer, 0, nullptr), -EINVAL);
  EXPECT_EQ(nds_set_nd_counter(nullptr, 0, &value), -EINVAL);
  EXPECT_EQ(nds_set_nd_counter(producer, 0, nullptr), -EINVAL);
  EXPECT_EQ(nds_obj_new(nullptr, NDS_OBJ_MODEL_NODE), nullptr);
  EXPECT_EQ(nds_obj_new(producer, 3), nullptr);
  EXPECT_EQ(nds_obj_new(producer, -1), nullptr);
  EXPECT_EQ(nds_obj_commit(nullptr), -EINVAL);
  EXPECT_EQ(nds_obj_delete(nullptr), -EINVAL);
  EXPECT_EQ(nds_obj_handle_to_model_node_info(nullptr), nullptr);
  EXPECT_EQ(nds_obj_handle_to_model_node_mem_usage(nullptr), nullptr);
  EXPECT_EQ(nds_obj_handle_to_process_info(nullptr), nullptr);
  EXPECT_EQ(nds_obj_handle_to_process_info_ext(nullptr), nullptr);
  EXPECT_EQ(nds_read_all_model_nodes(nullptr, &objects, &count), -EINVAL);
  EXPECT_EQ(nds_read_all_model_nodes(reader, nullptr, &count), -EINVAL);
  EXPECT_EQ(nds_read_all_model_nodes(reader, &objects, nullptr), -EINVAL);
  EXPECT_EQ(nds_read_process_info(nullptr), nullptr);
  EXPECT_EQ(nds_read_process_info_ext(nullptr), nullptr);
  EXPECT_EQ(ndl_open_device(0, O_RDONLY, nullptr), -EINVAL);
  EXPECT_EQ(ndl_open_device(-1, O_RDONLY, &device), -EINVAL);
  EXPECT_EQ(ndl_open_device(64, O_RDONLY, &device), -EINVAL);
  EXPECT_EQ(ndl_open_path(nullptr, O_RDONLY, &device), -EINVAL);
  EXPECT_EQ(ndl_open_path("/dev/null", O_RDONLY, nullptr), -EINVAL);
  EXPECT_EQ(ndl_close_device(nullptr), -EINVAL);
  EXPECT_EQ(ndl_device_fd(nullptr), -EINVAL);
  EXPECT_EQ(ndl_nds_open(nullptr, 0, &data, &size), -EINVAL);
  EXPECT_EQ(ndl_nds_close(nullptr, 0, data, size), -EINVAL);
  EXPECT_EQ(ndl_metrics_ctrl(nullptr, 0), -EINVAL);
}

TEST_F(CApi, ProcessObjectsArePublishedAndRead) {
  nds_obj_handle_t info = nds_obj_new(producer, NDS_OBJ_PROCESS_INFO);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(nds_obj_handle_to_model_node_info(info), nullptr);
  EXPECT_EQ(nds_obj_handle_to_process_info_ext(info), nullptr);
  nds_process_info_t* view = nds_obj_handle_to_process_info(info);
  ASSERT_NE(view, nullptr);
  view->framework_type = 3;
  copy_text(view->tag, "tagged");
  view->runtime = {.major = 2, .minor = 31, .pad = {}, .build = 24};
  EXPECT_EQ(nds_read_process_info(reader), nullptr) << "nothing is published before the commit";
  ASSERT_EQ(nds_obj_commit(info), 0);
  EXPECT_EQ(nds_obj_delete(info), 0);

  nds_obj_handle_t ext = nds_obj_new(producer, NDS_OBJ_PROCESS_INFO_EXT);
  ASSERT_NE(ext, nullptr);
  copy_text(nds_obj_handle_to_process_info_ext(ext)->tag, "a longer tag");
  ASSERT_EQ(nds_obj_commit(ext), 0);
  EXPECT_EQ(nds_obj_delete(ext), 0);

  nds_obj_handle_t seen = nds_read_process_info(reader);
  ASSERT_NE(seen, nullptr) << "a published record stays when its object goes";
  EXPECT_STREQ(nds_obj_handle_to_process_info(seen)->tag, "tagged");
  EXPECT_EQ(nds_obj_handle_to_process_info(seen)->framework_type, 3);
  EXPECT_EQ(nds_obj_handle_to_process_info(seen)->runtime.minor, 31);
  EXPECT_EQ(nds_obj_commit(seen), -EINVAL);
  EXPECT_EQ(nds_obj_delete(seen), 0);
  seen = nds_read_process_info_ext(reader);
  ASSERT_NE(seen, nullptr);
  EXPECT_STREQ(nds_obj_handle_to_process_info_ext(seen)->tag, "a longer tag");
  EXPECT_EQ(nds_obj_delete(seen), 0);
}

TEST_F(CApi, ModelNodesComeAndGo) {
  nds_obj_handle_t node = nds_obj_new(producer, NDS_OBJ_MODEL_NODE);
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(nds_obj_handle_to_process_info(node), nullptr);
  nds_obj_handle_to_model_node_info(node)->model_id = 11;
  copy_text(nds_obj_handle_to_model_node_info(node)->name, "llama");
  nds_obj_handle_to_model_node_mem_usage(node)->usage[0][11].total_size = 4096;
  ASSERT_EQ(nds_obj_commit(node), 0);
  nds_obj_handle_to_model_node_info(node)->model_id = 12;
  ASSERT_EQ(nds_obj_commit(node), 0);

  for (nds_instance_t* from : {reader, producer}) {
    nds_obj_handle_t* objects = nullptr;
    std::size_t count = 0;
    ASSERT_EQ(nds_read_all_model_nodes(from, &objects, &count), 0);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(nds_obj_handle_to_model_node_info(objects[0])->model_id, 12u);
    EXPECT_STREQ(nds_obj_handle_to_model_node_info(objects[0])->name, "llama");
    EXPECT_EQ(nds_obj_handle_to_model_node_mem_usage(objects[0])->usage[0][11].total_size, 4096u);
    EXPECT_EQ(nds_obj_commit(objects[0]), -EINVAL);
    EXPECT_EQ(nds_obj_delete(objects[0]), 0);
    std::free(objects);
  }

  EXPECT_EQ(nds_obj_delete(node), 0) << "deleting a snapshot must have left the node in place";
  nds_obj_handle_t* objects = nullptr;
  std::size_t count = 9;
  EXPECT_EQ(nds_read_all_model_nodes(reader, &objects, &count), 0);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(objects, nullptr);
}

TEST_F(CApi, TheSixtyFifthModelNodeAnswersTwentyEight) {
  std::vector<nds_obj_handle_t> nodes;
  for (int i = 0; i < NDS_MODEL_SLOTS; ++i) {
    nodes.push_back(nds_obj_new(producer, NDS_OBJ_MODEL_NODE));
    ASSERT_EQ(nds_obj_commit(nodes.back()), 0);
  }
  nds_obj_handle_t extra = nds_obj_new(producer, NDS_OBJ_MODEL_NODE);
  EXPECT_EQ(nds_obj_commit(extra), 28);
  EXPECT_EQ(nds_obj_delete(nodes[17]), 0);
  EXPECT_EQ(nds_obj_commit(extra), 0);
  nodes[17] = extra;
  for (nds_obj_handle_t node : nodes) EXPECT_EQ(nds_obj_delete(node), 0);
  EXPECT_EQ(memory.word(NDS_MODEL_BITMAP_OFFSET), 0u);
}

TEST_F(CApi, ObjectsOutliveTheirInstance) {
  nds_obj_handle_t node = nds_obj_new(producer, NDS_OBJ_MODEL_NODE);
  ASSERT_EQ(nds_obj_commit(node), 0);
  ASSERT_EQ(nds_close(producer), 0);
  producer = nullptr;
  EXPECT_EQ(nds_obj_commit(node), -EPERM);
  EXPECT_EQ(nds_obj_delete(node), 0);
  EXPECT_EQ(memory.word(NDS_MODEL_BITMAP_OFFSET), 1u) << "no mapping, so nothing was removed";
}

TEST(CApiDevice, NodesThatAreNoDevicesGiveTheirErrno) {
  ndl_device_t* device = nullptr;
  EXPECT_EQ(ndl_open_path("/nonexistent/ndtel0", O_RDONLY, &device), -ENOENT);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(ndl_open_path("/proc/self/status", O_RDONLY, &device), -ENODEV);

  ASSERT_EQ(ndl_open_path("/dev/null", O_RDWR, &device), 0);
  EXPECT_GE(ndl_device_fd(device), 0);
  nds_instance_t* instance = nullptr;
  EXPECT_EQ(nds_open(device, 0, &instance), -ENOTTY);
  EXPECT_EQ(nds_open(device, -5, &instance), -EINVAL);
  EXPECT_EQ(nds_open(device, 1, nullptr), -EINVAL);
  EXPECT_EQ(instance, nullptr);
  void* data = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(ndl_nds_open(device, 0, &data, &size), -ENOTTY);
  EXPECT_EQ(ndl_nds_open(device, -1, &data, &size), -EINVAL);
  EXPECT_EQ(ndl_nds_close(device, 0, nullptr, 4096), -EINVAL);
  EXPECT_EQ(ndl_metrics_ctrl(device, 0), -ENOTTY);
  EXPECT_EQ(ndl_metrics_ctrl(device, 2), -EINVAL);
  EXPECT_EQ(ndl_close_device(device), 0);
}

}  // namespace
}  // namespace ndtel::test
