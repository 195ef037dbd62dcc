// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

// Saves what a function must preserve, changes stacks, restores the same from there.
extern "C" void ndtel_model_switch(void** save, void* load) noexcept;

asm(R"(
.text
.globl ndtel_model_switch
.hidden ndtel_model_switch
.type ndtel_model_switch, @function
ndtel_model_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ndtel_model_switch, . - ndtel_model_switch
)");

namespace ndtel::model {

void Fiber::reset(Entry entry) noexcept {
  std::memset(stack_, 0, sizeof stack_);
  // From the top: a null return address, `entry`, six saved registers.
  auto* top = reinterpret_cast<std::uintptr_t*>(end());
  top[-2] = reinterpret_cast<std::uintptr_t>(entry);
  stack_pointer_ = top - 8;
}

void Fiber::enter() noexcept { ndtel_model_switch(&caller_, stack_pointer_); }

void Fiber::leave() noexcept { ndtel_model_switch(&stack_pointer_, caller_); }

void Fiber::wipe_unused() noexcept {
  constexpr std::ptrdiff_t kReach = 640;
  const std::ptrdiff_t unused = begin() - stack_;
  const std::ptrdiff_t wiped = std::min(unused, kReach);
  std::memset(begin() - wiped, 0, static_cast<std::size_t>(wiped));
}

}  // namespace ndtel::model
