// SPDX-License-Identifier: Apache-2.0
//
// The memory that models run on: what a thread may read, and what it knows of others.
//
// It is the memory of the C++ standard with two restrictions. A store takes its place in the
// modification order when it executes, and nothing is read before it was written. Everything that
// store buffers do is included: a relaxed, acquiring or releasing load may read any value that is
// not older than one the thread already knows of.
//
// - Each location keeps the values that some thread may still read, oldest first.
// - A thread's view says, for each location, the oldest value it may read. An acquiring load joins
//   the view that came with the value. The view of sequential consistency is shared by all.
// - Plain copies are not ordered by anything. The machine tracks which thread knows of the last
//   accesses to an object; a conflicting access by one that does not is a data race, reported even
//   where no value came out wrong.
//
// Values and views are renumbered as soon as nobody can read a value any more, so that equal
// futures have equal states.
#ifndef NDTEL_TESTS_MODEL_MACHINE_HPP
#define NDTEL_TESTS_MODEL_MACHINE_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ndtel::model {

inline constexpr unsigned kMaxThreads = 4;
inline constexpr unsigned kMaxLocations = 32;
inline constexpr unsigned kMaxObjects = 12;
inline constexpr unsigned kMaxMessages = 16;
inline constexpr std::size_t kWorldBytes = 16 * 1024;

/// For each location the number of a value.
struct View {
  alignas(16) std::uint8_t of[kMaxLocations]{};

  std::uint8_t& operator[](unsigned location) noexcept { return of[location]; }
  std::uint8_t operator[](unsigned location) const noexcept { return of[location]; }

  void join(const View& other) noexcept {
    for (unsigned i = 0; i < kMaxLocations; ++i) of[i] = std::max(of[i], other.of[i]);
  }
  void meet(const View& other) noexcept {
    for (unsigned i = 0; i < kMaxLocations; ++i) of[i] = std::min(of[i], other.of[i]);
  }
  void lower(const View& by) noexcept {
    for (unsigned i = 0; i < kMaxLocations; ++i) {
      of[i] = static_cast<std::uint8_t>(of[i] - std::min(of[i], by.of[i]));
    }
  }
};

/// Accesses to plain objects, a bit each: per object the last write, and the last read of each
/// thread since.
using Accesses = std::uint64_t;

/// A value of a location, and what whoever acquires it gets to know.
struct Message {
  std::uint64_t value = 0;
  View view{};
  Accesses known = 0;
};

struct Location {
  std::uint64_t count = 0;
  std::array<Message, kMaxMessages> messages{};
};

/// What a thread is about to do.
enum class Action : std::uint8_t {
  kNothing,
  kLoad,
  kStore,
  kUpdate,
  kLock,
  kFence,
  kAwaitFences,
  kCopy
};

struct Pending {
  Action action = Action::kNothing;
  bool sequential = false;
  std::uint8_t location = 0;
  bool spurious = false;  ///< an update that may fail although it need not
};

struct Thread {
  View view{};
  Accesses known = 0;
  std::uint64_t locks = 0;  ///< mutexes held, a bit each
  Pending pending;
  bool finished = false;
};

/// Memory and threads. Copied by the explorer, field by field.
struct State {
  std::array<Thread, kMaxThreads> threads{};
  std::array<Location, kMaxLocations> locations{};
  View sequential{};
  Accesses present = 0;
  /// The thread in the middle of a block (see Machine), plus 1; 0 for none.
  std::uint32_t running = 0;
  /// For each thread, who waits for a fence of it, a bit each.
  std::array<std::uint8_t, kMaxThreads> fences_wanted{};
  alignas(4096) std::byte world[kWorldBytes]{};
};

/// The value of an atomic operation that reads and may write.
struct Update {
  std::uint64_t value = 0;
  bool write = true;
};

/// One machine, at a fixed address. Model threads call its operations, which give way to the
/// explorer; it decides who goes on and which value is read.
///
/// Not every operation needs to give way to other threads. A load that is not sequentially
/// consistent can as well happen later: until its thread goes on, it may still read the same value.
/// So loads run in one block with the operation that follows them (Lipton's right movers; taking a
/// mutex is one, releasing it moves to the left).
class Machine {
 public:
  /// Called after each store: thread, address, old value, new value. May call fail().
  using WriteHook = void (*)(void* world, unsigned thread, const void* address, std::uint64_t from,
                             std::uint64_t to);

  State state;

  // Atomics. `address` is that of the object in the world, which holds the newest value.

  std::uint64_t load(const void* address, std::size_t size, std::memory_order order);
  void store(void* address, std::size_t size, std::uint64_t value, std::memory_order order);
  /// Reads the newest value; `change(old)` says what to write. With the `failure` order when it
  /// writes nothing. A weak one may write nothing although it should.
  template <typename Change>
  std::uint64_t update(void* address, std::size_t size, std::memory_order success,
                       std::memory_order failure, bool weak, Change&& change, bool& written) {
    const unsigned at = before_update(address, size, weak);
    const std::uint64_t old = newest(address, size);
    Update result = change(old);
    if (weak && spurious()) result.write = false;
    written = result.write;
    after_update(at, address, size, result, result.write ? success : failure);
    return old;
  }

  // Mutexes. The word is 1 while locked.

  void lock(std::uint64_t* word);
  bool try_lock(std::uint64_t* word);
  void unlock(std::uint64_t* word);

  /// A sequentially consistent fence of the calling thread.
  void fence();
  /// As fence(), and in between one of every other thread.
  void heavy_fence();

  /// Checks that the accesses are ordered after all conflicting ones. Addresses outside the world
  /// are a thread's own.
  void plain_read(const void* address);
  void plain_write(const void* address);
  /// Lets others run in the middle of a copy.
  void copy_point();
  /// Lets others run in a loop that waits for them.
  void pause() noexcept { state.running = 0; }

  /// Gives up the whole exploration with a reason.
  [[noreturn]] void fail(std::string reason);
  void require(bool condition, const char* reason) {
    if (!condition) fail(reason);
  }

  /// The line of the source that the next operation stands for.
  void at_line(std::uint32_t line) noexcept { line_ = line; }

  /// The calling model thread; kMaxThreads while the world is set up or inspected.
  unsigned current() const noexcept { return current_; }

 private:
  friend class Explorer;

  struct Shared {
    std::uint64_t write_locks = ~std::uint64_t{0};   ///< held at every store so far
    std::uint64_t access_locks = ~std::uint64_t{0};  ///< held at every access so far
    std::uint64_t write_trust = 0;  ///< locks because of which somebody did not give way
    std::uint64_t access_trust = 0;
  };

  bool concurrent() const noexcept { return current_ != kMaxThreads; }
  Thread& self() noexcept { return state.threads[current_]; }
  unsigned location(const void* address, std::size_t size);
  static std::uint64_t newest(const void* address, std::size_t size);
  static void put(void* address, std::size_t size, std::uint64_t value);
  bool in_world(const void* address) const noexcept {
    const auto* byte = static_cast<const std::byte*>(address);
    return byte >= state.world && byte < state.world + kWorldBytes;
  }
  unsigned object(const void* address);
  void give_way(Pending pending);
  void take_turn(Pending pending, unsigned choices);
  bool guarded(unsigned at, bool write);
  unsigned lowest(unsigned thread, const Pending& pending) const noexcept;
  unsigned before_update(const void* address, std::size_t size, bool weak);
  bool spurious() noexcept;
  void after_update(unsigned at, void* address, std::size_t size, const Update& update,
                    std::memory_order order);
  void append(unsigned at, void* address, std::size_t size, const Message& message,
              std::memory_order order);
  void fence_of(unsigned thread);
  bool fences_missing(unsigned thread) const noexcept;
  void forget(Accesses accesses);
  void log(unsigned thread, const char* action, std::uint64_t value);
  void renumber();

  // Everything below stays as it is when the explorer goes back.
  unsigned current_ = kMaxThreads;
  unsigned choice_ = 0;
  std::uint32_t line_ = 0;
  bool spurious_failures_ = false;
  bool blocks_ = true;
  unsigned threads_ = 0;
  bool restart_ = false;
  bool failed_ = false;
  bool truncated_ = false;
  std::string failure_;
  WriteHook hook_ = nullptr;
  std::string* log_ = nullptr;
  void (*leave_)() = nullptr;
  std::array<const void*, kMaxLocations> addresses_{};
  std::array<Shared, kMaxLocations> shared_{};
  unsigned location_count_ = 0;
  std::array<const void*, kMaxObjects> objects_{};
  unsigned object_count_ = 0;
};

extern Machine machine;

}  // namespace ndtel::model

#endif  // NDTEL_TESTS_MODEL_MACHINE_HPP
