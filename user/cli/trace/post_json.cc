// SPDX-License-Identifier: Apache-2.0
#include "post_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "../failure.hpp"

extern "C" {
#include "kmod/core/nmetric_defs.h"
}

namespace ndtel::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSinks[] = {"fwio", "trace", "relay"};
constexpr std::string_view kResults[] = {"accepted", "refused", "unknown"};

template <std::size_t N>
std::string name_of(const std::string_view (&names)[N], std::uint8_t n) {
  return n < N ? std::string(names[n]) : std::to_string(n);
}

template <std::size_t N>
std::uint8_t number_of(const std::string_view (&names)[N], const std::string& text) {
  for (std::size_t n = 0; n < N; ++n) {
    if (names[n] == text) return static_cast<std::uint8_t>(n);
  }
  const int n = std::stoi(text);
  if (n < 0 || n > UINT8_MAX) throw std::out_of_range(text);
  return static_cast<std::uint8_t>(n);
}

PostEvent post_of(const Json& j) {
  PostEvent post;
  post.space = j.at("namespace");
  post.time_ns = j.at("time_ns");
  post.id = j.at("id");
  post.value = j.at("value");
  if (j.contains("device")) post.device = j["device"];
  if (j.contains("seq")) post.seq = j["seq"];
  if (j.contains("tick")) post.tick = j["tick"];
  if (j.contains("sink")) post.sink = number_of(kSinks, j["sink"]);
  if (j.contains("result")) post.result = number_of(kResults, j["result"]);
  return post;
}

}  // namespace

std::string sink_name(std::uint8_t sink) { return name_of(kSinks, sink); }
std::string result_name(std::uint8_t result) { return name_of(kResults, result); }

std::string metric_name(std::uint32_t id) {
  const char* name = id <= UINT8_MAX ? nmetric_cw_name(static_cast<u8>(id)) : nullptr;
  return name != nullptr ? name : fmt::format("id {}", id);
}

std::string post_to_json(const PostEvent& post) {
  Json j;
  j["namespace"] = post.space;
  if (post.device) j["device"] = *post.device;
  j["time_ns"] = post.time_ns;
  if (post.tick) j["tick"] = *post.tick;
  if (post.sink) j["sink"] = sink_name(*post.sink);
  if (post.result) j["result"] = result_name(*post.result);
  if (post.seq) j["seq"] = *post.seq;
  j["id"] = post.id;
  j["name"] = metric_name(post.id);
  j["value"] = post.value;
  // The text comes from outside: bytes that are not UTF-8 must not end the recording.
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string loss_to_json(std::uint64_t lost, const std::string& what) {
  return Json{{"lost", lost}, {"what", what}}.dump();
}

Recording read_recording(std::istream& in, const std::string& where) {
  Recording recording;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    try {
      const Json j = Json::parse(line);
      if (j.contains("lost")) {
        recording.lost += j["lost"].get<std::uint64_t>();
        recording.losses.push_back(j.at("what"));
      } else {
        recording.posts.push_back(post_of(j));
      }
    } catch (const std::exception& e) {
      throw Failure(Exit::kFailed,
                    fmt::format("{}: line {} is not a recorded post: {}", where, number, e.what()));
    }
  }
  return recording;
}

}  // namespace ndtel::cli
