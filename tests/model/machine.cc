// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace ndtel::model {
namespace {

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_consume ||
         order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

constexpr unsigned kBitsPerObject = 1 + kMaxThreads;
static_assert(kBitsPerObject * kMaxObjects <= 64);

constexpr Accesses write_bit(unsigned object) { return Accesses{1} << (object * kBitsPerObject); }
constexpr Accesses read_bit(unsigned object, unsigned thread) {
  return write_bit(object) << (1 + thread);
}
constexpr Accesses all_bits(unsigned object) {
  return ((Accesses{1} << kBitsPerObject) - 1) << (object * kBitsPerObject);
}

}  // namespace

Machine machine;

std::uint64_t Machine::newest(const void* address, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, address, size);
  return value;
}

void Machine::put(void* address, std::size_t size, std::uint64_t value) {
  std::memcpy(address, &value, size);
}

unsigned Machine::location(const void* address, std::size_t size) {
  unsigned at = 0;
  while (at < location_count_ && addresses_[at] != address) ++at;
  if (at == location_count_) {
    if (at == kMaxLocations) fail("the machine has too few locations");
    require(in_world(address), "an atomic outside the world");
    addresses_[location_count_++] = address;
  }
  Location& location = state.locations[at];
  if (location.count == 0) {
    location.count = 1;
    location.messages[0] = Message{newest(address, size), {}, 0};
  }
  return at;
}

unsigned Machine::object(const void* address) {
  unsigned at = 0;
  while (at < object_count_ && objects_[at] != address) ++at;
  if (at == object_count_) {
    if (at == kMaxObjects) fail("the machine has too few objects");
    objects_[object_count_++] = address;
  }
  return at;
}

void Machine::give_way(Pending pending) {
  self().pending = pending;
  leave_();
}

// Before an operation with so many ways to go.
void Machine::take_turn(Pending pending, unsigned choices) {
  choice_ = 0;
  const bool runs_on = state.running == current_ + 1 && state.fences_wanted[current_] == 0;
  if (!runs_on || choices != 1) {
    const std::uint32_t line = line_;
    give_way(pending);
    line_ = line;
  }
  const bool moves_right = pending.action == Action::kLoad && !pending.sequential;
  state.running = moves_right && blocks_ ? current_ + 1 : 0;
}

// Accesses that only happen under a mutex which this thread holds commute with whatever the others
// may do, so nobody needs to run in between. That is learnt: the exploration starts over when it
// turns out not to be so.
bool Machine::guarded(unsigned at, bool write) {
  Shared& shared = shared_[at];
  const std::uint64_t held = self().locks;
  shared.access_locks &= held;
  if (write) shared.write_locks &= held;
  if ((shared.write_trust & ~shared.write_locks) != 0 ||
      (shared.access_trust & ~shared.access_locks) != 0) {
    shared.write_trust = shared.access_trust = 0;
    restart_ = true;
  }
  std::uint64_t& trust = write ? shared.access_trust : shared.write_trust;
  const std::uint64_t guards = held & (write ? shared.access_locks : shared.write_locks);
  if (guards == 0) return false;
  trust |= guards & (~guards + 1);
  return true;
}

unsigned Machine::lowest(unsigned thread, const Pending& pending) const noexcept {
  const unsigned own = state.threads[thread].view[pending.location];
  const unsigned shared = pending.sequential ? state.sequential[pending.location] : 0;
  return own > shared ? own : shared;
}

std::uint64_t Machine::load(const void* address, std::size_t size, std::memory_order order) {
  if (!concurrent()) return newest(address, size);
  const unsigned at = location(address, size);
  const Pending pending{Action::kLoad, order == std::memory_order_seq_cst,
                        static_cast<std::uint8_t>(at)};
  if (guarded(at, false)) {
    choice_ = 0;
  } else {
    take_turn(pending,
              static_cast<unsigned>(state.locations[at].count) - lowest(current_, pending));
  }
  // Choice 0 is the newest value.
  const unsigned index = static_cast<unsigned>(state.locations[at].count) - 1 - choice_;
  const Message& message = state.locations[at].messages[index];
  Thread& me = self();
  me.view[at] = static_cast<std::uint8_t>(index);
  if (acquires(order)) {
    me.view.join(message.view);
    me.known |= message.known;
  }
  log(current_, index + 1 == state.locations[at].count ? "load" : "load, out of date,",
      message.value);
  return message.value;
}

void Machine::append(unsigned at, void* address, std::size_t size, const Message& message,
                     std::memory_order order) {
  Location& location = state.locations[at];
  if (location.count == kMaxMessages) fail("the machine keeps too few values of a location");
  const std::uint64_t old = newest(address, size);
  location.messages[location.count] = message;
  if (order == std::memory_order_seq_cst) {
    state.sequential[at] = static_cast<std::uint8_t>(location.count);
  }
  ++location.count;
  log(current_, "store", message.value);
  put(address, size, message.value);
  if (hook_ != nullptr) hook_(state.world, current_, address, old, message.value);
}

void Machine::store(void* address, std::size_t size, std::uint64_t value, std::memory_order order) {
  if (!concurrent()) return put(address, size, value);
  const unsigned at = location(address, size);
  if (!guarded(at, true)) take_turn({Action::kStore, false, static_cast<std::uint8_t>(at)}, 1);
  Thread& me = self();
  me.view[at] = static_cast<std::uint8_t>(state.locations[at].count);
  Message message{value, {}, 0};
  if (releases(order)) {
    message.view = me.view;
    message.known = me.known;
  }
  append(at, address, size, message, order);
}

unsigned Machine::before_update(const void* address, std::size_t size, bool weak) {
  if (!concurrent()) return 0;
  const unsigned at = location(address, size);
  if (guarded(at, true)) {
    choice_ = 0;
  } else {
    const bool spurious = weak && spurious_failures_;
    take_turn({Action::kUpdate, false, static_cast<std::uint8_t>(at), spurious}, spurious ? 2 : 1);
  }
  return at;
}

bool Machine::spurious() noexcept { return concurrent() && choice_ != 0; }

void Machine::after_update(unsigned at, void* address, std::size_t size, const Update& update,
                           std::memory_order order) {
  if (!concurrent()) {
    if (update.write) put(address, size, update.value);
    return;
  }
  Thread& me = self();
  const Location& location = state.locations[at];
  const Message& read = location.messages[location.count - 1];
  me.view[at] = static_cast<std::uint8_t>(location.count - 1);
  if (acquires(order)) {
    me.view.join(read.view);
    me.known |= read.known;
  }
  if (!update.write) return log(current_, "failed update", read.value);
  me.view[at] = static_cast<std::uint8_t>(location.count);
  // Continues the release sequence of what it read.
  Message message{update.value, read.view, read.known};
  if (releases(order)) {
    message.view.join(me.view);
    message.known |= me.known;
  }
  append(at, address, size, message, order);
}

void Machine::lock(std::uint64_t* word) {
  if (!concurrent()) return;
  const unsigned at = location(word, sizeof *word);
  // Who holds one mutex and wants another gives way in between, or no deadlock would show.
  if (*word != 0 || self().locks != 0) state.running = 0;
  take_turn({Action::kLock, false, static_cast<std::uint8_t>(at)}, 1);
  if (blocks_) state.running = current_ + 1;
  Thread& me = self();
  *word = 1;
  const Message& message = state.locations[at].messages[0];
  me.view.join(message.view);
  me.known |= message.known;
  me.locks |= std::uint64_t{1} << at;
  log(current_, "lock", at);
}

bool Machine::try_lock(std::uint64_t* word) {
  if (!concurrent()) return true;
  const unsigned at = location(word, sizeof *word);
  take_turn({Action::kUpdate, false, static_cast<std::uint8_t>(at)}, 1);
  if (*word != 0) return false;
  Thread& me = self();
  *word = 1;
  const Message& message = state.locations[at].messages[0];
  me.view.join(message.view);
  me.known |= message.known;
  me.locks |= std::uint64_t{1} << at;
  return true;
}

void Machine::unlock(std::uint64_t* word) {
  if (!concurrent()) return;
  const unsigned at = location(word, sizeof *word);
  Thread& me = self();
  require((me.locks >> at & 1) != 0, "unlocks a mutex that it does not hold");
  *word = 0;
  state.running = 0;
  log(current_, "unlock", at);
  state.locations[at].messages[0].view = me.view;
  state.locations[at].messages[0].known = me.known;
  me.locks &= ~(std::uint64_t{1} << at);
}

void Machine::log(unsigned thread, const char* action, std::uint64_t value) {
  if (log_ == nullptr) return;
  *log_ += "thread " + std::to_string(thread) + " line " + std::to_string(line_) + ": " + action +
           " " + std::to_string(value) + "\n";
}

void Machine::fence_of(unsigned thread) {
  log(thread, "fence", 0);
  View& view = state.threads[thread].view;
  state.sequential.join(view);
  view = state.sequential;
}

void Machine::fence() {
  if (!concurrent()) return;
  take_turn({Action::kFence, false, 0}, 1);
  fence_of(current_);
}

bool Machine::fences_missing(unsigned thread) const noexcept {
  for (const std::uint8_t wanted : state.fences_wanted) {
    if ((wanted >> thread & 1) != 0) return true;
  }
  return false;
}

// The others execute their fences somewhere between two operations of theirs: the explorer has them
// do so, in the middle of blocks too.
void Machine::heavy_fence() {
  if (!concurrent()) return;
  fence();
  for (unsigned thread = 0; thread < threads_; ++thread) {
    if (thread == current_) continue;
    if (state.threads[thread].finished) {
      // What it stored may still be on its way, but nobody waits for that thread.
      fence_of(thread);
    } else {
      state.fences_wanted[thread] |= static_cast<std::uint8_t>(1u << current_);
    }
  }
  if (fences_missing(current_)) take_turn({Action::kAwaitFences, false, 0}, 1);
  fence_of(current_);
}

void Machine::forget(Accesses accesses) {
  for (unsigned thread = 0; thread < threads_; ++thread) {
    state.threads[thread].known &= ~accesses;
  }
  for (unsigned at = 0; at < location_count_; ++at) {
    Location& location = state.locations[at];
    for (unsigned i = 0; i < location.count; ++i) location.messages[i].known &= ~accesses;
  }
  state.present &= ~accesses;
}

void Machine::plain_read(const void* address) {
  if (!concurrent() || !in_world(address)) return;
  const unsigned at = object(address);
  if ((state.present & write_bit(at) & ~self().known) != 0) {
    fail("data race: reads an object whose last write it does not know of");
  }
  const Accesses mine = read_bit(at, current_);
  forget(mine);
  state.present |= mine;
  self().known |= mine;
}

void Machine::plain_write(const void* address) {
  if (!concurrent() || !in_world(address)) return;
  const unsigned at = object(address);
  if ((state.present & all_bits(at) & ~self().known) != 0) {
    fail("data race: writes an object while it does not know of the last accesses");
  }
  forget(all_bits(at));
  state.present |= write_bit(at);
  self().known |= write_bit(at);
}

void Machine::copy_point() {
  if (concurrent()) take_turn({Action::kCopy, false, 0}, 1);
}

void Machine::fail(std::string reason) {
  failed_ = true;
  failure_ = std::move(reason);
  leave_();
  std::abort();  // a failed exploration is never resumed
}

void Machine::renumber() {
  View unread;
  std::memset(unread.of, 0xff, sizeof unread.of);
  bool any = false;
  for (unsigned thread = 0; thread < threads_; ++thread) {
    if (state.threads[thread].finished) continue;
    unread.meet(state.threads[thread].view);
    any = true;
  }
  if (!any) return;
  const View none{};
  if (std::memcmp(&unread, &none, sizeof none) == 0) return;
  for (unsigned thread = 0; thread < threads_; ++thread) state.threads[thread].view.lower(unread);
  state.sequential.lower(unread);
  for (unsigned at = 0; at < location_count_; ++at) {
    Location& location = state.locations[at];
    if (unread[at] != 0) {
      location.count -= unread[at];
      std::memmove(&location.messages[0], &location.messages[unread[at]],
                   location.count * sizeof(Message));
    }
    for (unsigned i = 0; i < location.count; ++i) location.messages[i].view.lower(unread);
  }
}

}  // namespace ndtel::model
