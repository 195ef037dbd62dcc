// SPDX-License-Identifier: Apache-2.0
//
// C ABI of the device layer.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include "capi.hpp"
#include "nrt/ndl.h"

using ndtel::Device;
using ndtel::guarded;
using ndtel::Lane;

namespace {

// The lane open flags ask for; other flags have no meaning for a device node.
Lane lane_of(int open_flags) {
  switch (open_flags & O_ACCMODE) {
    case O_RDONLY:
      return Lane::kReadOnly;
    case O_RDWR:
      return Lane::kReadWrite;
    default:
      return Lane::kFree;
  }
}

int open_node(const std::string& path, int open_flags, ndl_device_t** device) {
  auto opened = Device::open(path, lane_of(open_flags));
  if (!opened) return -opened.error().code;
  *device = new ndl_device{std::move(*opened)};
  return 0;
}

}  // namespace

int ndl_open_device(int index, int open_flags, ndl_device_t** device) noexcept {
  if (device == nullptr || index < 0 || index >= ND_MAX_DEVICES) return -EINVAL;
  *device = nullptr;
  return guarded([&] {
    int result = open_node(fmt::format("/dev/ndtel{}", index), open_flags, device);
    if (result == -ENOENT)
      result = open_node(fmt::format("/dev/neuron{}", index), open_flags, device);
    return result;
  });
}

int ndl_open_path(const char* path, int open_flags, ndl_device_t** device) noexcept {
  if (path == nullptr || device == nullptr) return -EINVAL;
  *device = nullptr;
  return guarded([&] { return open_node(path, open_flags, device); });
}

int ndl_close_device(ndl_device_t* device) noexcept {
  if (device == nullptr) return -EINVAL;
  delete device;
  return 0;
}

int ndl_device_fd(const ndl_device_t* device) noexcept {
  return device == nullptr ? -EINVAL : device->device.fd();
}

int ndl_nds_open(ndl_device_t* device, int32_t pid, void** data, size_t* size) noexcept {
  if (device == nullptr || data == nullptr || size == nullptr || pid < 0) return -EINVAL;
  return guarded([&] {
    const Device& node = device->device;
    auto slab = node.acquire_slab(pid);
    if (!slab) return -slab.error().code;
    void* base = ::mmap(nullptr, slab->size, pid == 0 ? PROT_READ | PROT_WRITE : PROT_READ,
                        MAP_SHARED, node.fd(), static_cast<off_t>(slab->mmap_offset));
    if (base == MAP_FAILED) {
      const int error = errno;
      static_cast<void>(node.release_slab(pid).ok());
      return -error;
    }
    *data = base;
    *size = slab->size;
    return 0;
  });
}

int ndl_nds_close(ndl_device_t* device, int32_t pid, void* data, size_t size) noexcept {
  if (device == nullptr || data == nullptr || size == 0 || pid < 0) return -EINVAL;
  return guarded([&] {
    if (::munmap(data, size) != 0) return -errno;
    auto released = device->device.release_slab(pid);
    return released ? 0 : -released.error().code;
  });
}

int ndl_metrics_ctrl(ndl_device_t* device, uint32_t mode) noexcept {
  if (device == nullptr || mode > ND_METRICS_PERIODIC_DISABLE) return -EINVAL;
  return guarded([&] {
    auto voted = device->device.vote_posting(mode == ND_METRICS_PERIODIC_ENABLE);
    return voted ? 0 : -voted.error().code;
  });
}
