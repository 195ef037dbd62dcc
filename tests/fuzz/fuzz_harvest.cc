// SPDX-License-Identifier: Apache-2.0
//
// The harvester over memory of anybody's making. The input is a list of changes to the memory of
// a real capture, most of which is empty; or, when it begins with an odd byte, the memory itself.
#include <sys/mman.h>
#include <unistd.h>

#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "config.hpp"
#include "engine.hpp"
#include "host.hpp"
#include "input.hpp"
#include "log.hpp"
#include "ndtel/trace_harvest.hpp"

namespace ndtel::fuzz {
namespace {

using namespace systrace;

constexpr std::uint64_t kCapacity = 1024;

std::vector<std::byte> capture(EngineKind engine) {
  const std::string path = "@ndtel-fuzz-" + std::to_string(::getpid());
  auto socket = trace::HandoverSocket::listen(path);
  expect(socket.ok(), "a socket");
  host::set_visible_cores(2);
  Config config = default_config();
  config.max_events_per_nc = kCapacity;
  expect(Engine::get().start(config, {engine, path}) == NRT_SUCCESS, "a start");
  nrt_sys_trace_capture_intern_string("a model", 0);
  const auto emit = [] {
    for (std::uint64_t i = 0; i < 900; ++i) nrt_sys_trace_new_event(2, 0, nullptr, i, i % 9 == 0);
  };
  std::thread(emit).join();
  emit();
  expect(Engine::get().close() == NRT_SUCCESS, "a stop");
  auto received = socket->receive();
  expect(received.ok() && received->has_value(), "memory");
  const int memfd = (*received)->memfd;
  const auto size = static_cast<std::size_t>(::lseek(memfd, 0, SEEK_END));
  std::vector<std::byte> bytes(size);
  expect(::pread(memfd, bytes.data(), size, 0) == static_cast<ssize_t>(size), "a copy");
  ::close(memfd);
  return bytes;
}

void harvest(std::span<const std::byte> memory) {
  const auto harvester = trace::Harvester::over(memory);
  if (!harvester) {
    expect(harvester.error().code == EPROTO && !harvester.error().message.empty(), "a reason");
    return;
  }
  for (const auto& core : harvester->summary().cores) {
    std::uint64_t events = 0;
    harvester->events(core, [&](const nrt_sys_trace_event_t&) {
      ++events;
      return true;
    });
    expect(events <= memory.size() / sizeof(Slot), "no more events than room");
    if (core.damaged == 0) expect(events == core.left, "as many events as announced");
  }
}

void run(Input input) {
  static std::vector<std::byte> memories[] = {capture(EngineKind::kBlocks),
                                              capture(EngineKind::kClassic)};
  const auto how = input.number<std::uint8_t>();
  if ((how & 1) != 0) {
    const std::string_view rest = input.rest();
    // A copy of the exact size: what is read beyond it is noticed.
    const std::vector<std::byte> memory(
        reinterpret_cast<const std::byte*>(rest.data()),
        reinterpret_cast<const std::byte*>(rest.data()) + rest.size());
    return harvest(memory);
  }
  std::vector<std::byte>& memory = memories[how >> 1 & 1];
  const auto* const head = reinterpret_cast<const RegionHeader*>(memory.data());
  const std::uint64_t names = head->names_offset;
  const std::uint64_t ring = names + kNameBytes;
  std::vector<std::pair<std::size_t, std::uint64_t>> undo;
  const auto at_word = [&](std::size_t at) { return memory.data() + at; };
  while (!input.empty() && undo.size() < 64) {
    // Where something is: the heads, the first names, the rings.
    const auto place = input.number<std::uint32_t>();
    const std::uint64_t within = place >> 2;
    std::size_t at = 0;
    switch (place & 3) {
      case 0:
        at = within % (names + 512);
        break;
      case 1:
        at = ring + within % 16384;
        break;
      case 2:
        at = within % sizeof(RegionHeader);
        break;
      default:
        at = ring + within % (memory.size() - ring);
    }
    at = std::min(at, memory.size() - sizeof(std::uint64_t));
    std::uint64_t before;
    std::memcpy(&before, at_word(at), sizeof before);
    undo.emplace_back(at, before);
    const auto bytes = input.number<std::uint8_t>();
    const auto value = input.number<std::uint64_t>();
    std::memcpy(at_word(at), &value, bytes % 8 + 1);
  }
  harvest(memory);
  for (; !undo.empty(); undo.pop_back())
    std::memcpy(at_word(undo.back().first), &undo.back().second, sizeof(std::uint64_t));
}

}  // namespace
}  // namespace ndtel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ndtel::fuzz::run(ndtel::fuzz::Input(data, size));
  return 0;
}
