// SPDX-License-Identifier: Apache-2.0
#include "shape.hpp"

#include <google/protobuf/descriptor.h>

#include <initializer_list>
#include <string_view>
#include <tuple>

#include "neuron_trace.pb.h"
#include "probe.hpp"

namespace ndtel::ntff::read {
namespace {

/// As much of a file as tells what it is, and little enough to be read five times.
constexpr std::size_t kLookedAt = std::size_t{64} << 10;

const google::protobuf::Descriptor& descriptor_of(Shape shape) {
  switch (shape) {
    case Shape::kTrace:
      return *::ntff::ntrace_info::descriptor();
    case Shape::kHost:
      return *::ntff::host_stats::descriptor();
    case Shape::kMemoryRows:
      return *::ntff::host_mem_usage::descriptor();
    case Shape::kCpuRows:
      return *::ntff::cpu_util::descriptor();
    case Shape::kEvents:
      break;
  }
  return *::ntff::ntrace_event::descriptor();
}

/// What a file of this name usually is made of, either way.
bool fits(std::string_view path, Shape shape) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("host_mem")) return shape == Shape::kHost || shape == Shape::kMemoryRows;
  if (name.starts_with("cpu_util")) return shape == Shape::kHost || shape == Shape::kCpuRows;
  if (name.starts_with("ntrace")) return shape == Shape::kTrace || shape == Shape::kEvents;
  return name.starts_with("trace_info") && shape == Shape::kTrace;
}

}  // namespace

std::string_view message_name(Shape shape) noexcept {
  switch (shape) {
    case Shape::kTrace:
      return "ntrace_info";
    case Shape::kHost:
      return "host_stats";
    case Shape::kMemoryRows:
      return "host_mem_usage";
    case Shape::kCpuRows:
      return "cpu_util";
    case Shape::kEvents:
      return "ntrace_event";
  }
  return "";
}

std::optional<Shape> recognise(ByteSource& source) {
  const std::string_view bytes = source.ask(kLookedAt).substr(0, kLookedAt);
  std::optional<Shape> best;
  // What makes sense to its end; how far it does; how much of that is known; what the name says.
  std::tuple<bool, std::size_t, std::uint64_t, bool> rank;
  for (const Shape shape :
       {Shape::kTrace, Shape::kHost, Shape::kMemoryRows, Shape::kCpuRows, Shape::kEvents}) {
    // Also of a whole file: it may have been longer.
    const Probe found = is_delimited(shape) ? probe_delimited(descriptor_of(shape), bytes, true)
                                            : probe(descriptor_of(shape), bytes, true);
    // Too little of a file says nothing against its name.
    if (!best && found.whole == 0 && found.cut && found.known == 0 && found.unknown == 0 &&
        fits(source.name(), shape))
      best = shape;
    if (found.known <= found.unknown || (found.broken && found.whole == 0)) continue;
    const decltype(rank) its_rank{!found.broken, found.broken ? found.whole : bytes.size(),
                                  found.known - found.unknown, fits(source.name(), shape)};
    if (!best || its_rank > rank) {
      best = shape;
      rank = its_rank;
    }
  }
  return best;
}

}  // namespace ndtel::ntff::read
