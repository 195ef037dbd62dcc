// SPDX-License-Identifier: Apache-2.0
#include "kill/ledger.hpp"

#include <sys/mman.h>

#include "support/file.hpp"

namespace ndtel::vm {

Ledger::Ledger(std::size_t threads) {
  void* memory = ::mmap(nullptr, threads * sizeof(Marks), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail_errno("mapping the ledger");
  marks_ = {static_cast<Marks*>(memory), threads};
}

Ledger::~Ledger() { ::munmap(marks_.data(), marks_.size_bytes()); }

Bounds Ledger::bounds(std::size_t first_thread, std::size_t threads, std::size_t counter) const {
  Bounds sum;
  for (const auto& marks : marks_.subspan(first_thread, threads)) {
    sum.done += marks.done[counter];
    sum.intent += marks.intent[counter];
  }
  return sum;
}

}  // namespace ndtel::vm
