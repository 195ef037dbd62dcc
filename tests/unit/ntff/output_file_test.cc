// SPDX-License-Identifier: Apache-2.0
#include "output_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "files.hpp"
#include "full_disk.hpp"

namespace ndtel::ntff {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(OutputFile, HasItsNameOnlyWhenItIsWhole) {
  test::TemporaryDirectory directory;
  auto file = OutputFile::create(directory / "a.pb");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write(bytes_of("hello ")));
  ASSERT_TRUE(file->write(bytes_of("world")));
  EXPECT_EQ(file->size(), 11u);
  EXPECT_EQ(directory.list(),
            std::vector<std::string>{".a.pb." + std::to_string(::getpid()) + ".part"});
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(directory.list(), std::vector<std::string>{"a.pb"});
  EXPECT_EQ(test::read_file(directory / "a.pb"), "hello world");
}

TEST(OutputFile, LeavesNothingWhenItIsGivenUp) {
  test::TemporaryDirectory directory;
  {
    auto file = OutputFile::create(directory / "a.pb");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(bytes_of("half")));
    OutputFile moved = std::move(*file);
    EXPECT_EQ(directory.list().size(), 1u);
  }
  EXPECT_TRUE(directory.list().empty());
}

TEST(OutputFile, TakesThePlaceOfAnOlderFile) {
  test::TemporaryDirectory directory;
  for (const std::string text : {"older and longer", "new"}) {
    auto file = OutputFile::create(directory / "a.pb");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(bytes_of(text)));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(test::read_file(directory / "a.pb"), text);
  }
}

TEST(OutputFile, IsAsLongAsBeforeWhenThereIsNoRoom) {
  test::TemporaryDirectory directory;
  auto file = OutputFile::create(directory / "a.pb");
  ASSERT_TRUE(file);
  {
    const test::FullDisk full(10);
    ASSERT_TRUE(file->write(bytes_of("123456")));
    const auto refused = file->write(bytes_of("7890ab"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, EFBIG);
    EXPECT_NE(refused.error().message.find(directory / "a.pb"), std::string::npos);
    EXPECT_EQ(file->size(), 6u);
    EXPECT_EQ(test::read_file(directory / directory.list().at(0)), "123456");
    ASSERT_TRUE(file->write(bytes_of("7890")));
  }
  ASSERT_TRUE(file->write(bytes_of("ab")));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(test::read_file(directory / "a.pb"), "1234567890ab");
}

TEST(OutputFile, SaysWhatCannotBeCreated) {
  test::TemporaryDirectory directory;
  const auto file = OutputFile::create(directory / "none/a.pb");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ENOENT);
  EXPECT_NE(file.error().message.find("none/a.pb"), std::string::npos);
}

TEST(OutputFile, LeavesNothingWhenItsDirectoryIsGone) {
  test::TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "sub");
  auto file = OutputFile::create(directory / "sub/a.pb");
  ASSERT_TRUE(file);
  std::filesystem::remove_all(directory / "sub");
  ASSERT_TRUE(file->write(bytes_of("text")));
  const auto committed = file->commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ENOENT);
}

TEST(OutputFile, IsNotRemovedByAChild) {
  test::TemporaryDirectory directory;
  auto file = OutputFile::create(directory / "a.pb");
  ASSERT_TRUE(file);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    { const OutputFile gone = std::move(*file); }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(file->write(bytes_of("text")));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(test::read_file(directory / "a.pb"), "text");
}

}  // namespace
}  // namespace ndtel::ntff
