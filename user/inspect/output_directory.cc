// SPDX-License-Identifier: Apache-2.0
#include "output_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "../ntff/output_file.hpp"

namespace ndtel::inspect {
namespace {

namespace fs = std::filesystem;

// Without `.`, `..`, doubled and final slashes.
std::string tidy(const fs::path& path) {
  std::string text = path.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// Makes a directory with all above it; adds to `made` those that were not there.
Result<void> make_all(const std::string& path, std::vector<std::string>& made) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0777) == 0) {
      made.push_back(part);
    } else if (const int code = errno; code != EEXIST) {
      // On a file system that is read-only a directory that is there may say EROFS instead.
      struct stat status {};
      if (::stat(part.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
        return Error{code, fmt::format("{}: cannot be made: {}", part, std::strerror(code))};
    }
    if (end == std::string::npos) return {};
  }
}

bool has_trace_files(const std::string& directory) {
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".pb") return true;
  return false;
}

}  // namespace

Result<std::string> resolve_base(const std::string& base) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path wanted = base.empty() ? "output" : base;
  if (error && wanted.is_relative())
    return Error{error.value(), fmt::format("{}: the working directory is not known: {}",
                                            wanted.string(), error.message())};
  const std::string path = tidy(here / wanted);
  if (is_null_device(path) || path == "/tmp" || path == tidy(here / "tmp"))
    return Error{EINVAL, fmt::format("{}: is reserved, choose another output directory", base)};
  return path;
}

bool is_null_device(const std::string& path) { return path == "/dev/null"; }

Result<OutputDirectory> OutputDirectory::make(const std::string& base, const std::string& process,
                                              std::uint64_t time_ns, bool of_its_own) {
  OutputDirectory directory;
  directory.path_ = fmt::format("{}/{}", base == "/" ? "" : base, process);
  if (of_its_own || has_trace_files(directory.path_))
    directory.path_ += fmt::format("/{}", time_ns);
  if (Result<void> made = make_all(directory.path_, directory.made_); !made) return made.error();
  // The only way to know whether files can be made is to make one.
  const auto probe = ntff::OutputFile::create(directory.path_ + "/trace_info.pb");
  if (!probe) return probe.error();
  return directory;
}

OutputDirectory::~OutputDirectory() {
  // Those that others put something into meanwhile stay.
  for (auto path = made_.rbegin(); path != made_.rend(); ++path) ::rmdir(path->c_str());
}

void OutputDirectory::restore() const noexcept {
  std::vector<std::string> made;
  // Whoever writes there next says why it cannot be made.
  if (const Result<void> again = make_all(path_, made); !again) return;
}

}  // namespace ndtel::inspect
