// SPDX-License-Identifier: Apache-2.0
//
// What the ownership tests share: processes that own a slab, and the ways they end.
#ifndef NDTEL_TESTS_VM_OWNERSHIP_OWNER_HPP
#define NDTEL_TESTS_VM_OWNERSHIP_OWNER_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "support/child.hpp"
#include "support/debugfs.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"

namespace ndtel::vm {

/// CloudWatch id under which INFER_COMPLETED is posted.
inline constexpr unsigned kCwCompleted = 200;

/// How a process ends.
enum class End { kExit, kKill };
std::string end_name(End end);

/// In a child: waits to be told to end, as long as the test likes, and ends without any clean-up,
/// so that the kernel does all of it.
[[noreturn]] void end_when_told(const Channel& channel);

/// Ends a child that waits in end_when_told().
::testing::AssertionResult ends(Child& child, End end);

/// A process that owns a slab of the device, has counted INFER_COMPLETED on core 0 and waits in
/// end_when_told(). It has told its cookie.
class SlabOwner {
 public:
  explicit SlabOwner(int device = 0, std::uint64_t completed = 0);

  pid_t pid() const { return child.pid(); }
  std::uint64_t cookie() const { return cookie_; }
  Child child;

 private:
  std::uint64_t cookie_ = 0;
};

/// Waits for the slabs in use of a device to be exactly those of `pids`.
::testing::AssertionResult owners_are(int device, std::vector<pid_t> pids);

/// Requires that the device's books saw exactly this many INFER_COMPLETED.
::testing::AssertionResult counted(int device, std::uint64_t completed);

/// Tests that go through both ways of ending.
class OwnershipEnd : public ModuleTest, public ::testing::WithParamInterface<End> {};

/// All others.
class Ownership : public ModuleTest {};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_OWNERSHIP_OWNER_HPP
