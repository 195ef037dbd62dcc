// SPDX-License-Identifier: Apache-2.0
//
// A device in miniature for the engine's tests: slabs in plain memory, an engine that follows them,
// decoded posts.

#ifndef NDTEL_TESTS_UNIT_CORE_PLANE_HPP
#define NDTEL_TESTS_UNIT_CORE_PLANE_HPP

#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kmod/core/nmetric.h"
#include "kmod/core/nmetric_ref.h"
#include "kmod/core/nmetric_sched.h"

namespace ndtel::test {

inline constexpr u64 kSecond = 1'000'000'000;
inline constexpr u64 kPeriod = 150 * kSecond;  // the reference's default post delay

// Records of a post, in wire order. A damaged post fails the test.
using Records = std::vector<std::pair<int, std::string>>;

inline Records Decode(const u8* buf, std::size_t size) {
  Records records;
  std::size_t pos = 0;
  nmetric_view view;
  int more;
  while ((more = nmetric_next(buf, size, &pos, &view)) == 1)
    records.emplace_back(view.id, std::string(reinterpret_cast<const char*>(view.text), view.len));
  EXPECT_EQ(more, 0) << "a post must decode to its end";
  return records;
}

inline Records Decode(const nmetric_post& post) {
  EXPECT_LE(post.used, unsigned{NMETRIC_POST_MAX});
  return Decode(post.buf, post.used);
}

inline bool Has(const Records& records, int id) {
  for (const auto& record : records)
    if (record.first == id) return true;
  return false;
}

// Text of an id; "-" when it was not posted, because an empty text is something else.
inline std::string Text(const Records& records, int id) {
  for (const auto& record : records)
    if (record.first == id) return record.second;
  return "-";
}

inline std::vector<int> Ids(const Records& records) {
  std::vector<int> ids;
  for (const auto& record : records) ids.push_back(record.first);
  return ids;
}

inline u64 Version(unsigned major, unsigned minor, unsigned build, unsigned reserved = 0) {
  return u64{build} | u64{minor} << 32 | u64{major} << 40 | u64{reserved} << 48;
}

// A process's slab: exactly the bytes with a meaning, so that the sanitizer sees a read beyond
// them.
class Slab {
 public:
  Slab() : words_(NDS_USED_SIZE / 8) { nmetric_slab_init(&books, words_.data()); }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  u64& Nc(u32 nc, u32 counter) { return words_.at(nds_nc_word(nc, counter)); }
  u64& Nd(u32 counter) { return words_.at(nds_nd_word(counter)); }

  nmetric_slab books;

 private:
  std::vector<u64> words_;
};

// One device with the engine of ours and, fed alike, the reference's arithmetic.
class Plane {
 public:
  explicit Plane(u32 nc_count = 2, u32 nc_map = ~0U) {
    nmetric_init(&engine, nc_count, nc_map, 0);
    nmetric_ref_init(&reference);
  }

  Slab& Birth() {
    live_.push_back(std::make_unique<Slab>());
    return *live_.back();
  }

  void Death(Slab& slab) {
    nmetric_slab_gone(&engine, &slab.books);
    nmetric_ref_slab_gone(&reference, &engine, &slab.books);
    Drop(slab);
  }

  // Forgets a slab without telling the engine.
  void Drop(Slab& slab) {
    std::erase_if(live_, [&](const auto& each) { return each.get() == &slab; });
  }

  std::vector<nmetric_slab*> Live() const {
    std::vector<nmetric_slab*> slabs;
    for (const auto& slab : live_) slabs.push_back(&slab->books);
    return slabs;
  }

  Records Begin(u8 tick, nmetric_sink sink = NMETRIC_SINK_TRACE) {
    std::vector<nmetric_slab*> slabs = Live();
    nmetric_post post;
    u32 used = nmetric_begin(&engine, sink, tick, now, slabs.data(), slabs.size(), &post);
    EXPECT_EQ(used, post.used);
    raw.assign(post.buf, post.buf + post.used);
    return Decode(post);
  }

  Records Post(u8 tick, nmetric_result result = NMETRIC_ACCEPTED,
               nmetric_sink sink = NMETRIC_SINK_TRACE) {
    Records records = Begin(tick, sink);
    nmetric_end(&engine, sink, result);
    return records;
  }

  // One wake of the reference with one tick.
  Records Reference(u8 tick) {
    Records records = ReferenceTick(tick);
    nmetric_ref_ticks_done(&reference, now);
    return records;
  }

  Records ReferenceTick(u8 tick) {
    std::vector<nmetric_slab*> slabs = Live();
    nmetric_post post;
    nmetric_ref_tick(&reference, &engine, tick, now, slabs.data(), slabs.size(), &inputs, &post);
    raw.assign(post.buf, post.buf + post.used);
    return Decode(post);
  }

  u64 Outstanding(unsigned row, nmetric_sink sink = NMETRIC_SINK_TRACE) const {
    return nmetric_outstanding(&engine, sink, row);
  }

  // The identity the engine promises, for every row and sink.
  void ExpectBooksBalance() const {
    for (const nmetric_sink_books& books : engine.sink) {
      for (unsigned row = 0; row < NMETRIC_ROWS; row++) {
        u64 sum = books.confirmed[row] + books.pending.amount[row] + books.inflight.amount[row];
        for (const auto& discarded : books.discarded) sum += discarded[row];
        EXPECT_EQ(engine.incremented[row], sum) << "row " << row;
      }
    }
  }

  nmetric engine;
  nmetric_ref reference;
  nmetric_ref_inputs inputs{};
  u64 now = 0;
  std::vector<u8> raw;  // bytes of the last post

 private:
  std::list<std::unique_ptr<Slab>> live_;
};

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_UNIT_CORE_PLANE_HPP
