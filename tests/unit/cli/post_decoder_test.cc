// SPDX-License-Identifier: Apache-2.0
#include "trace/post_decoder.hpp"

#include <gtest/gtest.h>

#include "failure.hpp"
#include "trace_samples.hpp"

namespace ndtel::cli {
namespace {

using samples::Bytes;
using samples::nd_record;
using samples::put;

TEST(PostDecoder, DecodesOurEvent) {
  PostDecoder decoder;
  decoder.learn("ndtel", samples::kNdFormat);
  const auto post = decoder.decode(77, nd_record(5, 1, 200, "1234"));
  ASSERT_TRUE(post);
  EXPECT_EQ(*post, (PostEvent{"ndtel", 77, 5, 1, 1, 1, 0, 200, "1234"}));
}

TEST(PostDecoder, DecodesTheReferencesEventWithoutWhatItLacks) {
  PostDecoder decoder;
  decoder.learn("neuron", samples::kReferenceFormat);
  Bytes record(144);
  put(record, 0, samples::kReferenceType);
  put<std::uint32_t>(record, 8, 13);
  put<std::uint32_t>(record, 12, 8);
  std::memcpy(record.data() + 16, "2.27.4.0", 8);
  const auto post = decoder.decode(1, record);
  ASSERT_TRUE(post);
  EXPECT_EQ(post->id, 13U);
  EXPECT_EQ(post->value, "2.27.4.0");
  EXPECT_FALSE(post->device);
  EXPECT_FALSE(post->seq);
  EXPECT_FALSE(post->tick);
  EXPECT_FALSE(post->sink);
  EXPECT_FALSE(post->result);
}

TEST(PostDecoder, ReadsOffsetsFromTheFormat) {
  std::string moved = samples::kNdFormat;
  const std::string before = "value[64];\toffset:31;", after = "value[64];\toffset:32;";
  moved.replace(moved.find(before), before.size(), after);
  PostDecoder decoder;
  decoder.learn("ndtel", moved);
  EXPECT_EQ(decoder.decode(0, nd_record(1, 0, 200, "123"))->value, std::string("23\0", 3));
}

TEST(PostDecoder, TellsEventsOfTwoModulesApart) {
  PostDecoder decoder;
  decoder.learn("ndtel", samples::kNdFormat);
  decoder.learn("neuron", samples::kReferenceFormat);
  EXPECT_EQ(decoder.decode(0, nd_record(1, 0, 200, "1"))->space, "ndtel");
  Bytes other = nd_record(1, 0, 200, "1");
  put<std::uint16_t>(other, 0, 9);
  EXPECT_FALSE(decoder.decode(0, other));
}

TEST(PostDecoder, StaysWithinTheRecord) {
  PostDecoder decoder;
  decoder.learn("ndtel", samples::kNdFormat);
  Bytes record = nd_record(1, 0, 200, "12345");
  put<std::uint32_t>(record, 24, 4000000000U);  // a length far beyond the text
  EXPECT_EQ(decoder.decode(0, record)->value.size(), 64U);
  record.resize(33);
  EXPECT_EQ(decoder.decode(0, record)->value, "12");
  record.resize(20);
  EXPECT_FALSE(decoder.decode(0, record));
  EXPECT_FALSE(decoder.decode(0, {}));
}

TEST(PostDecoder, RefusesAFormatWithoutWhatItNeeds) {
  PostDecoder decoder;
  std::string format = samples::kNdFormat;
  format.replace(format.find("u32 length"), 10, "u32 weight");
  EXPECT_THROW(decoder.learn("ndtel", format), Failure);
  EXPECT_THROW(decoder.learn("ndtel", "name: metrics_post_nd\n"), Failure);
  EXPECT_THROW(decoder.learn("ndtel", ""), Failure);
}

}  // namespace
}  // namespace ndtel::cli
