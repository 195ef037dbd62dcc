// SPDX-License-Identifier: Apache-2.0
//
// The agent's side of a relay, raw: nothing here checks or repairs. Safe to use after fork().
#ifndef NDTEL_TESTS_VM_RELAY_AGENT_HPP
#define NDTEL_TESTS_VM_RELAY_AGENT_HPP

#include <ndtel/relay.h>

#include <cstdint>
#include <optional>
#include <string>

#include "support/eventually.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/posting.hpp"

namespace ndtel::vm {

inline constexpr int kIndex = 4;            // of the companion device
inline constexpr unsigned kOk = 200;        // tick 0
inline constexpr unsigned kDmaAbort = 224;  // tick 1
inline constexpr std::uint32_t kCompleted = NDS_NC_COUNTER_INFER_COMPLETED;
inline constexpr std::uint32_t kAborts = NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT;

/// The decimal text of a record; nothing when the post has no such record.
std::optional<std::uint64_t> value_in(const nd_relay_post& post, unsigned cw);

/// An open companion node. The functions return 0 or -errno.
class Agent {
 public:
  explicit Agent(int flags = O_RDWR, int index = kIndex) : node_(index, flags) {}

  const Node& node() const { return node_; }
  void close() { node_.close(); }
  int attach() const { return node_.control(ND_IOC_RELAY_ATTACH, nullptr); }
  int ack(std::uint64_t seq, std::uint32_t result = NMETRIC_ACCEPTED, std::uint32_t pad = 0) const;
  /// Size read, or -errno.
  int read(nd_relay_post* post, std::size_t size = sizeof(nd_relay_post)) const;
  /// Events of poll(2).
  int poll(std::chrono::milliseconds timeout = kPatience) const;

  /// Reads posts until one has a record, accepting those that have not. Nothing when none comes.
  std::optional<nd_relay_post> next_with(unsigned cw) const;

 private:
  Node node_;
};

/// A companion device that posts to its relay only.
class RelayTest : public ModuleTest {
 protected:
  RelayTest() : ModuleTest("nmetric_log_posts=1 nmetric_metric_post_delay=3600000") {}

  void SetUp() override {
    ModuleTest::SetUp();
    ASSERT_EQ(module().write_new_device("companion 4 v3"), 0);
    ASSERT_TRUE(eventually([] { return exists(node_path(kIndex)); }));
  }

  void period(std::chrono::milliseconds period) {
    ASSERT_EQ(module().set_parameter("nmetric_metric_post_delay", std::to_string(period.count())),
              0);
  }

  static BooksRow books(unsigned cw) { return Debugfs(kIndex).books_of(cw, "relay"); }
  static std::uint64_t tally(const std::string& what) {
    return Debugfs(kIndex).anomalies()["sink2 " + what];
  }
  /// A process that counts once and ends.
  static void count(std::uint32_t counter, std::uint64_t amount) {
    const Node node(kIndex);
    const auto slab = node.map_slab();
    ASSERT_TRUE(slab.valid());
    slab.add_nc(0, counter, amount);
  }
  /// Waits until the relay's file in debugfs has a line.
  static bool shows(const std::string& line) {
    return eventually([&] {
      const auto text = read_file("/sys/kernel/debug/ndtel/ndtel4/relay");
      return text && ("\n" + *text).find("\n" + line + "\n") != std::string::npos;
    });
  }
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_RELAY_AGENT_HPP
