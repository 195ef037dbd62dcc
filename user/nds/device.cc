// SPDX-License-Identifier: Apache-2.0
//
// Open device nodes and their ioctls, with errors that say what to do.
#include "ndtel/device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <ndtel/nds.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ndtel {
namespace {

int open_flags(Lane lane) {
  switch (lane) {
    case Lane::kReadOnly:
      return O_RDONLY;
    case Lane::kReadWrite:
      return O_RDWR;
    case Lane::kFree:
      break;
  }
  return O_WRONLY;
}

std::string open_advice(int error) {
  switch (error) {
    case ENOENT:
      return "load the module that makes it (ndtel.ko, or the vendor's driver), or list the nodes "
             "there are with 'ndtel ls'";
    case EACCES:
    case EPERM:
      return "run as root, or install the udev rule that gives nodes mode 0666";
    case EINVAL:
      return "the driver has given this device up; see dmesg for why";
    case EBUSY:
      return "the driver has no place left for another process";
    case ENODEV:
    case ENXIO:
      return "the device was removed or its module unloaded";
    default:
      return "see dmesg for the driver's reason";
  }
}

std::string control_advice(int error) {
  switch (error) {
    case ENOTTY:
      return "the driver does not know this command";
    case EINVAL:
      return "the driver does not know this command or refuses its arguments";
    case EACCES:
    case EPERM:
      return "open the node for reading and writing, as a user who may";
    case ENODEV:
      return "the device was removed";
    default:
      return "see dmesg for the driver's reason";
  }
}

// Records asked for at first; doubled while the driver fills them all.
constexpr std::uint32_t kAppsStart = 16;
constexpr std::uint32_t kAppsMost = 4096;

}  // namespace

struct Device::File {
  File(int fd_in, std::string path_in, Lane lane_in)
      : fd(fd_in), path(std::move(path_in)), lane(lane_in) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(fd); }

  int fd;
  std::string path;
  Lane lane;
};

Result<Device> Device::open(const std::string& path, Lane lane) {
  int fd;
  do {
    fd = ::open(path.c_str(), open_flags(lane) | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    const int error = errno;
    return Error{error, fmt::format("cannot open {}: {}; {}", path, std::strerror(error),
                                    open_advice(error))};
  }
  auto file = std::make_shared<const File>(fd, path, lane);

  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISCHR(status.st_mode))
    return Error{ENODEV,
                 fmt::format("{} is not a device node: remove it and load the module", path)};
  return Device(std::move(file));
}

const std::string& Device::path() const noexcept { return file_->path; }
int Device::fd() const noexcept { return file_->fd; }
Lane Device::lane() const noexcept { return file_->lane; }

Result<void> Device::control(unsigned long command, void* argument, std::string_view what) const {
  int result;
  do {
    result = ::ioctl(file_->fd, command, argument);
  } while (result < 0 && errno == EINTR);
  if (result == 0) return {};
  // Some drivers of the family give back how many bytes they could not copy.
  const int error = result < 0 ? errno : EFAULT;
  return Error{error, fmt::format("{}: cannot {}: {}; {}", file_->path, what, std::strerror(error),
                                  control_advice(error))};
}

Result<nd_ioctl_device_info> Device::device_info() const {
  nd_ioctl_device_info info{};
  if (auto done = control(ND_IOC_DEVICE_INFO, &info, "read the device information"); !done)
    return done.error();
  if (info.connected_device_count > ND_MAX_CONNECTED_DEVICES)
    return Error{
        EPROTO, fmt::format("{}: the driver reports {} connected devices, at most {} exist", path(),
                            info.connected_device_count, ND_MAX_CONNECTED_DEVICES)};
  return info;
}

Result<nd_ioctl_basic_info> Device::basic_info() const {
  nd_ioctl_basic_info info{};
  if (auto done = control(ND_IOC_DEVICE_BASIC_INFO, &info, "read the basic information"); !done)
    return done.error();
  return info;
}

Result<nd_ioctl_driver_info> Device::driver_info() const {
  nd_ioctl_driver_info info{};
  if (auto done = control(ND_IOC_DRIVER_INFO_GET, &info, "read the driver information"); !done)
    return done.error();
  return info;
}

Result<nd_ioctl_compatible_version> Device::compatible_version() const {
  nd_ioctl_compatible_version version{};
  if (auto done = control(ND_IOC_COMPATIBLE_VERSION, &version, "read the compatible versions");
      !done)
    return done.error();
  return version;
}

Result<std::uint32_t> Device::host_device_id() const {
  std::uint32_t id = 0;
  if (auto done = control(ND_IOC_HOST_DEVICE_ID, &id, "read the host's device index"); !done)
    return done.error();
  return id;
}

Result<std::vector<nd_ioctl_app_record>> Device::apps() const {
  for (std::uint32_t capacity = kAppsStart;; capacity *= 2) {
    // The records follow the header without a gap; 8-byte words keep both aligned.
    std::vector<std::uint64_t> buffer(
        (sizeof(nd_ioctl_apps_info_hdr) + capacity * sizeof(nd_ioctl_app_record)) / 8);
    nd_ioctl_apps_info_hdr header{};
    header.flags = ND_APPS_ALL;
    header.capacity = capacity;
    std::memcpy(buffer.data(), &header, sizeof header);
    if (auto done = control(ND_IOC_GET_ALL_APPS_INFO, buffer.data(), "list the attached processes");
        !done)
      return done.error();
    std::memcpy(&header, buffer.data(), sizeof header);

    if (header.size > capacity)
      return Error{
          EPROTO, fmt::format("{}: the driver reports {} attached processes in room for {}", path(),
                              header.size, capacity)};
    if (header.size == capacity && capacity < kAppsMost) continue;
    std::vector<nd_ioctl_app_record> records(header.size);
    if (!records.empty())
      std::memcpy(records.data(), buffer.data() + sizeof header / 8,
                  records.size() * sizeof(nd_ioctl_app_record));
    return records;
  }
}

Result<void> Device::vote_posting(bool enabled) const {
  nd_ioctl_metrics_ctrl request{};
  request.mode = enabled ? ND_METRICS_PERIODIC_ENABLE : ND_METRICS_PERIODIC_DISABLE;
  return control(ND_IOC_METRICS_CTRL, &request, enabled ? "resume posting" : "pause posting");
}

Result<nd_ioctl_ds_info> Device::acquire_slab(pid_t pid) const {
  nd_ioctl_ds_info info{};
  info.pid = pid;
  auto done = control(ND_IOC_ACQUIRE_NEURON_DS, &info, "acquire a datastore slab");
  if (done) return info;
  Error error = done.error();
  if (error.code == ENOENT)
    error.message = fmt::format(
        "{}: process {} publishes no counters on this device (not yet, or it "
        "has left); 'ndtel counters' lists those that do",
        path(), pid);
  else if (error.code == ENOMEM)
    error.message = fmt::format(
        "{}: all {} slabs of the device are owned; wait until one of its "
        "processes ends",
        path(), NDS_SLABS_PER_DEVICE);
  return error;
}

Result<void> Device::release_slab(pid_t pid) const {
  nd_ioctl_ds_info info{};
  info.pid = pid;
  return control(ND_IOC_RELEASE_NEURON_DS, &info, "release a datastore slab");
}

std::string architecture_name(std::uint32_t architecture) {
  switch (architecture) {
    case ND_ARCH_V1:
      return "v1 (Inf1)";
    case ND_ARCH_V2:
      return "v2 (Trn1, Inf2)";
    case ND_ARCH_V3:
      return "v3 (Trn2)";
    case ND_ARCH_V4:
      return "v4 (Trn3)";
    default:
      return fmt::format("unknown architecture {}", architecture);
  }
}

}  // namespace ndtel
