// SPDX-License-Identifier: Apache-2.0
//
// What a process says about itself: two records and three version words.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "ndtel/kmetric.hpp"

namespace ndtel {
namespace {

// Operators name a process with this variable; without it, its pid has to do.
constexpr const char* kTagVariable = "NEURON_PROCESS_TAG";

std::string process_tag() {
  const char* tag = std::getenv(kTagVariable);
  return tag != nullptr && *tag != '\0' ? tag : std::to_string(::getpid());
}

std::uint64_t version_word(const nds_version& version, std::uint16_t reserved = 0) {
  return pack_version(version.major, version.minor, version.build, reserved);
}

nds_version without_padding(const nds_version& version) {
  nds_version clean{};
  clean.major = version.major;
  clean.minor = version.minor;
  clean.build = version.build;
  return clean;
}

}  // namespace

NRT_STATUS save_process_info(Instance& instance, const kmetric_process_versions_t& versions) {
  if (versions.runtime == nullptr || versions.framework_type < 0) return NRT_INVALID;
  const auto runtime = parse_version(versions.runtime);
  if (!runtime) return NRT_INVALID;
  const bool has_framework = versions.framework_type != NDS_FRAMEWORK_INVALID;

  const std::string tag = process_tag();
  nds_process_info_record info{};
  info.framework_type = versions.framework_type;
  copy_text(info.tag, tag);
  info.framework = without_padding(versions.framework);
  info.fal = without_padding(versions.fal);
  info.runtime = *runtime;
  nds_process_info_ext_record ext{};
  copy_text(ext.tag, tag);

  bool done = instance.set_nd(NDS_ND_COUNTER_RUNTIME_VERSION, version_word(*runtime)) == 0;
  if (has_framework) {
    const auto type = static_cast<std::uint8_t>(versions.framework_type);
    done = done && instance.set_nd(NDS_ND_COUNTER_FRAMEWORK_VERSION,
                                   version_word(versions.framework, type)) == 0;
    done = done && instance.set_nd(NDS_ND_COUNTER_FAL_VERSION, version_word(versions.fal)) == 0;
  }
  done = done && instance.publish(info) == 0 && instance.publish(ext) == 0;
  return done ? NRT_SUCCESS : NRT_FAILURE;
}

}  // namespace ndtel
