// SPDX-License-Identifier: Apache-2.0
//
// Configs and fetch options of any content, events of any kind, and fetches in between, against a
// count of what each core must still hold.
#include <simdjson.h>

#include <array>
#include <vector>

#include "config.hpp"
#include "input.hpp"
#include "log.hpp"
#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::fuzz {
namespace {

constexpr std::uint32_t kCores = 2;
// A core that holds so few has displaced nothing, with either engine.
constexpr std::uint64_t kSure = 512;

struct Core {
  std::uint64_t emitted = 0;
  std::uint64_t fetched = 0;  // number of the last event that came out
};

// Any bytes, as a program with a stray pointer would leave them.
nrt_sys_trace_config config_of(Input& input) {
  nrt_sys_trace_config_t* made = nullptr;
  expect(nrt_sys_trace_config_allocate(&made) == NRT_SUCCESS, "a config");
  nrt_sys_trace_config_set_max_events_per_nc(made, input.number<std::uint8_t>());
  for (int i = input.number<std::uint8_t>() % 8; i > 0; --i) {
    const bool on = (input.number<std::uint8_t>() & 1) != 0;
    nrt_sys_trace_config_set_capture_enabled_for_nc(made, input.number<std::uint32_t>(), on);
    const std::string name = input.text();
    const NRT_STATUS status =
        nrt_sys_trace_config_set_capture_enabled_for_event_type(made, name.c_str(), on);
    expect(status == NRT_SUCCESS || status == NRT_INVALID, "a type that exists or does not");
  }
  const nrt_sys_trace_config config = *made;
  nrt_sys_trace_config_free(made);
  return config;
}

void emit(Input& input, const nrt_sys_trace_config& config, std::array<Core, kCores>& cores) {
  const auto what = input.number<std::uint8_t>();
  const auto type = input.number<std::uint8_t>() % (NRT_SYS_TRACE_EVENT_TYPE_COUNT + 2u);
  const std::uint32_t nc = what & 3;
  nrt_sys_trace_event_data_t data{};
  data.words[what >> 6] = input.number<std::uint64_t>();
  const bool captured = nc < kCores && config.capture_enabled_for_nc[nc] &&
                        type < NRT_SYS_TRACE_EVENT_TYPE_COUNT &&
                        config.capture_enabled_for_event_type[type];
  for (int i = 1 << (what >> 2 & 7); i > 0; --i) {
    const std::uint64_t id = nrt_sys_trace_new_event(what >> 4 & 3, type, &data, 0, nc);
    expect((id != 0) == captured, "what is captured and what is not");
    if (captured) ++cores[nc].emitted;
  }
}

void fetch(Input& input, std::array<Core, kCores>& cores) {
  nrt_sys_trace_fetch_options options{};
  options.max_events_per_nc = input.number<std::uint8_t>() % 2 == 0 ? input.number<std::uint8_t>()
                                                                    : input.number<std::uint64_t>();
  options.nc_idx = input.number<std::uint8_t>() % 2 == 0 ? input.number<std::int8_t>()
                                                         : input.number<std::int64_t>();
  char* text = nullptr;
  std::size_t size = 0;
  expect(nrt_sys_trace_fetch_events(&text, &size, &options) == NRT_SUCCESS, "a fetch");
  expect(text != nullptr && std::strlen(text) == size, "a document of the length it says");
  simdjson::dom::parser parser;
  simdjson::dom::array events;
  expect(parser.parse(text, size)["events"].get(events) == simdjson::SUCCESS, "it is JSON");
  nrt_sys_trace_buffer_free(text);

  std::array<std::uint64_t, kCores> count{};
  std::uint64_t last_core = 0;
  const std::array<Core, kCores> before = cores;
  for (const simdjson::dom::element event : events) {
    const std::uint64_t nc = event["nc_idx"], n = event["nc_local_id"];
    expect(nc < kCores && nc >= last_core, "cores that exist, ascending");
    last_core = nc;
    expect(n > cores[nc].fetched && n <= cores[nc].emitted, "in order, and once");
    cores[nc].fetched = n;
    ++count[nc];
  }
  const auto selected = systrace::selected_core(options);
  for (std::uint32_t nc = 0; nc < kCores; ++nc) {
    if (selected && *selected != nc) {
      expect(count[nc] == 0, "the one core only");
      continue;
    }
    expect(options.max_events_per_nc == 0 || count[nc] <= options.max_events_per_nc, "the limit");
    const std::uint64_t held = before[nc].emitted - before[nc].fetched;
    if (held > kSure) continue;
    expect(count[nc] == systrace::fetch_limit(options, held), "everything, up to the limit");
    expect(cores[nc].fetched == before[nc].fetched + count[nc], "the oldest, without a gap");
  }
}

void run(Input input) {
  const bool classic = (input.number<std::uint8_t>() & 1) != 0;
  ::setenv("NDTEL_TRACE_ENGINE", classic ? "classic" : "blocks", 1);
  nrt_sys_trace_config config = config_of(input);
  expect(nrt_sys_trace_start(&config) == NRT_SUCCESS, "start");
  std::array<Core, kCores> cores;
  while (!input.empty()) {
    if (input.number<std::uint8_t>() % 4 != 0)
      emit(input, config, cores);
    else
      fetch(input, cores);
  }
  expect(nrt_sys_trace_total_event_count() == cores[0].emitted + cores[1].emitted, "all counted");
  expect(nrt_sys_trace_stop() == NRT_SUCCESS, "stop");
}

}  // namespace
}  // namespace ndtel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Lines are made, and go nowhere.
  ndtel::fuzz::once([] {
    ndtel::systrace::log::set_sink({[](void*, int, const char*) {}, nullptr});
    nrt_sys_trace_set_visible_vnc_count(ndtel::fuzz::kCores);
  });
  ndtel::fuzz::run(ndtel::fuzz::Input(data, size));
  return 0;
}
