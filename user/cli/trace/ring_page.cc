// SPDX-License-Identifier: Apache-2.0
#include "ring_page.hpp"

#include <new>

#include "../failure.hpp"

extern "C" {
#include <kbuffer.h>
}

namespace ndtel::cli {

void RingPage::Free::operator()(kbuffer* k) const { kbuffer_free(k); }

RingPage::RingPage() : kbuffer_(kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE)) {
  if (!kbuffer_) throw std::bad_alloc();
}

RingPage::Lost RingPage::walk(std::span<std::byte> page, const Visit& visit) {
  constexpr std::size_t kPageHeader = 16;  // time stamp and committed bytes
  const auto senseless = [] {
    return Failure(Exit::kFailed,
                   "a page of the kernel's trace buffer makes no sense; is this a 64-bit kernel?");
  };
  if (page.size() < kPageHeader || kbuffer_load_subbuffer(kbuffer_.get(), page.data()) < 0)
    throw senseless();
  // The committed length comes from outside; the walk below must stay within what was read.
  if (kPageHeader + static_cast<std::size_t>(kbuffer_subbuffer_size(kbuffer_.get())) > page.size())
    throw senseless();

  Lost lost;
  const int missed = kbuffer_missed_events(kbuffer_.get());
  if (missed > 0) lost.events = static_cast<std::uint64_t>(missed);
  lost.uncounted = missed < 0;

  unsigned long long time = 0;
  for (void* data = kbuffer_read_event(kbuffer_.get(), &time); data != nullptr;
       data = kbuffer_next_event(kbuffer_.get(), &time)) {
    const auto* begin = static_cast<const std::byte*>(data);
    const auto size = static_cast<std::size_t>(kbuffer_event_size(kbuffer_.get()));
    if (begin < page.data() || begin + size > page.data() + page.size()) throw senseless();
    visit(time, {begin, size});
  }
  return lost;
}

}  // namespace ndtel::cli
