// SPDX-License-Identifier: Apache-2.0
//
// The C functions that begin and end the runtime and its inspect sessions. Those about configs are
// in capi_config.cc.
#include <cstring>
#include <new>

#include "../log/api_guard.hpp"
#include "inspector.hpp"
#include "log.hpp"

using namespace ndtel::inspect;

NRT_STATUS nrt_init(nrt_framework_type_t framework, const char* fw_version,
                    const char* /*fal_version*/) noexcept {
  const ndtel::nlog::ApiGuard guard(__func__);
  return Inspector::get().init(framework, fw_version);
}

void nrt_close() noexcept {
  const ndtel::nlog::ApiGuard guard(__func__);
  Inspector::get().close();
}

NRT_STATUS nrt_inspect_begin() noexcept {
  const ndtel::nlog::ApiGuard guard(__func__);
  return Inspector::get().begin();
}

NRT_STATUS nrt_inspect_begin_with_options(nrt_inspect_config_t* options) noexcept {
  const ndtel::nlog::ApiGuard guard(__func__);
  return Inspector::get().begin(options);
}

NRT_STATUS nrt_inspect_stop() noexcept {
  const ndtel::nlog::ApiGuard guard(__func__);
  return Inspector::get().stop();
}

NRT_STATUS nrt_inspect_export(std::uint32_t activities) noexcept {
  const ndtel::nlog::ApiGuard guard(__func__);
  return Inspector::get().export_files(activities);
}

NRT_STATUS nrt_inspect_get_instance_output_dir(const char* base, char* buffer,
                                               std::size_t size) noexcept {
  const ndtel::nlog::ApiGuard guard(__func__);
  if (buffer == nullptr) {
    log::error("{}: buffer is NULL", __func__);
    return NRT_INVALID;
  }
  try {
    const auto directory = Inspector::get().directory(base == nullptr ? "" : base);
    if (!directory) {
      log::error("{}", directory.error().message);
      return NRT_INVALID;
    }
    if (directory->size() >= size) {
      log::error("{}: a buffer of {} bytes is too small, {} are needed", __func__, size,
                 directory->size() + 1);
      return NRT_INVALID;
    }
    std::memcpy(buffer, directory->c_str(), directory->size() + 1);
    return NRT_SUCCESS;
  } catch (const std::bad_alloc&) {
    log::error("{}: no memory", __func__);
    return NRT_RESOURCE;
  }
}
