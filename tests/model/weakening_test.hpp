// SPDX-License-Identifier: Apache-2.0
//
// Weakens every operation of a source file in turn and has models look for what breaks.
#ifndef NDTEL_TESTS_MODEL_WEAKENING_TEST_HPP
#define NDTEL_TESTS_MODEL_WEAKENING_TEST_HPP

#include <map>
#include <string>
#include <vector>

#include "explorer.hpp"
#include "weakening.hpp"

namespace ndtel::model {

using Scenario = Outcome (*)();

/// What nobody notices, by Weakening::describe(), with the reason why that is right.
using Unobservable = std::map<std::string, std::string>;

/// Expects that all `scenarios` pass as the source is, and that one of them fails for each
/// weakening of an operation in a file whose name ends with one of `files`, those in `unobservable`
/// excepted: they must exist, and all scenarios must pass with them.
void expect_weakenings_caught(const std::vector<Scenario>& scenarios,
                              const std::vector<std::string>& files,
                              const Unobservable& unobservable);

}  // namespace ndtel::model

#endif  // NDTEL_TESTS_MODEL_WEAKENING_TEST_HPP
