// SPDX-License-Identifier: Apache-2.0
#include "support/module.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/file.hpp"

namespace ndtel::vm {
namespace {

std::string module_path(const std::string& name) {
  const char* path = std::getenv("NDTEL_MODULE");
  if (path != nullptr && name == default_namespace()) return path;
  return "/" + name + ".ko";
}

}  // namespace

std::string default_namespace() {
  const char* name = std::getenv("NDTEL_NAMESPACE");
  return name != nullptr ? name : "ndtel";
}

int Module::try_load(const std::string& parameters, const std::string& name) {
  const Fd fd(::open(module_path(name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return -errno;
  return ::syscall(SYS_finit_module, fd.get(), parameters.c_str(), 0) != 0 ? -errno : 0;
}

int Module::try_unload(const std::string& name) {
  return ::syscall(SYS_delete_module, name.c_str(), O_NONBLOCK) != 0 ? -errno : 0;
}

bool Module::loaded(const std::string& name) { return exists("/sys/module/" + name + "/refcnt"); }

Module::Module(const std::string& parameters, std::string name) : name_(std::move(name)) {
  const int result = try_load(parameters, name_);
  if (result != 0) {
    errno = -result;
    fail_errno("loading " + module_path(name_) + " with '" + parameters + "'");
  }
  loaded_ = true;
}

Module::~Module() {
  if (!loaded_) return;
  const int result = unload();
  if (result != 0) {
    std::fprintf(stderr, "unloading %s: %s\n", name_.c_str(), std::strerror(-result));
  }
}

int Module::unload() {
  const int result = try_unload(name_);
  if (result == 0) loaded_ = false;
  return result;
}

std::optional<std::string> Module::parameter(const std::string& parameter) const {
  auto text = read_file("/sys/module/" + name_ + "/parameters/" + parameter);
  if (text && text->ends_with('\n')) text->pop_back();
  return text;
}

int Module::set_parameter(const std::string& parameter, const std::string& value) const {
  return write_file("/sys/module/" + name_ + "/parameters/" + parameter, value);
}

int Module::references() const {
  const auto text = read_file("/sys/module/" + name_ + "/refcnt");
  if (!text) fail_errno("refcnt of " + name_);
  return std::atoi(text->c_str());
}

int Module::new_device(const std::string& arch) const { return write_new_device("sim " + arch); }

int Module::write_new_device(const std::string& text) const {
  return write_file("/sys/bus/" + name_ + "/new_device", text);
}

int Module::del_device(int index) const { return write_del_device(std::to_string(index)); }

int Module::write_del_device(const std::string& text) const {
  return write_file("/sys/bus/" + name_ + "/del_device", text);
}

}  // namespace ndtel::vm
