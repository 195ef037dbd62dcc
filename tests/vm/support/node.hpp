// SPDX-License-Identifier: Apache-2.0
//
// The raw contract: device nodes, their ioctls, and mappings of slabs. Nothing here checks or
// repairs an argument, because wrong arguments are what tests pass. Safe to use after fork().
#ifndef NDTEL_TESTS_VM_SUPPORT_NODE_HPP
#define NDTEL_TESTS_VM_SUPPORT_NODE_HPP

#include <fcntl.h>
#include <ndtel/ioctl.h>
#include <ndtel/nds.h>
#include <sys/mman.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "support/file.hpp"
#include "support/module.hpp"

namespace ndtel::vm {

/// "/dev/ndtel0".
std::string node_path(int index, const std::string& name = default_namespace());

/// One ioctl(2): its result, or -errno.
int control(int fd, unsigned long command, void* argument);

/// A mapped slab, or a reason why not. Unmapped with its owner, but not in a forked child, where
/// the kernel has left it out.
class Mapping {
 public:
  Mapping() noexcept = default;
  Mapping(Mapping&& other) noexcept { *this = std::move(other); }
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { reset(); }

  /// One mmap(2). Look at error() before use.
  static Mapping map(int fd, std::uint64_t cookie, int protection = PROT_READ | PROT_WRITE,
                     std::size_t size = NDS_SLAB_SIZE, int flags = MAP_SHARED);

  bool valid() const noexcept { return words_ != nullptr; }
  /// 0, or -errno of mmap.
  int error() const noexcept { return error_; }
  std::size_t size() const noexcept { return size_; }
  std::uint64_t* words() const noexcept { return words_; }
  std::byte* bytes() const noexcept { return reinterpret_cast<std::byte*>(words_); }

  std::uint64_t load(int word) const noexcept {
    return std::atomic_ref(words_[word]).load(std::memory_order_relaxed);
  }
  void add(int word, std::uint64_t amount) const noexcept {
    std::atomic_ref(words_[word]).fetch_add(amount, std::memory_order_relaxed);
  }
  std::uint64_t nc(std::uint32_t core, std::uint32_t counter) const noexcept {
    return load(::nds_nc_word(core, counter));
  }
  void add_nc(std::uint32_t core, std::uint32_t counter, std::uint64_t amount = 1) const noexcept {
    add(::nds_nc_word(core, counter), amount);
  }

  /// Unmaps now.
  void reset() noexcept;
  /// Forgets the mapping without unmapping it.
  std::uint64_t* forget() noexcept;

 private:
  std::uint64_t* words_ = nullptr;
  std::size_t size_ = 0;
  int error_ = 0;
  pid_t mapper_ = 0;
};

/// An open device node. The functions return 0 or -errno.
class Node {
 public:
  /// Opens, close-on-exec unless `flags` are taken as they are by try_open(). Throws when refused.
  explicit Node(int index, int flags = O_RDWR, const std::string& name = default_namespace());
  explicit Node(Fd fd) noexcept : fd_(std::move(fd)) {}

  /// Descriptor, or -errno.
  static int try_open(int index, int flags, const std::string& name = default_namespace());
  /// Makes the node usable for everybody, as the package's udev rule does.
  static void allow_everybody(int index, const std::string& name = default_namespace());

  int fd() const noexcept { return fd_.get(); }
  void close() noexcept { fd_.reset(); }
  int control(unsigned long command, void* argument) const {
    return vm::control(fd(), command, argument);
  }

  int acquire(pid_t pid = 0, nd_ioctl_ds_info* info = nullptr) const;
  int release(pid_t pid = 0) const;
  int metrics_ctrl(std::uint32_t mode) const;
  int device_info(nd_ioctl_device_info* info) const { return control(ND_IOC_DEVICE_INFO, info); }
  int basic_info(nd_ioctl_basic_info* info) const {
    return control(ND_IOC_DEVICE_BASIC_INFO, info);
  }
  int driver_info(nd_ioctl_driver_info* info) const {
    return control(ND_IOC_DRIVER_INFO_GET, info);
  }
  int compatible_version(nd_ioctl_compatible_version* version) const {
    return control(ND_IOC_COMPATIBLE_VERSION, version);
  }
  int host_device_id(std::uint32_t* id) const { return control(ND_IOC_HOST_DEVICE_ID, id); }
  /// `header` is followed by room for header->capacity records.
  int apps_info(nd_ioctl_apps_info_hdr* header) const {
    return control(ND_IOC_GET_ALL_APPS_INFO, header);
  }

  /// Acquires and maps: the caller's own slab writable, another's read-only. Look at error().
  Mapping map_slab(pid_t pid = 0) const;

 private:
  Fd fd_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_NODE_HPP
