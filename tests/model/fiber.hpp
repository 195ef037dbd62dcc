// SPDX-License-Identifier: Apache-2.0
//
// Threads of a model: each has a small stack at a fixed address, so that copying the used part of
// the stack away and back later returns the thread to where it was.
#ifndef NDTEL_TESTS_MODEL_FIBER_HPP
#define NDTEL_TESTS_MODEL_FIBER_HPP

#include <cstddef>

namespace ndtel::model {

class Fiber {
 public:
  using Entry = void (*)();

  /// Makes the next enter() start `entry` on an empty stack. `entry` must not return.
  void reset(Entry entry) noexcept;

  /// Runs the fiber until it calls leave().
  void enter() noexcept;
  /// Back to whoever called enter(). Only from inside.
  void leave() noexcept;

  /// The used part of the stack; empty before reset().
  std::byte* begin() const noexcept { return static_cast<std::byte*>(stack_pointer_); }
  std::byte* end() noexcept { return stack_ + kStackBytes; }
  std::size_t size() noexcept { return static_cast<std::size_t>(end() - begin()); }
  /// Before the former content of the used part is copied back.
  void set_size(std::size_t size) noexcept { stack_pointer_ = end() - size; }

  /// Overwrites what calls that have returned left behind, so that equal states look equal.
  void wipe_unused() noexcept;

 private:
  static constexpr std::size_t kStackBytes = 64 * 1024;

  alignas(64) std::byte stack_[kStackBytes];
  void* stack_pointer_ = nullptr;
  void* caller_ = nullptr;
};

}  // namespace ndtel::model

#endif  // NDTEL_TESTS_MODEL_FIBER_HPP
