// SPDX-License-Identifier: Apache-2.0
//
// Starts that wait for their stops, and stops that wait for their starts: events of different
// threads are not in order of time.
#ifndef NDTEL_NTFF_READ_SPAN_TABLE_HPP
#define NDTEL_NTFF_READ_SPAN_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ndtel::ntff::read {

struct TypeStats;

/// An end of a span.
struct SpanEnd {
  std::uint64_t tracking_id = 0;
  std::uint64_t timestamp = 0;
  TypeStats* stats = nullptr;  ///< of the core and the type: two ends with the same one can pair
  bool stop = false;
};

/// Holds the ends whose other one did not come yet. In at most 2 * kGeneration ends: of more the
/// oldest are given up.
class SpanTable {
 public:
  static constexpr std::size_t kGeneration = std::size_t{1} << 18;

  /// Takes out the other end of the span, if it is there; else keeps this one. An end that is like
  /// one that is there takes its place.
  /// @param lost called with each end that is given up
  template <typename Lost>
  std::optional<SpanEnd> match(const SpanEnd& end, Lost&& lost) {
    if (auto other = young_.take(end)) return other;
    if (auto other = old_.take(end)) return other;
    if (const auto replaced = young_.put(end)) lost(*replaced);
    if (young_.size() >= kGeneration) {
      old_.each(lost);
      old_ = std::move(young_);
      young_ = Half();
    }
    return std::nullopt;
  }

  /// Gives up all ends.
  template <typename Lost>
  void clear(Lost&& lost) {
    old_.each(lost);
    young_.each(lost);
    old_ = Half();
    young_ = Half();
  }

 private:
  /// A hash table with open addressing.
  class Half {
   public:
    std::size_t size() const noexcept { return used_; }
    /// Takes out the end that pairs with `end`.
    std::optional<SpanEnd> take(const SpanEnd& end) noexcept;
    /// Puts an end; returns the one that was like it.
    std::optional<SpanEnd> put(const SpanEnd& end);

    template <typename Use>
    void each(Use&& use) const {
      for (const SpanEnd& slot : slots_)
        if (slot.stats != nullptr) use(slot);
    }

   private:
    std::size_t place(const SpanEnd& end) const noexcept;
    void grow();

    std::vector<SpanEnd> slots_;  // a power of two, at most half of them used
    std::size_t used_ = 0;
  };

  Half young_, old_;
};

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_SPAN_TABLE_HPP
