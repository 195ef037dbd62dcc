// SPDX-License-Identifier: Apache-2.0
#include "fault.hpp"

namespace ndtel::ntff::read {

std::string Fault::sentence() const {
  return file + ": at byte " + std::to_string(offset) + ": " + expected;
}

}  // namespace ndtel::ntff::read
