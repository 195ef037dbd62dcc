// SPDX-License-Identifier: Apache-2.0
//
// Device nodes of every driver of the family: which there are, what they say about themselves, and
// the vote on posting.
#ifndef NDTEL_DEVICE_HPP
#define NDTEL_DEVICE_HPP

#include <ndtel/ioctl.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ndtel/result.hpp"

namespace ndtel {

/// Whose node it is.
enum class Driver {
  kNdtel,    ///< our module under its own name: /dev/ndtelN
  kTwin,     ///< our module under the vendor's name: /dev/neuronN
  kVendor,   ///< the vendor's driver: /dev/neuronN
  kUnknown,  ///< a node without a loaded module
};

/// "ndtel", "ndtel (neuron names)", "vendor" or "unknown".
std::string_view driver_name(Driver driver) noexcept;

/// Where to look; other roots are for tests.
struct Roots {
  std::string dev = "/dev";
  std::string sys = "/sys";
};

/// One device node found on this machine.
struct Node {
  std::string path;        ///< "/dev/ndtel0"
  std::string name_space;  ///< "ndtel" or "neuron"
  int index = -1;          ///< N of the name: minor and device index
  Driver driver = Driver::kUnknown;
  std::string module_version;  ///< /sys/module/<name_space>/version, empty when it says nothing
  bool in_dev = false;         ///< the node exists under /dev
  bool in_class = false;       ///< the driver's class lists the device
};

/// Every node of all namespaces, found under /dev or in the drivers' classes, by namespace and
/// index. Empty when there is none.
std::vector<Node> enumerate_nodes(const Roots& roots = {});

/// Why enumerate_nodes() found nothing (ENODEV): which module is not loaded, or loaded without a
/// device, and what to do.
Error explain_no_nodes(const Roots& roots = {});

/// The node with this index, our own namespace first; or an Error that says what is missing.
Result<Node> find_node(int index, const Roots& roots = {});

/// How a node is opened.
enum class Lane {
  kReadOnly,   ///< O_RDONLY: queries, readers, votes
  kReadWrite,  ///< O_RDWR: producers
  kFree,       ///< O_WRONLY: the queries that need no access to the device
};

/// An open device node. Copies share the descriptor; instances and readers opened through it keep
/// it open.
class Device {
 public:
  /// Opens a node, close-on-exec.
  static Result<Device> open(const std::string& path, Lane lane);

  const std::string& path() const noexcept;
  int fd() const noexcept;
  Lane lane() const noexcept;

  Result<nd_ioctl_device_info> device_info() const;
  Result<nd_ioctl_basic_info> basic_info() const;                  ///< also on the free lane
  Result<nd_ioctl_driver_info> driver_info() const;                ///< also on the free lane
  Result<nd_ioctl_compatible_version> compatible_version() const;  ///< also on the free lane
  Result<std::uint32_t> host_device_id() const;

  /// The processes attached to the device.
  Result<std::vector<nd_ioctl_app_record>> apps() const;

  /// Votes for or against periodic posting. The vote ends when the last copy of this Device is
  /// gone.
  Result<void> vote_posting(bool enabled) const;

  /// Acquires the slab of a process (0: of the caller) and says how to map it. For users of the raw
  /// contract; everybody else uses Instance and Reader of nds.hpp.
  Result<nd_ioctl_ds_info> acquire_slab(pid_t pid) const;
  /// Gives the caller's claim back.
  Result<void> release_slab(pid_t pid) const;

 private:
  struct File;
  explicit Device(std::shared_ptr<const File> file) : file_(std::move(file)) {}
  /// Runs one ioctl; `what` names it in the sentence.
  Result<void> control(unsigned long command, void* argument, std::string_view what) const;

  std::shared_ptr<const File> file_;
};

/// "v2 (Trn1, Inf2)" and the like for enum nd_arch; "unknown architecture N" otherwise.
std::string architecture_name(std::uint32_t architecture);

}  // namespace ndtel

#endif  // NDTEL_DEVICE_HPP
