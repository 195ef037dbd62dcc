// SPDX-License-Identifier: Apache-2.0
//
// The module's debugfs files, parsed. Everything is empty when the file is not there, which is what
// a removed device or an unloaded module leaves.
#ifndef NDTEL_TESTS_VM_SUPPORT_DEBUGFS_HPP
#define NDTEL_TESTS_VM_SUPPORT_DEBUGFS_HPP

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/module.hpp"

namespace ndtel::vm {

/// One line of `slabs`.
struct SlabRow {
  int slot = -1;  ///< place in the pool, -1 when lingering
  pid_t pid = 0;  ///< owner, in the first pid namespace
  std::uint64_t generation = 0;
  unsigned mappings = 0;
  unsigned acquires = 0;
  bool owned = false;  ///< else lingering: released, but still mapped
};

/// One line of `pending`: the books of one row and sink.
struct BooksRow {
  std::string sink;  ///< "trace", "fwio"
  unsigned row = 0;  ///< registry row
  unsigned cw = 0;   ///< CloudWatch id
  std::string name;
  std::uint64_t incremented = 0;
  std::uint64_t confirmed = 0;
  std::uint64_t pending = 0;  ///< gathered or in flight
  std::uint64_t unknown = 0;  ///< a tally beside the books
  std::uint64_t implausible = 0;
  std::uint64_t overflow = 0;
  std::uint64_t removed = 0;

  std::uint64_t discarded() const noexcept { return implausible + overflow + removed; }
  bool conserved() const noexcept { return incremented == confirmed + pending + discarded(); }
};

/// One line of `locks`, nanoseconds.
struct LockRow {
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t mean_ns = 0;
  std::uint64_t max_ns = 0;
};

std::ostream& operator<<(std::ostream& out, const SlabRow& row);
std::ostream& operator<<(std::ostream& out, const BooksRow& row);

/// The files of one device.
class Debugfs {
 public:
  explicit Debugfs(int device = 0, const std::string& name = default_namespace());

  bool present() const;
  std::vector<SlabRow> slabs() const;
  /// Rows of `slabs` that are owned.
  std::vector<SlabRow> owned() const;
  /// The slab a process owns; nothing when it owns none.
  std::optional<SlabRow> slab_of(pid_t pid) const;
  /// The books after a look at every owned slab.
  std::vector<BooksRow> books() const;
  /// The books of one CloudWatch id and sink; zeros when there is no such line.
  BooksRow books_of(unsigned cw, const std::string& sink = "trace") const;
  /// "words_down", "const_conflicts", and per sink "sink1 posts", "sink1 refused" and so on.
  std::map<std::string, std::uint64_t> anomalies() const;
  /// By use: "ownership", "mapping", "tick", "read".
  std::map<std::string, LockRow> locks() const;

  /// Slab memories that exist, over all devices of the module, owned or lingering. Throws when the
  /// file is not there.
  static unsigned slabs_alive(const std::string& name = default_namespace());

 private:
  std::vector<std::vector<std::string>> table(const std::string& file) const;

  std::string directory_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_DEBUGFS_HPP
