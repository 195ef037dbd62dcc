// SPDX-License-Identifier: Apache-2.0
//
// The library on the real slab: a producer in one process, raw bytes and readers in another.
#include <nrt/nds.h>

#include <cerrno>
#include <cstring>

#include "ndtel/nds.hpp"
#include "slab/layout.hpp"
#include "support/child.hpp"
#include "support/debugfs.hpp"
#include "support/eventually.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"

namespace ndtel::vm {
namespace {

class SlabLibrary : public ModuleTest {
 protected:
  static Device open_device(Lane lane) {
    auto device = Device::open(node_path(0), lane);
    if (!device) throw std::runtime_error(device.error().message);
    return *device;
  }
};

TEST_F(SlabLibrary, CountersLieAtTheContractsOffsetsForAnotherProcess) {
  Child producer([](Channel& channel) -> int {
    auto instance = Instance::open(open_device(Lane::kReadWrite));
    CHILD_CHECK(instance.ok());
    for (unsigned i = 0; i < 31; ++i) CHILD_CHECK(instance->set_nd(i, 5000 + i) == 0);
    for (unsigned core = 0; core < 16; ++core) {
      for (unsigned i = 0; i < 95; ++i) {
        CHILD_CHECK(instance->increment(core, i, core * 100 + i + 1) == 0);
      }
    }
    // Wrong numbers touch nothing.
    CHILD_CHECK(instance->increment(16, 0) == -EINVAL);
    CHILD_CHECK(instance->increment(0, 95) == -EINVAL);
    CHILD_CHECK(instance->increment(static_cast<std::uint32_t>(-1), 0) == -EINVAL);
    CHILD_CHECK(instance->increment_nd(31) == -EINVAL);
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(producer.receive());
  const Node node(0, O_RDONLY);
  const Mapping slab = node.map_slab(producer.pid());
  ASSERT_TRUE(slab.valid());
  const unsigned char header[] = {0x6e, 0x64, 0x73, 0x00, 0xa0, 0x86, 0x01, 0x00};
  EXPECT_EQ(std::memcmp(slab.bytes(), header, sizeof header), 0);
  // Examples of the contract, as literal offsets.
  EXPECT_EQ(slab.words()[0x020 / 8], 5003U) << "ND 3";
  EXPECT_EQ(slab.words()[0x2f8 / 8], 202U) << "core 2, counter 1";
  EXPECT_EQ(slab.words()[0xdc88 / 8], 133U) << "core 1, counter 32";
  EXPECT_EQ(slab.words()[0xec68 / 8], 730U) << "core 7, counter 29";

  // And every word: what is expected, built apart from the library.
  std::vector<std::uint64_t> expected(kSlabBytes / 8);
  std::memcpy(expected.data(), header, sizeof header);
  for (unsigned i = 0; i < 31; ++i) expected[1 + i] = 5000 + i;
  for (unsigned core = 0; core < 16; ++core) {
    for (unsigned i = 0; i < 95; ++i) expected[nc_offset(core, i) / 8] = core * 100 + i + 1;
  }
  for (std::size_t word = 0; word < expected.size(); ++word) {
    ASSERT_EQ(slab.words()[word], expected[word]) << "at byte " << word * 8;
  }
}

TEST_F(SlabLibrary, ReaderFollowsALiveProducer) {
  Child producer([](Channel& channel) -> int {
    auto instance = Instance::open(open_device(Lane::kReadWrite));
    CHILD_CHECK(instance.ok());
    channel.send();
    for (;;) {
      instance->increment(2, NDS_NC_COUNTER_INFER_COMPLETED);
      instance->increment(2, NDS_EXT_NC_COUNTER_HW_ERR_NC_UE);
      instance->increment(6, NDS_EXT_NC_COUNTER_HW_ERR_NC_UE);
    }
  });
  ASSERT_TRUE(producer.receive());
  auto reader = Reader::open(open_device(Lane::kReadOnly), producer.pid());
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  std::uint64_t last[3] = {};
  int grown = 0;
  EXPECT_TRUE(eventually([&] {
    // The last written is read first, so it can never be ahead.
    const std::uint64_t now[3] = {*reader->nc(6, 33), *reader->nc(2, 33), *reader->nc(2, 1)};
    EXPECT_LE(now[0], now[1]);
    EXPECT_LE(now[1], now[2]);
    for (int i = 0; i < 3; ++i) EXPECT_GE(now[i], last[i]) << "a counter went back";
    grown += now[2] > last[2] ? 1 : 0;
    std::copy(std::begin(now), std::end(now), last);
    return grown >= 20;
  }));
}

TEST_F(SlabLibrary, ReaderRefusesASlabWithoutItsHeaderAndTakesItLater) {
  Child producer([](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    channel.send();
    channel.receive();
    slab.words()[0] = NDS_HEADER_WORD + (1ULL << 32);  // another version
    channel.send();
    channel.receive();
    slab.words()[0] = NDS_HEADER_WORD;
    channel.send();
    sleep_for_ever();
  });
  const Device device = open_device(Lane::kReadOnly);
  ASSERT_TRUE(producer.receive());
  auto none = Reader::open(device, producer.pid());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, EINVAL);
  producer.send();
  ASSERT_TRUE(producer.receive());
  auto other = Reader::open(device, producer.pid());
  ASSERT_FALSE(other.ok()) << "an unknown version is not parsed";
  producer.send();
  ASSERT_TRUE(producer.receive());
  auto reader = Reader::open(device, producer.pid());
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(Debugfs(0).slab_of(producer.pid())->mappings, 2U) << "refused readers have unmapped";
}

TEST_F(SlabLibrary, ReaderOfAProcessWithoutASlabIsToldToTryLater) {
  auto reader = Reader::open(open_device(Lane::kReadOnly), ::getppid());
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.error().code, ENOENT);
}

TEST_F(SlabLibrary, InstanceInAForkedChildCountsNothingAndHarmsNothing) {
  auto instance = Instance::open(open_device(Lane::kReadWrite));
  ASSERT_TRUE(instance.ok());
  ASSERT_EQ(instance->increment(0, 1, 3), 0);
  Child child([&](Channel&) -> int {
    CHILD_CHECK(instance->increment(0, 1) == -EPERM);
    CHILD_CHECK(!instance->nc(0, 1).has_value());
    instance->close();
    auto own = Instance::open(open_device(Lane::kReadWrite));
    CHILD_CHECK(own.ok());
    CHILD_CHECK(own->nc(0, 1) == 0U);
    CHILD_CHECK(own->increment(0, 1, 10) == 0);
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(Debugfs(0).owned().size(), 1U);
  EXPECT_EQ(instance->increment(0, 1, 4), 0);
  EXPECT_EQ(instance->nc(0, 1), 7U);
  EXPECT_EQ(Debugfs(0).books_of(200).incremented, 17U);
}

TEST_F(SlabLibrary, TwoInstancesOfOneProcessShareASlabUntilBothAreClosed) {
  const Device device = open_device(Lane::kReadWrite);
  auto first = Instance::open(device);
  auto second = Instance::open(device);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->increment(0, 1), 0);
  EXPECT_EQ(second->nc(0, 1), 1U);
  first->close();
  EXPECT_EQ(first->increment(0, 1), -EPERM);
  EXPECT_EQ(Debugfs(0).owned().size(), 1U);
  EXPECT_EQ(second->increment(0, 1), 0);
  second->close();
  EXPECT_EQ(Debugfs(0).owned().size(), 0U);
}

TEST_F(SlabLibrary, CInterfaceProducesInOneProcessAndReadsInAnother) {
  Child producer([](Channel& channel) -> int {
    ndl_device_t* device = nullptr;
    nds_instance_t* instance = nullptr;
    CHILD_CHECK(::ndl_open_path(node_path(0).c_str(), O_RDWR, &device) == 0);
    CHILD_CHECK(::nds_open(device, 0, &instance) == 0);
    CHILD_CHECK(::nds_increment_nc_counter(instance, 5, 1, 12) == 0);
    CHILD_CHECK(::nds_decrement_nc_counter(instance, 5, 1, 2) == 0);
    CHILD_CHECK(::nds_increment_nc_counter(instance, -1, 1, 1) == -EINVAL);
    CHILD_CHECK(::nds_or_nd_counter(instance, NDS_ND_COUNTER_FEATURE_BITMAP, 1) == 0);
    nds_obj_handle_t object = ::nds_obj_new(instance, NDS_OBJ_PROCESS_INFO);
    CHILD_CHECK(object != nullptr);
    std::strcpy(::nds_obj_handle_to_process_info(object)->tag, "from C");
    CHILD_CHECK(::nds_obj_commit(object) == 0);
    channel.send();
    channel.receive();
    CHILD_CHECK(::nds_close(instance) == 0);
    CHILD_CHECK(Debugfs(0).owned().empty());
    CHILD_CHECK(::ndl_close_device(device) == 0);
    return 0;
  });
  ASSERT_TRUE(producer.receive());
  ndl_device_t* device = nullptr;
  nds_instance_t* instance = nullptr;
  ASSERT_EQ(::ndl_open_path(node_path(0).c_str(), O_RDONLY, &device), 0);
  ASSERT_EQ(::nds_open(device, producer.pid(), &instance), 0);
  std::uint64_t value = 0;
  EXPECT_EQ(::nds_get_nc_counter(instance, 5, 1, &value), 0);
  EXPECT_EQ(value, 10U);
  EXPECT_EQ(::nds_get_nd_counter(instance, NDS_ND_COUNTER_FEATURE_BITMAP, &value), 0);
  EXPECT_EQ(value, 2U);
  EXPECT_EQ(::nds_increment_nc_counter(instance, 5, 1, 1), -EPERM) << "a reader does not write";
  nds_obj_handle_t object = ::nds_read_process_info(instance);
  ASSERT_NE(object, nullptr);
  EXPECT_STREQ(::nds_obj_handle_to_process_info(object)->tag, "from C");
  EXPECT_EQ(::nds_obj_delete(object), 0);
  EXPECT_EQ(::nds_close(instance), 0);
  EXPECT_EQ(::ndl_close_device(device), 0);
  producer.send();
  EXPECT_EQ(producer.wait(), 0);
}

}  // namespace
}  // namespace ndtel::vm
