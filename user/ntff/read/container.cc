// SPDX-License-Identifier: Apache-2.0
#include "container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "ntff.pb.h"
#include "probe.hpp"

namespace ndtel::ntff::read {
namespace {

constexpr std::uint64_t kHeaderBytes = 128;

/// A part of the data that a message points to.
struct Extent {
  std::uint64_t begin = 0, end = 0;
};

class ContainerReader {
 public:
  explicit ContainerReader(ByteSource& source) : source_(source) {}

  Container run() {
    container_.size = source_.size();
    if (container_.size > 0 && read_header() && read_info()) {
      find_blobs();
      check_disjoint();
    }
    if (!container_.fault) container_.whole = container_.size;
    return std::move(container_);
  }

 private:
  /// Only the first fault is told: others often follow from it.
  bool fail(FaultKind kind, std::uint64_t offset, std::string expected) {
    if (!container_.fault) {
      container_.fault = Fault{kind, source_.name(), offset, std::move(expected)};
      container_.whole = offset;
    }
    return false;
  }

  bool read_header() {
    // The reserved rest of the header is not looked at: later versions may use it.
    enum { kVersion, kHeaderSize, kInfoSize, kDataSize, kInstructionBytes, kWords };
    std::array<std::uint64_t, kWords> words{};
    const std::string_view bytes = source_.ask(kHeaderBytes);
    std::memcpy(words.data(), bytes.data(), std::min(bytes.size(), sizeof words));
    const std::uint64_t size = source_.size();
    const bool tells = size >= (kHeaderSize + 1) * sizeof words[0];
    if (!tells || words[kHeaderSize] != kHeaderBytes || words[kVersion] == 0 ||
        words[kVersion] > kHeaderBytes) {
      return fail(FaultKind::kForeign, 0,
                  "expected the header of an .ntff file, found a file of another kind");
    }
    if (size < kHeaderBytes) {
      return fail(
          FaultKind::kTruncated, size,
          fmt::format("expected a header of {} bytes, found the end of the file", kHeaderBytes));
    }
    container_.version = words[kVersion];
    container_.info_size = words[kInfoSize];
    container_.data_size = words[kDataSize];
    container_.instruction_bytes = words[kInstructionBytes];
    if (container_.version > kNewestContainer) {
      // What follows is what it would be in a version that is known.
      fail(FaultKind::kNewer, kVersion * sizeof words[0],
           fmt::format("expected at most version {}, found version {}: a newer release reads it",
                       kNewestContainer, container_.version));
    }
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    if (container_.info_size > kLargestInfo) {
      return fail(FaultKind::kCorrupt, kInfoSize * sizeof words[0],
                  fmt::format("expected a message of at most {} bytes, found {}", kLargestInfo,
                              container_.info_size));
    }
    if (container_.data_size > kMost || container_.instruction_bytes > container_.data_size) {
      return fail(FaultKind::kCorrupt, kDataSize * sizeof words[0],
                  fmt::format("expected the size of all data and of the instructions in it, found "
                              "{} and {}",
                              container_.data_size, container_.instruction_bytes));
    }
    const std::uint64_t whole = data_base() + container_.data_size;
    if (size < whole) {
      fail(FaultKind::kTruncated, size,
           fmt::format("expected {} more bytes, found the end of the file", whole - size));
    } else if (size > whole) {
      fail(FaultKind::kCorrupt, whole,
           fmt::format("expected the end of the file, found {} more bytes", size - whole));
    }
    return true;
  }

  std::uint64_t data_base() const { return kHeaderBytes + container_.info_size; }

  bool read_info() {
    const auto size =
        static_cast<std::size_t>(std::min(container_.info_size, container_.size - kHeaderBytes));
    std::string message;
    message.reserve(size);
    source_.seek(kHeaderBytes);
    while (message.size() < size) {
      const std::string_view window =
          source_.ask(std::min(size - message.size(), ByteSource::kWindow));
      const std::size_t n = std::min(window.size(), size - message.size());
      if (n == 0) break;
      message.append(window.substr(0, n));
      source_.skip(n);
    }
    if (message.size() == container_.info_size && container_.info->ParseFromString(message))
      return true;
    // A message may end behind any field: what there is of it up to there can be read.
    const Probe found = probe(*::ntff::ntff_info::descriptor(), message, true);
    fail(FaultKind::kCorrupt, kHeaderBytes + found.whole,
         "expected a field of an ntff_info, found bytes that are none");
    message.resize(found.whole);
    return container_.info->ParseFromString(message);
  }

  void find_blobs() {
    const auto& info = *container_.info;
    for (const auto& node : info.neff_nodes()) {
      for (const auto& graph : node.nd_node().graphs()) {
        for (const auto& engine : graph.instruction_info()) add(engine);
        for (const auto& engine : graph.coll_info().topsp()) add(engine);
        for (const auto& engine : graph.collectives_instruction_info()) add(engine);
        for (const auto& trace : graph.traces()) add(trace);
      }
    }
    for (const auto& trace : info.session_notifications()) add(trace);
  }

  /// Whether a blob lies in its part of the data and is in the file.
  bool place(std::uint64_t offset, std::uint64_t size, std::uint64_t begin, std::uint64_t end,
             const char* what) {
    if (offset < begin || offset > end || size > end - offset) {
      return fail(FaultKind::kCorrupt, kHeaderBytes,
                  fmt::format("expected {} within {} to {} of the data, found {} bytes at {}", what,
                              begin, end, size, offset));
    }
    extents_.push_back({offset, offset + size});
    return data_base() + offset + size <= container_.size;
  }

  void add(const ::ntff::engine_instruction_info& engine) {
    const std::uint64_t offset = engine.instructions_offset(), size = engine.instructions_size();
    if (size == 0) return;  // within the message, or none
    if (place(offset, size, 0, container_.instruction_bytes, "instructions"))
      container_.instructions.push_back({&engine, data_base() + offset, size});
  }

  void add(const ::ntff::trace_info& trace) {
    const std::uint64_t offset = trace.trace_offset(), size = trace.trace_size();
    const std::uint64_t inline_size = trace.trace().size();
    if (size % kRecordBytes != 0 || inline_size % kRecordBytes != 0) {
      fail(FaultKind::kCorrupt, kHeaderBytes,
           fmt::format("expected a trace of whole records of {} bytes, found one of {} bytes",
                       kRecordBytes, size % kRecordBytes != 0 ? size : inline_size));
      return;
    }
    if (size == 0) {
      if (inline_size != 0) container_.traces.push_back({&trace, 0, inline_size, trace.trace()});
    } else if (place(offset, size, container_.instruction_bytes, container_.data_size, "a trace")) {
      container_.traces.push_back({&trace, data_base() + offset, size, {}});
    }
  }

  void check_disjoint() {
    std::sort(extents_.begin(), extents_.end(),
              [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < extents_.size(); ++i) {
      if (extents_[i].begin >= extents_[i - 1].end) continue;
      fail(FaultKind::kCorrupt, data_base() + extents_[i].begin,
           fmt::format("expected blobs apart from one another, found one that begins at {} of the "
                       "data and one that ends at {}",
                       extents_[i].begin, extents_[i - 1].end));
    }
  }

  ByteSource& source_;
  Container container_;
  std::vector<Extent> extents_;
};

}  // namespace

Container::Container() : info(std::make_unique<::ntff::ntff_info>()) {}
Container::Container(Container&&) noexcept = default;
Container::~Container() = default;

Result<Container> read_container(ByteSource& source) {
  source.seek(0);
  Container container = ContainerReader(source).run();
  if (source.error()) return *source.error();
  return container;
}

}  // namespace ndtel::ntff::read
