// SPDX-License-Identifier: Apache-2.0
//
// How much more than reading the words does collecting them cost? Sixteen slabs of eight cores,
// once with every word grown a little since the last look and once with none; the two ways of
// reading take turns, and medians are compared.

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kmod/core/nmetric.h"

namespace {

constexpr unsigned kSlabs = NDS_SLABS_PER_DEVICE;
constexpr unsigned kCores = ND_MAX_NC_PER_DEVICE;
constexpr int kRounds = 4001;
constexpr double kBound = 3.0;

using Clock = std::chrono::steady_clock;

// Slabs as the kernel has them: whole pages, each aligned alike, so that they compete for the same
// cache sets.
u64* MapSlabs() {
  void* memory = mmap(nullptr, std::size_t{kSlabs} * NDS_SLAB_SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("bench_collect: cannot map memory for 16 slabs");
    std::exit(1);
  }
  return static_cast<u64*>(memory);
}

u64* Slab(u64* slabs, unsigned i) { return slabs + std::size_t{i} * (NDS_SLAB_SIZE / 8); }

void Grow(u64* slabs) {
  for (unsigned i = 0; i < kSlabs; i++)
    for (unsigned nc = 0; nc < kCores; nc++)
      for (const nmetric_counter_def& counter : nmetric_counters)
        Slab(slabs, i)[nds_nc_word(nc, counter.ds_id)] += 1 + counter.ds_id;
}

// The followed counters as constants, so that the sweep's offsets are constants too.
constexpr u8 kIds[NMETRIC_COUNTERS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 16,
                                       17, 18, 19, 20, 30, 31, 33, 34, 35, 36, 37, 38, 39};

void CheckIds() {
  for (unsigned i = 0; i < NMETRIC_COUNTERS; i++) {
    if (kIds[i] == nmetric_counters[i].ds_id) continue;
    std::fprintf(stderr, "bench_collect: counter %u of the engine is %u, not %u\n", i,
                 nmetric_counters[i].ds_id, kIds[i]);
    std::exit(1);
  }
}

template <unsigned first, unsigned end>
u64 SumBand(const u64* words) {
  u64 sum = 0;
#pragma GCC unroll 32
  for (unsigned i = first; i < end; i++) sum += READ_ONCE(words[kIds[i]]);
  return sum;
}

// The plain sweep: the same words, each read once, summed, as tightly as the engine's own loop.
__attribute__((noinline)) u64 Sweep(u64* slabs) {
  u64 sum = 0;
  for (unsigned i = 0; i < kSlabs; i++) {
    const u64* slab = Slab(slabs, i);
    for (unsigned nc = 0; nc < kCores; nc++) {
      sum += SumBand<0, NMETRIC_COUNTERS_BASE>(slab + nds_nc_word(nc, 0));
      sum += SumBand<NMETRIC_COUNTERS_BASE, NMETRIC_COUNTERS>(
          slab + nds_nc_word(nc, NDS_NC_COUNTER_BASE) - NDS_NC_COUNTER_BASE);
    }
  }
  return sum;
}

template <typename Work>
double Nanoseconds(Work&& work) {
  Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

double Median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Medians {
  double sweep;
  double collect;
  double Ratio() const { return collect / sweep; }
};

Medians Measure(u64* slabs, nmetric* engine, std::vector<nmetric_slab*>& followed, bool growing) {
  std::vector<double> sweeps, collects;
  volatile u64 sink = 0;
  for (int round = 0; round < kRounds; round++) {
    if (growing) Grow(slabs);
    sweeps.push_back(Nanoseconds([&] { sink = sink + Sweep(slabs); }));
    if (growing) Grow(slabs);
    collects.push_back(
        Nanoseconds([&] { nmetric_collect_all(engine, followed.data(), followed.size()); }));
  }
  return {Median(sweeps), Median(collects)};
}

}  // namespace

int main() {
  CheckIds();
  u64* slabs = MapSlabs();
  static nmetric engine;
  nmetric_init(&engine, kCores, (1U << kCores) - 1, 0);
  std::vector<nmetric_slab> books(kSlabs);
  std::vector<nmetric_slab*> followed;
  for (unsigned i = 0; i < kSlabs; i++) {
    nmetric_slab_init(&books[i], Slab(slabs, i));
    followed.push_back(&books[i]);
  }

  Grow(slabs);
  Medians growing = Measure(slabs, &engine, followed, true);
  Medians still = Measure(slabs, &engine, followed, false);
  const unsigned words = kSlabs * kCores * NMETRIC_COUNTERS;
  std::printf("%u words, every one grown: sweep %.0f ns, collect %.0f ns\n", words, growing.sweep,
              growing.collect);
  std::printf("%u words, none grown:      sweep %.0f ns, collect %.0f ns\n", words, still.sweep,
              still.collect);
  double worse = std::max(growing.Ratio(), still.Ratio());
  std::printf("ratio collect_vs_sweep %.2f bound %.1f %s\n", worse, kBound,
              worse <= kBound ? "ok" : "short");
  return 0;
}
