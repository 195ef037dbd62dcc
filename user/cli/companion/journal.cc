// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

namespace ndtel::cli {

void Journal::print(const std::string& subject, const std::string& line, bool complaint) {
  last_[subject] = {line, complaint, now_()};
  out_(subject.empty() ? line : subject + ": " + line);
}

void Journal::say(const std::string& subject, const std::string& line) {
  const std::lock_guard lock(mutex_);
  const auto last = last_.find(subject);
  if (last != last_.end() && last->second.line == line) return;
  print(subject, line, false);
}

void Journal::complain(const std::string& subject, const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (const auto last = last_.find(subject); last != last_.end() && last->second.complaint) {
    const auto since = now_() - last->second.when;
    if (since < (last->second.line == line ? kRepeat : kShortest)) return;
  }
  print(subject, line, true);
}

}  // namespace ndtel::cli
