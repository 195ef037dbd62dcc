// SPDX-License-Identifier: Apache-2.0
#include "books.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../failure.hpp"

namespace ndtel::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kBooksHeader =
    "sink row cw name incremented confirmed pending unknown implausible overflow removed";

constexpr std::string_view kReceivedHeader = "cw name sum";

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) {
    throw Failure(Exit::kMissing, fmt::format("cannot read {}: {}", file, std::strerror(errno)));
  }
  return text.str();
}

/// Files of devices below a directory, with the device's name: DEVICE/`live` as debugfs has them,
/// or DEVICE`suffix` as copies are named.
std::vector<std::pair<std::string, std::string>> device_files(const std::string& dir,
                                                              const std::string& live,
                                                              const std::string& suffix) {
  std::vector<std::pair<std::string, std::string>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    std::error_code none;
    if (entry.is_directory(none) && fs::exists(entry.path() / live, none)) {
      files.emplace_back(entry.path().filename(), entry.path() / live);
    } else if (entry.path().extension() == suffix) {
      files.emplace_back(entry.path().stem(), entry.path());
    }
  }
  if (error) {
    throw Failure(
        Exit::kMissing,
        fmt::format("cannot read {}: {}; the live books are in /sys/kernel/debug/ndtel, for root, "
                    "while the module is loaded and debugfs is mounted",
                    dir, error.message()));
  }
  return files;
}

}  // namespace

DeviceKey parse_device_key(std::string_view text, const std::string& where) {
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  DeviceKey key{std::string(text.substr(0, digits)), 0};
  if (digits == 0 || !parse_number(text.substr(digits), key.index)) {
    throw Failure(Exit::kUsage,
                  fmt::format("{}: '{}' is not a device name like ndtel0", where, text));
  }
  return key;
}

std::vector<BookLine> parse_books(const std::string& text, const std::string& where) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kBooksHeader) {
    throw Failure(Exit::kFailed,
                  fmt::format("{}: line 1 is not '{}'; the module does not match this tool", where,
                              kBooksHeader));
  }
  std::vector<BookLine> books;
  for (int number = 2; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::vector<std::string> word;
    for (std::string w; words >> w;) word.push_back(w);
    BookLine b;
    bool good = word.size() == 11;
    if (good) {
      b.sink = word[0];
      b.name = word[3];
      good = parse_number(word[1], b.row) && parse_number(word[2], b.cw);
      std::uint64_t* const amounts[] = {&b.incremented, &b.confirmed, &b.pending, &b.unknown,
                                        &b.implausible, &b.overflow,  &b.removed};
      for (std::size_t i = 0; i < std::size(amounts); ++i) {
        good = good && parse_number(word[4 + i], *amounts[i]);
      }
    }
    if (!good)
      throw Failure(Exit::kFailed,
                    fmt::format("{}: line {} cannot be parsed: '{}'", where, number, line));
    books.push_back(b);
  }
  return books;
}

Books read_books(const std::string& dir) {
  Books books;
  for (const auto& [device, file] : device_files(dir, "pending", ".pending")) {
    books[parse_device_key(device, file)] = parse_books(text_of(file), file);
  }
  if (books.empty()) {
    throw Failure(Exit::kMissing,
                  fmt::format("{} holds no books: neither DEVICE/pending nor DEVICE.pending", dir));
  }
  return books;
}

Received parse_received(const std::string& text, const std::string& where) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kReceivedHeader) {
    throw Failure(Exit::kFailed, fmt::format("{}: line 1 is not '{}'; the module does not match "
                                             "this tool",
                                             where, kReceivedHeader));
  }
  Received received;
  for (int number = 2; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string cw, name, sum;
    std::uint32_t id = 0;
    words >> cw >> name >> sum;
    if (!parse_number(cw, id) || !parse_number(sum, received[id])) {
      throw Failure(Exit::kFailed,
                    fmt::format("{}: line {} cannot be parsed: '{}'", where, number, line));
    }
  }
  return received;
}

std::map<DeviceKey, Received> read_received(const std::string& dir) {
  std::map<DeviceKey, Received> all;
  for (const auto& [device, file] : device_files(dir, "firmware/received", ".received")) {
    all[parse_device_key(device, file)] = parse_received(text_of(file), file);
  }
  if (all.empty()) {
    throw Failure(Exit::kMissing, fmt::format("{} holds no record of a simulated firmware: neither "
                                              "DEVICE/firmware/received nor DEVICE.received",
                                              dir));
  }
  return all;
}

}  // namespace ndtel::cli
