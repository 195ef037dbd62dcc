// SPDX-License-Identifier: Apache-2.0
//
// Mappings in pieces: each piece counts, and the slab goes with the last one.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "mapping/mapping.hpp"

namespace ndtel::vm {
namespace {

constexpr std::size_t kPage = 4096;

/// The caller's slab on device 0, mapped once, with helpers to cut it up.
class MappingSplit : public MappingTest {
 protected:
  void SetUp() override {
    MappingTest::SetUp();
    node_.emplace(0);
    slab_ = node_->map_slab();
    ASSERT_TRUE(slab_.valid());
    ASSERT_EQ(mappings(), 1U);
  }
  void TearDown() override {
    slab_.reset();
    node_.reset();
    MappingTest::TearDown();
  }

  void* page(std::size_t index) { return slab_.bytes() + index * kPage; }

  std::optional<Node> node_;
  Mapping slab_;
};

TEST_F(MappingSplit, UnmappingTheMiddleLeavesTwoPieces) {
  slab_.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 3);
  ASSERT_EQ(::munmap(page(20), 4 * kPage), 0);
  EXPECT_EQ(mappings(), 2U);
  ASSERT_EQ(::munmap(page(0), 2 * kPage), 0);
  EXPECT_EQ(mappings(), 2U) << "only shorter";
  ASSERT_EQ(::munmap(page(2), 18 * kPage), 0);
  EXPECT_EQ(mappings(), 1U);
  EXPECT_EQ(incremented(), 3U) << "owned slabs are looked at, mapped or not";
  ASSERT_EQ(::munmap(page(24), NDS_SLAB_SIZE - 24 * kPage), 0);
  slab_.forget();
  EXPECT_EQ(mappings(), 0U);
  EXPECT_EQ(Debugfs::slabs_alive(), 1U);
  EXPECT_EQ(node_->release(), 0);
  EXPECT_EQ(Debugfs::slabs_alive(), 0U);
}

TEST_F(MappingSplit, EveryPageUnmappedAloneInAnyOrder) {
  constexpr std::size_t kPages = NDS_SLAB_SIZE / kPage;
  for (std::size_t i = 0; i < kPages; ++i) {
    // 27 and 64 have no common divisor: every page comes once.
    ASSERT_EQ(::munmap(page(i * 27 % kPages), kPage), 0);
    if (i == 10) {
      ASSERT_EQ(node_->release(), 0) << "released in the middle of it";
      EXPECT_EQ(Debugfs::slabs_alive(), 1U);
    }
    EXPECT_EQ(mappings() > 0, i + 1 < kPages) << i;
  }
  slab_.forget();
  EXPECT_EQ(Debugfs::slabs_alive(), 0U);
}

TEST_F(MappingSplit, ChangedProtectionSplitsAndIsPutTogetherAgain) {
  ASSERT_EQ(::mprotect(page(8), 8 * kPage, PROT_READ), 0);
  EXPECT_EQ(mappings(), 3U);
  slab_.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);  // in the first page
  ASSERT_EQ(::mprotect(page(8), 8 * kPage, PROT_READ | PROT_WRITE), 0);
  slab_.add(static_cast<int>(9 * kPage / 8), 0);
  EXPECT_GE(mappings(), 1U);
  EXPECT_LE(mappings(), 3U) << "the kernel may or may not merge them";
  slab_.reset();
  EXPECT_EQ(mappings(), 0U);
  EXPECT_EQ(incremented(), 1U);
}

TEST_F(MappingSplit, ShrunkByMremap) {
  ASSERT_EQ(::mremap(slab_.words(), NDS_SLAB_SIZE, 17 * kPage, 0), slab_.words());
  EXPECT_EQ(mappings(), 1U);
  slab_.add_nc(7, NDS_NC_COUNTER_OOB, 1);
  ASSERT_EQ(::munmap(slab_.words(), 17 * kPage), 0);
  slab_.forget();
  EXPECT_EQ(mappings(), 0U);
  EXPECT_EQ(Debugfs(0).books_of(220).incremented, 1U);
}

TEST_F(MappingSplit, MovedByMremapAndStillTheSameSlab) {
  void* target = ::mmap(nullptr, NDS_SLAB_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(target, MAP_FAILED);
  slab_.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 2);
  void* moved =
      ::mremap(slab_.words(), NDS_SLAB_SIZE, NDS_SLAB_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, target);
  ASSERT_EQ(moved, target);
  slab_.forget();
  EXPECT_EQ(mappings(), 1U);
  auto* words = static_cast<std::uint64_t*>(moved);
  const int word = ::nds_nc_word(0, NDS_NC_COUNTER_INFER_COMPLETED);
  EXPECT_EQ(words[word], 2U);
  std::atomic_ref(words[word]).fetch_add(3);
  EXPECT_EQ(incremented(), 5U);
  ASSERT_EQ(::munmap(moved, NDS_SLAB_SIZE), 0);
  EXPECT_EQ(mappings(), 0U);
}

TEST_F(MappingSplit, CannotGrowOrBeDuplicated) {
  EXPECT_EQ(::mremap(slab_.words(), NDS_SLAB_SIZE, 2UL * NDS_SLAB_SIZE, MREMAP_MAYMOVE),
            MAP_FAILED);
  EXPECT_EQ(::mremap(slab_.words(), 0, NDS_SLAB_SIZE, MREMAP_MAYMOVE), MAP_FAILED)
      << "an old length of 0 asks for a second mapping of the same memory";
  EXPECT_EQ(
      ::mremap(slab_.words(), NDS_SLAB_SIZE, NDS_SLAB_SIZE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP),
      MAP_FAILED);
  EXPECT_EQ(mappings(), 1U);
}

TEST_F(MappingSplit, MappedOverByAnotherMapping) {
  ASSERT_EQ(::mmap(page(4), 4 * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
            page(4));
  EXPECT_EQ(mappings(), 2U);
}

TEST_F(MappingSplit, TwoMappingsOfOneProcess) {
  const Mapping second = node_->map_slab();
  ASSERT_TRUE(second.valid());
  EXPECT_EQ(mappings(), 2U);
  second.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 4);
  EXPECT_EQ(slab_.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 4U);
  slab_.reset();
  EXPECT_EQ(mappings(), 1U);
}

TEST_F(MappingSplit, CutUpMappingsOfAKilledProcessLeaveNothing) {
  for (int round = 0; round < 3; ++round) {
    Child child([](Channel& channel) -> int {
      const Node node(0);
      const Mapping slab = node.map_slab();
      CHILD_CHECK(slab.valid());
      slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
      for (std::size_t i = 1; i < NDS_SLAB_SIZE / kPage; i += 2) {
        CHILD_CHECK(::mprotect(slab.bytes() + i * kPage, kPage, PROT_READ) == 0);
      }
      CHILD_CHECK(::munmap(slab.bytes() + 32 * kPage, kPage) == 0);
      channel.send(Debugfs(0).slab_of(::getpid())->mappings);
      sleep_for_ever();
    });
    EXPECT_EQ(child.receive(), 63U);
    EXPECT_EQ(child.kill(), -SIGKILL);
    EXPECT_EQ(Debugfs(0).owned().size(), 1U) << "only the test's own";
  }
  EXPECT_EQ(incremented(), 3U);
}

}  // namespace
}  // namespace ndtel::vm
