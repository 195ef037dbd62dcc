// SPDX-License-Identifier: Apache-2.0
#include "post_stream.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "../clock.hpp"
#include "../failure.hpp"

namespace ndtel::cli {
namespace {

constexpr std::uint64_t kPatienceNs = 1'000'000'000;
// The kernel may hold a reader back until its buffer is partly full; look ourselves at least this
// often.
constexpr int kLookMs = 50;

}  // namespace

PostStream::PostStream(const std::vector<std::string>& systems)
    : instance_(find_tracefs()), sequence_(kPatienceNs) {
  for (const std::string& system : systems) {
    // Only our module has the richer event; the vendor's has the reference's.
    for (const char* event : {"metrics_post_nd", "metrics_post"}) {
      if (!instance_.has_event(system, event)) continue;
      decoder_.learn(system, instance_.format(system, event));
      instance_.enable(system, event);
      enabled_.emplace_back(system, event);
      sources_.push_back(fmt::format("{}:{}", system, event));
      break;
    }
  }
  if (sources_.empty()) {
    throw Failure(Exit::kMissing,
                  fmt::format("no trace event of posts in the systems {}; load the module "
                              "('modprobe ndtel'), with bit 1 of nmetric_log_posts set",
                              fmt::join(systems, ", ")));
  }
}

PostStream::Batch PostStream::read(int timeout_ms) {
  const std::uint64_t deadline =
      monotonic_ns() + static_cast<std::uint64_t>(timeout_ms) * 1'000'000;
  for (;;) {
    Batch batch = take();
    const std::uint64_t now = monotonic_ns();
    if (!batch.posts.empty() || !batch.losses.empty() || now >= deadline) return batch;
    std::vector<pollfd> waits;
    for (const int fd : instance_.buffers()) waits.push_back({fd, POLLIN, 0});
    const auto left = static_cast<int>((deadline - now) / 1'000'000);
    if (poll(waits.data(), waits.size(), std::min(left, kLookMs)) < 0) return batch;
  }
}

PostStream::Batch PostStream::finish() {
  for (const auto& [system, event] : enabled_) instance_.disable(system, event);
  Batch batch = take();
  report(sequence_.take_all(), batch);
  return batch;
}

PostStream::Batch PostStream::take() {
  Batch batch;
  std::array<std::byte, 65536> page;  // no kernel has larger sub-buffers unless asked to
  for (std::size_t cpu = 0; cpu < instance_.buffers().size(); ++cpu) {
    for (;;) {
      const ssize_t got = ::read(instance_.buffers()[cpu], page.data(), page.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno != EAGAIN) {
        throw Failure(Exit::kFailed, fmt::format("cannot read the trace buffer of CPU {}: {}", cpu,
                                                 std::strerror(errno)));
      }
      if (got <= 0) break;
      const auto lost = page_.walk({page.data(), static_cast<std::size_t>(got)},
                                   [&](std::uint64_t time, std::span<const std::byte> record) {
                                     if (auto post = decoder_.decode(time, record)) {
                                       batch.posts.push_back(std::move(*post));
                                     }
                                   });
      if (lost) {
        batch.lost += std::max<std::uint64_t>(lost.events, 1);
        batch.losses.push_back(
            lost.uncounted
                ? fmt::format("the trace buffer of CPU {} was overrun; events were lost", cpu)
                : fmt::format("the trace buffer of CPU {} was overrun; {} events were lost", cpu,
                              lost.events));
      }
    }
  }
  std::stable_sort(batch.posts.begin(), batch.posts.end(),
                   [](const PostEvent& a, const PostEvent& b) { return a.time_ns < b.time_ns; });
  const std::uint64_t now = monotonic_ns();
  for (const PostEvent& post : batch.posts) {
    if (post.seq && post.device) sequence_.note(post.space, *post.device, *post.seq, now);
  }
  report(sequence_.take_overdue(now), batch);
  return batch;
}

void PostStream::report(const std::vector<SequenceTracker::Gap>& gaps, Batch& into) {
  for (const auto& gap : gaps) {
    into.lost += gap.count;
    into.losses.push_back(fmt::format("{} events of {}{} from number {} on never arrived",
                                      gap.count, gap.space, gap.device, gap.first));
  }
}

}  // namespace ndtel::cli
