// SPDX-License-Identifier: Apache-2.0
#include "sysfs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <stdexcept>

#include "support/file.hpp"

namespace ndtel::vm {
namespace {

// Every device of every driver has these; they are not ours.
bool of_the_kernel(const std::string& path) {
  return path == "dev" || path == "uevent" || path.starts_with("power/");
}

void collect(const std::string& root, const std::string& below,
             std::map<std::string, mode_t>& files) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir((root + below).c_str()),
                                                      ::closedir);
  if (!directory) fail_errno("opening " + root + below);
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string name = entry->d_name;
    const std::string path = below + name;
    struct stat status {};
    if (name == "." || name == "..") continue;
    if (::lstat((root + path).c_str(), &status) != 0) fail_errno("looking at " + root + path);
    if (S_ISDIR(status.st_mode)) collect(root, path + "/", files);
    if (S_ISREG(status.st_mode) && !of_the_kernel(path)) files[path] = status.st_mode & 07777;
  }
}

}  // namespace

std::string class_directory() { return "/sys/class/" + default_namespace() + "_device/"; }

std::string device_directory(int device) {
  return class_directory() + default_namespace() + std::to_string(device) + "/";
}

Reading read_attribute(const std::string& path) {
  Reading reading;
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    reading.error = -errno;
    return reading;
  }
  reading.opened = true;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0) reading.error = -errno;
    if (got <= 0) return reading;
    reading.text.append(buffer, static_cast<std::size_t>(got));
  }
}

std::string Attributes::text(const std::string& name) const {
  const auto reading = read(name);
  return reading.error == 0 ? reading.text : "error " + std::to_string(reading.error);
}

std::uint64_t Attributes::number(const std::string& name) const {
  const auto content = text(name);
  const auto digits = content.find_first_not_of("0123456789");
  if (digits == 0 || content.size() - digits != 1 || content.back() != '\n') {
    throw std::runtime_error(name + " is no number: '" + content + "'");
  }
  return std::stoull(content);
}

int Attributes::write(const std::string& name, const std::string& text) const {
  return write_file(path(name), text);
}

std::map<std::string, mode_t> files_below(const std::string& directory) {
  std::map<std::string, mode_t> files;
  collect(directory, "", files);
  return files;
}

std::string status(unsigned core, const std::string& counter) {
  return "neuron_core" + std::to_string(core) + "/stats/status/" + counter + "/";
}

std::string other_info(unsigned core, const std::string& counter) {
  return "neuron_core" + std::to_string(core) + "/stats/other_info/" + counter + "/";
}

::testing::AssertionResult ready(int device) {
  const Attributes attributes(device);
  if (eventually([&] { return attributes.text("state") == "ready\n"; })) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "device " << device << ": " << attributes.text("state");
}

}  // namespace ndtel::vm
