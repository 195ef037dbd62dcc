// SPDX-License-Identifier: Apache-2.0
//
// Configs, fetch options and drains of any content, through the C functions, against a count of
// what each core must hold.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "config.hpp"
#include "engine.hpp"
#include "host.hpp"
#include "input.hpp"
#include "log.hpp"

namespace ndtel::fuzz {
namespace {

using namespace systrace;

constexpr std::uint32_t kCores = 3;

// How many events a document has.
std::uint64_t events_of(std::string_view text) {
  std::uint64_t count = 0;
  constexpr std::string_view kKey = "\"nc_local_id\":";
  for (std::size_t at = 0; (at = text.find(kKey, at)) != std::string_view::npos; ++at) ++count;
  return count;
}

class Model {
 public:
  explicit Model(Input& input) {
    nrt_sys_trace_config_t* config = nullptr;
    expect(nrt_sys_trace_config_allocate(&config) == NRT_SUCCESS, "a config");
    const auto capacity = input.number<std::uint64_t>();
    nrt_sys_trace_config_set_max_events_per_nc(config, capacity);
    // Another capacity than these takes memory without teaching anything.
    const bool small = capacity <= 4096, impossible = capacity > NRT_SYS_TRACE_MAX_EVENTS_PER_NC;
    const auto nc = input.number<std::uint32_t>();
    nrt_sys_trace_config_set_capture_enabled_for_nc(config, nc, false);
    const std::string type = input.text();
    const NRT_STATUS known =
        nrt_sys_trace_config_set_capture_enabled_for_event_type(config, type.c_str(), true);
    expect(known == NRT_SUCCESS || known == NRT_INVALID, "a status for a name");
    if (small || impossible) {
      const NRT_STATUS status = nrt_sys_trace_start(config);
      expect(status == (impossible ? NRT_INVALID : NRT_SUCCESS), "the status of a start");
      running_ = !impossible;
      capacity_ = std::max<std::uint64_t>(capacity, NRT_SYS_TRACE_MIN_EVENTS_PER_NC);
    }
    for (std::uint32_t i = 0; i < kCores; ++i) open_[i] = running_ && i != nc;
    nrt_sys_trace_config_free(config);
  }
  ~Model() { nrt_sys_trace_capture_close(); }

  void step(Input& input) {
    switch (input.number<std::uint8_t>() % 4) {
      case 0:
        return emit(input);
      case 1:
        return drain(input);
      default:
        return fetch(input);
    }
  }

 private:
  void emit(Input& input) {
    const auto nc = input.number<std::uint32_t>();
    const auto type = input.number<std::uint8_t>();
    const auto phase = input.number<std::uint32_t>();
    nrt_sys_trace_event_data_t data{};
    for (std::uint64_t& word : data.words) word = input.number<std::uint64_t>();
    const std::uint32_t core = nc < NRT_SYS_TRACE_MAX_NC ? nc : 0;
    const bool recorded = core < kCores && open_[core] && type < NRT_SYS_TRACE_EVENT_TYPE_COUNT;
    for (int left = input.number<std::uint8_t>() * 8; left >= 0; --left) {
      expect((nrt_sys_trace_new_event(phase, type, &data, 0, nc) != 0) == recorded, "recorded");
      if (recorded) held_[core] = std::min(held_[core] + 1, capacity_);
    }
  }
  void drain(Input& input) {
    const auto nc = input.number<std::uint32_t>();
    const auto max = input.number<std::uint16_t>();
    std::vector<nrt_sys_trace_event_t> events(max + std::size_t{1});
    std::uint64_t count = 0;
    const NRT_STATUS status = nrt_sys_trace_capture_drain_events(nc, events.data(), max, &count);
    if (nc >= NRT_SYS_TRACE_MAX_NC) return expect(status == NRT_INVALID, "a core that cannot be");
    expect(status == NRT_SUCCESS, "a drain");
    expect(count == (nc < kCores ? std::min<std::uint64_t>(held_[nc], max) : 0), "drained");
    if (nc < kCores) held_[nc] -= count;
  }
  void fetch(Input& input) {
    nrt_sys_trace_fetch_options_t* options = nullptr;
    expect(nrt_sys_trace_fetch_options_allocate(&options) == NRT_SUCCESS, "options");
    const auto max = input.number<std::uint64_t>();
    const auto nc = input.number<std::uint64_t>();
    nrt_sys_trace_fetch_options_set_max_events_per_nc(options, max);
    nrt_sys_trace_fetch_options_set_nc_idx(options, nc);
    char* text = nullptr;
    std::size_t size = 0;
    expect(nrt_sys_trace_fetch_events(&text, &size, options) == NRT_SUCCESS, "a fetch");
    nrt_sys_trace_fetch_options_free(options);
    expect(text != nullptr && std::strlen(text) == size, "a text of that length");
    const auto selected = static_cast<std::int32_t>(nc);
    std::uint64_t expected = 0;
    for (std::uint32_t i = 0; i < kCores; ++i) {
      if (selected >= 0 && static_cast<std::uint32_t>(selected) != i) continue;
      const std::uint64_t taken = max == 0 ? held_[i] : std::min(held_[i], max);
      expected += taken;
      held_[i] -= taken;
    }
    expect(events_of({text, size}) == expected, "as many events as there are");
    nrt_sys_trace_buffer_free(text);
  }

  bool running_ = false;
  std::uint64_t capacity_ = 0;
  bool open_[kCores] = {};
  std::uint64_t held_[kCores] = {};
};

}  // namespace
}  // namespace ndtel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool ready = [] {
    ndtel::systrace::log::set_sink({[](void*, int, const char*) {}, nullptr});
    ndtel::systrace::host::set_visible_cores(ndtel::fuzz::kCores);
    return true;
  }();
  static_cast<void>(ready);
  ndtel::fuzz::Input input(data, size);
  ndtel::fuzz::Model model(input);
  for (int steps = 0; steps < 20 && !input.empty(); ++steps) model.step(input);
  return 0;
}
