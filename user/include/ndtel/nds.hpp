// SPDX-License-Identifier: Apache-2.0
//
// The datastore (NDS) slab of a process: Instance counts into the caller's own, Reader watches
// another process's.
//
// Counting is one bounds check and one relaxed atomic instruction on shared memory: no system call,
// no allocation, any number of threads. Counter ids and the layout stand in <ndtel/nds.h>.
//
// After fork() the child has no mapping (the kernel does not copy it): a fork handler marks every
// Instance and Reader of the child as unmapped, so that they answer -EPERM (or nothing, for reads)
// instead of crashing, and closing them there touches neither the parent's slab nor the address
// range. The price on the counting path is the test of the base pointer that it needs anyway.
// Children made by a raw clone() system call do not run fork handlers: they must not use inherited
// instances.
#ifndef NDTEL_NDS_HPP
#define NDTEL_NDS_HPP

#include <ndtel/nds.h>
#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ndtel/device.hpp"
#include "ndtel/result.hpp"

namespace ndtel {

/// What a model commit answers when all slots of the slab are taken; positive, as the C ABI has it.
inline constexpr int kNoModelSlot = ENOSPC;

/// FNV-1a, 32 bits, continued from `hash`.
constexpr std::uint32_t fnv1a(std::span<const unsigned char> bytes,
                              std::uint32_t hash = NDS_FNV_BASIS) noexcept {
  for (unsigned char byte : bytes) hash = (hash ^ byte) * NDS_FNV_PRIME;
  return hash;
}

/// Packs a version word of ND counters 0..2.
constexpr std::uint64_t pack_version(std::uint8_t major, std::uint8_t minor, std::uint32_t build,
                                     std::uint16_t reserved = 0) noexcept {
  return build | std::uint64_t{minor} << 32 | std::uint64_t{major} << 40 |
         std::uint64_t{reserved} << 48;
}

/// Copies text into a fixed field: cut to fit, always NUL terminated, the rest zeroed.
template <std::size_t N>
void copy_text(char (&field)[N], std::string_view text) noexcept {
  const std::size_t length = text.size() < N - 1 ? text.size() : N - 1;
  for (std::size_t i = 0; i < N; ++i) field[i] = i < length ? text[i] : '\0';
}

/// The text of a fixed field that may come from another process: ends at the first NUL or at the
/// field's end.
template <std::size_t N>
std::string_view field_text(const char (&field)[N]) noexcept {
  std::size_t length = 0;
  while (length < N && field[length] != '\0') ++length;
  return {field, length};
}

/// A published model node and the slot it was found in.
struct PublishedModel {
  int slot = -1;
  nds_model_record record{};
};

/// A slab mapped into this process. Owns the mapping and the claim on the slab; movable.
class SlabMapping {
 public:
  SlabMapping() noexcept = default;
  SlabMapping(SlabMapping&& other) noexcept;
  SlabMapping& operator=(SlabMapping&& other) noexcept;
  SlabMapping(const SlabMapping&) = delete;
  SlabMapping& operator=(const SlabMapping&) = delete;
  ~SlabMapping();

  /// Acquires the slab of `pid` (0: the caller's, mapped writable; else read-only) and maps it.
  static Result<SlabMapping> map(const Device& device, pid_t pid);
  /// Uses memory of the caller, which outlives the mapping: at least NDS_USED_SIZE bytes, 8-byte
  /// aligned.
  static Result<SlabMapping> over_memory(std::span<std::byte> memory);

  /// Unmaps and, for an own slab, releases it. In a forked child it only forgets.
  void close() noexcept;

  /// First word, or nullptr: closed, moved from, or in a forked child.
  std::uint64_t* words() const noexcept { return words_; }

 private:
  friend struct ForkRegistry;

  void link() noexcept;
  void unlink() noexcept;
  void take(SlabMapping& other) noexcept;

  std::uint64_t* words_ = nullptr;
  SlabMapping* previous_ = nullptr;  // all mappings of the process, for the fork handler
  SlabMapping* next_ = nullptr;
  std::size_t mapped_size_ = 0;  // 0: memory of the caller
  pid_t pid_ = 0;
  std::optional<Device> device_;
};

/// What producers and readers can both ask of a slab.
class SlabView {
 public:
  /// Reads a core counter; nothing when core or counter does not exist or there is no mapping.
  std::optional<std::uint64_t> nc(std::uint32_t core, std::uint32_t counter) const noexcept {
    return load(::nds_nc_word(core, counter));
  }
  /// Reads a device counter.
  std::optional<std::uint64_t> nd(std::uint32_t counter) const noexcept {
    return load(::nds_nd_word(counter));
  }

  /// The slab as 64-bit words, or nullptr without a mapping; of a reader they are read-only memory.
  std::uint64_t* words() const noexcept { return map_.words(); }
  bool mapped() const noexcept { return map_.words() != nullptr; }
  /// Whether the header is that of a live slab we can parse. A zero header means that the owner has
  /// left.
  bool header_valid() const noexcept;

  /// Snapshots with the hash checked; one retry after 200 us. Nothing: never published, torn twice,
  /// or no mapping.
  std::optional<nds_process_info_record> process_info() const;
  std::optional<nds_process_info_ext_record> process_info_ext() const;
  std::optional<nds_model_record> model(int slot) const;
  /// Every model node whose record can be read, by slot.
  std::vector<PublishedModel> models() const;
  /// Bitmap of taken model slots, 0 without a mapping.
  std::uint64_t model_slots() const noexcept;

 protected:
  SlabView() noexcept = default;
  explicit SlabView(SlabMapping map) noexcept : map_(std::move(map)) {}

  std::optional<std::uint64_t> load(int word) const noexcept {
    std::uint64_t* words = map_.words();
    if (words == nullptr || word < 0) return std::nullopt;
    return std::atomic_ref<std::uint64_t>(words[word]).load(std::memory_order_relaxed);
  }

  SlabMapping map_;
};

/// A producer: the caller's own slab on one device.
///
/// Counting functions return 0, -EPERM (no mapping: closed, moved from, or inherited over fork) or
/// -EINVAL (no such core or counter).
class Instance : public SlabView {
 public:
  /// No mapping; every function answers -EPERM.
  Instance() noexcept = default;

  /// Claims a slab on the device (opened kReadWrite) and writes its header. Idempotent within a
  /// process: a second instance on the same device sees the same slab.
  static Result<Instance> open(const Device& device);
  /// A slab in memory of the caller (at least NDS_USED_SIZE bytes, 8-byte aligned), for tests and
  /// tools.
  static Result<Instance> over_memory(std::span<std::byte> memory);

  /// Unmaps and releases; further calls answer -EPERM.
  void close() noexcept { map_.close(); }

  int increment(std::uint32_t core, std::uint32_t counter, std::uint64_t value = 1) noexcept {
    return update(::nds_nc_word(core, counter),
                  [value](auto word) { word.fetch_add(value, kRelaxed); });
  }
  /// Wraps below zero.
  int decrement(std::uint32_t core, std::uint32_t counter, std::uint64_t value = 1) noexcept {
    return update(::nds_nc_word(core, counter),
                  [value](auto word) { word.fetch_sub(value, kRelaxed); });
  }
  int set(std::uint32_t core, std::uint32_t counter, std::uint64_t value) noexcept {
    return update(::nds_nc_word(core, counter),
                  [value](auto word) { word.store(value, kRelaxed); });
  }

  int increment_nd(std::uint32_t counter, std::uint64_t value = 1) noexcept {
    return update(::nds_nd_word(counter), [value](auto word) { word.fetch_add(value, kRelaxed); });
  }
  int decrement_nd(std::uint32_t counter, std::uint64_t value = 1) noexcept {
    return update(::nds_nd_word(counter), [value](auto word) { word.fetch_sub(value, kRelaxed); });
  }
  int set_nd(std::uint32_t counter, std::uint64_t value) noexcept {
    return update(::nds_nd_word(counter), [value](auto word) { word.store(value, kRelaxed); });
  }
  /// Ors 1 << bit in; -EINVAL above bit 63.
  int or_nd(std::uint32_t counter, std::uint64_t bit) noexcept {
    if (bit > 63) return mapped() ? -EINVAL : -EPERM;
    return update(::nds_nd_word(counter),
                  [bit](auto word) { word.fetch_or(std::uint64_t{1} << bit, kRelaxed); });
  }

  /// Publish a record; its hash word is computed here. 0 or -EPERM.
  int publish(const nds_process_info_record& record) noexcept;
  int publish(const nds_process_info_ext_record& record) noexcept;
  /// Publishes a model node: a negative *slot takes the lowest free one and stores it, else the
  /// slot is rewritten. 0, -EPERM, -EINVAL (no such slot), or kNoModelSlot.
  int publish(const nds_model_record& record, int* slot) noexcept;
  /// Zeroes a model node's record and frees its slot. 0, -EPERM or -EINVAL (not taken).
  int remove_model(int slot) noexcept;

 private:
  static constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

  explicit Instance(SlabMapping map) noexcept : SlabView(std::move(map)) {}

  template <typename Operation>
  int update(int word, Operation operation) noexcept {
    std::uint64_t* words = map_.words();
    if (words == nullptr) [[unlikely]]
      return -EPERM;
    if (word < 0) [[unlikely]]
      return -EINVAL;
    operation(std::atomic_ref<std::uint64_t>(words[word]));
    return 0;
  }
};

/// A monitor of another process's slab, mapped read-only. Reading never disturbs the owner.
class Reader : public SlabView {
 public:
  /// No mapping; everything reads as nothing.
  Reader() noexcept = default;

  /// Maps the slab of process `pid` (in the caller's pid namespace) and checks its header, once
  /// more after 500 us. The Error is ENOENT when the process publishes nothing on this device (try
  /// later) and EINVAL when the header is not ours to parse.
  static Result<Reader> open(const Device& device, pid_t pid);
  /// A reader over memory of the caller, for tests and for slabs kept in files.
  static Result<Reader> over_memory(std::span<std::byte> memory);

  void close() noexcept { map_.close(); }

 private:
  explicit Reader(SlabMapping map) noexcept : SlabView(std::move(map)) {}
};

/// Names of counters as the contract spells them ("INFER_COMPLETED"); empty for ids without a
/// meaning.
std::string_view nc_counter_name(std::uint32_t counter) noexcept;
std::string_view nd_counter_name(std::uint32_t counter) noexcept;

}  // namespace ndtel

#endif  // NDTEL_NDS_HPP
