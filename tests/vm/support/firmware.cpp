// SPDX-License-Identifier: Apache-2.0
#include "support/firmware.hpp"

#include <dirent.h>

#include <memory>
#include <set>
#include <stdexcept>

#include "support/file.hpp"

namespace ndtel::vm {
namespace {

// Everything else in the directory is a knob.
const std::set<std::string> kNoKnobs = {".", "..", "posts", "received", "state", "registers", "pe"};

std::map<std::string, std::uint64_t> key_values(const std::string& path) {
  std::map<std::string, std::uint64_t> values;
  for (const auto& line : split(read_file(path).value_or(""), '\n')) {
    const auto words = split(line, ' ');
    values[words.at(0)] = std::stoull(words.at(1));
  }
  return values;
}

std::vector<std::uint8_t> bytes_of(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace

std::vector<std::string> TakenPost::texts(unsigned id) const {
  std::vector<std::string> found;
  for (std::size_t i = 0; i + 1 < data.size(); i += 2 + data[i + 1]) {
    if (data[i] != id) continue;
    found.emplace_back(data.begin() + static_cast<std::ptrdiff_t>(i + 2),
                       data.begin() + static_cast<std::ptrdiff_t>(i + 2 + data[i + 1]));
  }
  return found;
}

Firmware::Firmware(int device, const std::string& name)
    : directory_("/sys/kernel/debug/" + name + "/" + name + std::to_string(device) + "/firmware/"),
      device_directory_("/sys/kernel/debug/" + name + "/" + name + std::to_string(device) + "/") {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(directory_.c_str()), ::closedir);
  if (!dir) fail_errno("no firmware at " + directory_);
  while (const dirent* entry = ::readdir(dir.get())) {
    if (!kNoKnobs.contains(entry->d_name)) initial_[entry->d_name] = get(entry->d_name);
  }
}

void Firmware::set(const std::string& knob, std::uint32_t value) const {
  if (write_file(directory_ + knob, std::to_string(value)) != 0) {
    throw std::runtime_error("the firmware has no knob " + knob);
  }
}

std::uint32_t Firmware::get(const std::string& knob) const {
  const auto text = read_file(directory_ + knob);
  if (!text) throw std::runtime_error("the firmware has no knob " + knob);
  return static_cast<std::uint32_t>(std::stoul(*text));
}

void Firmware::heal() const {
  for (const auto& [knob, value] : initial_) set(knob, value);
  command("all normal");
}

int Firmware::command(const std::string& text) const {
  return write_file(directory_ + "registers", text);
}

std::uint32_t Firmware::reg(std::uint32_t offset) const {
  for (const auto& line : split(read_file(directory_ + "registers").value_or(""), '\n')) {
    const auto words = split(line, ' ');
    if (std::stoul(words.at(0), nullptr, 16) == offset) {
      return static_cast<std::uint32_t>(std::stoul(words.at(1), nullptr, 16));
    }
  }
  return 0;
}

std::vector<TakenPost> Firmware::posts() const {
  std::vector<TakenPost> posts;
  for (const auto& line : split(read_file(directory_ + "posts").value_or(""), '\n')) {
    const auto words = split(line, ' ');
    if (words.at(0) == "index") continue;
    TakenPost post{
        .index = std::stoull(words.at(0)), .at_ns = std::stoull(words.at(1)), .data = {}};
    if (words.size() > 3) post.data = bytes_of(words.at(3));
    if (post.data.size() != std::stoul(words.at(2))) throw std::runtime_error("cut: " + line);
    posts.push_back(std::move(post));
  }
  return posts;
}

std::uint64_t Firmware::received(unsigned cw) const {
  for (const auto& line : split(read_file(directory_ + "received").value_or(""), '\n')) {
    const auto words = split(line, ' ');
    if (words.at(0) == std::to_string(cw)) return std::stoull(words.at(2));
  }
  return 0;
}

std::map<std::string, std::uint64_t> Firmware::state() const {
  return key_values(directory_ + "state");
}

std::map<std::string, std::uint64_t> Firmware::mailbox() const {
  return key_values(device_directory_ + "fwio");
}

}  // namespace ndtel::vm
