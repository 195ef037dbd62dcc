// SPDX-License-Identifier: Apache-2.0
//
// A program without spans, with a session that records everything it can, and without: the same
// work, in turn, in one process.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "measure.hpp"
#include "nrt/nrt.h"
#include "nrt/nrt_profile.h"
#include "nrt/nrt_sys_trace_internal.h"

namespace {

using namespace ndtel::bench;

constexpr int kRounds = 151;
constexpr std::uint32_t kCores = 8;
constexpr std::size_t kWords = 1 << 16;    // half a megabyte: a cache is in it, too
constexpr std::uint64_t kSteps = 1 << 23;  // about 20 ms

// Arithmetic and memory, and nothing of the kernel.
std::uint64_t work(std::vector<std::uint64_t>& words) {
  std::uint64_t sum = 1;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    std::uint64_t& word = words[sum % kWords];
    sum = sum * 6364136223846793005ULL + (word ^ i);
    word = sum >> 7;
  }
  return sum;
}

double one_round(std::vector<std::uint64_t>& words) {
  return nanoseconds_each(static_cast<double>(kSteps), [&] {
    const std::uint64_t sum = work(words);
    asm volatile("" : : "r"(sum));
  });
}

// Where files go, and go with it.
class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/ndtel_bench_XXXXXX";
    if (::mkdtemp(name) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

int main() {
  const Scratch scratch;
  ::setenv("NEURON_RT_INSPECT_OUTPUT_DIR", scratch.path().c_str(), 1);
  for (const char* on : {"NEURON_RT_INSPECT_CPU_UTIL", "NEURON_RT_INSPECT_HOST_MEMORY"})
    ::setenv(on, "1", 1);
  nrt_sys_trace_set_visible_vnc_count(kCores);
  if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS) return 2;

  std::vector<std::uint64_t> words(kWords);
  std::vector<double> without, with;
  one_round(words);
  for (int round = 0; round < kRounds; ++round) {
    without.push_back(one_round(words));
    if (nrt_inspect_begin() != NRT_SUCCESS) {
      fmt::print(stderr, "bench_inspect_idle: the session does not begin\n");
      return 2;
    }
    with.push_back(one_round(words));
    if (nrt_inspect_stop() != NRT_SUCCESS) return 2;
  }
  Report report;
  report.ns("step_without_session", median(without));
  report.ns("step_with_session", median(with));
  report.ratio("inspect_armed_and_idle", median_ratio(with, without), 1.01);
  nrt_close();
  return report.exit_status();
}
