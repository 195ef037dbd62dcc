// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_TENSOR_HPP
#define NDTEL_WORKLOAD_TENSOR_HPP

#include <cmath>
#include <cstddef>
#include <vector>

namespace ndtel::workload {

/// A dense row-major matrix. Scalar is float in the workload and a counting type in tests.
template <class Scalar>
struct Tensor {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<Scalar> data;

  Tensor() = default;
  Tensor(std::size_t r, std::size_t c) : rows(r), cols(c), data(r * c) {}

  Scalar* row(std::size_t r) { return data.data() + r * cols; }
  const Scalar* row(std::size_t r) const { return data.data() + r * cols; }

  /// Bytes really allocated for the elements, slack included.
  std::size_t bytes() const { return data.capacity() * sizeof(Scalar); }
};

/// Whether an element is NaN or infinite: what a numerical-error sweep looks for in an output.
inline bool has_non_finite(const Tensor<float>& t) {
  for (const float x : t.data) {
    if (!std::isfinite(x)) return true;
  }
  return false;
}

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_TENSOR_HPP
