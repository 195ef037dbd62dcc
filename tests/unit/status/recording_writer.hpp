// SPDX-License-Identifier: Apache-2.0
//
// A counter writer that keeps what was written, in order: the bridge over something that is no
// slab.
#ifndef NDTEL_TESTS_STATUS_RECORDING_WRITER_HPP
#define NDTEL_TESTS_STATUS_RECORDING_WRITER_HPP

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ndtel::test {

struct Write {
  std::string operation;
  std::uint32_t core;  // kDevice for device counters
  std::uint32_t counter;
  std::uint64_t value;
  bool operator==(const Write&) const = default;
};

inline constexpr std::uint32_t kDevice = 0xD;

inline std::ostream& operator<<(std::ostream& out, const Write& write) {
  return out << write.operation << " core " << write.core << " counter " << write.counter
             << " value " << write.value;
}

struct RecordingWriter {
  std::vector<Write> writes;
  int answer = 0;

  int record(std::string operation, std::uint32_t core, std::uint32_t counter,
             std::uint64_t value) {
    writes.push_back({std::move(operation), core, counter, value});
    return answer;
  }
  int increment(std::uint32_t core, std::uint32_t counter, std::uint64_t value) {
    return record("add", core, counter, value);
  }
  int decrement(std::uint32_t core, std::uint32_t counter, std::uint64_t value) {
    return record("sub", core, counter, value);
  }
  int set(std::uint32_t core, std::uint32_t counter, std::uint64_t value) {
    return record("set", core, counter, value);
  }
  int increment_nd(std::uint32_t counter, std::uint64_t value) {
    return record("add", kDevice, counter, value);
  }
  int decrement_nd(std::uint32_t counter, std::uint64_t value) {
    return record("sub", kDevice, counter, value);
  }
  int set_nd(std::uint32_t counter, std::uint64_t value) {
    return record("set", kDevice, counter, value);
  }
};

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_STATUS_RECORDING_WRITER_HPP
