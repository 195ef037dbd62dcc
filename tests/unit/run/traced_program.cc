// SPDX-License-Identifier: Apache-2.0
//
// usage: traced_program END [EVENTS] [exported] [detached]
//
// Records EVENTS spans on each of two cores and ends as told: close, exit, _exit, or by a signal
// that it sends to itself: TERM, INT, SEGV, ABRT, KILL. With `exported` it writes files when half
// of them are recorded. `wait` waits for a signal from outside, `again` runs this program again in
// its place, `detached` leaves a child behind that waits a second and closes.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string_view>

#include "ndtel/trace.hpp"
#include "nrt/nrt.h"
#include "nrt/nrt_profile.h"

namespace {

// Spans `first` up to `end`.
void record(unsigned first, unsigned end) {
  namespace event = ndtel::trace::event;
  for (std::uint32_t nc = 0; nc < 2; ++nc) {
    const std::uint64_t model = ndtel::trace::intern("a model", nc);
    for (unsigned i = first; i < end; ++i)
      ndtel::trace::Span<event::ExecPre> span(nc, {.exec_id = i, .model_id = model});
  }
}

[[noreturn]] void end_by(int signal) {
  // Where nobody handles it, the default ends us: no core files, please.
  rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);
  ::raise(signal);
  while (true) ::pause();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view end = argc > 1 ? argv[1] : "close";
  const unsigned spans = argc > 2 ? static_cast<unsigned>(::strtoul(argv[2], nullptr, 10)) : 100;
  bool exported = false, detached = false;
  for (int i = 3; i < argc; ++i) {
    exported = exported || ::strcmp(argv[i], "exported") == 0;
    detached = detached || ::strcmp(argv[i], "detached") == 0;
  }
  nrt_sys_trace_set_visible_vnc_count(2);
  if (detached && ::fork() == 0) {
    if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS) return 9;
    record(0, spans);
    ::usleep(1'000'000);
    nrt_close();
    ::_exit(0);
  }
  if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS) return 9;
  record(0, spans / 2);
  if (exported && nrt_inspect_export(~0u) != NRT_SUCCESS) return 8;
  record(spans / 2, spans);
  ::printf("recorded\n");
  ::fflush(stdout);
  if (end == "close") {
    nrt_close();
    return 0;
  }
  if (end == "exit") ::exit(3);
  if (end == "_exit") ::_exit(4);
  if (end == "again") {
    ::execl("/proc/self/exe", argv[0], "close", argv[2], nullptr);
    return 7;
  }
  if (end == "wait") {
    while (true) ::pause();
  }
  for (const int signal : {SIGTERM, SIGINT, SIGSEGV, SIGABRT, SIGKILL}) {
    if (end == ::sigabbrev_np(signal)) end_by(signal);
  }
  ::fprintf(stderr, "traced_program: it does not know how to end by '%s'\n", argv[1]);
  return 2;
}
