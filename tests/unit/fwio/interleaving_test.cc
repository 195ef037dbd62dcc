// SPDX-License-Identifier: Apache-2.0
//
// Interleavings, explored: actors that contend for the mailbox, and the firmware. At every point
// the scheduler chooses who goes on or whether time passes; at every doorbell how the firmware
// takes it; and before every access to a register whether an answer of before arrives just now.

#include <algorithm>
#include <cstdlib>
#include <set>

#include "books.hpp"
#include "choices.hpp"

namespace ndtel::test {
namespace {

enum class Task { kRead, kPost, kGetProfile, kSetFeature, kResetDevice, kResetCores };

bool IsReset(Task task) { return task == Task::kResetDevice || task == Task::kResetCores; }

nd_fwio_cmd CommandOf(Task task) {
  switch (task) {
    case Task::kRead:
      return ND_FWIO_READ;
    case Task::kPost:
      return ND_FWIO_POST_TO_CW;
    case Task::kGetProfile:
      return ND_FWIO_GET_DATA;
    default:
      return ND_FWIO_SET_FEATURE;
  }
}

constexpr u64 kNever = 1'000'000'000;  // ms; arrives only when the scheduler says so

// One way through one scenario.
class World {
 public:
  World(Choices& choices, const std::vector<Task>& tasks) : choices_(choices) {
    for (fwio_limits& limits : b_.driver.limits) limits = {kMs / 2, 3 * kMs, 2};
    for (std::size_t i = 0; i < tasks.size(); i++) {
      Actor actor{};
      actor.task = tasks[i];
      // Answers can be told apart: each actor asks for a register, or sees a profile, of its own.
      const u32 offset = 0x900 + 4 * static_cast<u32>(i);
      b_.Reg(offset) = 0xA0000000 + static_cast<u32>(i);
      actor.payload = Payload(IsReset(actor.task) ? ND_FWIO_READ : CommandOf(actor.task));
      if (actor.task == Task::kRead) actor.payload = ReadOf({kMiscram + offset});
      if (actor.task == Task::kPost) actor.payload = PostOf(200, 1ULL << (8 * i));
      if (actor.task == Task::kSetFeature) actor.payload = {static_cast<u8>(1 + i)};
      actors_.push_back(actor);
    }
    b_.on_access = [this](bool store, u32 offset) { Access(store, offset); };
  }

  void Run() {
    for (int steps = 0; !Done(); steps++) {
      ASSERT_LT(steps, 2000) << "nobody gets anywhere";
      Schedule();
    }
    b_.on_access = nullptr;
    CheckPosts();
    b_.ClearKnobs();
    while (fw_model_next(&b_.firmware) != U64_MAX) DeliverOrWait();
    CheckPosts();
    for (nd_fwio_cmd cmd : kCommands) {
      EXPECT_EQ(b_.Call(cmd).result, 0) << "recovery, " << cmd;
    }
  }

  // Kinds of ends that were seen.
  std::set<std::pair<Task, int>> ends;

 private:
  struct Actor {
    Task task;
    bool begun, done, refused;
    u64 next;
    Bytes payload;
    u8 tag;
    u8 reply[8];
    fwio_call call;
    fwio_reset reset;
  };

  bool Done() const {
    return std::all_of(actors_.begin(), actors_.end(), [](const Actor& a) { return a.done; });
  }

  bool CanGoOn(const Actor& actor) const {
    if (actor.done) return false;
    if (actor.begun) return b_.now >= actor.next;
    return !actor.refused || b_.driver.use == FWIO_IDLE;
  }

  void Schedule() {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < actors_.size(); i++)
      if (CanGoOn(actors_[i])) able.push_back(i);
    const std::vector<u32> answers = Answers();
    // In this order: an actor, time, an answer that arrives while nobody looks.
    const std::size_t n = able.size() + 1 + answers.size();
    const auto chosen = static_cast<std::size_t>(choices_.Pick(static_cast<int>(n)));
    if (chosen < able.size()) {
      acting_ = able[chosen];
      Act(actors_[acting_]);
    } else if (chosen == able.size()) {
      Wait();
    } else {
      Deliver(answers[chosen - able.size() - 1]);
    }
  }

  void Wait() {
    u64 until = fw_model_next(&b_.firmware);
    for (const Actor& actor : actors_)
      if (actor.begun && !actor.done && actor.next > b_.now) until = std::min(until, actor.next);
    // All of them could go on and none was let: then time is short.
    if (until == U64_MAX || until > b_.now + kSecond) until = b_.now + kMs / 10;
    b_.AdvanceTo(until);
  }

  // Answers that are on their way.
  std::vector<u32> Answers() const {
    std::vector<u32> found;
    for (u32 i = 0; i < FW_MODEL_LATE; i++)
      if (b_.firmware.late[i].used && b_.firmware.late[i].due_ns > b_.now) found.push_back(i);
    return found;
  }

  void Deliver(u32 answer) {
    b_.firmware.late[answer].due_ns = b_.now;
    fw_model_run(&b_.firmware, b_.now);
  }

  void DeliverOrWait() {
    const std::vector<u32> answers = Answers();
    if (!answers.empty()) {
      Deliver(answers[0]);
    } else {
      b_.AdvanceTo(fw_model_next(&b_.firmware));
    }
  }

  void Act(Actor& actor) {
    if (!actor.begun) {
      Begin(actor);
      return;
    }
    const bool done = IsReset(actor.task)
                          ? fwio_reset_step(&b_.driver, &actor.reset, &b_.port, b_.now, &actor.next)
                          : fwio_step(&b_.driver, &actor.call, &b_.port, b_.now, &actor.next);
    if (done) End(actor);
  }

  void Begin(Actor& actor) {
    const bool idle = b_.driver.use == FWIO_IDLE;
    int result;
    if (IsReset(actor.task)) {
      const fwio_reset_limits limits = {2 * kMs, kMs, 2 * kMs};
      result = fwio_reset_begin(&b_.driver, &actor.reset,
                                actor.task == Task::kResetDevice ? ND_RESET_DEVICE : ND_RESET_TPB,
                                0, 1, &limits, b_.now);
    } else {
      if (actor.task == Task::kGetProfile && idle) b_.firmware.profile = actor.tag = ++profile_;
      if (actor.task == Task::kSetFeature && idle) b_.firmware.feature = 0;
      result = fwio_begin(&b_.driver, &actor.call, CommandOf(actor.task), actor.payload.data(),
                          static_cast<u32>(actor.payload.size()), actor.reply,
                          ReplySize(CommandOf(actor.task)), b_.now);
    }
    EXPECT_EQ(result, idle ? 0 : -EBUSY);
    actor.begun = idle;
    actor.refused = !idle;
    actor.next = b_.now;
    if (!idle && IsReset(actor.task) && choices_.Pick(2)) AbortTheOther();
  }

  // A reset wants the mailbox: whoever has it gives it up.
  void AbortTheOther() {
    for (Actor& other : actors_) {
      if (!other.begun || other.done) continue;
      if (IsReset(other.task)) {
        fwio_reset_abort(&b_.driver, &other.reset);
      } else {
        fwio_abort(&b_.driver, &other.call);
      }
      End(other);
    }
    EXPECT_EQ(b_.driver.use, FWIO_IDLE);
  }

  void End(Actor& actor) {
    actor.done = true;
    const int result = IsReset(actor.task) ? actor.reset.result : actor.call.result;
    ends.insert({actor.task, result});
    if (actor.task == Task::kPost) {
      const u64 amount = 1ULL << (8 * (&actor - actors_.data()));
      confirmed_ += result == 0 ? amount : 0;
      unknown_ += actor.call.unknown * amount;
    }
    if (result) return;
    switch (actor.task) {
      case Task::kRead: {
        u32 value;
        std::memcpy(&value, actor.reply, sizeof(value));
        EXPECT_EQ(value, 0xA0000000 + (&actor - actors_.data())) << "the answer to another";
        break;
      }
      case Task::kGetProfile:
        EXPECT_EQ(actor.reply[4], actor.tag) << "the answer to another";
        break;
      case Task::kSetFeature:
        EXPECT_EQ(b_.firmware.feature, actor.payload[0]);
        break;
      default:
        break;
    }
  }

  void CheckPosts() const {
    const u64 received = b_.firmware.received[200];
    for (int shift = 0; shift < 64; shift += 8) {
      const u64 is = received >> shift & 0xFF;
      EXPECT_LE(confirmed_ >> shift & 0xFF, is);
      EXPECT_LE(is, (confirmed_ >> shift & 0xFF) + (unknown_ >> shift & 0xFF));
    }
  }

  void Access(bool store, u32 offset) {
    const Actor& actor = actors_[acting_];
    if (store) {
      EXPECT_EQ(b_.driver.use, IsReset(actor.task) ? FWIO_RESET : FWIO_EXCHANGE);
      for (const Actor& other : actors_) {
        if (&other == &actor) continue;
        EXPECT_TRUE(!other.begun || other.done) << "a store within the exchange of another";
      }
      // From the first store to the doorbell it is one actor's.
      if (!arming_.empty()) {
        EXPECT_EQ(arming_[0], acting_);
      }
      arming_.assign(1, acting_);
      if (offset == ND_MISCRAM_TRIGGER) arming_.clear();
    }
    const std::vector<u32> answers = Answers();
    if (!answers.empty()) {
      const int chosen = choices_.Pick(static_cast<int>(answers.size()) + 1);
      if (chosen) Deliver(answers[static_cast<std::size_t>(chosen) - 1]);
    }
    if (store && offset == ND_MISCRAM_TRIGGER) ChooseFate(actor);
  }

  void ChooseFate(const Actor& actor) {
    fw_model_knobs& k = b_.firmware.knobs;
    if (IsReset(actor.task)) {
      k.reset_ignored = k.reset_stuck = k.reset_accept_ms = 0;
      switch (choices_.Pick(4)) {
        case 1:
          k.reset_ignored = 1;
          break;
        case 2:
          k.reset_accept_ms = 1;
          break;
        case 3:
          k.reset_stuck = 1;
          break;
      }
      return;
    }
    k.late_ms = kNever;
    k.late_replies = k.ignore_requests = k.drop_replies = k.replay = k.wrong_seq = 0;
    switch (choices_.Pick(6)) {
      case 1:
        k.late_replies = 1;
        break;
      case 2:
        k.ignore_requests = 1;
        break;
      case 3:
        k.drop_replies = 1;
        break;
      case 4:
        k.replay = 1;
        break;
      case 5:
        k.wrong_seq = 1;
        break;
    }
  }

  Choices& choices_;
  Bench b_;
  std::vector<Actor> actors_;
  std::vector<std::size_t> arming_;  // who is between a first store and the doorbell
  std::size_t acting_ = 0;
  u8 profile_ = 0;
  u64 confirmed_ = 0, unknown_ = 0;
};

// What a scenario must have come across.
struct Explored {
  u64 ways = 0;
  std::set<std::pair<Task, int>> ends;
};

Explored Explore(const std::vector<Task>& tasks, int budget) {
  Explored explored;
  const char* more = std::getenv("NDTEL_DEVIATIONS");
  Choices choices(budget + (more ? std::atoi(more) : 0));
  do {
    World world(choices, tasks);
    world.Run();
    explored.ways++;
    explored.ends.insert(world.ends.begin(), world.ends.end());
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "way " << choices.Text();
      break;
    }
  } while (choices.Next());
  return explored;
}

void ExpectEnds(const Explored& explored, Task task, const std::vector<int>& results) {
  for (int result : results) {
    EXPECT_TRUE(explored.ends.contains({task, result})) << "never saw " << result;
  }
}

TEST(Interleaving, ChoicesAreAllTriedOnce) {
  Choices choices(3);
  std::set<std::string> ways;
  do {
    for (int i = 0; i < 3; i++) choices.Pick(3);
    EXPECT_TRUE(ways.insert(choices.Text()).second);
  } while (choices.Next());
  EXPECT_EQ(ways.size(), 27U);
  Choices one(1);
  u64 n = 0;
  do {
    for (int i = 0; i < 10; i++) one.Pick(2);
    n++;
  } while (one.Next());
  EXPECT_EQ(n, 11U) << "none, or any one of ten";
}

TEST(Interleaving, F10PostAndResetNeverShareADoorbell) {
  for (Task reset : {Task::kResetDevice, Task::kResetCores}) {
    const Explored explored = Explore({Task::kPost, reset}, 3);
    RecordProperty("ways", std::to_string(explored.ways));
    EXPECT_GT(explored.ways, 1000U);
    ExpectEnds(explored, Task::kPost, {0, -ETIMEDOUT, -ECANCELED});
    ExpectEnds(explored, reset, {0, -ETIMEDOUT});
  }
}

TEST(Interleaving, F10NewMailboxAndResetNeverShareADoorbell) {
  for (Task reset : {Task::kResetDevice, Task::kResetCores}) {
    const Explored explored = Explore({Task::kGetProfile, reset}, 3);
    RecordProperty("ways", std::to_string(explored.ways));
    EXPECT_GT(explored.ways, 1000U);
    ExpectEnds(explored, Task::kGetProfile, {0, -ETIMEDOUT, -EBADMSG, -ECANCELED});
    ExpectEnds(explored, reset, {0, -ETIMEDOUT});
  }
}

TEST(Interleaving, TheTwoMailboxesNeverMix) {
  for (const auto& tasks :
       {std::vector{Task::kPost, Task::kGetProfile}, std::vector{Task::kGetProfile, Task::kRead},
        std::vector{Task::kSetFeature, Task::kPost}}) {
    const Explored explored = Explore(tasks, 3);
    RecordProperty("ways", std::to_string(explored.ways));
    EXPECT_GT(explored.ways, 1000U);
    for (Task task : tasks) ExpectEnds(explored, task, {0, -ETIMEDOUT});
  }
}

TEST(Interleaving, F7AnswersOfOneCallAreNeverTakenByAnother) {
  for (Task task : {Task::kRead, Task::kPost, Task::kGetProfile}) {
    const Explored explored = Explore({task, task}, 3);
    RecordProperty("ways", std::to_string(explored.ways));
    EXPECT_GT(explored.ways, 1000U);
    ExpectEnds(explored, task, {0, -ETIMEDOUT});
  }
}

TEST(Interleaving, ThreeActors) {
  const Explored explored = Explore({Task::kPost, Task::kGetProfile, Task::kResetCores}, 3);
  RecordProperty("ways", std::to_string(explored.ways));
  EXPECT_GT(explored.ways, 1000U);
}

}  // namespace
}  // namespace ndtel::test
