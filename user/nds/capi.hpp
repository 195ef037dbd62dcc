// SPDX-License-Identifier: Apache-2.0
//
// What the C ABI's handles hold, and how errors cross it.
#ifndef NDTEL_NDS_CAPI_HPP
#define NDTEL_NDS_CAPI_HPP

#include <atomic>
#include <cerrno>
#include <new>

#include "ndtel/device.hpp"
#include "ndtel/nds.hpp"
#include "nrt/nds.h"

struct ndl_device {
  ndtel::Device device;
};

/// A producer or a reader; the other one has no mapping, which is what makes a reader answer -EPERM
/// to counting.
///
/// Objects refer to their instance, so it lives until the last of nds_close() and the objects'
/// nds_obj_delete().
struct nds_instance {
  explicit nds_instance(ndtel::Instance instance) noexcept : producer(std::move(instance)) {}
  explicit nds_instance(ndtel::Reader monitor) noexcept
      : reader(std::move(monitor)), is_reader(true) {}

  void hold() noexcept { users.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  const ndtel::SlabView& view() const noexcept {
    return is_reader ? static_cast<const ndtel::SlabView&>(reader) : producer;
  }

  ndtel::Instance producer;
  ndtel::Reader reader;
  bool is_reader = false;
  std::atomic<int> users{1};
};

namespace ndtel {

/// Runs the body of a C function: no exception leaves it.
template <typename Body>
int guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return -ENOMEM;
  } catch (...) {
    return -EIO;
  }
}

}  // namespace ndtel

#endif  // NDTEL_NDS_CAPI_HPP
