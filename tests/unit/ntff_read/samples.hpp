// SPDX-License-Identifier: Apache-2.0
//
// Files to read, made by the generated classes: nothing of what writes files in earnest is used.
#ifndef NDTEL_TESTS_UNIT_NTFF_READ_SAMPLES_HPP
#define NDTEL_TESTS_UNIT_NTFF_READ_SAMPLES_HPP

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "neuron_trace.pb.h"

namespace ndtel::test {

inline constexpr std::uint64_t kStartNs = 1'700'000'000'000'000'000;

/// A start (1), a stop (2) or an instant (3) with all that events of sys_trace have.
inline ::ntff::ntrace_event event(std::uint32_t nc, std::uint32_t type, int phase,
                                  std::uint64_t tracking_id, std::uint64_t ns) {
  ::ntff::ntrace_event event;
  event.set_timestamp(kStartNs + ns);
  event.set_nd_idx(nc / 8);
  event.set_nc_idx(nc);
  event.set_event_type(type);
  event.set_thread_id(4711);
  event.set_id(tracking_id + 1'000'000);
  event.set_phase(static_cast<::ntff::ntrace_event_phase_type>(phase));
  event.set_tracking_id(tracking_id);
  (*event.mutable_attributes())["worker_gid"] = "-1";
  return event;
}

/// Three events, three strings and a version.
inline ::ntff::ntrace_info small_trace() {
  ::ntff::ntrace_info info;
  *info.add_events() = event(1, 17, 1, 5, 100);
  *info.add_events() = event(1, 24, 3, 6, 150);
  *info.add_events() = event(1, 17, 2, 5, 300);
  auto& strings = *info.add_interned_data();
  strings.set_data_type("strings");
  (*strings.mutable_id_map())[0] = "Invalid interned string";
  (*strings.mutable_id_map())[402710577667408] = "model";
  (*strings.mutable_id_map())[933183196555764] = "a";
  info.set_data_version(5);
  return info;
}

inline void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

/// A message with its length before it.
inline std::string delimited(const google::protobuf::MessageLite& message) {
  std::string bytes;
  put_varint(bytes, message.ByteSizeLong());
  return bytes + message.SerializeAsString();
}

/// A directory that is gone with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = ::testing::TempDir() + "ndtel-read-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no directory " << name;
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string at = path(name);
    std::filesystem::create_directories(std::filesystem::path(at).parent_path());
    std::ofstream(at, std::ios::binary) << bytes;
    return at;
  }

 private:
  std::string path_;
};

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_UNIT_NTFF_READ_SAMPLES_HPP
