// SPDX-License-Identifier: Apache-2.0
//
// What counting costs: one increment through the library against a bare `lock xadd` on the same
// word, in interleaved rounds of one run, and the proof that the path makes no system call.
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <vector>

#include "capi.hpp"
#include "nrt/nds.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 101;
constexpr int kIncrements = 100'000;
constexpr double kBound = 1.1;

alignas(4096) std::array<std::byte, NDS_SLAB_SIZE> g_slab;

// Which counter: read at run time, as a caller's core and counter are.
struct Target {
  std::uint32_t core;
  std::uint32_t counter;
};

[[gnu::noinline]] void bare(std::uint64_t* word) {
  for (int i = 0; i < kIncrements; ++i) {
    std::uint64_t value = 1;
    asm volatile("lock xaddq %0, %1" : "+r"(value), "+m"(*word) : : "cc");
  }
}

// As callers write it: the counter's name in the code, the core known at run time.
[[gnu::noinline]] void through_cpp(ndtel::Instance& instance, std::uint32_t core) {
  for (int i = 0; i < kIncrements; ++i) instance.increment(core, NDS_NC_COUNTER_INFER_COMPLETED, 1);
}

// The counter comes out of a table, too, as for statuses.
[[gnu::noinline]] void through_cpp_any(ndtel::Instance& instance, Target target) {
  for (int i = 0; i < kIncrements; ++i) instance.increment(target.core, target.counter, 1);
}

[[gnu::noinline]] void through_c(nds_instance_t* instance, Target target) {
  for (int i = 0; i < kIncrements; ++i)
    nds_increment_nc_counter(instance, static_cast<int>(target.core), target.counter, 1);
}

template <typename Loop>
double nanoseconds_each(Loop loop) {
  const auto start = Clock::now();
  loop();
  const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
  return spent.count() / kIncrements;
}

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Runs `path` in a child that may only read, write and exit: anything else kills it. True when it
// survived.
template <typename Path>
bool survives_without_system_calls(Path path) {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    // The child has no part of the parent's instances: it makes its own, before the filter is on.
    auto instance = ndtel::Instance::over_memory(g_slab);
    if (!instance) ::_exit(2);
    nds_instance handle(std::move(*instance));
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) ::_exit(3);
    const bool counted = path(handle);
    // _exit() would be exit_group, which the filter does not allow.
    ::syscall(SYS_exit, counted ? 0 : 4);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool prove_no_system_call(Target target) {
  const bool filter_works =
      !survives_without_system_calls([](nds_instance&) { return ::syscall(SYS_getppid) >= 0; });
  const bool cpp = survives_without_system_calls([target](nds_instance& handle) {
    through_cpp(handle.producer, target.core);
    return handle.producer.nc(target.core, target.counter) >= kIncrements;
  });
  const bool c = survives_without_system_calls([target](nds_instance& handle) {
    through_c(&handle, target);
    return handle.producer.nc(target.core, target.counter) >= kIncrements;
  });
  fmt::print(
      "system_calls filter_kills_getppid {} increment_survives {} nds_increment_survives {}\n",
      filter_works ? "yes" : "no", cpp ? "yes" : "no", c ? "yes" : "no");
  return filter_works && cpp && c;
}

}  // namespace

int main() {
  volatile std::uint32_t core = 3;
  volatile std::uint32_t counter = NDS_NC_COUNTER_INFER_COMPLETED;
  const Target target{core, counter};

  const bool no_system_call = prove_no_system_call(target);

  auto instance = ndtel::Instance::over_memory(g_slab);
  if (!instance) {
    fmt::print(stderr, "bench_increment: {}\n", instance.error().message);
    return 2;
  }
  nds_instance handle(std::move(*instance));
  std::uint64_t* word = handle.producer.words() + nds_nc_word(target.core, target.counter);
  const std::uint64_t before = *word;

  std::vector<double> bare_ns, cpp_ns, any_ns, c_ns, cpp_ratio, any_ratio, c_ratio;
  for (int round = 0; round < kRounds; ++round) {
    bare_ns.push_back(nanoseconds_each([&] { bare(word); }));
    cpp_ns.push_back(nanoseconds_each([&] { through_cpp(handle.producer, target.core); }));
    any_ns.push_back(nanoseconds_each([&] { through_cpp_any(handle.producer, target); }));
    c_ns.push_back(nanoseconds_each([&] { through_c(&handle, target); }));
    cpp_ratio.push_back(cpp_ns.back() / bare_ns.back());
    any_ratio.push_back(any_ns.back() / bare_ns.back());
    c_ratio.push_back(c_ns.back() / bare_ns.back());
  }
  const std::uint64_t expected = std::uint64_t{4} * kRounds * kIncrements;
  if (*word - before != expected) {
    fmt::print(stderr, "bench_increment: counted {} increments, made {}\n", *word - before,
               expected);
    return 2;
  }

  const double ratio = median(cpp_ratio);
  fmt::print("ns lock_xadd {:.2f} increment {:.2f} nds_increment_nc_counter {:.2f}\n",
             median(bare_ns), median(cpp_ns), median(c_ns));
  fmt::print("ratio increment_vs_lock_xadd {:.3f} bound {:.1f} {}\n", ratio, kBound,
             ratio <= kBound ? "ok" : "short");
  fmt::print("ratio increment_any_vs_lock_xadd {:.3f}\n", median(any_ratio));
  fmt::print("ratio nds_increment_vs_lock_xadd {:.3f}\n", median(c_ratio));
  return no_system_call && ratio <= kBound ? 0 : 1;
}
