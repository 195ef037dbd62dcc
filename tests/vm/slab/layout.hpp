// SPDX-License-Identifier: Apache-2.0
//
// The slab's layout in plain numbers, apart from the functions of <ndtel/nds.h>, so that a mistake
// there cannot hide itself.
#ifndef NDTEL_TESTS_VM_SLAB_LAYOUT_HPP
#define NDTEL_TESTS_VM_SLAB_LAYOUT_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ndtel::vm {

inline constexpr std::size_t kSlabBytes = 262144;

/// Byte offset of a core counter.
constexpr std::size_t nc_offset(unsigned core, unsigned counter) {
  if (core >= 4) return 57984 + (core - 4) * 768 + counter * 8;
  return counter < 31 ? 256 + core * 248 + counter * 8 : 55936 + core * 512 + (counter - 31) * 8;
}

/// Which core counters are posted, and under which CloudWatch id.
struct Posted {
  unsigned counter;
  unsigned cw;
};
inline constexpr Posted kPosted[] = {
    {0, 90},   {1, 200},  {2, 214},  {3, 213},  {4, 205},  {5, 212},  {6, 207},
    {7, 219},  {8, 215},  {9, 216},  {10, 217}, {11, 206}, {12, 218}, {16, 201},
    {17, 204}, {18, 208}, {19, 202}, {20, 209}, {30, 220}, {31, 221}, {33, 223},
    {34, 224}, {35, 253}, {36, 225}, {37, 226}, {38, 227}, {39, 228},
};

/// FNV-1a over bytes, of which the first four are taken as zero.
constexpr std::uint32_t record_hash(const unsigned char* bytes, std::size_t size) {
  std::uint32_t hash = 0x811C9DC5;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ (i < 4 ? 0 : bytes[i])) * 0x01000193U;
  return hash;
}

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SLAB_LAYOUT_HPP
