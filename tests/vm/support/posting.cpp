// SPDX-License-Identifier: Apache-2.0
#include "support/posting.hpp"

#include <ndtel/cw.h>

#include <ctime>
#include <stdexcept>

#include "support/eventually.hpp"

namespace ndtel::vm {

std::vector<std::string> Post::texts(unsigned id) const {
  std::vector<std::string> found;
  for (const auto& record : records) {
    if (record.id == id) found.push_back(record.value);
  }
  return found;
}

std::size_t Post::bytes() const {
  std::size_t total = 0;
  for (const auto& record : records) total += NMETRIC_RECORD_HEADER + record.length;
  return total;
}

std::vector<Post> posts_of(const std::vector<PostEvent>& events, unsigned device) {
  std::vector<Post> posts;
  for (const auto& event : events) {
    if (!event.located || event.device != device) continue;
    if (posts.empty() || posts.back().tick != event.tick) {
      posts.push_back({.tick = event.tick, .time_s = event.time_s, .records = {}});
    }
    posts.back().records.push_back(event);
  }
  return posts;
}

std::vector<std::string> texts_of(const std::vector<Post>& posts, unsigned id) {
  std::vector<std::string> found;
  for (const auto& post : posts) {
    for (const auto& text : post.texts(id)) found.push_back(text);
  }
  return found;
}

std::uint64_t sum_of(const std::vector<Post>& posts, unsigned id) {
  std::uint64_t total = 0;
  for (const auto& text : texts_of(posts, id)) total += std::stoull(text);
  return total;
}

double monotonic_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Posting::Posting(const Module& module, Trace& trace, int device)
    : module_(module),
      trace_(trace),
      device_(static_cast<unsigned>(device)),
      debugfs_(device, module.name()),
      thread_(device) {}

void Posting::start(std::chrono::milliseconds period) const {
  const auto text = std::to_string(period.count());
  if (module_.set_parameter("nmetric_metric_post_delay", text) != 0) {
    throw std::runtime_error("the module does not take a period of " + text + " ms");
  }
}

void Posting::stop() const {
  start(kLongPeriod);
  // A thread that sleeps now looks at the period before it posts again. A post takes the lock twice
  // for the tick, so after an odd number of times one is on its way.
  const auto idle = [&] { return thread_.asleep() && debugfs_.locks()["tick"].count % 2 == 0; };
  if (!eventually(idle)) throw std::runtime_error("the metrics thread does not come to rest");
}

std::vector<Post> Posting::run(unsigned posts) {
  trace_.clear();
  start();
  const bool came = trace_.read_until(
      [&](const auto& events) { return posts_of(events, device_).size() >= posts; });
  stop();
  auto all = posts_of(trace_.read(), device_);
  if (!came || trace_.lost() != 0) throw std::runtime_error("posts do not arrive");
  next_tick_ = 1 - all.back().tick;
  return all;
}

void Posting::align(unsigned tick) {
  while (next_tick_ != tick) run(1);
}

}  // namespace ndtel::vm
