// SPDX-License-Identifier: Apache-2.0
//
// Mapped slabs, and what fork() does to them.
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <mutex>
#include <system_error>
#include <utility>

#include "ndtel/nds.hpp"

namespace ndtel {

// Every mapping of the process in one list. The fork handlers hold its lock over the fork, so that
// the child finds it whole, and clear the base pointers there: the kernel did not copy the
// mappings, and the address range may soon belong to something else.
struct ForkRegistry {
  static constinit std::mutex lock;
  static constinit SlabMapping* first;

  // Whether the fork handlers are in place; they are installed once, with the first mapping.
  static bool ready() {
    static const bool installed = ::pthread_atfork([] { lock.lock(); }, [] { lock.unlock(); },
                                                   [] {
                                                     forget_all();
                                                     lock.unlock();
                                                   }) == 0;
    return installed;
  }

  static void forget_all() {
    for (SlabMapping* map = first; map != nullptr; map = map->next_) map->words_ = nullptr;
  }
};

constinit std::mutex ForkRegistry::lock;
constinit SlabMapping* ForkRegistry::first = nullptr;

void SlabMapping::link() noexcept {
  std::lock_guard guard(ForkRegistry::lock);
  previous_ = nullptr;
  next_ = ForkRegistry::first;
  if (next_ != nullptr) next_->previous_ = this;
  ForkRegistry::first = this;
}

void SlabMapping::unlink() noexcept {
  std::lock_guard guard(ForkRegistry::lock);
  if (previous_ != nullptr)
    previous_->next_ = next_;
  else if (ForkRegistry::first == this)
    ForkRegistry::first = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  previous_ = next_ = nullptr;
}

void SlabMapping::take(SlabMapping& other) noexcept {
  other.unlink();
  words_ = std::exchange(other.words_, nullptr);
  mapped_size_ = std::exchange(other.mapped_size_, 0);
  pid_ = other.pid_;
  device_ = std::exchange(other.device_, std::nullopt);
  if (words_ != nullptr) link();
}

SlabMapping::SlabMapping(SlabMapping&& other) noexcept { take(other); }

SlabMapping& SlabMapping::operator=(SlabMapping&& other) noexcept {
  if (this != &other) {
    close();
    take(other);
  }
  return *this;
}

SlabMapping::~SlabMapping() { close(); }

Result<SlabMapping> SlabMapping::map(const Device& device, pid_t pid) {
  if (pid < 0) return Error{EINVAL, fmt::format("{} is no process id", pid)};
  if (!ForkRegistry::ready())
    return Error{ENOMEM, "no memory for the handlers that keep forked children off the slab"};
  auto slab = device.acquire_slab(pid);
  if (!slab) return slab.error();

  const auto give_up = [&](int code, std::string message) {
    // The claim must not outlive this failure; the failure is what the caller needs to hear of.
    if (auto released = device.release_slab(pid); !released)
      message += "; " + released.error().message;
    return Error{code, std::move(message)};
  };
  if (slab->size < NDS_USED_SIZE)
    return give_up(EINVAL, fmt::format("{}: the driver offers a slab of {} bytes, {} are needed",
                                       device.path(), slab->size, NDS_USED_SIZE));
  const int protection = pid == 0 ? PROT_READ | PROT_WRITE : PROT_READ;
  void* base = ::mmap(nullptr, slab->size, protection, MAP_SHARED, device.fd(),
                      static_cast<off_t>(slab->mmap_offset));
  if (base == MAP_FAILED) {
    const int error = errno;
    const char* advice =
        error == EACCES && pid == 0 ? "; producers open the node for reading and writing" : "";
    return give_up(error,
                   fmt::format("{}: cannot map the slab: {}{}", device.path(),
                               std::error_code(error, std::generic_category()).message(), advice));
  }

  SlabMapping map;
  map.words_ = static_cast<std::uint64_t*>(base);
  map.mapped_size_ = slab->size;
  map.pid_ = pid;
  map.device_ = device;
  map.link();
  return map;
}

Result<SlabMapping> SlabMapping::over_memory(std::span<std::byte> memory) {
  if (memory.size() < NDS_USED_SIZE)
    return Error{EINVAL,
                 fmt::format("a slab needs {} bytes, not {}", NDS_USED_SIZE, memory.size())};
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % alignof(std::uint64_t) != 0)
    return Error{EINVAL, "the memory of a slab must be 8-byte aligned"};
  if (!ForkRegistry::ready())
    return Error{ENOMEM, "no memory for the handlers that keep forked children off the slab"};
  SlabMapping map;
  map.words_ = reinterpret_cast<std::uint64_t*>(memory.data());
  map.link();
  return map;
}

void SlabMapping::close() noexcept {
  unlink();
  std::uint64_t* words = std::exchange(words_, nullptr);
  if (words != nullptr && mapped_size_ != 0) {
    ::munmap(words, mapped_size_);
    // Nobody is left to tell: the driver releases the slab at the last close of the node anyway.
    try {
      static_cast<void>(device_->release_slab(pid_).ok());
    } catch (...) {
    }
  }
  mapped_size_ = 0;
  device_.reset();
}

}  // namespace ndtel
