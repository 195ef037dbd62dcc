// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_WORKLOAD_TRANSFORMER_HPP
#define NDTEL_WORKLOAD_TRANSFORMER_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tensor.hpp"

namespace ndtel::workload {

/// Sizes of one transformer block; the default takes milliseconds even in an emulator. `width` must
/// be a multiple of `heads`.
struct BlockShape {
  std::size_t tokens = 8;
  std::size_t width = 16;
  std::size_t heads = 2;
  std::size_t hidden = 32;

  constexpr bool valid() const {
    return tokens > 0 && width > 0 && heads > 0 && hidden > 0 && width % heads == 0;
  }
};

/// Multiply-accumulates of the matrix products of one pass: projections, attention scores, weighted
/// sums and the MLP. Normalisation, softmax, GELU and residuals are not matrix products and are not
/// counted, as is usual in the field.
constexpr std::uint64_t mac_count(const BlockShape& s) {
  const std::uint64_t t = s.tokens, w = s.width, h = s.hidden;
  const std::uint64_t projections = 4 * t * w * w;            // Q, K, V and output
  const std::uint64_t attention = 2 * (t * (t + 1) / 2) * w;  // causal: token i sees i + 1 keys
  const std::uint64_t mlp = 2 * t * w * h;
  return projections + attention + mlp;
}

/// The one operation mac_count counts. A counting scalar overloads it, which is how a test compares
/// the two.
inline void mul_add(float& sum, float a, float b) { sum += a * b; }

/// A pre-norm transformer block: x + Attention(Norm(x)), then x + Mlp(Norm(x)), with causal
/// multi-head attention. Weights come from a seed and are the same on every machine. A block is
/// used by one thread at a time.
template <class Scalar>
class TransformerBlock {
 public:
  TransformerBlock(const BlockShape& shape, std::uint64_t seed)
      : shape_(shape),
        qkv_(shape.width, 3 * shape.width),
        out_(shape.width, shape.width),
        up_(shape.width, shape.hidden),
        down_(shape.hidden, shape.width),
        norm_(shape.tokens, shape.width),
        heads_(shape.tokens, 3 * shape.width),
        mixed_(shape.tokens, shape.width),
        wide_(shape.tokens, shape.hidden),
        scores_(1, shape.tokens) {
    std::mt19937_64 random(seed);
    for (Tensor<Scalar>* weights : {&qkv_, &out_, &up_, &down_}) {
      const float scale = 1.0F / std::sqrt(static_cast<float>(weights->rows));
      for (Scalar& w : weights->data) w = Scalar(uniform(random) * scale);
    }
  }

  const BlockShape& shape() const { return shape_; }

  std::size_t weight_bytes() const {
    return qkv_.bytes() + out_.bytes() + up_.bytes() + down_.bytes();
  }

  std::size_t scratch_bytes() const {
    return norm_.bytes() + heads_.bytes() + mixed_.bytes() + wide_.bytes() + scores_.bytes();
  }

  /// The weights in a fixed order, for identification and tests.
  std::vector<const Tensor<Scalar>*> weights() const { return {&qkv_, &out_, &up_, &down_}; }

  /// Whether a tensor is an input this block can run.
  bool accepts(const Tensor<Scalar>& x) const {
    return x.rows == shape_.tokens && x.cols == shape_.width && x.data.size() == x.rows * x.cols;
  }

  /// Run in place. `x` must be accepted.
  void run(Tensor<Scalar>& x) {
    normalise(x, norm_);
    product(norm_, qkv_, heads_);
    attend();
    add_product(mixed_, out_, x);
    normalise(x, norm_);
    product(norm_, up_, wide_);
    for (Scalar& v : wide_.data) v = gelu(v);
    add_product(wide_, down_, x);
  }

  /// Uniform in [-1, 1) from the top 24 bits: the standard's distributions differ between
  /// libraries.
  static float uniform(std::mt19937_64& random) {
    return static_cast<float>(random() >> 40) * 0x1p-23F - 1.0F;
  }

 private:
  static void normalise(const Tensor<Scalar>& x, Tensor<Scalar>& y) {
    using std::sqrt;
    const Scalar n = Scalar(static_cast<float>(x.cols));
    for (std::size_t r = 0; r < x.rows; ++r) {
      const Scalar* in = x.row(r);
      Scalar mean(0.0F), variance(0.0F);
      for (std::size_t c = 0; c < x.cols; ++c) mean += in[c];
      mean = mean / n;
      for (std::size_t c = 0; c < x.cols; ++c) variance += (in[c] - mean) * (in[c] - mean);
      const Scalar scale = Scalar(1.0F) / sqrt(variance / n + Scalar(1e-5F));
      for (std::size_t c = 0; c < x.cols; ++c) y.row(r)[c] = (in[c] - mean) * scale;
    }
  }

  static void add_product(const Tensor<Scalar>& x, const Tensor<Scalar>& w, Tensor<Scalar>& y) {
    for (std::size_t r = 0; r < x.rows; ++r) {
      Scalar* sum = y.row(r);
      for (std::size_t i = 0; i < x.cols; ++i) {
        const Scalar a = x.row(r)[i];
        const Scalar* row = w.row(i);
        for (std::size_t c = 0; c < w.cols; ++c) mul_add(sum[c], a, row[c]);
      }
    }
  }

  static void product(const Tensor<Scalar>& x, const Tensor<Scalar>& w, Tensor<Scalar>& y) {
    for (Scalar& v : y.data) v = Scalar(0.0F);
    add_product(x, w, y);
  }

  /// Scaled dot products of each token with itself and its predecessors, softmax, weighted sum of
  /// values.
  void attend() {
    using std::exp;
    using std::sqrt;
    const std::size_t width = shape_.width, size = width / shape_.heads;
    const Scalar scale = Scalar(1.0F) / sqrt(Scalar(static_cast<float>(size)));
    Scalar* score = scores_.row(0);
    for (Scalar& v : mixed_.data) v = Scalar(0.0F);
    for (std::size_t head = 0; head < shape_.heads; ++head) {
      for (std::size_t t = 0; t < shape_.tokens; ++t) {
        const Scalar* query = heads_.row(t) + head * size;
        for (std::size_t k = 0; k <= t; ++k) {
          const Scalar* key = heads_.row(k) + width + head * size;
          Scalar dot(0.0F);
          for (std::size_t i = 0; i < size; ++i) mul_add(dot, query[i], key[i]);
          score[k] = dot * scale;
        }
        Scalar top = score[0], sum(0.0F);
        for (std::size_t k = 1; k <= t; ++k) top = top < score[k] ? score[k] : top;
        for (std::size_t k = 0; k <= t; ++k) sum += score[k] = exp(score[k] - top);
        Scalar* mixed = mixed_.row(t) + head * size;
        for (std::size_t k = 0; k <= t; ++k) {
          const Scalar* value = heads_.row(k) + 2 * width + head * size;
          const Scalar share = score[k] / sum;
          for (std::size_t i = 0; i < size; ++i) mul_add(mixed[i], share, value[i]);
        }
      }
    }
  }

  /// The tanh form of GELU.
  static Scalar gelu(Scalar x) {
    using std::tanh;
    const Scalar inner = Scalar(0.7978845608F) * (x + Scalar(0.044715F) * x * x * x);
    return Scalar(0.5F) * x * (Scalar(1.0F) + tanh(inner));
  }

  BlockShape shape_;
  Tensor<Scalar> qkv_, out_, up_, down_;
  Tensor<Scalar> norm_, heads_, mixed_, wide_, scores_;
};

}  // namespace ndtel::workload

#endif  // NDTEL_WORKLOAD_TRANSFORMER_HPP
