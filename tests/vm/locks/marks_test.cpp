// SPDX-License-Identifier: Apache-2.0
//
// Range marks: cores of all devices, shared out among processes.
#include "locks_test.hpp"

namespace ndtel::vm {
namespace {

using Marks = LocksTest;

constexpr std::array<std::uint64_t, 8> bits(std::uint64_t low) { return {low}; }

TEST_F(Marks, FirstFreeRunIsMarked) {
  const Node node(0);
  EXPECT_EQ(mark(node, 4, 0, 7), (Marked{0, 0, bits(0x0F)}));
  EXPECT_EQ(mark(node, 2, 0, 7), (Marked{0, 0, bits(0x30)}));
  const auto full = mark(node, 3, 0, 7);
  EXPECT_EQ(full.result, -EBUSY);
  EXPECT_EQ(full.max_available, 2u);
  EXPECT_EQ(unmark(node, bits(0x02)), 0);
  EXPECT_EQ(mark(node, 1, 0, 7), (Marked{0, 0, bits(0x02)}));
  EXPECT_EQ(unmark(node, bits(0xFF)), 0);
  EXPECT_EQ(mark(node, 8, 0, 7), (Marked{0, 0, bits(0xFF)}));
}

TEST_F(Marks, RangeReachesOverTheDevices) {
  const Node node(0);
  EXPECT_EQ(mark(node, 12, 0, 15), (Marked{0, 0, bits(0x0FFF)}));
  // Relative to the second device the rest starts at its core 4.
  const Node second(1);
  EXPECT_EQ(mark(second, 4, 0, 7), (Marked{0, 0, bits(0xF0)}));
  EXPECT_EQ(mark(node, 1, 0, 15).max_available, 0u);
  EXPECT_EQ(mark(node, 1, 0, 15).result, -EBUSY);
  EXPECT_EQ(unmark(second, bits(0x01)), 0);
  EXPECT_EQ(mark(node, 1, 0, 15), (Marked{0, 0, bits(0x100)}));
}

TEST_F(Marks, SmallFormHasOneWord) {
  const Node node(0, O_WRONLY);
  EXPECT_EQ(mark_small(node, 3, 2, 7), 0x1C);
  EXPECT_EQ(mark_small(node, 8, 0, 7), -EBUSY);
  nd_ioctl_nc_range range{};
  range.bitmap = 0x1C;
  EXPECT_EQ(node.control(ND_IOC_NC_RANGE_UNMARK, &range), 0);
  EXPECT_EQ(mark_small(node, 8, 0, 7), 0xFF);
}

TEST_F(Marks, RangesThatMakeNoSenseAreInvalidAndChangeNothing) {
  const Node node(0);
  const Node second(1);
  for (const auto& [count, start, end] :
       std::initializer_list<std::array<std::uint32_t, 3>>{{0, 0, 7},
                                                           {1, 5, 4},
                                                           {1, 0, 16},
                                                           {1, 16, 16},
                                                           {1, 0, 0xFFFFFFFF},
                                                           {1, 0xFFFFFFFF, 0xFFFFFFFF},
                                                           {0xFFFFFFFF, 0, 0xFFFFFFFF}}) {
    const auto refused = mark(node, count, start, end);
    EXPECT_EQ(refused.result, -EINVAL) << count << " in " << start << " to " << end;
    EXPECT_EQ(refused.max_available, 0xA5A5A5A5);
    EXPECT_EQ(refused.bits[0], 0xA5A5A5A5A5A5A5A5);
  }
  EXPECT_EQ(mark(second, 1, 0, 8).result, -EINVAL) << "beyond the last device";
  const auto many = mark(node, 0xFFFFFFFF, 0, 15);
  EXPECT_EQ(many.result, -EBUSY);
  EXPECT_EQ(many.max_available, 16u);
  EXPECT_EQ(mark(node, 16, 0, 15), (Marked{0, 0, bits(0xFFFF)}));
}

TEST_F(Marks, OthersMarksStay) {
  const Node node(0);
  ASSERT_EQ(mark(node, 4, 0, 7).result, 0);
  Child child([](Channel&) -> int {
    const Node own(0);
    CHILD_CHECK(unmark(own, {~std::uint64_t{0}, ~std::uint64_t{0}}) == 0);
    const auto marked = mark(own, 4, 0, 7);
    CHILD_CHECK(marked.result == 0 && marked.bits[0] == 0xF0);
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(mark(node, 4, 0, 7), (Marked{0, 0, bits(0xF0)})) << "its owner died";
}

// A caller that cannot learn what it marked could not give it back.
TEST_F(Marks, MarkWhoseAnswerFaultsIsUndone) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const memory =
      ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const range = static_cast<nd_ioctl_nc_range*>(memory);
  range->nc_count = 8;
  range->start = 0;
  range->end = 7;
  ASSERT_EQ(::mprotect(memory, page, PROT_READ), 0);
  const Node node(0);
  EXPECT_EQ(node.control(ND_IOC_NC_RANGE_MARK, memory), -EFAULT);
  EXPECT_EQ(mark(node, 8, 0, 7), (Marked{0, 0, bits(0xFF)}));
  ::munmap(memory, page);
}

// V2 has two cores a device, and so many lie between the devices.
class MarksOfV2 : public ModuleTest {
 protected:
  MarksOfV2()
      : ModuleTest(
            "sim_devices=3 sim_arch=v2 nmetric_log_posts=2 "
            "nmetric_metric_post_delay=3600000") {}
};

TEST_F(MarksOfV2, DevicesAreTwoCoresApart) {
  const Node last(2);
  EXPECT_EQ(mark(last, 2, 0, 1), (Marked{0, 0, bits(0x3)}));
  EXPECT_EQ(mark(last, 1, 0, 2).result, -EINVAL);
  EXPECT_EQ(mark(Node(0), 6, 0, 5).max_available, 4u);
}

}  // namespace
}  // namespace ndtel::vm
