// SPDX-License-Identifier: Apache-2.0
#include "explorer.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ndtel::model {
namespace {

// The last one is for what runs before and after all threads.
std::array<Fiber, kMaxThreads + 1> fibers;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// `size` is a multiple of 8.
std::uint64_t hash_of(const std::byte* bytes, std::size_t size) {
  constexpr std::uint64_t kOdd[] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                    0xd6e8feb86659fd93};
  std::uint64_t a = size ^ kOdd[0], b = kOdd[1];
  std::size_t i = 0;
  for (; i + 32 <= size; i += 32) {
    a = mix(a ^ word_at(bytes + i), word_at(bytes + i + 8) ^ kOdd[2]);
    b = mix(b ^ word_at(bytes + i + 16), word_at(bytes + i + 24) ^ kOdd[3]);
  }
  for (; i < size; i += 8) a = mix(a ^ word_at(bytes + i), kOdd[2]);
  return mix(a ^ kOdd[3], b ^ kOdd[1]);
}

}  // namespace

SeenStates::SeenStates() : table_(std::size_t{1} << 16) {}

SeenStates::Entry& SeenStates::place(std::uint64_t hash) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  while (table_[at].hash != 0 && table_[at].hash != hash) at = (at + 1) & mask;
  return table_[at];
}

std::uint32_t SeenStates::number(std::uint64_t hash) {
  if (hash == 0) hash = 1;
  if (std::size_t{size_} * 2 > table_.size()) {
    std::vector<Entry> old(table_.size() * 2);
    old.swap(table_);
    for (const Entry& each : old) {
      if (each.hash != 0) place(each.hash) = each;
    }
  }
  Entry& entry = place(hash);
  if (entry.hash == 0) entry = {hash, size_++};
  return entry.number;
}

Explorer* Explorer::active_ = nullptr;

Explorer::Explorer(const Program& program, const Options& options)
    : program_(program), options_(options) {}

Outcome Explorer::run(const Program& program, const Options& options) {
  machine.location_count_ = 0;
  machine.object_count_ = 0;
  machine.shared_ = {};
  machine.threads_ = program.threads;
  machine.hook_ = options.hook;
  machine.spurious_failures_ = options.spurious_failures;
  machine.blocks_ = options.blocks;
  machine.leave_ = leave;
  for (;;) {
    Explorer explorer(program, options);
    active_ = &explorer;
    Outcome outcome = explorer.explore();
    active_ = nullptr;
    if (!machine.restart_ || !outcome.failure.empty()) return outcome;
  }
}

void Explorer::leave() { fibers[machine.current_].leave(); }

void Explorer::thread_entry() {
  active_->program_.thread(machine.state.world, machine.current_);
  machine.self().finished = true;
  machine.self().pending = {};
  machine.state.running = 0;
  if (machine.state.fences_wanted[machine.current_] != 0) {
    machine.state.fences_wanted[machine.current_] = 0;
    machine.fence_of(machine.current_);
  }
  leave();
  std::abort();
}

Outcome Explorer::explore() {
  Outcome outcome;
  outcome.complete = search();
  if (machine.failed_) {
    outcome.failure = machine.failure_;
    outcome.trace = trace();
    machine.failure_ = outcome.failure;
  }
  outcome.states = seen_.size();
  outcome.steps = steps_;
  return outcome;
}

void Explorer::start() {
  machine.restart_ = false;
  machine.failed_ = false;
  machine.failure_.clear();
  machine.current_ = kMaxThreads;
  std::memset(static_cast<void*>(&machine.state), 0, sizeof machine.state);
  apart([] {
    active_->program_.construct(machine.state.world);
    leave();
  });
  if (machine.failed_) return;
  for (unsigned thread = 0; thread < program_.threads; ++thread) {
    fibers[thread].reset(thread_entry);
    resume(thread);
  }
}

void Explorer::resume(unsigned thread) {
  machine.current_ = thread;
  fibers[thread].wipe_unused();
  fibers[thread].enter();
  machine.current_ = kMaxThreads;
}

void Explorer::list_moves() {
  const unsigned running = machine.state.running;
  for (unsigned thread = 0; thread < program_.threads; ++thread) {
    const Thread& each = machine.state.threads[thread];
    if (each.finished || (running != 0 && running != thread + 1)) continue;
    if (machine.state.fences_wanted[thread] != 0) {
      moves_.push_back({static_cast<std::uint8_t>(thread), kFenceMove});
    }
    unsigned choices = 1;
    switch (each.pending.action) {
      case Action::kLock: {
        const auto* word =
            static_cast<const std::uint64_t*>(machine.addresses_[each.pending.location]);
        choices = *word == 0 ? 1 : 0;
        break;
      }
      case Action::kLoad:
        choices = static_cast<unsigned>(machine.state.locations[each.pending.location].count) -
                  machine.lowest(thread, each.pending);
        break;
      case Action::kAwaitFences:
        choices = machine.fences_missing(thread) ? 0 : 1;
        break;
      case Action::kUpdate:
        choices = each.pending.spurious ? 2 : 1;
        break;
      default:
        break;
    }
    for (unsigned choice = 0; choice < choices; ++choice) {
      moves_.push_back({static_cast<std::uint8_t>(thread), static_cast<std::uint8_t>(choice)});
    }
  }
}

bool Explorer::finished() const noexcept {
  for (unsigned thread = 0; thread < program_.threads; ++thread) {
    if (!machine.state.threads[thread].finished) return false;
  }
  return true;
}

// Also finds that nobody can go on. The state is not used afterwards.
void Explorer::inspect() {
  if (!finished()) {
    machine.failed_ = true;
    machine.failure_ = "deadlock: every thread waits";
    return;
  }
  apart([] {
    active_->program_.finish(machine.state.world);
    leave();
  });
}

// On a stack of its own, which fail() can leave.
void Explorer::apart(Fiber::Entry entry) {
  fibers[kMaxThreads].reset(entry);
  fibers[kMaxThreads].enter();
}

// Tells the state that led here what was found.
void Explorer::meet(std::uint32_t low, bool ends) {
  if (frames_.empty()) return;
  Frame& frame = frames_.back();
  frame.low = std::min(frame.low, low);
  frame.ends = frame.ends || ends;
}

// A frame all of whose moves were made. Its component is complete when nothing below it is met.
void Explorer::close(const Frame& frame) {
  if (frame.low != frame.number) return meet(frame.low, frame.ends);
  if (!frame.ends) {
    machine.failed_ = true;
    machine.failure_ = "threads wait for each other for ever";
    return;
  }
  while (!open_.empty() && open_.back() >= frame.number) {
    closed_[open_.back()] = 1;
    open_.pop_back();
  }
  meet(frame.number, true);
}

// Looks at the state that is there. True when it is new and has moves.
bool Explorer::enter(std::size_t saved) {
  const std::uint64_t before = seen_.size();
  const std::uint32_t number = seen_.number(hash_of(saved_.data() + saved, saved_size_ - saved));
  if (number != before) {
    if (closed_[number] != 0) {
      meet(~std::uint32_t{0}, true);
    } else {
      meet(number, false);
    }
    return false;
  }
  const std::size_t moves = moves_.size();
  list_moves();
  if (moves_.size() == moves) {
    closed_.push_back(1);
    meet(~std::uint32_t{0}, true);
    inspect();
    return false;
  }
  closed_.push_back(0);
  open_.push_back(number);
  frames_.push_back({saved, moves, moves, number, number, false});
  return true;
}

bool Explorer::search() {
  start();
  for (;;) {
    if (machine.failed_ || machine.restart_) return false;
    machine.renumber();
    const std::size_t saved = saved_size_;
    save();
    bool loaded = enter(saved);
    if (!loaded) saved_size_ = saved;
    if (machine.failed_ || seen_.size() > options_.max_states) return false;
    while (!frames_.empty() && frames_.back().next == moves_.size()) {
      const Frame frame = frames_.back();
      frames_.pop_back();
      saved_size_ = frame.saved;
      moves_.resize(frame.moves);
      close(frame);
      if (machine.failed_) return false;
    }
    if (frames_.empty()) return true;
    Frame& frame = frames_.back();
    if (!loaded) restore(frame.saved);
    const Move move = moves_[frame.next++];
    ++steps_;
    make(move);
  }
}

void Explorer::make(Move move) {
  if (move.choice == kFenceMove) {
    machine.fence_of(move.thread);
    machine.state.fences_wanted[move.thread] = 0;
    machine.state.running = 0;
    return;
  }
  machine.choice_ = move.choice;
  resume(move.thread);
}

void Explorer::save() {
  const std::size_t views = (machine.location_count_ + 7) / 8 * 8;
  std::size_t bound = sizeof(State) + kMaxThreads * 64;
  for (unsigned thread = 0; thread < program_.threads; ++thread) bound += fibers[thread].size();
  const std::size_t from = saved_size_;
  if (saved_.size() < from + bound) saved_.resize((from + bound) * 2);
  std::byte* next = saved_.data() + from;
  const auto put = [&next](const void* bytes, std::size_t size) {
    std::memcpy(next, bytes, size);
    next += size;
  };
  const auto put_word = [&](std::uint64_t word) { put(&word, sizeof word); };
  const State& state = machine.state;
  put_word(machine.location_count_);
  for (unsigned thread = 0; thread < program_.threads; ++thread) {
    const Thread& each = state.threads[thread];
    put_word(std::uint64_t{each.finished} | static_cast<std::uint64_t>(each.pending.action) << 8 |
             std::uint64_t{each.pending.sequential} << 16 |
             std::uint64_t{each.pending.location} << 20 |
             std::uint64_t{each.pending.spurious} << 28);
    put(each.view.of, views);
    if (each.finished) continue;
    put_word(each.known);
    put_word(each.locks);
    put_word(fibers[thread].size());
    put(fibers[thread].begin(), fibers[thread].size());
  }
  for (unsigned at = 0; at < machine.location_count_; ++at) {
    const Location& location = state.locations[at];
    put_word(location.count);
    for (unsigned i = 0; i < location.count; ++i) {
      put_word(location.messages[i].value);
      put(location.messages[i].view.of, views);
      put_word(location.messages[i].known);
    }
  }
  std::uint32_t wanted;
  static_assert(sizeof wanted == sizeof state.fences_wanted);
  std::memcpy(&wanted, &state.fences_wanted, sizeof wanted);
  put_word(std::uint64_t{wanted} << 32 | state.running);
  put(state.sequential.of, views);
  put_word(state.present);
  put(state.world, program_.bytes);
  saved_size_ = static_cast<std::size_t>(next - saved_.data());
}

void Explorer::restore(std::size_t from) {
  const std::byte* next = saved_.data() + from;
  const auto get = [&next](void* bytes, std::size_t size) {
    std::memcpy(bytes, next, size);
    next += size;
  };
  const auto get_word = [&] {
    std::uint64_t word;
    get(&word, sizeof word);
    return word;
  };
  State& state = machine.state;
  const auto locations = static_cast<unsigned>(get_word());
  const std::size_t views = (locations + 7) / 8 * 8;
  const auto get_view = [&](View& view) {
    // Of locations met since then nothing was known.
    std::memset(view.of + views, 0, sizeof view.of - views);
    get(view.of, views);
  };
  for (unsigned thread = 0; thread < program_.threads; ++thread) {
    Thread& each = state.threads[thread];
    const std::uint64_t flags = get_word();
    each.finished = (flags & 1) != 0;
    each.pending.action = static_cast<Action>(flags >> 8 & 0xff);
    each.pending.sequential = (flags >> 16 & 1) != 0;
    each.pending.location = static_cast<std::uint8_t>(flags >> 20);
    each.pending.spurious = (flags >> 28 & 1) != 0;
    get_view(each.view);
    if (each.finished) continue;
    each.known = get_word();
    each.locks = get_word();
    fibers[thread].set_size(get_word());
    get(fibers[thread].begin(), fibers[thread].size());
  }
  for (unsigned at = 0; at < machine.location_count_; ++at) {
    Location& location = state.locations[at];
    location.count = at < locations ? get_word() : 0;
    for (unsigned i = 0; i < location.count; ++i) {
      location.messages[i].value = get_word();
      get_view(location.messages[i].view);
      location.messages[i].known = get_word();
    }
  }
  const std::uint64_t turns = get_word();
  state.running = static_cast<std::uint32_t>(turns);
  const auto wanted = static_cast<std::uint32_t>(turns >> 32);
  std::memcpy(&state.fences_wanted, &wanted, sizeof wanted);
  get_view(state.sequential);
  state.present = get_word();
  get(state.world, program_.bytes);
}

// Goes the way to the failure once more and writes down what happens.
std::string Explorer::trace() {
  std::string text;
  const std::string failure = machine.failure_;
  machine.log_ = &text;
  start();
  for (const Frame& frame : frames_) {
    if (machine.failed_ || frame.next == frame.moves) break;
    machine.renumber();
    make(moves_[frame.next - 1]);
  }
  if (!machine.failed_) inspect();
  machine.log_ = nullptr;
  return text + failure + "\n";
}

}  // namespace ndtel::model
