// SPDX-License-Identifier: Apache-2.0
#include "capture_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "../failure.hpp"

namespace ndtel::cli {
namespace {

namespace fs = std::filesystem;

/// A base directory, a process, a session.
constexpr int kDeepest = 3;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Parts of one trace in their order, then other files by name.
auto order_of(const std::string& path) {
  const std::string name = fs::path(path).stem();
  std::optional<std::uint64_t> part;
  if (name == "ntrace") part = 0;
  if (name.starts_with("ntrace_")) part = number(std::string_view(name).substr(7));
  return std::tuple(!part, part.value_or(0), path);
}

void sort_files(std::vector<std::string>& paths) {
  std::sort(paths.begin(), paths.end(),
            [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
}

void name_process(CaptureFiles& files) {
  // A session's directory lies in that of its process.
  for (fs::path path = fs::absolute(files.path).lexically_normal(); path.has_relative_path();
       path = path.parent_path()) {
    const std::string name = path.filename();
    const std::size_t at = name.rfind("_pid_");
    if (at == std::string::npos) continue;
    files.pid = number(std::string_view(name).substr(at + 5));
    if (files.pid) files.instance = name.substr(0, at);
    return;
  }
}

void search(const fs::path& directory, int depth, std::vector<CaptureFiles>& found) {
  std::error_code error;
  CaptureFiles files;
  files.path = directory;
  files.directory = true;
  std::vector<fs::path> inner;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    const std::string name = path.filename();
    std::error_code ignored;  // what disappears meanwhile is not there
    if (at->is_directory(ignored)) {
      inner.push_back(path);
    } else if (!at->is_regular_file(ignored)) {
      continue;
    } else if (name == "trace_info.pb") {
      files.trace_info = path;
    } else if (name.starts_with('.')) {
      if (name.ends_with(".part")) files.unfinished.push_back(path);
    } else if (name.ends_with(".pb")) {
      files.pb.push_back(path);
    } else if (name.ends_with(".ntff")) {
      files.profiles.push_back(path);
    }
  }
  if (error) {
    throw Failure(Exit::kMissing,
                  fmt::format("cannot read {}: {}", directory.string(), error.message()));
  }
  sort_files(files.pb);
  sort_files(files.profiles);
  sort_files(files.unfinished);
  if (!files.trace_info.empty() || !files.pb.empty() || !files.profiles.empty() ||
      !files.unfinished.empty()) {
    name_process(files);
    found.push_back(std::move(files));
  }
  std::sort(inner.begin(), inner.end());
  if (depth < kDeepest)
    for (const fs::path& path : inner) search(path, depth + 1, found);
}

}  // namespace

std::vector<CaptureFiles> find_captures(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error || !fs::exists(status)) {
    throw Failure(Exit::kMissing, fmt::format("cannot read {}: {}", path,
                                              error ? error.message() : "there is no such file"));
  }
  std::vector<CaptureFiles> found;
  if (fs::is_directory(status)) {
    search(path, 1, found);
    if (found.empty()) {
      throw Failure(Exit::kMissing,
                    fmt::format("there are no trace files (*.pb, *.ntff) in {}; nothing was "
                                "captured, or the program has not ended yet",
                                path));
    }
    return found;
  }
  CaptureFiles file;
  file.path = path;
  const fs::path name = fs::path(path).filename();
  if (name.extension() == ".ntff") {
    file.profiles.push_back(path);
  } else if (name == "trace_info.pb") {
    file.trace_info = path;
  } else {
    file.pb.push_back(path);
  }
  found.push_back(std::move(file));
  return found;
}

}  // namespace ndtel::cli
