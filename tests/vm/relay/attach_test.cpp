// SPDX-License-Identifier: Apache-2.0
//
// Who may be the agent of which device.
#include <cerrno>

#include "agent.hpp"
#include "support/child.hpp"
#include "support/privileges.hpp"

namespace ndtel::vm {
namespace {

using RelayAttach = RelayTest;

TEST_F(RelayAttach, NeedsAFileForReadingAndWriting) {
  EXPECT_EQ(Agent(O_RDONLY).attach(), -EACCES);
  EXPECT_EQ(Agent(O_WRONLY).attach(), -EINVAL);  // the free lane has no such command
  EXPECT_EQ(Agent().attach(), 0);
}

TEST_F(RelayAttach, NeedsThePrivilege) {
  Node::allow_everybody(kIndex);
  Child nobody([](Channel&) {
    drop_privileges(65534, 65534);
    return Agent().attach() == -EPERM ? 0 : 1;
  });
  EXPECT_EQ(nobody.wait(), 0);
}

TEST_F(RelayAttach, IsNotForDevicesWithFirmware) {
  ASSERT_EQ(module().new_device("v3"), 0);
  ASSERT_TRUE(eventually([] { return exists(node_path(0)); }));
  EXPECT_EQ(Agent(O_RDWR, 0).attach(), -EOPNOTSUPP);
}

TEST_F(RelayAttach, OneAtATime) {
  Agent first;
  const Agent second;
  ASSERT_EQ(first.attach(), 0);
  EXPECT_EQ(first.attach(), 0);
  EXPECT_EQ(second.attach(), -EBUSY);
  first.close();
  EXPECT_EQ(second.attach(), 0);
  EXPECT_TRUE(shows("agent " + std::to_string(getpid())));
}

TEST_F(RelayAttach, WithoutItThereIsNothingToReadOrAcknowledge) {
  const Agent attached;
  ASSERT_EQ(attached.attach(), 0);
  period(kShortPeriod);
  ASSERT_TRUE(shows("post waiting"));
  const Agent other;
  nd_relay_post post{};
  EXPECT_EQ(other.poll(std::chrono::milliseconds(0)), 0);
  EXPECT_EQ(other.read(&post), -EINVAL);
  EXPECT_EQ(other.ack(1), -EINVAL);
  EXPECT_EQ(attached.read(&post), static_cast<int>(sizeof post));
  EXPECT_EQ(other.ack(post.seq), -EINVAL);
  EXPECT_EQ(attached.ack(post.seq), 0);
}

}  // namespace
}  // namespace ndtel::vm
