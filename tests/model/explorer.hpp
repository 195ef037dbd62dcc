// SPDX-License-Identifier: Apache-2.0
//
// Runs a small program in every way its threads can interleave and its loads can be answered.
//
// Depth first, from saved states. A state is everything the future depends on: the memory, what
// each thread may read and knows of, and the threads' stacks. A state seen before is not entered
// again; states are told apart by 64-bit hashes, whose chance collisions could hide a way, at the
// sizes used here with a probability below one in a hundred thousand.
//
// Threads that wait for others go round in circles of states. It is a failure when no way leads out
// of such a circle to the end of all threads: strongly connected components tell (Tarjan).
//
// A model is a class with
//   static constexpr unsigned kThreads;
//   a constructor            everything zeroed before; nothing outside the object changes later
//   void thread(unsigned i)  what thread i does; no memory of its own but its stack
//   void finish()            checks when all threads are done
#ifndef NDTEL_TESTS_MODEL_EXPLORER_HPP
#define NDTEL_TESTS_MODEL_EXPLORER_HPP

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "machine.hpp"

namespace ndtel::model {

struct Options {
  std::uint64_t max_states = 20'000'000;
  /// Weak compare-and-exchange may fail for no reason.
  bool spurious_failures = false;
  /// Others run only where it can matter; false gives way before every operation.
  bool blocks = true;
  Machine::WriteHook hook = nullptr;
};

struct Outcome {
  bool complete = false;  ///< all states were visited
  std::string failure;    ///< empty when nothing failed
  std::string trace;      ///< the way to the failure, a line for each operation
  std::uint64_t states = 0;
  std::uint64_t steps = 0;

  bool passed() const noexcept { return complete && failure.empty(); }
};

/// Numbers states by their hashes, from 0 in the order of their discovery.
class SeenStates {
 public:
  SeenStates();
  /// The number of a state; a new one's is what size() was.
  std::uint32_t number(std::uint64_t hash);
  std::uint64_t size() const noexcept { return size_; }

 private:
  struct Entry {
    std::uint64_t hash;  ///< 0 for an empty place
    std::uint32_t number;
  };

  Entry& place(std::uint64_t hash);

  std::vector<Entry> table_;
  std::uint32_t size_ = 0;
};

class Explorer {
 public:
  template <typename Model>
  static Outcome run(const Options& options = {}) {
    static_assert(Model::kThreads <= kMaxThreads);
    static_assert(sizeof(Model) <= kWorldBytes);
    return run(Program{(sizeof(Model) + 7) / 8 * 8, Model::kThreads,
                       [](void* world) { new (world) Model; },
                       [](void* world, unsigned i) { static_cast<Model*>(world)->thread(i); },
                       [](void* world) { static_cast<Model*>(world)->finish(); }},
               options);
  }

 private:
  struct Program {
    std::size_t bytes;
    unsigned threads;
    void (*construct)(void*);
    void (*thread)(void*, unsigned);
    void (*finish)(void*);
  };

  struct Move {
    std::uint8_t thread;
    std::uint8_t choice;  ///< kFenceMove, or which way the operation goes
  };
  static constexpr std::uint8_t kFenceMove = 255;  ///< the thread is given a fence

  struct Frame {
    std::size_t saved;  ///< where its state lies
    std::size_t moves;  ///< where its moves lie
    std::size_t next;   ///< the next move to make
    std::uint32_t number;
    std::uint32_t low;  ///< the lowest open number that was met from here on
    bool ends;          ///< a way leads to the end of all threads
  };

  static Outcome run(const Program& program, const Options& options);

  explicit Explorer(const Program& program, const Options& options);
  Outcome explore();
  void start();
  bool search();
  bool enter(std::size_t saved);
  void meet(std::uint32_t low, bool ends);
  void close(const Frame& frame);
  void resume(unsigned thread);
  void list_moves();
  bool finished() const noexcept;
  void inspect();
  void apart(Fiber::Entry entry);
  void save();
  void restore(std::size_t from);
  void make(Move move);
  std::string trace();
  static void thread_entry();
  static void leave();

  static Explorer* active_;

  const Program program_;
  const Options options_;
  SeenStates seen_;
  std::vector<std::byte> saved_;  ///< states of the frames, one behind the other
  std::size_t saved_size_ = 0;
  std::vector<Move> moves_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> open_;   ///< states whose component is not complete
  std::vector<std::uint8_t> closed_;  ///< by number: complete, and leads to the end
  std::uint64_t steps_ = 0;
};

}  // namespace ndtel::model

#endif  // NDTEL_TESTS_MODEL_EXPLORER_HPP
