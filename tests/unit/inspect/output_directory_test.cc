// SPDX-License-Identifier: Apache-2.0
//
// Directories that are made and unmade, and the name of the machine in them.
#include "output_directory.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "instance.hpp"
#include "scene.hpp"

namespace ndtel::inspect::test {
namespace {

using Names = std::vector<std::string>;

class Directory : public Scene {
 protected:
  std::string path(const char* name) const { return here_ / name; }
};

TEST_F(Directory, BasesAreResolved) {
  EXPECT_EQ(*resolve_base(""), path("output"));
  EXPECT_EQ(*resolve_base("."), here_);
  EXPECT_EQ(*resolve_base("./x//y/../z/"), path("x/z"));
  EXPECT_EQ(*resolve_base("/tmp/x"), "/tmp/x");
  EXPECT_EQ(*resolve_base("tmpx"), path("tmpx"));
  EXPECT_EQ(*resolve_base("/"), "/");
}

TEST_F(Directory, ReservedOnesAreRefused) {
  for (const char* reserved : {"/dev/null", "/dev//null", "/tmp", "/tmp/", "//tmp", "tmp", "./tmp",
                               "tmp/", "./tmp/.", "/dev/../tmp"}) {
    const auto base = resolve_base(reserved);
    ASSERT_FALSE(base) << reserved;
    EXPECT_EQ(base.error().code, EINVAL) << reserved;
    EXPECT_TRUE(base.error().message.starts_with(std::string(reserved) + ":"))
        << base.error().message;
  }
  EXPECT_FALSE(resolve_base(path("tmp")));
}

TEST_F(Directory, WhatIsNotKeptIsRemovedAgain) {
  fs::create_directory("a");
  {
    auto directory = OutputDirectory::make(path("a/b"), "c", 1, true);
    ASSERT_TRUE(directory);
    EXPECT_EQ(directory->path(), path("a/b/c/1"));
    EXPECT_EQ(everything(), (Names{"a", "a/b", "a/b/c", "a/b/c/1"}));
  }
  EXPECT_EQ(everything(), Names{"a"});
  {
    auto directory = OutputDirectory::make(path("a/b"), "c", 1, false);
    ASSERT_TRUE(directory);
    EXPECT_EQ(directory->path(), path("a/b/c"));
    // Of somebody else, who came meanwhile.
    fs::create_directory("a/b/d");
  }
  EXPECT_EQ(everything(), (Names{"a", "a/b", "a/b/d"}));
  {
    auto directory = OutputDirectory::make(path("a/b"), "c", 1, false);
    ASSERT_TRUE(directory);
    directory->keep();
    fs::remove_all("a");
    directory->restore();
  }
  EXPECT_EQ(everything(), (Names{"a", "a/b", "a/b/c"}));
}

TEST_F(Directory, TraceFilesThatAreThereStayAlone) {
  fs::create_directories("a/c");
  std::ofstream("a/c/ntrace.pb") << "x";
  const auto directory = OutputDirectory::make(path("a"), "c", 7, false);
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->path(), path("a/c/7"));
}

TEST_F(Directory, WhatCannotBeMadeIsNamed) {
  std::ofstream("file") << "x";
  const auto directory = OutputDirectory::make(path("file/deeper"), "c", 7, false);
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, ENOTDIR);
  EXPECT_TRUE(directory.error().message.starts_with(path("file/deeper") + ":") ||
              directory.error().message.starts_with(path("file") + ":"))
      << directory.error().message;
  EXPECT_EQ(everything(), Names{"file"});
  // Root may write anywhere, but not there.
  EXPECT_FALSE(OutputDirectory::make("/proc", "c", 7, false));
}

TEST_F(Directory, TheInstanceIsTheAssetTagOfTheBoard) {
  const auto id = [&](const std::string& tag) {
    std::ofstream("board_asset_tag") << tag;
    std::ofstream("product_name") << "trn2.48xlarge\n";
    const Instance instance = this_instance(here_.c_str());
    EXPECT_EQ(instance.type, instance.id == "localhost" ? "" : "trn2.48xlarge");
    EXPECT_FALSE(instance.hostname.empty());
    return instance.id;
  };
  EXPECT_EQ(id("i-0123456789abcdef0\n"), "i-0123456789abcdef0");
  EXPECT_EQ(id("i-0123456789abcdef0"), "i-0123456789abcdef0");
  for (const std::string& no_instance :
       {std::string(), std::string("Default string"), std::string("i-"), std::string("i-../../x"),
        std::string("I-0123"), "i-" + std::string(100, 'a')})
    EXPECT_EQ(id(no_instance), "localhost") << no_instance;
  EXPECT_EQ(this_instance("/nowhere").id, "localhost");
  EXPECT_EQ(process_directory({"i-1", "", ""}, 5), "i-1_pid_5");
}

}  // namespace
}  // namespace ndtel::inspect::test
