// SPDX-License-Identifier: Apache-2.0
#include "audit/books.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "failure.hpp"

namespace ndtel::cli {
namespace {

namespace fs = std::filesystem;

const std::string kHeader =
    "sink row cw name incremented confirmed pending unknown implausible overflow removed\n";

TEST(Books, ParsesLines) {
  const auto books = parse_books(kHeader +
                                     "trace 6 200 NERR_OK 100 75 25 3 0 0 0\n"
                                     "fwio 33 90 NC_UTILIZATION 18446744073709551615 1 2 3 4 5 6\n",
                                 "here");
  ASSERT_EQ(books.size(), 2U);
  EXPECT_EQ(books[0], (BookLine{"trace", 6, 200, "NERR_OK", 100, 75, 25, 3, 0, 0, 0}));
  EXPECT_EQ(books[1].incremented, UINT64_MAX);
  EXPECT_EQ(books[1].removed, 6U);
  EXPECT_TRUE(parse_books(kHeader, "here").empty());
}

TEST(Books, NamesWhatItCannotParse) {
  EXPECT_THROW(parse_books("", "here"), Failure);
  EXPECT_THROW(parse_books("sink row\n", "here"), Failure);
  for (const char* bad :
       {"trace 6 200 NERR_OK 100 75 25 3 0 0\n", "trace 6 200 NERR_OK 100 75 25 3 0 0 0 0\n",
        "trace 6 200 NERR_OK 100 -75 25 3 0 0 0\n", "trace 6 200 NERR_OK 100 7x 25 3 0 0 0\n",
        "trace 6 200 NERR_OK 18446744073709551616 0 0 0 0 0 0\n", "\n"}) {
    try {
      parse_books(kHeader + bad, "pending of ndtel0");
      FAIL() << bad;
    } catch (const Failure& e) {
      EXPECT_NE(std::string(e.what()).find("pending of ndtel0: line 2"), std::string::npos);
    }
  }
}

TEST(Books, ParsesDeviceNames) {
  EXPECT_EQ(parse_device_key("ndtel12", "x"), (DeviceKey{"ndtel", 12}));
  EXPECT_EQ(parse_device_key("neuron0", "x").name(), "neuron0");
  for (const char* bad : {"", "ndtel", "12", "ndtel99999999999"}) {
    EXPECT_THROW(parse_device_key(bad, "x"), Failure) << bad;
  }
}

TEST(Books, ReadsDebugfsAndCopies) {
  const fs::path dir = testing::TempDir() + "books." + std::to_string(getpid());
  fs::create_directories(dir / "ndtel0");
  std::ofstream(dir / "ndtel0" / "pending") << kHeader << "trace 6 200 NERR_OK 1 1 0 0 0 0 0\n";
  std::ofstream(dir / "ndtel1.pending") << kHeader << "trace 6 200 NERR_OK 2 2 0 0 0 0 0\n";
  std::ofstream(dir / "slabs_alive") << "0\n";
  const Books books = read_books(dir);
  EXPECT_EQ(books.size(), 2U);
  EXPECT_EQ(books.at({"ndtel", 0})[0].incremented, 1U);
  EXPECT_EQ(books.at({"ndtel", 1})[0].incremented, 2U);
  fs::remove_all(dir);
  EXPECT_THROW(read_books(dir), Failure);
  fs::create_directories(dir);
  EXPECT_THROW(read_books(dir), Failure);
  fs::remove_all(dir);
}

TEST(Received, ParsesSumsById) {
  const auto received = parse_received("cw name sum\n200 NERR_OK 30\n229 X 5\n", "file");
  EXPECT_EQ(received, (Received{{200, 30}, {229, 5}}));
  EXPECT_TRUE(parse_received("cw name sum\n", "file").empty());
}

TEST(Received, BadTextIsRefusedWithItsPlace) {
  EXPECT_THROW(parse_received("", "file"), Failure);
  EXPECT_THROW(parse_received("200 NERR_OK 30\n", "file"), Failure);
  EXPECT_THROW(parse_received("cw name sum\n200 NERR_OK\n", "file"), Failure);
  EXPECT_THROW(parse_received("cw name sum\n200 NERR_OK x\n", "file"), Failure);
}

}  // namespace
}  // namespace ndtel::cli
