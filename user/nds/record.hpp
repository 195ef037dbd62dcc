// SPDX-License-Identifier: Apache-2.0
//
// Hashed records in shared memory: how they are sealed, published and snapshot.
//
// The writer zeroes the hash word, stores the payload and then the hash; each store is a release,
// so that no reader sees a hash before what it covers. The reader takes hash, payload and hash
// again with acquire loads and accepts what hashes to it. Words are atomics because two processes
// touch them at once; on x86 all of them are plain moves.
#ifndef NDTEL_NDS_RECORD_HPP
#define NDTEL_NDS_RECORD_HPP

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <type_traits>

#include "ndtel/nds.hpp"

namespace ndtel::record {

/// A reader that finds a record torn looks once more after this time.
inline constexpr std::chrono::microseconds kRetryDelay{200};

template <typename Record>
concept Hashed = std::is_trivially_copyable_v<Record> && sizeof(Record) % 4 == 0 &&
                 requires(Record record) {
  record.hash;
};

template <Hashed Record>
using Words = std::array<std::uint32_t, sizeof(Record) / 4>;

/// Hash of the whole record with its hash word taken as zero.
template <Hashed Record>
std::uint32_t hash_of(Record record) noexcept {
  record.hash = 0;
  const auto bytes = std::bit_cast<std::array<unsigned char, sizeof(Record)>>(record);
  return fnv1a(bytes);
}

/// Sets a byte that readers do not look at, to give another hash. False when there is none yet.
inline void perturb(nds_model_record& record) noexcept { record.pad[0] = 1; }
inline void perturb(nds_process_info_record& record) noexcept { record.pad[0] = 1; }
inline void perturb(nds_process_info_ext_record& record) noexcept {
  record.tag[sizeof record.tag - 2] = '\0';
  record.tag[sizeof record.tag - 1] = 1;
}

inline void clean(nds_model_record& record) noexcept {
  record.name[sizeof record.name - 1] = '\0';
  record.pad[0] = record.pad[1] = 0;
}
inline void clean(nds_process_info_record& record) noexcept {
  record.tag[sizeof record.tag - 1] = '\0';
  record.pad[0] = record.pad[1] = record.pad[2] = 0;
}
inline void clean(nds_process_info_ext_record& record) noexcept {
  record.tag[sizeof record.tag - 1] = '\0';
}

/// Terminates texts, zeroes padding and computes the hash. A record whose true hash is 0 would look
/// unpublished to every reader, so it gets a mark in a byte without a meaning (of a full ext tag,
/// its last character is given up).
template <Hashed Record>
Record sealed(Record record) noexcept {
  clean(record);
  record.hash = hash_of(record);
  if (record.hash == 0) {
    perturb(record);
    record.hash = hash_of(record);
  }
  return record;
}

/// Stores a sealed record, or with `Record{}` wipes it, where `slab` points.
template <Hashed Record>
void publish(std::uint32_t* slab, const Record& record) noexcept {
  auto words = std::bit_cast<Words<Record>>(record);
  std::atomic_ref<std::uint32_t>(slab[0]).store(0, std::memory_order_relaxed);
  for (std::size_t i = 1; i < words.size(); ++i)
    std::atomic_ref<std::uint32_t>(slab[i]).store(words[i], std::memory_order_release);
  std::atomic_ref<std::uint32_t>(slab[0]).store(words[0], std::memory_order_release);
}

/// One attempt to copy a whole record out.
template <Hashed Record>
std::optional<Record> snapshot_once(std::uint32_t* slab) noexcept {
  Words<Record> words;
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = std::atomic_ref<std::uint32_t>(slab[i]).load(std::memory_order_acquire);
  const auto record = std::bit_cast<Record>(words);
  if (record.hash == 0 || record.hash != hash_of(record)) return std::nullopt;
  if (std::atomic_ref<std::uint32_t>(slab[0]).load(std::memory_order_relaxed) != record.hash)
    return std::nullopt;
  return record;
}

/// Two attempts, kRetryDelay apart.
template <Hashed Record>
std::optional<Record> snapshot(std::uint32_t* slab) {
  if (auto record = snapshot_once<Record>(slab)) return record;
  std::this_thread::sleep_for(kRetryDelay);
  return snapshot_once<Record>(slab);
}

}  // namespace ndtel::record

#endif  // NDTEL_NDS_RECORD_HPP
