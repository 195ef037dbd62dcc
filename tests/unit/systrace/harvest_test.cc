// SPDX-License-Identifier: Apache-2.0
//
// The harvester over memory that nobody vouches for: cut short, with impossible numbers, with
// random damage. It reads inside the memory, ends, and says what does not fit.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ndtel/trace_harvest.hpp"
#include "region_layout.hpp"
#include "started.hpp"

namespace ndtel::systrace::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kCores = 3;
constexpr std::uint64_t kEvents = 1500;  // of each of two threads, on core 0

// The memory of a capture that was stopped, with events of two threads on one core, a few on
// another, none on the third.
Bytes stopped_capture(EngineKind engine) {
  const std::string path = "@ndtel-harvest-test-" + std::to_string(::getpid());
  auto socket = trace::HandoverSocket::listen(path);
  EXPECT_TRUE(socket);
  {
    const Started started({engine, 1024, kCores, path});
    nrt_sys_trace_capture_intern_string("first", 0);
    nrt_sys_trace_capture_intern_string("second", 1);
    std::thread([] {
      for (std::uint64_t n = 1; n <= kEvents; ++n) emit_stamp({1, n});
    }).join();
    for (std::uint64_t n = 1; n <= kEvents; ++n) emit_stamp({2, n});
    drain(10);
    for (std::uint64_t n = 1; n <= 5; ++n) emit_stamp({2, n}, 1);
  }
  auto received = socket->receive();
  EXPECT_TRUE(received && received->has_value());
  const int memfd = (*received)->memfd;
  const auto size = static_cast<std::size_t>(::lseek(memfd, 0, SEEK_END));
  Bytes bytes(size);
  EXPECT_EQ(::pread(memfd, bytes.data(), size, 0), static_cast<ssize_t>(size));
  ::close(memfd);
  return bytes;
}

// Reads everything a harvester has to give. Returns how many events that was.
std::uint64_t exhaust(const trace::Harvester& harvester, const Bytes& bytes) {
  std::uint64_t total = 0;
  for (const auto& core : harvester.summary().cores) {
    std::uint64_t events = 0;
    harvester.events(core, [&](const nrt_sys_trace_event_t&) {
      ++events;
      return true;
    });
    EXPECT_LE(events, bytes.size() / sizeof(Slot));
    total += events;
  }
  return total;
}

class Harvest : public ::testing::TestWithParam<EngineKind> {
 protected:
  // Made once: the same bytes for all.
  const Bytes& intact() {
    static const Bytes blocks = stopped_capture(EngineKind::kBlocks);
    static const Bytes classic = stopped_capture(EngineKind::kClassic);
    return GetParam() == EngineKind::kBlocks ? blocks : classic;
  }
  template <typename T>
  static void put(Bytes& bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  }
  template <typename T>
  static T get(const Bytes& bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
};

TEST_P(Harvest, AStoppedCaptureIsReadWhole) {
  const auto harvester = trace::Harvester::over(intact());
  ASSERT_TRUE(harvester) << harvester.error().message;
  const auto& summary = harvester->summary();
  EXPECT_TRUE(summary.stopped);
  EXPECT_EQ(summary.pid, static_cast<std::uint32_t>(::getpid()));
  EXPECT_TRUE(summary.warnings.empty());
  ASSERT_EQ(summary.cores.size(), kCores);
  const auto& core = summary.cores[0];
  EXPECT_EQ(core.created, 2 * kEvents);
  EXPECT_EQ(core.pushed, 2 * kEvents);
  EXPECT_EQ(core.drained, 10u);
  EXPECT_EQ(core.pushed, core.drained + core.displaced + core.left);
  EXPECT_EQ(core.in_flight, 0u);
  EXPECT_EQ(summary.cores[1].left, 5u);
  EXPECT_EQ(summary.cores[2].created, 0u);
  EXPECT_EQ(exhaust(*harvester, intact()), core.left + 5);
  std::uint64_t visited = 0;
  harvester->events(core, [&](const nrt_sys_trace_event_t&) { return ++visited < 3; });
  EXPECT_EQ(visited, 3u);
}

TEST_P(Harvest, MemoryThatIsCutShortIsRefused) {
  const Bytes& whole = intact();
  std::mt19937_64 random(1);
  std::vector<std::size_t> sizes = {0,
                                    1,
                                    7,
                                    8,
                                    sizeof(RegionHeader) - 1,
                                    sizeof(RegionHeader),
                                    whole.size() - 1,
                                    whole.size() - 4096};
  for (int i = 0; i < 200; ++i) sizes.push_back(random() % whole.size());
  for (const std::size_t size : sizes) {
    const auto harvester = trace::Harvester::over({whole.data(), size});
    ASSERT_FALSE(harvester) << size;
    EXPECT_EQ(harvester.error().code, EPROTO);
  }
}

TEST_P(Harvest, HeadersThatCannotBeAreRefused) {
  Bytes bytes = intact();
  const auto refused = [&](std::size_t offset, auto value) {
    const auto before = get<decltype(value)>(bytes, offset);
    put(bytes, offset, value);
    const auto harvester = trace::Harvester::over(bytes);
    EXPECT_FALSE(harvester) << "offset " << offset << ", value " << +value;
    if (!harvester) {
      EXPECT_EQ(harvester.error().code, EPROTO);
    }
    put(bytes, offset, before);
  };
  refused(offsetof(RegionHeader, magic), kRegionMagic + 1);
  refused(offsetof(RegionHeader, version), kRegionVersion + 1);
  refused(offsetof(RegionHeader, version), std::uint32_t{0});
  refused(offsetof(RegionHeader, header_bytes), std::uint32_t{sizeof(RegionHeader) + 8});
  refused(offsetof(RegionHeader, region_bytes), std::uint64_t{bytes.size() + 4096});
  refused(offsetof(RegionHeader, state), std::uint32_t{0});  // it was never ready
  refused(offsetof(RegionHeader, state), std::uint32_t{4});
  refused(offsetof(RegionHeader, engine), std::uint32_t{2});
  refused(offsetof(RegionHeader, cores), std::uint32_t{257});
  refused(offsetof(RegionHeader, capacity), std::uint64_t{0});
  refused(offsetof(RegionHeader, capacity), (std::uint64_t{1} << 32) + 1);
  for (const std::size_t offset :
       {offsetof(RegionHeader, timeline_offset), offsetof(RegionHeader, names_offset),
        offsetof(RegionHeader, names_bytes), offsetof(RegionHeader, cores_offset)})
    for (const std::uint64_t value :
         {std::uint64_t{bytes.size()}, std::uint64_t{bytes.size() - 1}, ~std::uint64_t{0},
          ~std::uint64_t{0} - 7, std::uint64_t{1} << 63})
      refused(offset, value);
  if (GetParam() == EngineKind::kBlocks) {
    for (const std::uint32_t value : {0u, 0x7FFF'FFFFu, 0xFFFF'FFFFu}) {
      refused(offsetof(RegionHeader, blocks), value);
      refused(offsetof(RegionHeader, block_slots), value);
    }
  }
  const auto cores = get<std::uint64_t>(bytes, offsetof(RegionHeader, cores_offset));
  for (const std::uint64_t value :
       {std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{bytes.size()}, ~std::uint64_t{127}})
    refused(cores + sizeof(CoreEntry), value);
}

// No value of a word of the header does harm, refused or not.
TEST_P(Harvest, ExtremeValuesInEveryFieldDoNoHarm) {
  Bytes bytes = intact();
  const auto ring =
      get<std::uint64_t>(bytes, get<std::uint64_t>(bytes, offsetof(RegionHeader, cores_offset)));
  std::vector<std::size_t> words;
  for (std::size_t at = 0; at < sizeof(RegionHeader); at += 4) words.push_back(at);
  const auto timeline = get<std::uint64_t>(bytes, offsetof(RegionHeader, timeline_offset));
  for (std::size_t at = timeline; at < timeline + 176; at += 4) words.push_back(at);
  const auto names = get<std::uint64_t>(bytes, offsetof(RegionHeader, names_offset));
  for (std::size_t at = names; at < names + 96; at += 4) words.push_back(at);
  for (std::size_t at = ring; at < ring + (kThreadSanitizer ? 128 : 1024); at += 4)
    words.push_back(at);
  for (const std::size_t at : words) {
    const auto before = get<std::uint64_t>(bytes, at);
    std::vector<std::uint64_t> values = {0, ~std::uint64_t{0}, std::uint64_t{1} << 63, bytes.size(),
                                         before + 1};
    if (!kSanitized)
      for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{0x7FFF'FFFF},
                                        std::uint64_t{0xFFFF'FFFF}, before - 1, ~before})
        values.push_back(value);
    for (const std::uint64_t value : values) {
      put(bytes, at, value);
      if (const auto harvester = trace::Harvester::over(bytes); harvester)
        exhaust(*harvester, bytes);
    }
    put(bytes, at, before);
  }
}

TEST_P(Harvest, RandomDamageDoesNoHarm) {
  Bytes bytes = intact();
  std::mt19937_64 random(7);
  const auto names = get<std::uint64_t>(bytes, offsetof(RegionHeader, names_offset));
  const auto ring =
      get<std::uint64_t>(bytes, get<std::uint64_t>(bytes, offsetof(RegionHeader, cores_offset)));
  const std::size_t rounds = long_run() ? 50'000 : kThreadSanitizer ? 50 : kSanitized ? 300 : 1500;
  std::size_t survived = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::pair<std::size_t, std::byte>> undo;
    for (std::uint64_t left = random() % 12 + 1; left > 0; --left) {
      // Where something is; most of the room for names is empty.
      std::size_t at = 0;
      switch (random() % 4) {
        case 0:
          at = random() % names;
          break;
        case 1:
          at = names + random() % 256;
          break;
        case 2:
          at = ring + random() % 16384;
          break;
        default:
          at = ring + random() % (bytes.size() - ring);
      }
      undo.emplace_back(at, bytes[at]);
      bytes[at] = random() % 2 == 0 ? static_cast<std::byte>(random())
                                    : bytes[at] ^ static_cast<std::byte>(1u << random() % 8);
    }
    if (const auto harvester = trace::Harvester::over(bytes); harvester) {
      ++survived;
      exhaust(*harvester, bytes);
    }
    for (auto it = undo.rbegin(); it != undo.rend(); ++it) bytes[it->first] = it->second;
  }
  EXPECT_EQ(bytes, intact());
  EXPECT_GT(survived, rounds / 10);
}

TEST_P(Harvest, ADamagedRingCostsOnlyWhatIsDamaged) {
  Bytes bytes = intact();
  const auto ring =
      get<std::uint64_t>(bytes, get<std::uint64_t>(bytes, offsetof(RegionHeader, cores_offset)));
  const auto before = trace::Harvester::over(bytes);
  ASSERT_TRUE(before);
  if (GetParam() == EngineKind::kBlocks) {
    const auto plan = BlockRingPlan::of(BlockGeometry::of(1024));
    using Block = BlockHeader<NativeAtomics>;
    put(bytes, ring + plan.headers + 40 * sizeof(Block) + offsetof(Block, word),
        block_word(9, static_cast<BlockState>(7)));
  } else {
    const auto slots = ring + ClassicRingPlan::of(1024).slots;
    put(bytes, slots + 77 * sizeof(ClassicEngineRing::Slot) + sizeof(nrt_sys_trace_event_t),
        ~std::uint64_t{0} - 12345);
  }
  const auto harvester = trace::Harvester::over(bytes);
  ASSERT_TRUE(harvester);
  const auto& core = harvester->summary().cores[0];
  EXPECT_EQ(core.damaged, 1u);
  EXPECT_EQ(harvester->summary().warnings.size(), 1u);
  const std::uint64_t lost = before->summary().cores[0].left - core.left;
  EXPECT_GE(lost, 1u);
  EXPECT_LE(lost, GetParam() == EngineKind::kBlocks ? 16u : 1u);
  EXPECT_EQ(exhaust(*harvester, bytes), core.left + 5);
}

TEST_P(Harvest, NamesThatAreNoTextAreLeftOut) {
  Bytes bytes = intact();
  const auto names = get<std::uint64_t>(bytes, offsetof(RegionHeader, names_offset));
  const auto whole = trace::Harvester::over(bytes);
  ASSERT_TRUE(whole);
  const std::size_t count = whole->summary().names.size();
  ASSERT_GE(count, 2u);
  const std::size_t entry = names + sizeof(NameLog);
  put(bytes, entry + sizeof(NameEntry), std::uint8_t{0xFF});  // is in no UTF-8
  auto harvester = trace::Harvester::over(bytes);
  ASSERT_TRUE(harvester);
  EXPECT_EQ(harvester->summary().names.size(), count - 1);
  EXPECT_EQ(harvester->summary().warnings.size(), 1u);
  // A length that leads out of the log ends it.
  put(bytes, entry + offsetof(NameEntry, length), std::uint32_t{0xFFFF'FFFF});
  harvester = trace::Harvester::over(bytes);
  ASSERT_TRUE(harvester);
  EXPECT_TRUE(harvester->summary().names.empty());
  EXPECT_EQ(harvester->summary().warnings.size(), 1u);
  // So does a count that is more than there is room for.
  put(bytes, names + offsetof(NameLog, used), ~std::uint64_t{0});
  harvester = trace::Harvester::over(bytes);
  ASSERT_TRUE(harvester);
  EXPECT_GE(harvester->summary().warnings.size(), 1u);
}

TEST_P(Harvest, HoweverMuchIsWrongTheWarningsStayFew) {
  Bytes bytes = intact();
  const auto names = get<std::uint64_t>(bytes, offsetof(RegionHeader, names_offset));
  constexpr std::size_t kBad = 1000;
  for (std::size_t i = 0; i < kBad; ++i) {
    const std::size_t entry = names + sizeof(NameLog) + i * (sizeof(NameEntry) + 8);
    put(bytes, entry, NameEntry{i, 0, 1});
    put(bytes, entry + sizeof(NameEntry), std::uint8_t{0xFF});
  }
  put(bytes, names + offsetof(NameLog, used), std::uint64_t{kBad * (sizeof(NameEntry) + 8)});
  const auto harvester = trace::Harvester::over(bytes);
  ASSERT_TRUE(harvester);
  EXPECT_TRUE(harvester->summary().names.empty());
  EXPECT_GT(harvester->summary().warnings.size(), 10u);
  EXPECT_LT(harvester->summary().warnings.size(), 50u);
}

TEST_P(Harvest, WithoutItsClockEventsHaveTicks) {
  Bytes bytes = intact();
  const auto timeline = get<std::uint64_t>(bytes, offsetof(RegionHeader, timeline_offset));
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(timeline), sizeof(TimelineData),
              std::byte{0xA5});
  const auto harvester = trace::Harvester::over(bytes);
  ASSERT_TRUE(harvester);
  EXPECT_FALSE(harvester->summary().clock_known);
  EXPECT_EQ(harvester->summary().warnings.size(), 1u);
  EXPECT_EQ(exhaust(*harvester, bytes), harvester->summary().cores[0].left + 5);
}

TEST(HarvestOpen, MemoryThatItsOwnerCouldCutShortIsRefused) {
  const int memfd = ::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_GE(memfd, 0);
  ASSERT_EQ(::ftruncate(memfd, 1 << 20), 0);
  auto harvester = trace::Harvester::open(memfd);
  ASSERT_FALSE(harvester);
  EXPECT_EQ(harvester.error().code, EPERM);
  ASSERT_EQ(::fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  harvester = trace::Harvester::open(memfd);
  ASSERT_FALSE(harvester);
  EXPECT_EQ(harvester.error().code, EPROTO);  // only zeroes
  ::close(memfd);
  harvester = trace::Harvester::open(memfd);
  ASSERT_FALSE(harvester);
  EXPECT_EQ(harvester.error().code, EBADF);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(trace::Harvester::open(ends[0]));
  ::close(ends[0]);
  ::close(ends[1]);
  const int empty = ::memfd_create("empty", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(::fcntl(empty, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_FALSE(trace::Harvester::open(empty));
  ::close(empty);
}

INSTANTIATE_TEST_SUITE_P(Engines, Harvest,
                         ::testing::Values(EngineKind::kBlocks, EngineKind::kClassic),
                         [](const auto& engine) { return std::string(name_of(engine.param)); });

}  // namespace
}  // namespace ndtel::systrace::test
