// SPDX-License-Identifier: Apache-2.0
//
// The kernel module: loading, unloading, parameters, simulated devices.
#ifndef NDTEL_TESTS_VM_SUPPORT_MODULE_HPP
#define NDTEL_TESTS_VM_SUPPORT_MODULE_HPP

#include <optional>
#include <string>
#include <utility>

namespace ndtel::vm {

/// Namespace under test: the environment's NDTEL_NAMESPACE, else "ndtel".
std::string default_namespace();

/// A module, loaded as long as the object lives. The file is /<namespace>.ko, or what the
/// environment's NDTEL_MODULE says for the namespace under test.
class Module {
 public:
  /// Loads with a parameter string as on insmod's command line. Throws when that fails.
  explicit Module(const std::string& parameters = "", std::string name = default_namespace());
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  /// Unloads; a module that is in use then stays, with a line on stderr.
  ~Module();

  /// Loads without keeping anything: 0 or -errno of finit_module(2).
  static int try_load(const std::string& parameters, const std::string& name = default_namespace());
  /// Unloads without waiting: 0 or -errno of delete_module(2), -EWOULDBLOCK while in use.
  static int try_unload(const std::string& name = default_namespace());
  static bool loaded(const std::string& name = default_namespace());

  /// Unloads now: 0 or -errno; after 0 the destructor has nothing to do.
  int unload();

  const std::string& name() const noexcept { return name_; }
  /// Text of a parameter without the newline; nothing when there is no such parameter.
  std::optional<std::string> parameter(const std::string& parameter) const;
  /// 0 or -errno.
  int set_parameter(const std::string& parameter, const std::string& value) const;
  /// References to the module, from sysfs.
  int references() const;

  /// One more simulated device of a generation ("v2", "v3", "v4"): 0 or -errno.
  int new_device(const std::string& arch) const;
  /// Writes any text to new_device: 0 or -errno.
  int write_new_device(const std::string& text) const;
  /// Removes a device, in use or not: 0 or -errno.
  int del_device(int index) const;
  /// Writes any text to del_device: 0 or -errno.
  int write_del_device(const std::string& text) const;

 private:
  std::string name_;
  bool loaded_ = false;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_MODULE_HPP
