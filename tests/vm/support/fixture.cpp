// SPDX-License-Identifier: Apache-2.0
#include "support/fixture.hpp"

#include <ndtel/abi.h>

#include "support/child.hpp"
#include "support/eventually.hpp"

namespace ndtel::vm {

void ModuleTest::SetUp() {
  become_subreaper();
  // An earlier test that failed may have left the module in use, and may be done with it now.
  if (Module::loaded()) Module::try_unload();
  module_.emplace(parameters_);
}

void ModuleTest::TearDown() {
  if (!module_) return;
  EXPECT_TRUE(no_slabs_left());
  EXPECT_TRUE(books_balance());
  int result = 0;
  // A descriptor's last reference may still be on its way out of a dying process.
  eventually([&] { return (result = module_->unload()) == 0; });
  EXPECT_EQ(result, 0) << "the module is still in use";
}

::testing::AssertionResult ModuleTest::no_slabs_left() {
  if (eventually([] { return Debugfs::slabs_alive() == 0; })) return ::testing::AssertionSuccess();
  auto failure = ::testing::AssertionFailure();
  failure << Debugfs::slabs_alive() << " slabs are alive:";
  for (int device = 0; device < ND_MAX_DEVICES; ++device) {
    for (const auto& row : Debugfs(device).slabs()) failure << "\n  " << row;
  }
  return failure;
}

::testing::AssertionResult ModuleTest::books_balance() {
  for (int device = 0; device < ND_MAX_DEVICES; ++device) {
    for (const auto& row : Debugfs(device).books()) {
      if (!row.conserved()) {
        return ::testing::AssertionFailure() << "device " << device << ": " << row;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace ndtel::vm
