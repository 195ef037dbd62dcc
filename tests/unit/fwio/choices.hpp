// SPDX-License-Identifier: Apache-2.0
//
// Every way a program can go that asks what to do next: run it once for each, depth first.
#ifndef NDTEL_TESTS_UNIT_FWIO_CHOICES_HPP
#define NDTEL_TESTS_UNIT_FWIO_CHOICES_HPP

#include <cstddef>
#include <string>
#include <vector>

namespace ndtel::test {

// The first answer to a question is the usual one. All combinations with at most `budget` answers
// that are not are tried.
class Choices {
 public:
  explicit Choices(int budget) : budget_(budget) {}

  // 0 to n - 1.
  int Pick(int n) {
    if (at_ == path_.size()) path_.push_back({0, spent_ < budget_ ? n : 1});
    const int chosen = path_[at_++].chosen;
    spent_ += chosen != 0;
    return chosen;
  }

  // Moves on to the next way; false when there is none.
  bool Next() {
    at_ = 0;
    spent_ = 0;
    while (!path_.empty() && path_.back().chosen + 1 >= path_.back().n) path_.pop_back();
    if (path_.empty()) return false;
    path_.back().chosen++;
    return true;
  }

  // To tell which way it was.
  std::string Text() const {
    std::string text;
    for (const Choice& choice : path_) text += std::to_string(choice.chosen);
    return text;
  }

 private:
  struct Choice {
    int chosen;
    int n;
  };

  const int budget_;
  std::vector<Choice> path_;
  std::size_t at_ = 0;
  int spent_ = 0;
};

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_UNIT_FWIO_CHOICES_HPP
