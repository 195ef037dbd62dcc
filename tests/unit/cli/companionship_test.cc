// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cerrno>

#include "ndtel/relay.hpp"

namespace ndtel {
namespace {

Node node(const std::string& space, int index, bool in_dev = true) {
  Node made;
  made.path = "/dev/" + space + std::to_string(index);
  made.name_space = space;
  made.index = index;
  made.in_dev = in_dev;
  return made;
}

TEST(Companionships, PairByIndex) {
  const auto pairs =
      companionships({node("ndtel", 1), node("ndtel", 5), node("neuron", 0), node("neuron", 1)});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].vendor.path, "/dev/neuron0");
  EXPECT_FALSE(pairs[0].companion);
  EXPECT_EQ(pairs[1].index(), 1);
  ASSERT_TRUE(pairs[1].companion);
  EXPECT_EQ(pairs[1].companion->path, "/dev/ndtel1");
}

TEST(Companionships, ADeviceWithoutANodeCannotTakePosts) {
  EXPECT_TRUE(companionships({node("neuron", 0, false), node("ndtel", 0)}).empty());
}

TEST(PostResult, RefusedOnlyWhenCertain) {
  EXPECT_EQ(result_of_post(0), NMETRIC_ACCEPTED);
  for (const int error : {E2BIG, EINVAL, EFAULT, EACCES, ENOTTY, ENOMEM, EOPNOTSUPP, EAGAIN}) {
    EXPECT_EQ(result_of_post(error), NMETRIC_REFUSED) << error;
  }
  // EPERM is what some drivers make of a mailbox that did not answer.
  for (const int error :
       {ETIMEDOUT, EIO, EPERM, EREMOTEIO, EBADMSG, ECANCELED, EINTR, ENODEV, 524}) {
    EXPECT_EQ(result_of_post(error), NMETRIC_UNKNOWN) << error;
  }
}

TEST(Deliver, ADriverThatIsNotThereIsAbsent) {
  const std::uint8_t records[] = {200, 1, '5'};
  const Delivery delivery = deliver("/nonexistent/neuron0", records);
  EXPECT_EQ(delivery.result, NMETRIC_REFUSED);
  EXPECT_TRUE(delivery.absent);
  EXPECT_NE(delivery.message.find("/nonexistent/neuron0"), std::string::npos);
}

TEST(Deliver, WhatIsNoDriverDoesNotTakePosts) {
  const std::uint8_t records[] = {200, 1, '5'};
  const Delivery delivery = deliver("/dev/null", records);
  EXPECT_EQ(delivery.result, NMETRIC_REFUSED);
  EXPECT_FALSE(delivery.absent);
}

}  // namespace
}  // namespace ndtel
