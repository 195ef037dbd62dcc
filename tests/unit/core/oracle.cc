// SPDX-License-Identifier: Apache-2.0

#include "oracle.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <sstream>

namespace ndtel::test {
namespace {

constexpr Wide kWordMax = ~u64{0};
constexpr std::size_t kPostMax = 128;
constexpr std::array<u32, NMETRIC_CONST_U64S> kConstantSource = {12, 13};

bool IsCounterWord(const nmetric_def& def) {
  return def.type == NMETRIC_COUNTER || def.type == NMETRIC_UTILIZATION;
}

std::string Hex(u64 value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%llx", static_cast<unsigned long long>(value));
  return text;
}

std::size_t Bytes(const Records& records) {
  std::size_t bytes = 0;
  for (const auto& record : records) bytes += 2 + record.second.size();
  return bytes;
}

// Rows in the order they are packed: those that waited first, by how long, then the others.
std::vector<unsigned> PackOrder(const std::array<unsigned, NMETRIC_ROWS>& age, u8 tick) {
  std::vector<unsigned> rows;
  for (unsigned row = 0; row < NMETRIC_ROWS; row++)
    if (nmetric_defs[row].tick == NMETRIC_TICK_ALWAYS || nmetric_defs[row].tick == tick)
      rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](unsigned a, unsigned b) { return age[a] > age[b]; });
  return rows;
}

}  // namespace

void VersionCount::Add(u64 word, unsigned uses) {
  auto found =
      std::find_if(uses_.begin(), uses_.end(), [&](auto& each) { return each.first == word; });
  if (found == uses_.end())
    uses_.emplace_back(word, uses);
  else
    found->second += uses;
}

void VersionCount::Add(const VersionCount& other) {
  for (auto [word, uses] : other.uses_) Add(word, uses);
}

std::vector<u64> VersionCount::Top(unsigned count) const {
  auto sorted = uses_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto& a, auto& b) { return a.second > b.second; });
  std::vector<u64> words;
  for (auto& each : sorted)
    if (words.size() < count) words.push_back(each.first);
  return words;
}

void Oracle::Look(Process& process) {
  std::array<Wide, NMETRIC_ROWS> grown{};
  for (u32 nc = 0; nc < nc_count_; nc++) {
    if (!(nc_map_ >> nc & 1)) continue;
    for (unsigned row = 0; row < NMETRIC_ROWS; row++) {
      if (!IsCounterWord(nmetric_defs[row])) continue;
      u32 counter = nmetric_defs[row].ds_id;
      u64 value = process.slab.Nc(nc, counter);
      u64& seen = process.seen[nc][counter];
      if (value < seen) {
        tally.down++;
      } else if (value - seen > u64{1} << 60) {
        tally.implausible++;
        incremented_[row] += value - seen;
        for (Sink& sink : sinks_) sink.implausible[row] += value - seen;
      } else {
        grown[row] += value - seen;
      }
      seen = value;
    }
  }
  for (unsigned row = 0; row < NMETRIC_ROWS; row++) Add(row, grown[row]);
  for (unsigned i = 0; i < NMETRIC_CONST_U64S; i++) {
    u64 value = process.slab.Nd(kConstantSource[i]);
    if (value == process.constant[i]) continue;
    process.constant[i] = value;
    process.stamp[i] = ++stamp_;
  }
}

void Oracle::Death(Process& process) {
  Look(process);
  for (Sink& sink : sinks_) {
    for (u32 kind = 0; kind < NMETRIC_VERSIONS; kind++)
      if (u64 word = process.slab.Nd(kind)) sink.owed.versions[kind].Add(word);
    sink.owed.bits |= process.slab.Nd(NDS_ND_COUNTER_FEATURE_BITMAP);
    for (unsigned i = 0; i < NMETRIC_CONST_U64S; i++)
      if (process.constant[i])
        sink.owed.constant[i] =
            std::max(sink.owed.constant[i], std::pair(process.stamp[i], process.constant[i]));
  }
}

void Oracle::Add(unsigned row, Wide amount) {
  incremented_[row] += static_cast<u64>(amount);
  for (Sink& sink : sinks_) {
    Wide fits = std::min(amount, kWordMax - sink.owed.amount[row] - sink.flying.amount[row]);
    sink.owed.amount[row] += fits;
    sink.overflow[row] += static_cast<u64>(amount - fits);
    tally.overflow += fits != amount;
  }
}

void Oracle::ResetDone(bool whole_device, u64 ms) {
  unsigned i = whole_device ? 0 : 1;
  for (Sink& sink : sinks_) {
    sink.owed.reset_max[i] = std::max(sink.owed.reset_max[i], ms);
    sink.owed.reset_total[i] += ms;
    sink.owed.reset_count[i]++;
  }
}

void Oracle::EccReading(bool repairable, u32 tally_now, bool after_reset) {
  unsigned i = repairable;
  if (ecc_base_[i] && tally_now < *ecc_base_[i] && !after_reset) return;
  u32 from = !ecc_base_[i] ? tally_now : tally_now < *ecc_base_[i] ? 0 : *ecc_base_[i];
  ecc_base_[i] = tally_now;
  Add(34 + i, tally_now - from);
  for (Sink& sink : sinks_) sink.owed.ecc[i] = true;
}

std::vector<Oracle::Unit> Oracle::VersionUnits(Sink& sink, const nmetric_def& def,
                                               const std::vector<Process*>& live) {
  VersionCount all = sink.owed.versions[def.index];
  for (Process* process : live)
    if (u64 word = process->slab.Nd(def.ds_id)) all.Add(word);
  std::vector<Unit> units;
  int id = def.cw_id;
  for (u64 word : all.Top(2)) {
    unsigned build = word & 0xFFFFFFFF, minor = word >> 32 & 0xFF, major = word >> 40 & 0xFF;
    unsigned type = (word >> 48) % 10;
    Unit unit;
    if (build || minor || major)
      unit.emplace_back(
          id, std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build));
    if (def.cw_id == 190 && type) unit.emplace_back(id + 1, std::to_string(type));
    units.push_back(unit);
    id += def.cw_id == 190 ? 2 : 1;
  }
  return units;
}

u64 Oracle::ConstantValue(Sink& sink, unsigned index, const std::vector<Process*>& live) {
  std::pair<u64, u64> newest{};
  u64 some = 0;
  bool differ = false;
  for (Process* process : live) {
    if (!process->constant[index]) continue;
    differ |= some && some != process->constant[index];
    some = process->constant[index];
    newest = std::max(newest, std::pair(process->stamp[index], process->constant[index]));
  }
  tally.conflicts += differ;
  return newest.second ? newest.second : sink.owed.constant[index].second;
}

std::vector<Oracle::Unit> Oracle::Units(Sink& sink, unsigned row, u64 now,
                                        const std::vector<Process*>& live) {
  const nmetric_def& def = nmetric_defs[row];
  const Wide amount = sink.owed.amount[row];
  auto number = [&](Wide value) {
    return std::vector<Unit>{{{int{def.cw_id}, std::to_string(static_cast<u64>(value))}}};
  };
  if (def.cw_id == 0) return {};
  switch (def.type) {
    case NMETRIC_CONSTANT:
      if (constants[def.index].empty()) return {};
      return {{{int{def.cw_id}, constants[def.index]}}};
    case NMETRIC_VERSION:
      return VersionUnits(sink, def, live);
    case NMETRIC_COUNTER:
    case NMETRIC_FW_IO_ERR:
      return amount ? number(amount) : std::vector<Unit>{};
    case NMETRIC_UTILIZATION: {
      unsigned cores = std::popcount(nc_map_ & ((1U << nc_count_) - 1));
      if (!cores || now < sink.window + NMETRIC_WINDOW_MIN_NS) return {};
      return number(std::min(Wide{100}, amount / 1000 / cores * 100 / (now - sink.window)));
    }
    case NMETRIC_ECC:
      return amount || sink.owed.ecc[def.index] ? number(amount) : std::vector<Unit>{};
    case NMETRIC_BITMAP: {
      u64 bits = sink.owed.bits;
      for (Process* process : live) bits |= process->slab.Nd(NDS_ND_COUNTER_FEATURE_BITMAP);
      return bits ? number(bits) : std::vector<Unit>{};
    }
    case NMETRIC_CONST_U64: {
      u64 value = ConstantValue(sink, def.index, live);
      if (!value) return {};
      return def.cw_id == 80 ? std::vector<Unit>{{{80, Hex(value)}}} : number(value);
    }
    case NMETRIC_DRIVER_RESET: {
      unsigned i = def.index % 2;
      if (def.index >= 4) return amount ? number(amount) : std::vector<Unit>{};
      if (def.index < 2)
        return sink.owed.reset_max[i] ? number(sink.owed.reset_max[i]) : std::vector<Unit>{};
      if (!sink.owed.reset_count[i]) return {};
      return number(sink.owed.reset_total[i] / sink.owed.reset_count[i]);
    }
    case NMETRIC_USERVER: {
      if (!userver) return {};
      if (def.index == 1) return number(userver->mode);
      unsigned lowest = std::countr_zero(userver->modes_supported & 0x1E);
      return number(lowest > 4 ? 0 : lowest);
    }
    default:
      return {};
  }
}

// What a packed row takes with it.
void Oracle::TakeOff(Sink& sink, unsigned row) {
  const nmetric_def& def = nmetric_defs[row];
  auto take = [](auto& flying, auto& owed) {
    flying = owed;
    owed = {};
  };
  sink.packed[row] = true;
  take(sink.flying.amount[row], sink.owed.amount[row]);
  if (def.type == NMETRIC_VERSION)
    take(sink.flying.versions[def.index], sink.owed.versions[def.index]);
  if (def.type == NMETRIC_BITMAP) take(sink.flying.bits, sink.owed.bits);
  if (def.type == NMETRIC_CONST_U64)
    take(sink.flying.constant[def.index], sink.owed.constant[def.index]);
  if (def.type == NMETRIC_ECC) take(sink.flying.ecc[def.index], sink.owed.ecc[def.index]);
  if (def.type == NMETRIC_DRIVER_RESET && def.index < 2)
    take(sink.flying.reset_max[def.index], sink.owed.reset_max[def.index]);
  if (def.type == NMETRIC_DRIVER_RESET && def.index / 2 == 1) {
    take(sink.flying.reset_total[def.index % 2], sink.owed.reset_total[def.index % 2]);
    take(sink.flying.reset_count[def.index % 2], sink.owed.reset_count[def.index % 2]);
  }
}

Records Oracle::Begin(nmetric_sink which, u8 tick, u64 now, const std::vector<Process*>& live) {
  Sink& sink = sinks_[which];
  if (sink.busy) return {};
  for (Process* process : live) Look(*process);
  sink.packed = {};
  sink.left_out = {};
  sink.begun = now;
  Records post;
  std::vector<unsigned> order = PackOrder(sink.age, tick);
  for (unsigned row : order) {
    std::vector<Unit> units = Units(sink, row, now, live);
    std::size_t fitted = 0;
    std::size_t before = post.size();
    for (const Unit& unit : units) {
      if (Bytes(post) + Bytes(unit) > kPostMax) break;
      post.insert(post.end(), unit.begin(), unit.end());
      fitted++;
    }
    if (fitted < units.size()) {
      sink.left_out[row] = true;
      sink.age[row] = std::min(sink.age[row] + 1, 255U);
      sink.deferred++;
      tally.deferred++;
      tally.partial_versions += post.size() > before;
    } else if (post.size() > before) {
      TakeOff(sink, row);
    } else {
      sink.age[row] = 0;
      sink.passed_over[row] = 0;
      if (nmetric_defs[row].type == NMETRIC_VERSION)
        sink.owed.versions[nmetric_defs[row].index].Clear();
    }
  }
  sink.busy = !post.empty();
  tally.posts += sink.busy;
  return post;
}

void Oracle::NoteUnknown(nmetric_sink which) {
  Sink& sink = sinks_[which];
  for (unsigned row = 0; row < NMETRIC_ROWS; row++)
    sink.unknown[row] += static_cast<u64>(sink.flying.amount[row]);
}

void Oracle::End(nmetric_sink which, nmetric_result result) {
  Sink& sink = sinks_[which];
  if (!sink.busy) return;
  if (result == NMETRIC_UNKNOWN) NoteUnknown(which);
  if (result == NMETRIC_ACCEPTED) {
    for (unsigned row = 0; row < NMETRIC_ROWS; row++) {
      sink.confirmed[row] += static_cast<u64>(sink.flying.amount[row]);
      if (sink.packed[row]) {
        sink.age[row] = 0;
        sink.passed_over[row] = 0;
      }
      if (sink.left_out[row])
        tally.longest_wait = std::max<u64>(tally.longest_wait, ++sink.passed_over[row]);
    }
    if (sink.packed[33]) sink.window = sink.begun;
  } else {
    Unaccepted& owed = sink.owed;
    const Unaccepted& back = sink.flying;
    for (unsigned row = 0; row < NMETRIC_ROWS; row++) owed.amount[row] += back.amount[row];
    for (unsigned i = 0; i < NMETRIC_VERSIONS; i++) owed.versions[i].Add(back.versions[i]);
    owed.bits |= back.bits;
    for (unsigned i = 0; i < NMETRIC_CONST_U64S; i++)
      owed.constant[i] = std::max(owed.constant[i], back.constant[i]);
    for (unsigned i = 0; i < 2; i++) {
      owed.reset_max[i] = std::max(owed.reset_max[i], back.reset_max[i]);
      owed.reset_total[i] += back.reset_total[i];
      owed.reset_count[i] += back.reset_count[i];
      owed.ecc[i] = owed.ecc[i] || back.ecc[i];
    }
  }
  sink.flying = {};
  sink.busy = false;
}

void Oracle::Discard() {
  for (Sink& sink : sinks_) {
    for (unsigned row = 0; row < NMETRIC_ROWS; row++)
      sink.removed[row] += static_cast<u64>(sink.owed.amount[row] + sink.flying.amount[row]);
    sink.owed = {};
    sink.flying = {};
    sink.age = {};
    sink.busy = false;
  }
}

bool Oracle::Settled() const {
  for (const Sink& sink : sinks_)
    for (unsigned row = 0; row < NMETRIC_ROWS; row++)
      if (sink.owed.amount[row] || sink.flying.amount[row]) return false;
  return true;
}

std::string Oracle::Compare(const nmetric& engine) const {
  std::ostringstream wrong;
  for (unsigned s = 0; s < NMETRIC_SINK_COUNT; s++) {
    const nmetric_sink_books& books = engine.sink[s];
    const Sink& sink = sinks_[s];
    for (unsigned row = 0; row < NMETRIC_ROWS; row++) {
      u64 sum = books.confirmed[row] + books.pending.amount[row] + books.inflight.amount[row];
      for (const auto& discarded : books.discarded) sum += discarded[row];
      auto check = [&](const char* what, u64 have, u64 want) {
        if (have != want)
          wrong << "sink " << s << " row " << row << " " << what << " is " << have << ", not "
                << want << "\n";
      };
      check("sum of the books", sum, engine.incremented[row]);
      check("incremented", engine.incremented[row], incremented_[row]);
      check("pending", books.pending.amount[row], static_cast<u64>(sink.owed.amount[row]));
      check("in flight", books.inflight.amount[row], static_cast<u64>(sink.flying.amount[row]));
      check("confirmed", books.confirmed[row], sink.confirmed[row]);
      check("unknown", books.unknown[row], sink.unknown[row]);
      check("implausible", books.discarded[NMETRIC_DISCARD_IMPLAUSIBLE][row],
            sink.implausible[row]);
      check("overflow", books.discarded[NMETRIC_DISCARD_OVERFLOW][row], sink.overflow[row]);
      check("removed", books.discarded[NMETRIC_DISCARD_REMOVED][row], sink.removed[row]);
      check("age", books.age[row], sink.age[row]);
    }
    if (books.busy != sink.busy) wrong << "sink " << s << " busy is " << books.busy << "\n";
    if (books.deferred != sink.deferred)
      wrong << "sink " << s << " deferred is " << books.deferred << "\n";
  }
  if (engine.words_down != tally.down)
    wrong << "words down: " << engine.words_down << ", not " << tally.down << "\n";
  if (engine.const_conflicts != tally.conflicts)
    wrong << "conflicts: " << engine.const_conflicts << "\n";
  return wrong.str();
}

}  // namespace ndtel::test
