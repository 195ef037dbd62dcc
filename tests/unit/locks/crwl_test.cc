// SPDX-License-Identifier: Apache-2.0
//
// Core reader-writer locks: the whole table of crwl.h, death, and random histories.

#include "kmod/core/crwl.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

namespace ndtel::test {
namespace {

using Uuid = std::array<u8, CRWL_UUID_SIZE>;

// Two that differ in the last byte only.
constexpr Uuid kModel{1, 2, 3};
constexpr Uuid kOther = [] {
  Uuid uuid = kModel;
  uuid.back() = 1;
  return uuid;
}();

const char kProcesses[4] = {};
const void* const kMe = &kProcesses[0];
const void* const kYou = &kProcesses[1];

class Crwl : public testing::Test {
 protected:
  Crwl() { crwl_init(&locks, 8); }

  int ReaderEnter(const void* who = kMe, const Uuid& uuid = kModel, u32 nc = 0) {
    return crwl_reader_enter(&locks, nc, who, uuid.data());
  }
  int ReaderExit(const void* who = kMe, const Uuid& uuid = kModel, u32 nc = 0) {
    return crwl_reader_exit(&locks, nc, who, uuid.data());
  }
  int WriterEnter(const void* who = kMe, const Uuid& uuid = kModel, u32 nc = 0) {
    return crwl_writer_enter(&locks, nc, who, uuid.data());
  }
  int Downgrade(const void* who = kMe, const Uuid& uuid = kModel, u32 nc = 0) {
    return crwl_writer_downgrade(&locks, nc, who, uuid.data());
  }

  // Brings core 0 into a state, with the lock (last) held by kMe for kModel.
  enum State { kUnused, kFree, kReaders, kWriter };
  void Bring(State state) {
    crwl_init(&locks, 8);
    if (state == kUnused) return;
    ASSERT_EQ(WriterEnter(), 0);
    if (state == kWriter) return;
    ASSERT_EQ(Downgrade(), 0);
    if (state == kFree) {
      ASSERT_EQ(ReaderExit(), 0);
    }
  }

  crwl locks;
};

TEST_F(Crwl, EveryCallInEveryState) {
  struct {
    State state;
    const char* name;
    const void* who;
    const Uuid& uuid;
    int reader_enter, reader_exit, writer_enter, downgrade;
  } rows[] = {
      {kUnused, "unused", kMe, kModel, -ENOENT, -ENOENT, 0, -EINVAL},
      {kFree, "free, same", kMe, kModel, 0, -EINVAL, -EALREADY, -EINVAL},
      {kFree, "free, another process", kYou, kModel, -ENOENT, -ENOENT, 0, -EINVAL},
      {kFree, "free, another model", kMe, kOther, -ENOENT, -ENOENT, 0, -EINVAL},
      {kReaders, "readers, same", kMe, kModel, 0, 0, -EBUSY, -EINVAL},
      {kReaders, "readers, another process", kYou, kModel, -ENOENT, -ENOENT, -EBUSY, -EINVAL},
      {kReaders, "readers, another model", kMe, kOther, -ENOENT, -ENOENT, -EBUSY, -EINVAL},
      {kWriter, "writer, same", kMe, kModel, -EBUSY, -EINVAL, -EBUSY, 0},
      {kWriter, "writer, another process", kYou, kModel, -EBUSY, -ENOENT, -EBUSY, -ENOENT},
      {kWriter, "writer, another model", kMe, kOther, -EBUSY, -ENOENT, -EBUSY, -ENOENT},
  };
  for (const auto& row : rows) {
    Bring(row.state);
    EXPECT_EQ(ReaderEnter(row.who, row.uuid), row.reader_enter) << row.name;
    Bring(row.state);
    EXPECT_EQ(ReaderExit(row.who, row.uuid), row.reader_exit) << row.name;
    Bring(row.state);
    EXPECT_EQ(WriterEnter(row.who, row.uuid), row.writer_enter) << row.name;
    Bring(row.state);
    EXPECT_EQ(Downgrade(row.who, row.uuid), row.downgrade) << row.name;
  }
}

TEST_F(Crwl, RefusedCallsChangeNothing) {
  for (State state : {kUnused, kFree, kReaders, kWriter}) {
    Bring(state);
    for (const void* who : {kMe, kYou}) {
      for (const Uuid& uuid : {kModel, kOther}) {
        for (auto call :
             {crwl_reader_enter, crwl_reader_exit, crwl_writer_enter, crwl_writer_downgrade}) {
          crwl before = locks;
          int result = call(&locks, 0, who, uuid.data());
          if (result != 0 && result != -EALREADY) {
            EXPECT_EQ(std::memcmp(&before, &locks, sizeof(locks)), 0) << state << ' ' << result;
          }
          locks = before;
        }
      }
    }
  }
}

TEST_F(Crwl, SameWriterAgainIsBusyWhileHeldAndAlreadyOnlyOnceFree) {
  ASSERT_EQ(WriterEnter(), 0);
  EXPECT_EQ(WriterEnter(), -EBUSY);
  ASSERT_EQ(Downgrade(), 0);
  EXPECT_EQ(WriterEnter(), -EBUSY);
  ASSERT_EQ(ReaderExit(), 0);
  EXPECT_EQ(WriterEnter(), -EALREADY);
  EXPECT_TRUE(locks.core[0].writer) << "EALREADY has entered";
  EXPECT_EQ(WriterEnter(kYou), -EBUSY);
  EXPECT_EQ(Downgrade(), 0);
}

TEST_F(Crwl, ReadersAreCounted) {
  ASSERT_EQ(WriterEnter(), 0);
  ASSERT_EQ(Downgrade(), 0);
  for (int i = 0; i < 4; i++) EXPECT_EQ(ReaderEnter(), 0);
  for (int i = 0; i < 5; i++) {
    EXPECT_EQ(WriterEnter(kYou), -EBUSY);
    EXPECT_EQ(ReaderExit(), 0) << i;
  }
  EXPECT_EQ(ReaderExit(), -EINVAL);
  EXPECT_EQ(WriterEnter(kYou), 0);
}

TEST_F(Crwl, ReadersDoNotOverflow) {
  Bring(kReaders);
  locks.core[0].readers = ~0U;
  EXPECT_EQ(ReaderEnter(), -EOVERFLOW);
  EXPECT_EQ(ReaderExit(), 0);
  EXPECT_EQ(ReaderEnter(), 0);
}

TEST_F(Crwl, NextWriterTakesTheCoreFromOneThatLeft) {
  Bring(kFree);
  ASSERT_EQ(WriterEnter(kYou, kOther), 0);
  ASSERT_EQ(Downgrade(kYou, kOther), 0);
  EXPECT_EQ(ReaderEnter(), -ENOENT) << "the model of the first is no longer in place";
  EXPECT_EQ(crwl_map(&locks, kMe), 0u);
  EXPECT_EQ(crwl_map(&locks, kYou), 1u);
}

TEST_F(Crwl, CoresTheDeviceDoesNotHave) {
  for (u32 count : {0u, 2u, 8u, 9u}) {
    crwl_init(&locks, count);
    for (u32 nc : {count, 8u, 100u, ~0u}) {
      if (nc < locks.nc_count) continue;
      EXPECT_EQ(ReaderEnter(kMe, kModel, nc), -EINVAL);
      EXPECT_EQ(ReaderExit(kMe, kModel, nc), -EINVAL);
      EXPECT_EQ(WriterEnter(kMe, kModel, nc), -EINVAL);
      EXPECT_EQ(Downgrade(kMe, kModel, nc), -EINVAL);
    }
  }
  EXPECT_EQ(locks.nc_count, unsigned{ND_MAX_NC_PER_DEVICE});
}

TEST_F(Crwl, NoProcess) {
  EXPECT_EQ(ReaderEnter(nullptr), -EINVAL);
  EXPECT_EQ(ReaderExit(nullptr), -EINVAL);
  EXPECT_EQ(WriterEnter(nullptr), -EINVAL);
  EXPECT_EQ(Downgrade(nullptr), -EINVAL);
  EXPECT_FALSE(crwl_drop(&locks, nullptr));
  EXPECT_EQ(crwl_map(&locks, nullptr), 0u);
}

TEST_F(Crwl, ABI16TheMapHasEveryCore) {
  for (u32 nc = 0; nc < 8; nc++) ASSERT_EQ(WriterEnter(nc % 2 ? kYou : kMe, kModel, nc), 0);
  EXPECT_EQ(crwl_map(&locks, kMe), 0x55u);
  EXPECT_EQ(crwl_map(&locks, kYou), 0xAAu);
}

TEST_F(Crwl, DeathGivesUpEverythingOfOneProcess) {
  ASSERT_EQ(WriterEnter(kMe, kModel, 0), 0);
  ASSERT_EQ(WriterEnter(kMe, kModel, 1), 0);
  ASSERT_EQ(Downgrade(kMe, kModel, 1), 0);
  ASSERT_EQ(WriterEnter(kYou, kModel, 2), 0);
  EXPECT_TRUE(crwl_drop(&locks, kMe));
  EXPECT_EQ(crwl_map(&locks, kMe), 0u);
  EXPECT_EQ(crwl_map(&locks, kYou), 4u);
  EXPECT_EQ(WriterEnter(kYou, kModel, 0), 0);
  EXPECT_EQ(WriterEnter(kYou, kModel, 1), 0);
  EXPECT_EQ(WriterEnter(kMe, kModel, 2), -EBUSY);
}

TEST_F(Crwl, DeathOfAMemoryIsToldToNobody) {
  Bring(kFree);
  EXPECT_FALSE(crwl_drop(&locks, kMe)) << "nobody waits for a free core";
  EXPECT_EQ(WriterEnter(), 0) << "a new process at the same address is not EALREADY";
}

// Random histories of four processes against a lock written down as sentences.
TEST_F(Crwl, RandomHistoriesAgreeWithTheRules) {
  struct Core {
    std::optional<std::pair<const void*, Uuid>> last;
    unsigned readers = 0;
    bool writer = false;
  };
  std::mt19937_64 random(81);
  auto below = [&](u64 n) { return random() % n; };
  std::array<unsigned, 5> succeeded{};
  for (unsigned round = 0; round < 50; round++) {
    u32 count = 1 + below(8);
    crwl_init(&locks, count);
    std::array<Core, 8> want{};
    for (unsigned step = 0; step < 2000; step++) {
      u32 nc = below(3) ? below(count < 2 ? count : 2) : below(10);
      const void* who = &kProcesses[below(2) ? 0 : below(4)];
      const Uuid& uuid = below(4) ? kModel : kOther;
      unsigned call = below(20) ? below(4) : 4;
      if (call == 4) {
        for (Core& core : want)
          if (core.last && core.last->first == who) core = Core{};
        succeeded[4] += crwl_drop(&locks, who);
        continue;
      }
      Core* core = nc < count ? &want[nc] : nullptr;
      bool mine = core && core->last == std::pair(who, uuid);
      int result = 0, expected = 0;
      switch (call) {
        case 0:
          result = ReaderEnter(who, uuid, nc);
          if (!core)
            expected = -EINVAL;
          else if (core->writer)
            expected = -EBUSY;
          else if (!mine)
            expected = -ENOENT;
          else
            core->readers++;
          break;
        case 1:
          result = ReaderExit(who, uuid, nc);
          if (!core)
            expected = -EINVAL;
          else if (!mine)
            expected = -ENOENT;
          else if (!core->readers)
            expected = -EINVAL;
          else
            core->readers--;
          break;
        case 2:
          result = WriterEnter(who, uuid, nc);
          if (!core)
            expected = -EINVAL;
          else if (core->writer || core->readers)
            expected = -EBUSY;
          else {
            expected = mine ? -EALREADY : 0;
            core->writer = true;
            core->last = std::pair(who, uuid);
          }
          break;
        default:
          result = Downgrade(who, uuid, nc);
          if (!core || !core->writer)
            expected = -EINVAL;
          else if (!mine)
            expected = -ENOENT;
          else
            core->writer = false, core->readers = 1;
      }
      ASSERT_EQ(result, expected) << "round " << round << " step " << step << " call " << call;
      succeeded[call] += result == 0;
      for (u32 i = 0; i < count; i++) {
        ASSERT_EQ(locks.core[i].writer, want[i].writer);
        ASSERT_EQ(locks.core[i].readers, want[i].readers);
        ASSERT_FALSE(want[i].writer && want[i].readers) << "never both";
        ASSERT_EQ(locks.core[i].owner, want[i].last ? want[i].last->first : nullptr);
      }
    }
  }
  for (unsigned n : succeeded) EXPECT_GT(n, 100u) << "every call must have succeeded often";
}

}  // namespace
}  // namespace ndtel::test
