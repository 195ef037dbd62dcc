// SPDX-License-Identifier: Apache-2.0
//
// nlog with any names and any format. Every argument is the address of a page that can be read and
// not written, and is a small number too: a format may take it for a text, a width or a value, and
// one that writes through it ends the fuzzer.
#include <sys/mman.h>

#include <algorithm>
#include <cstdarg>

#include "input.hpp"
#include "nlog.hpp"
#include "sinks.hpp"

namespace ndtel::fuzz {
namespace {

constexpr std::uintptr_t kPage = 0x14000;  // 81920: above the lowest address that may be mapped
constexpr std::size_t kPageSize = 0x4000;

void map_page() {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  void* page =
      ::mmap(reinterpret_cast<void*>(kPage), kPageSize, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  expect(page == reinterpret_cast<void*>(kPage), "a page for the arguments");
  std::memset(page, 'a', 64);
  expect(::mprotect(page, kPageSize, PROT_READ) == 0, "nobody writes the page");
}

// The longest line that a sink was given.
std::size_t longest = 0;

constexpr nlog::Sinks kSinks = {
    [](nrt_log_level_t, std::string_view line) { longest = std::max(longest, line.size()); },
    [](nrt_log_level_t, std::string_view line) { longest = std::max(longest, line.size()); },
    [](std::string_view line) {
      expect(line.data()[line.size()] == '\0', "lines end with a NUL");
    }};

// So many arguments are passed that no format here can reach beyond them: each conversion takes
// three at most, and a long double the room of two.
constexpr int kConversions = 8;

bool stays_within(const std::string& format) {
  const auto count = [&](char c) { return std::count(format.begin(), format.end(), c); };
  return count('%') + count('*') <= kConversions && count('$') == 0;
}

void write(const char* submodule, const char* func, std::uint8_t what, const char* format, ...) {
  va_list args;
  va_start(args, format);
  nlog_vwrite(submodule, func, static_cast<nrt_log_level_t>(what & 7), (what & 8) != 0,
              (what & 16) != 0, format, args);
  va_end(args);
}

void run(Input input) {
  nlog::process_log().coalescing = true;
  nlog_set_log_level("all", "SYSLOG,CONSOLE", "TRACE");
  nlog_api_begin("call");
  while (!input.empty()) {
    const auto what = input.number<std::uint8_t>();
    const std::string submodule = input.text();
    const std::string func = input.text();
    const std::string format = input.text();
    if (!stays_within(format)) continue;
    auto* const a = reinterpret_cast<const char*>(kPage);
    write(submodule.c_str(), func.c_str(), what, format.c_str(), a, a, a, a, a, a, a, a, a, a, a, a,
          a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a);
    if ((what & 32) != 0) {
      nlog_set_log_level(submodule.c_str(), func.c_str(), format.c_str());
      auto level = NRT_LOG_LEVEL_DISABLED;
      if (nlog_get_log_level(submodule.c_str(), &level) == NRT_SUCCESS)
        expect(level >= NRT_LOG_LEVEL_ERROR && level <= NRT_LOG_LEVEL_TRACE, "levels are levels");
    }
  }
  nlog_api_end();
  expect(longest < 0x4000, "no line is longer than a block");

  static char errors[4096];
  std::size_t length = 0;
  expect(nlog_error_ring_dump(0, errors, sizeof errors, &length, nullptr) == NRT_SUCCESS,
         "dumping");
  expect(length == 0 || errors[length - 1] == '\n', "whole lines");
}

}  // namespace
}  // namespace ndtel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ndtel::fuzz::once([] {
    ndtel::fuzz::map_page();
    ndtel::nlog::replace_sinks(&ndtel::fuzz::kSinks);
  });
  ndtel::fuzz::run(ndtel::fuzz::Input(data, size));
  return 0;
}
