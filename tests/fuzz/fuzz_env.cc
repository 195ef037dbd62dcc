// SPDX-License-Identifier: Apache-2.0
//
// Any values of the variables of the inspect session: they are understood, or complained about and
// without effect.
#include <array>
#include <map>

#include "../../user/inspect/environment.hpp"
#include "input.hpp"

namespace ndtel::fuzz {
namespace {

constexpr std::array kNames = {
    "NEURON_RT_INSPECT_ENABLE",          "NEURON_RT_INSPECT_OUTPUT_DIR",
    "NEURON_RT_INSPECT_SYSTEM_PROFILE",  "NEURON_RT_INSPECT_DEVICE_PROFILE",
    "NEURON_RT_INSPECT_HOST_MEMORY",     "NEURON_RT_INSPECT_CPU_UTIL",
    "NEURON_RT_INSPECT_ON_FAIL",         "NEURON_RT_INSPECT_EVENT_FILTER_NC",
    "NEURON_RT_INSPECT_PRECACHE_ENABLE", "NEURON_RT_INSPECT_EVENT_FILTER_TYPE",
    "NEURON_RT_PROFILE_BUF_DMA_MB",      "NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC",
    "NEURON_RT_PROFILING_MODE",          "NEURON_RT_INSPECT_DURATION_NSEC",
};

void run(Input input) {
  std::map<std::string, std::string> variables;
  while (!input.empty()) {
    const auto which = input.number<std::uint8_t>();
    variables[kNames[which % kNames.size()]] = input.text();
  }
  const auto read = inspect::read_environment([&](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
  for (const std::string& complaint : read.complaints) {
    const std::size_t colon = complaint.find(':');
    expect(variables.contains(complaint.substr(0, colon)), "complaints name a variable");
    expect(complaint.size() < 256, "complaints are short");
  }
  const inspect::Config& config = read.config;
  expect(config.sys_trace.max_events_per_nc <= NRT_SYS_TRACE_MAX_EVENTS_PER_NC, "a possible ring");
  expect((config.activities & ~inspect::kAllActivities) == 0, "activities that there are");
  expect(config.mode <= NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION, "a mode that there is");
  for (std::size_t core = 0; core < config.cores.size(); ++core)
    expect(config.cores.test(core) == config.sys_trace.capture_enabled_for_nc[core],
           "both sets of cores are the same");
  expect(read.named_cores.none() || read.named_cores == config.cores, "named cores are recorded");
  expect(read.enabled.has_value() || !read.complaints.empty(),
         "what is not known is complained of");
}

}  // namespace
}  // namespace ndtel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ndtel::fuzz::run(ndtel::fuzz::Input(data, size));
  return 0;
}
