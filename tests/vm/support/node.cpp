// SPDX-License-Identifier: Apache-2.0
#include "support/node.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ndtel::vm {

std::string node_path(int index, const std::string& name) {
  return "/dev/" + name + std::to_string(index);
}

int control(int fd, unsigned long command, void* argument) {
  const int result = ::ioctl(fd, command, argument);
  return result < 0 ? -errno : result;
}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  if (this != &other) {
    reset();
    words_ = std::exchange(other.words_, nullptr);
    size_ = std::exchange(other.size_, 0);
    error_ = other.error_;
    mapper_ = other.mapper_;
  }
  return *this;
}

Mapping Mapping::map(int fd, std::uint64_t cookie, int protection, std::size_t size, int flags) {
  Mapping mapping;
  void* address = ::mmap(nullptr, size, protection, flags, fd, static_cast<off_t>(cookie));
  if (address == MAP_FAILED) {
    mapping.error_ = -errno;
    return mapping;
  }
  mapping.words_ = static_cast<std::uint64_t*>(address);
  mapping.size_ = size;
  mapping.mapper_ = ::getpid();
  return mapping;
}

void Mapping::reset() noexcept {
  if (words_ != nullptr && mapper_ == ::getpid()) ::munmap(words_, size_);
  words_ = nullptr;
}

std::uint64_t* Mapping::forget() noexcept { return std::exchange(words_, nullptr); }

Node::Node(int index, int flags, const std::string& name) {
  const int fd = try_open(index, flags | O_CLOEXEC, name);
  if (fd < 0) {
    errno = -fd;
    fail_errno("opening " + node_path(index, name));
  }
  fd_ = Fd(fd);
}

int Node::try_open(int index, int flags, const std::string& name) {
  const int fd = ::open(node_path(index, name).c_str(), flags);
  return fd < 0 ? -errno : fd;
}

void Node::allow_everybody(int index, const std::string& name) {
  if (::chmod(node_path(index, name).c_str(), 0666) != 0) {
    fail_errno("chmod " + node_path(index, name));
  }
}

int Node::acquire(pid_t pid, nd_ioctl_ds_info* info) const {
  nd_ioctl_ds_info unused{};
  if (info == nullptr) info = &unused;
  info->pid = pid;
  return control(ND_IOC_ACQUIRE_NEURON_DS, info);
}

int Node::release(pid_t pid) const {
  nd_ioctl_ds_info info{};
  info.pid = pid;
  return control(ND_IOC_RELEASE_NEURON_DS, &info);
}

int Node::metrics_ctrl(std::uint32_t mode) const {
  nd_ioctl_metrics_ctrl argument{.mode = mode};
  return control(ND_IOC_METRICS_CTRL, &argument);
}

Mapping Node::map_slab(pid_t pid) const {
  nd_ioctl_ds_info info{};
  const int result = acquire(pid, &info);
  if (result != 0) {
    errno = -result;
    fail_errno("acquiring the slab of process " + std::to_string(pid));
  }
  const bool own = pid == 0 || pid == ::getpid();
  return Mapping::map(fd(), info.mmap_offset, own ? PROT_READ | PROT_WRITE : PROT_READ, info.size);
}

}  // namespace ndtel::vm
