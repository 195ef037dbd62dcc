// SPDX-License-Identifier: Apache-2.0
#include "transformer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ndtel::workload {
namespace {

/// A float that counts the multiply-accumulates really executed with it.
struct Counted {
  float value = 0.0F;
  static inline std::uint64_t macs = 0;

  Counted() = default;
  explicit Counted(float v) : value(v) {}

  friend Counted operator+(Counted a, Counted b) { return Counted(a.value + b.value); }
  friend Counted operator-(Counted a, Counted b) { return Counted(a.value - b.value); }
  friend Counted operator*(Counted a, Counted b) { return Counted(a.value * b.value); }
  friend Counted operator/(Counted a, Counted b) { return Counted(a.value / b.value); }
  friend bool operator<(Counted a, Counted b) { return a.value < b.value; }
  Counted& operator+=(Counted b) { return *this = *this + b; }
  friend Counted exp(Counted a) { return Counted(std::exp(a.value)); }
  friend Counted sqrt(Counted a) { return Counted(std::sqrt(a.value)); }
  friend Counted tanh(Counted a) { return Counted(std::tanh(a.value)); }
  friend void mul_add(Counted& sum, Counted a, Counted b) {
    ++macs;
    sum.value += a.value * b.value;
  }
};

template <class Scalar>
Tensor<Scalar> input_for(const BlockShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tensor<Scalar> x(shape.tokens, shape.width);
  for (Scalar& v : x.data) v = Scalar(TransformerBlock<float>::uniform(random));
  return x;
}

constexpr BlockShape kShapes[] = {
    {},
    {.tokens = 1, .width = 4, .heads = 1, .hidden = 4},
    {.tokens = 7, .width = 12, .heads = 3, .hidden = 20},
    {.tokens = 16, .width = 8, .heads = 8, .hidden = 1},
};

TEST(TransformerBlock, AnalyticMacCountIsWhatRuns) {
  for (const BlockShape& shape : kShapes) {
    TransformerBlock<Counted> block(shape, 1);
    auto x = input_for<Counted>(shape, 2);
    Counted::macs = 0;
    block.run(x);
    EXPECT_EQ(Counted::macs, mac_count(shape)) << shape.tokens << "x" << shape.width;
  }
}

/// The block once more, in double precision, from its formulas, one output element at a time.
std::vector<double> reference(const TransformerBlock<float>& block, const Tensor<float>& input) {
  const auto shape = block.shape();
  const auto tokens = shape.tokens, width = shape.width, heads = shape.heads;
  const auto w = block.weights();
  const auto norm = [&](const std::vector<double>& x) {
    std::vector<double> y(x.size());
    for (std::size_t t = 0; t < tokens; ++t) {
      double sum = 0, squares = 0;
      for (std::size_t c = 0; c < width; ++c) sum += x[t * width + c];
      for (std::size_t c = 0; c < width; ++c) {
        squares += std::pow(x[t * width + c] - sum / width, 2);
      }
      for (std::size_t c = 0; c < width; ++c) {
        y[t * width + c] = (x[t * width + c] - sum / width) / std::sqrt(squares / width + 1e-5);
      }
    }
    return y;
  };
  const auto times = [&](const std::vector<double>& x, const Tensor<float>& m) {
    std::vector<double> y(tokens * m.cols);
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t c = 0; c < m.cols; ++c) {
        for (std::size_t i = 0; i < m.rows; ++i)
          y[t * m.cols + c] += x[t * m.rows + i] * m.row(i)[c];
      }
    }
    return y;
  };
  std::vector<double> x(input.data.begin(), input.data.end());
  const auto qkv = times(norm(x), *w[0]);
  std::vector<double> mixed(tokens * width);
  const std::size_t size = width / heads;
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t first = c / size * size;
      double weight = 0, value = 0;
      for (std::size_t k = 0; k <= t; ++k) {
        double dot = 0;
        for (std::size_t i = first; i < first + size; ++i) {
          dot += qkv[t * 3 * width + i] * qkv[k * 3 * width + width + i];
        }
        const double e = std::exp(dot / std::sqrt(double(size)));
        weight += e;
        value += e * qkv[k * 3 * width + 2 * width + c];
      }
      mixed[t * width + c] = value / weight;
    }
  }
  const auto attention = times(mixed, *w[1]);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += attention[i];
  auto up = times(norm(x), *w[2]);
  for (double& v : up) {
    v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
  }
  const auto mlp = times(up, *w[3]);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += mlp[i];
  return x;
}

TEST(TransformerBlock, ComputesTheFormulas) {
  for (const BlockShape& shape : kShapes) {
    TransformerBlock<float> block(shape, 3);
    auto x = input_for<float>(shape, 4);
    const auto expected = reference(block, x);
    block.run(x);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(x.data[i], expected[i], 1e-4) << "element " << i << ", width " << shape.width;
    }
  }
}

TEST(TransformerBlock, SeedDecidesTheResult) {
  const BlockShape shape;
  TransformerBlock<float> one(shape, 5), same(shape, 5), other(shape, 6);
  auto a = input_for<float>(shape, 7), b = a, c = a;
  one.run(a);
  same.run(b);
  other.run(c);
  EXPECT_EQ(a.data, b.data);
  EXPECT_NE(a.data, c.data);
}

TEST(TransformerBlock, NanReachesTheOutputAndOnlyLaterTokens) {
  const BlockShape shape;
  TransformerBlock<float> block(shape, 8);
  for (const std::size_t token : {std::size_t{0}, std::size_t{5}, shape.tokens - 1}) {
    auto clean = input_for<float>(shape, 9), bad = clean;
    bad.row(token)[3] = std::numeric_limits<float>::quiet_NaN();
    block.run(clean);
    block.run(bad);
    EXPECT_FALSE(has_non_finite(clean));
    EXPECT_TRUE(has_non_finite(bad));
    for (std::size_t c = 0; c < shape.width; ++c) {
      for (std::size_t t = 0; t < token; ++t) EXPECT_EQ(bad.row(t)[c], clean.row(t)[c]);
      EXPECT_TRUE(std::isnan(bad.row(token)[c]));
    }
  }
}

TEST(TransformerBlock, AcceptsOnlyItsShape) {
  const BlockShape shape;
  const TransformerBlock<float> block(shape, 1);
  EXPECT_TRUE(block.accepts(Tensor<float>(shape.tokens, shape.width)));
  EXPECT_FALSE(block.accepts(Tensor<float>(shape.width, shape.tokens)));
  EXPECT_FALSE(block.accepts(Tensor<float>(shape.tokens + 1, shape.width)));
  EXPECT_FALSE(block.accepts(Tensor<float>()));
}

TEST(Tensor, SeesInfinity) {
  Tensor<float> t(2, 2);
  EXPECT_FALSE(has_non_finite(t));
  t.data[3] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(has_non_finite(t));
}

}  // namespace
}  // namespace ndtel::workload
