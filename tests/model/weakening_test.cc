// SPDX-License-Identifier: Apache-2.0
#include "weakening_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>

namespace ndtel::model {

void expect_weakenings_caught(const std::vector<Scenario>& scenarios,
                              const std::vector<std::string>& files,
                              const Unobservable& unobservable) {
  record_operations(true);
  std::uint64_t states = 0;
  for (const Scenario scenario : scenarios) {
    const Outcome outcome = scenario();
    EXPECT_TRUE(outcome.passed()) << outcome.trace;
    states += outcome.states;
  }
  record_operations(false);

  std::set<std::string> passed, met;
  unsigned tried = 0;
  for (const Weakening& each : recorded_weakenings()) {
    const auto file =
        std::ranges::find_if(files, [&](const auto& name) { return each.file.ends_with(name); });
    if (file == files.end()) continue;
    met.insert(*file);
    ++tried;
    weaken(each);
    std::string failure;
    for (std::size_t i = 0; i < scenarios.size() && failure.empty(); ++i) {
      const Outcome outcome = scenarios[i]();
      states += outcome.states;
      failure = outcome.failure;
      EXPECT_TRUE(outcome.complete || !failure.empty()) << each.describe() << ": cut short";
    }
    weaken(std::nullopt);
    const std::string text = each.describe();
    std::cout << text << "\n    " << (failure.empty() ? "nobody notices" : failure) << '\n';
    if (failure.empty()) {
      passed.insert(text);
      EXPECT_TRUE(unobservable.contains(text)) << "nobody notices: " << text;
    }
  }
  // Code moves; a file without operations is one that lost them to another.
  for (const std::string& file : files) EXPECT_TRUE(met.contains(file)) << "nothing in " << file;
  for (const auto& [text, reason] : unobservable) {
    EXPECT_TRUE(passed.contains(text)) << "listed, but noticed or not there: " << text;
  }
  std::cout << tried << " weakenings, " << states << " states\n";
}

}  // namespace ndtel::model
