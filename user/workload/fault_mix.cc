// SPDX-License-Identifier: Apache-2.0
#include "fault_mix.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <numeric>

namespace ndtel::workload {
namespace {

constexpr std::pair<std::string_view, Fault> kNames[] = {
    {"nan", Fault::kNan},
    {"deadline", Fault::kDeadline},
    {"queue", Fault::kQueue},
    {"shape", Fault::kShape},
};

}  // namespace

Result<FaultMix> FaultMix::parse(std::string_view text) {
  const auto bad = [&](std::string_view part, std::string_view why) {
    return Error{EINVAL, fmt::format("fault mix: '{}' {}; write for instance "
                                     "nan=0.02,deadline=0.01,queue=0.01,shape=0.01",
                                     part, why)};
  };
  FaultMix mix;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return bad(part, "has no '='");
    const std::string_view name = part.substr(0, equals), number = part.substr(equals + 1);
    double share = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), share);
    if (error != std::errc() || end != number.data() + number.size() ||
        !(share >= 0 && share <= 1)) {
      return bad(part, "is no share between 0 and 1");
    }
    bool known = false;
    for (const auto& [known_name, fault] : kNames) {
      if (known_name != name) continue;
      mix.share_[static_cast<std::size_t>(fault)] = share;
      known = true;
    }
    if (!known) return bad(part, "is none of nan, deadline, queue and shape");
  }
  if (std::accumulate(mix.share_.begin(), mix.share_.end(), 0.0) > 1.0) {
    return bad(text, "adds up to more than 1");
  }
  return mix;
}

Fault FaultMix::pick(std::mt19937_64& random) const {
  double where = static_cast<double>(random() >> 11) * 0x1p-53;
  for (const auto& [name, fault] : kNames) {
    if (where < share(fault)) return fault;
    where -= share(fault);
  }
  return Fault::kNone;
}

}  // namespace ndtel::workload
