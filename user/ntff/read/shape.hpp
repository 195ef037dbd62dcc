// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_NTFF_READ_SHAPE_HPP
#define NDTEL_NTFF_READ_SHAPE_HPP

#include <optional>

#include "pb_reader.hpp"

namespace ndtel::ntff::read {

/// What the file is made of, by its first bytes; nothing for a file of no known kind.
std::optional<Shape> recognise(ByteSource& source);

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_SHAPE_HPP
