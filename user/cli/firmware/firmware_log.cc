// SPDX-License-Identifier: Apache-2.0
#include "firmware_log.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "../failure.hpp"
#include "../trace/post_json.hpp"

extern "C" {
#include "kmod/core/nmetric_record.h"
}

namespace ndtel::cli {
namespace {

constexpr std::string_view kPostsHeader = "index at_ns size data";

bool parse_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<std::vector<std::uint8_t>> parse_bytes(std::string_view hex) {
  std::vector<std::uint8_t> bytes;
  if (hex.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    std::uint8_t byte = 0;
    const auto [end, error] = std::from_chars(&hex[i], &hex[i] + 2, byte, 16);
    if (error != std::errc() || end != &hex[i] + 2) return std::nullopt;
    bytes.push_back(byte);
  }
  return bytes;
}

void decode(const std::vector<std::uint8_t>& bytes, FirmwarePost& post) {
  std::size_t pos = 0;
  nmetric_view view{};
  int more;
  while ((more = nmetric_next(bytes.data(), bytes.size(), &pos, &view)) > 0) {
    post.records.push_back(
        {view.id, std::string(reinterpret_cast<const char*>(view.text), view.len)});
  }
  post.whole = more == 0;
}

std::optional<FirmwarePost> parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string index, at, size, data, rest;
  words >> index >> at >> size >> data;
  FirmwarePost post;
  if (words >> rest || !parse_number(index, post.index) || !parse_number(at, post.time_ns) ||
      !parse_number(size, post.size)) {
    return std::nullopt;
  }
  const auto bytes = parse_bytes(data);
  if (!bytes || bytes->size() != post.size) return std::nullopt;
  decode(*bytes, post);
  return post;
}

}  // namespace

std::vector<FirmwarePost> parse_firmware_posts(const std::string& text, const std::string& where) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kPostsHeader) {
    throw Failure(Exit::kFailed,
                  fmt::format("{}: line 1 is not '{}'; the module does not match this tool", where,
                              kPostsHeader));
  }
  std::vector<FirmwarePost> posts;
  for (int number = 2; std::getline(lines, line); ++number) {
    auto post = parse_line(line);
    if (!post) {
      throw Failure(Exit::kFailed,
                    fmt::format("{}: line {} cannot be parsed: '{}'", where, number, line));
    }
    posts.push_back(std::move(*post));
  }
  return posts;
}

std::string firmware_post_text(const std::string& device, const FirmwarePost& post) {
  std::string text = fmt::format("[{:>12.6f}] {} post {}", static_cast<double>(post.time_ns) / 1e9,
                                 device, post.index);
  for (const PostRecord& record : post.records) {
    text += fmt::format("  {}={}", metric_name(record.id), record.value);
  }
  if (!post.whole) text += "  (the rest is no record)";
  return text;
}

std::string firmware_post_json(const std::string& device, const FirmwarePost& post) {
  using Json = nlohmann::ordered_json;
  Json j{{"device", device},  {"index", post.index}, {"time_ns", post.time_ns},
         {"size", post.size}, {"whole", post.whole}, {"records", Json::array()}};
  for (const PostRecord& record : post.records) {
    j["records"].push_back(
        {{"id", record.id}, {"name", metric_name(record.id)}, {"value", record.value}});
  }
  // The text comes from outside.
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ndtel::cli
