// SPDX-License-Identifier: Apache-2.0
//
// What the tree must be, written down apart from the module.
#ifndef NDTEL_TESTS_VM_SYSFS_EXPECTED_HPP
#define NDTEL_TESTS_VM_SYSFS_EXPECTED_HPP

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace ndtel::vm {

/// A kind of device.
struct Kind {
  std::string name;
  unsigned cores;
  std::string device_arch;
  std::string core_arch;
  std::string instance;
  std::string product;
};

/// v2, inf2, v3, v4.
extern const std::vector<Kind> kKinds;

/// A directory whose numbers come from one word of a slab, per core.
struct CounterFile {
  const char* directory;
  unsigned id;  ///< NDS core counter
};

/// Below stats/status, and below stats/other_info.
extern const std::vector<CounterFile> kStatusFiles;
extern const std::vector<CounterFile> kOtherFiles;
/// Below neuron_coreC/stats/memory_usage/device_mem, and below stats/memory_usage/host_mem.
extern const std::vector<const char*> kDeviceMemory;
extern const std::vector<const char*> kHostMemory;

/// One file.
struct ExpectedFile {
  mode_t mode = 0;
  std::string format;  ///< regular expression that the whole content matches
};

/// Every file of a simulated device, by its path.
std::map<std::string, ExpectedFile> expected_tree(const Kind& kind);
/// Every file of a device without hardware.
std::map<std::string, ExpectedFile> expected_companion_tree(const Kind& kind);

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SYSFS_EXPECTED_HPP
