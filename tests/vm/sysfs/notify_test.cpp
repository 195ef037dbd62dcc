// SPDX-License-Identifier: Apache-2.0
//
// poll(2) on attributes: woken when the device notifies, left alone when it does not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <string>

#include "support/file.hpp"
#include "support/owner.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

constexpr std::chrono::milliseconds kQuiet{2500};

/// An open attribute that has been read.
class Poller {
 public:
  explicit Poller(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!fd_.valid()) fail_errno(path);
    read();
  }
  /// Arms the next wake-up.
  std::string read() const {
    char buffer[64];
    const ssize_t got = ::pread(fd_.get(), buffer, sizeof buffer, 0);
    if (got < 0) fail_errno("reading an attribute");
    return {buffer, static_cast<std::size_t>(got)};
  }
  bool woken(std::chrono::milliseconds within = kPatience) const {
    pollfd poll{.fd = fd_.get(), .events = POLLPRI | POLLERR, .revents = 0};
    const int ready = ::poll(&poll, 1, static_cast<int>(within.count()));
    return ready == 1 && (poll.revents & (POLLPRI | POLLERR)) == (POLLPRI | POLLERR);
  }

 private:
  Fd fd_;
};

class SysfsNotify : public SysfsTest {
 protected:
  void notify(bool on, int device = 0) const {
    ASSERT_EQ(Attributes(device).write("info/notify_delay", on ? "0" : "-1"), 0);
  }
  Poller poller(const std::string& name, int device = 0) const {
    return Poller(Attributes(device).path(name));
  }

  const std::string success_ = status(2, "success");
  const std::string driver_ = "stats/memory_usage/host_mem/driver_memory/";
};

TEST_F(SysfsNotify, CountsOfALiveProcessWakePollers) {
  notify(true);
  const auto total = poller(success_ + "total");
  const auto present = poller(success_ + "present");
  const auto other = poller(status(2, "failure") + "total");
  const Owner owner([](const Mapping& slab) { slab.add_nc(2, 1, 5); });
  EXPECT_TRUE(total.woken());
  EXPECT_TRUE(present.woken());
  EXPECT_EQ(total.read(), "5\n");
  EXPECT_FALSE(other.woken(std::chrono::milliseconds(0)));
}

TEST_F(SysfsNotify, NobodyIsWokenWhenItIsOff) {
  const auto total = poller(success_ + "total");
  const auto memory = poller(driver_ + "total");
  const auto reset = poller(other_info(0, "reset_req_count") + "total");
  {
    Owner owner([](const Mapping& slab) { slab.add_nc(2, 1, 5); });
    EXPECT_EQ(attributes_.number(success_ + "total"), 5u);
    owner.kill();
  }
  EXPECT_EQ(attributes_.write(success_ + "total", "0"), 0);
  EXPECT_EQ(attributes_.write("reset", "1"), 0);
  EXPECT_FALSE(total.woken(kQuiet));
  EXPECT_FALSE(memory.woken(std::chrono::milliseconds(0)));
  EXPECT_FALSE(reset.woken(std::chrono::milliseconds(0)));
}

TEST_F(SysfsNotify, MemoryWakesPeakOnlyWhenItRises) {
  notify(true);
  {
    const auto total = poller(driver_ + "total");
    const auto peak = poller(driver_ + "peak");
    const Owner owner([](const Mapping&) {});
    EXPECT_TRUE(total.woken());
    EXPECT_TRUE(peak.woken());
  }
  ASSERT_TRUE(no_slabs_left());
  // The wake-ups of the end are over when what was freed last has been shown.
  ::usleep(500 * 1000);
  const auto total = poller(driver_ + "total");
  const auto peak = poller(driver_ + "peak");
  const Owner owner([](const Mapping&) {});
  EXPECT_TRUE(total.woken());
  EXPECT_FALSE(peak.woken(std::chrono::milliseconds(500)));
}

TEST_F(SysfsNotify, ResetsWakePollers) {
  notify(true);
  const auto total = poller(other_info(7, "reset_req_count") + "total");
  const auto failed = poller(other_info(7, "reset_fail_count") + "total");
  ASSERT_EQ(attributes_.write("reset", "1"), 0);
  EXPECT_TRUE(total.woken());
  EXPECT_FALSE(failed.woken(std::chrono::milliseconds(0)));
}

TEST_F(SysfsNotify, AcceptedWritesWakePollersOfThatFile) {
  notify(true);
  const auto total = poller(success_ + "total");
  const auto present = poller(success_ + "present");
  const auto delay = poller("info/notify_delay");
  EXPECT_EQ(attributes_.write(success_ + "total", "0"), 0);
  EXPECT_TRUE(total.woken());
  EXPECT_FALSE(present.woken(std::chrono::milliseconds(0)));
  EXPECT_LT(attributes_.write("info/notify_delay", "7"), 0);
  EXPECT_FALSE(delay.woken(std::chrono::milliseconds(0)));
  notify(true);
  EXPECT_TRUE(delay.woken());
}

// Sysfs14: the switch is the device's own.
TEST_F(SysfsNotify, Sysfs14OtherDevicesStayQuiet) {
  ASSERT_EQ(module().new_device("v3"), 0);
  ASSERT_TRUE(ready(1));
  notify(true, 1);
  const auto here = poller(success_ + "total");
  const Owner owner([](const Mapping& slab) { slab.add_nc(2, 1, 5); });
  EXPECT_FALSE(here.woken(kQuiet));
}

TEST_F(SysfsNotify, PollersOfADeviceThatGoesAreWoken) {
  notify(true);
  const auto total = poller(success_ + "total");
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_TRUE(total.woken());
}

}  // namespace
}  // namespace ndtel::vm
