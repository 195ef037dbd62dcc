// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "host_trace.hpp"
#include "nrt/nlog.h"
#include "nrt/ntrace.h"
#include "rate_limit.hpp"

namespace ndtel::ntrace {
namespace {

constinit nlog::RateLimit limit;

void refuse_type(std::uint32_t type) noexcept {
  std::uint64_t left_out = 0;
  if (!limit.admit({__FILE__, __LINE__}, nlog::RateLimit::now_ns(), &left_out)) return;
  nlog_write("PROF", "ntrace", NRT_LOG_LEVEL_ERROR, true, false,
             "%u is no type of a record: it is left out, as were %llu before", type,
             static_cast<unsigned long long>(left_out));
}

}  // namespace

Result<std::size_t> parse_entries(const char* text) {
  if (text == nullptr) return kDefaultEntries;
  const std::string_view digits(text);
  std::size_t entries = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), entries, 10);
  if (error != std::errc() || end != digits.data() + digits.size() || entries == 0)
    return Error{EINVAL, fmt::format("NEURON_RT_TRACE_NUM_ENTRIES is '{:.64}': it has to be a "
                                     "number of records from 1 on",
                                     digits)};
  return entries;
}

Recorder::Recorder() noexcept {
  // Another thread of the parent may have held a lock at the fork, which nobody would give back.
  ::pthread_atfork(
      [] {
        get().control_.lock();
        get().lock_.lock();
      },
      [] {
        get().lock_.unlock();
        get().control_.unlock();
      },
      [] { get().start_over_in_child(); });
}

Recorder& Recorder::get() noexcept {
  // Never destroyed: threads may record until the process is gone.
  static Recorder& recorder = *new Recorder;
  return recorder;
}

void Recorder::start_over_in_child() noexcept {
  // What the parent recorded is for the parent to write.
  recording_.store(false, std::memory_order_relaxed);
  ring_.reset();
  lock_.unlock();
  control_.unlock();
}

Result<void> Recorder::start(std::size_t entries, bool trace_mem) {
  const std::lock_guard control(control_);
  if (recording_.load(std::memory_order_relaxed))
    return Error{EALREADY, "the trace was started already"};
  auto ring = Ring::make(entries);
  if (!ring) return Error{ENOMEM, fmt::format("there is no memory for {} records", entries)};
  if (ring_)
    nlog_write("PROF", "ntrace", NRT_LOG_LEVEL_WARN, true, false,
               "%zu records that could not be written are given up", ring_->size());
  const std::lock_guard hold(lock_);
  ring_.reset();
  ring_.emplace(std::move(*ring));
  trace_mem_ = trace_mem;
  recording_.store(true, std::memory_order_relaxed);
  return {};
}

Result<std::optional<Recorder::Written>> Recorder::stop(const std::string& path,
                                                        std::uint32_t arch) {
  const std::lock_guard control(control_);
  {
    const std::lock_guard hold(lock_);
    recording_.store(false, std::memory_order_relaxed);
  }
  // From here on nobody records: the ring is read without the lock that recording threads want.
  if (!ring_) return std::optional<Written>();
  auto writer = ntff::NtraceWriter::create(path, arch);
  if (!writer) return writer.error();
  for (std::size_t i = 0; i < ring_->size(); ++i) {
    const Slot& slot = (*ring_)[i];
    const auto ns = static_cast<std::uint64_t>(slot.when.tv_sec) * 1'000'000'000 +
                    static_cast<std::uint64_t>(slot.when.tv_nsec);
    const Result<void> added =
        writer->add({slot.type, ns, slot.data, slot.nd_idx, slot.nc_idx, slot.hint});
    if (!added) return added.error();
  }
  if (const Result<void> committed = writer->commit(); !committed) return committed.error();
  const Written written{ring_->size(), ring_->overwritten()};
  ring_.reset();
  return std::optional(written);
}

std::size_t Recorder::discard() noexcept {
  const std::lock_guard control(control_);
  const std::lock_guard hold(lock_);
  recording_.store(false, std::memory_order_relaxed);
  const std::size_t records = ring_ ? ring_->size() : 0;
  ring_.reset();
  return records;
}

void Recorder::record(std::uint32_t type, std::uint64_t data, std::uint32_t nd_idx,
                      std::uint32_t nc_idx, const char* hint) noexcept {
  if (!recording_.load(std::memory_order_relaxed)) return;
  if (type >= NTRACE_COUNT) return refuse_type(type);
  // Memory is allocated and freed outside of the lock.
  Slot slot{.type = type, .data = data, .nd_idx = nd_idx, .nc_idx = nc_idx};
  if (hint != nullptr && *hint != '\0') slot.hint = ::strdup(hint);
  char* surplus = slot.hint;
  {
    const std::lock_guard hold(lock_);
    const bool memory = type == NTRACE_MEM_ALLOC || type == NTRACE_MEM_FREE;
    if (recording_.load(std::memory_order_relaxed) && (trace_mem_ || !memory)) {
      // Under the lock, so that records are in the order of their times.
      ::clock_gettime(CLOCK_REALTIME, &slot.when);
      surplus = ring_->push(slot);
    }
  }
  std::free(surplus);
}

}  // namespace ndtel::ntrace
