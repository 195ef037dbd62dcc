// SPDX-License-Identifier: Apache-2.0
//
// ECC, power, tensor engine: what the firmware says, or an error; never a false zero.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <string>

#include "expected.hpp"
#include "support/file.hpp"
#include "support/firmware.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

const char kSram[] = "stats/hardware/sram_ecc_uncorrected";
const char kHbm[] = "stats/hardware/mem_ecc_uncorrected";
const char kRepairable[] = "stats/hardware/mem_ecc_repairable_uncorrected";
const char kPower[] = "stats/power/utilization";
const char kSerial[] = "info/serial_number";

class SysfsHardware : public SysfsTest {
 protected:
  explicit SysfsHardware(const std::string& parameters = "sim_devices=1") : SysfsTest(parameters) {}

  void SetUp() override {
    SysfsTest::SetUp();
    firmware_.emplace();
  }
  void command(const std::string& text) const { ASSERT_EQ(firmware_->command(text), 0) << text; }

  std::optional<Firmware> firmware_;
};

TEST_F(SysfsHardware, EccOfFirmwareThatTellsRepairableErrorsApart) {
  EXPECT_EQ(attributes_.text(kSram), "0\n");
  command("0x40 0xABCD1234");
  EXPECT_EQ(attributes_.text(kSram), "4660\n");
  // Bits 15:12 for good, 11:0 repairable, of four channels.
  command("0x44 0x1002");
  command("0x48 0x2003");
  command("0x4c 0xFFFF0000");
  command("0x50 0x0001");
  EXPECT_EQ(attributes_.text(kHbm), "3\n");
  EXPECT_EQ(attributes_.text(kRepairable), "6\n");
}

// Sysfs3: an unreadable register was printed as no errors, after many seconds.
TEST_F(SysfsHardware, Sysfs3UnreadableIsAnErrorAtOnce) {
  command("0x44 0x1002");
  struct Case {
    const char* how;
    int error;
  };
  for (const auto& [how, error] : {Case{"busy", -EAGAIN}, Case{"gone", -EIO}}) {
    for (const char* reg : {"0x40", "0x44", "0x50", "0x64"}) {
      command(std::string(reg) + " " + how);
      const bool sram = std::string(reg) == "0x40";
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_EQ(attributes_.read(kSram).error, sram ? error : 0) << reg << " " << how;
      EXPECT_EQ(attributes_.read(kHbm).error, sram ? 0 : error) << reg << " " << how;
      EXPECT_EQ(attributes_.read(kRepairable).error, sram ? 0 : error) << reg << " " << how;
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
      command(std::string(reg) + " normal");
    }
  }
  EXPECT_EQ(attributes_.text(kHbm), "1\n");
}

TEST_F(SysfsHardware, SerialNumber) {
  command("0x3c 0xDEAD0001");
  command("0x38 0x89abcdef");
  EXPECT_EQ(attributes_.text(kSerial), "dead000189abcdef\n");
  command("0x38 busy");
  EXPECT_EQ(attributes_.read(kSerial).error, -EAGAIN);
  command("0x38 gone");
  EXPECT_EQ(attributes_.read(kSerial).error, -EIO);
  command("0x38 normal");
  command("0x3c 0");
  command("0x38 0");
  EXPECT_EQ(attributes_.text(kSerial), "\n");
}

TEST_F(SysfsHardware, FirmwareInterfaceVersion) {
  EXPECT_EQ(attributes_.text("fw_api_version"), "7\n");
  firmware_->set("reset_complete_ms", 500);
  ASSERT_EQ(attributes_.write("reset", "1"), 0);
  ASSERT_TRUE(eventually([&] { return attributes_.text("fw_api_version") == "busy\n"; }));
  ASSERT_TRUE(ready());
  EXPECT_EQ(attributes_.text("fw_api_version"), "7\n");
}

// Sysfs15: four rows of large numbers did not fit.
TEST_F(SysfsHardware, Sysfs15TensorEngineCountersOfAnySize) {
  const std::string pe = firmware_->directory() + "/pe";
  std::string expected = "xrow_grp,mm_active,wl_active,idle\n";
  std::uint64_t value = ~std::uint64_t{0};
  for (unsigned row = 0; row < 4; ++row) {
    expected += std::to_string(row);
    for (unsigned which = 0; which < 3; ++which, --value) {
      ASSERT_EQ(write_file(pe, "5 " + std::to_string(row) + " " + std::to_string(which) + " " +
                                   std::to_string(value)),
                0);
      expected += "," + std::to_string(value);
    }
    expected += "\n";
  }
  EXPECT_EQ(attributes_.text("neuron_core5/stats/tensor_engine/pe_cntrs"), expected);
  EXPECT_EQ(attributes_.text("neuron_core4/stats/tensor_engine/pe_cntrs"),
            "xrow_grp,mm_active,wl_active,idle\n0,0,0,0\n1,0,0,0\n2,0,0,0\n3,0,0,0\n");
}

class SysfsPower : public SysfsHardware {
 protected:
  SysfsPower() : SysfsHardware("sim_devices=1 power_window_ms=6000") {}
};

// Sysfs20: the first window never had data.
TEST_F(SysfsPower, Sysfs20TheFirstWholeWindowHasData) {
  EXPECT_EQ(attributes_.text(kPower), "POWER_STATUS_NO_DATA,0,0.00,0.00,0.00\n");
  firmware_->set("power_util_d0", 1234);
  firmware_->set("power_util_d1", 4321);
  firmware_->set("power_period_ms", 50);
  std::string line;
  ASSERT_TRUE(eventually([&] {
    line = attributes_.text(kPower);
    return !line.ends_with(",0.00,0.00,0.00\n");
  })) << line;
  EXPECT_TRUE(line.starts_with("POWER_STATUS_VALID,")) << line;
  // The higher of the two dice counts. Numbers from before the knobs were set may be in it.
  const auto fields = split(line, ',');
  ASSERT_EQ(fields.size(), 5u) << line;
  EXPECT_NE(fields[1], "0");
  EXPECT_EQ(fields[3], "43.21");
}

class SysfsHardwareV2 : public SysfsHardware {
 protected:
  SysfsHardwareV2() : SysfsHardware("sim_devices=1 sim_arch=v2") {}
};

TEST_F(SysfsHardwareV2, V2HasTwoChannelsAndRepairsNothing) {
  command("0x44 0x1000");
  command("0x48 0x2000");
  command("0x4c 0x4000");
  command("0x50 busy");
  EXPECT_EQ(attributes_.text(kHbm), "3\n");
  EXPECT_EQ(attributes_.text(kRepairable), "0\n");
}

}  // namespace
}  // namespace ndtel::vm
