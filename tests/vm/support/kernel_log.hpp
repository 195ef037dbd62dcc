// SPDX-License-Identifier: Apache-2.0
//
// What the kernel logged since a mark.
#ifndef NDTEL_TESTS_VM_SUPPORT_KERNEL_LOG_HPP
#define NDTEL_TESTS_VM_SUPPORT_KERNEL_LOG_HPP

#include <string>
#include <vector>

#include "support/file.hpp"

namespace ndtel::vm {

/// Reads /dev/kmsg from the moment of construction on.
class KernelLog {
 public:
  KernelLog();

  /// Texts of all messages since the mark, without prefix and continuation fields.
  const std::vector<std::string>& read();
  /// How many of them contain `part`.
  int count(const std::string& part);

 private:
  Fd fd_;
  std::vector<std::string> lines_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_KERNEL_LOG_HPP
