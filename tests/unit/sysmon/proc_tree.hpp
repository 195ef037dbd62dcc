// SPDX-License-Identifier: Apache-2.0
//
// A /proc of a test's own.
#ifndef NDTEL_TESTS_UNIT_SYSMON_PROC_TREE_HPP
#define NDTEL_TESTS_UNIT_SYSMON_PROC_TREE_HPP

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ndtel::sysmon::test {

class ProcTree {
 public:
  ProcTree() {
    std::string name = (std::filesystem::temp_directory_path() / "sysmonXXXXXX").string();
    root_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(root_ / "self");
  }
  ~ProcTree() { std::filesystem::remove_all(root_); }
  ProcTree(const ProcTree&) = delete;
  ProcTree& operator=(const ProcTree&) = delete;

  /// Replaces a file in one step: a sampler sees the old text or the new one.
  void write(const char* file, const std::string& text) {
    std::ofstream(root_ / "new") << text;
    std::filesystem::rename(root_ / "new", root_ / file);
  }
  void remove(const char* file) { std::filesystem::remove(root_ / file); }

  std::string path() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

}  // namespace ndtel::sysmon::test

#endif  // NDTEL_TESTS_UNIT_SYSMON_PROC_TREE_HPP
