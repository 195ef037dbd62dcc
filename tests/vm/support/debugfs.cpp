// SPDX-License-Identifier: Apache-2.0
#include "support/debugfs.hpp"

#include <ostream>
#include <stdexcept>

#include "support/file.hpp"

namespace ndtel::vm {
namespace {

const char kRoot[] = "/sys/kernel/debug/";

std::uint64_t number(const std::string& text) { return std::stoull(text); }

}  // namespace

std::ostream& operator<<(std::ostream& out, const SlabRow& row) {
  return out << "slot " << row.slot << " pid " << row.pid << " generation " << row.generation
             << " mappings " << row.mappings << " acquires " << row.acquires
             << (row.owned ? " owned" : " lingering");
}

std::ostream& operator<<(std::ostream& out, const BooksRow& row) {
  return out << row.sink << " " << row.name << " incremented " << row.incremented << " confirmed "
             << row.confirmed << " pending " << row.pending << " unknown " << row.unknown
             << " implausible " << row.implausible << " overflow " << row.overflow << " removed "
             << row.removed;
}

Debugfs::Debugfs(int device, const std::string& name)
    : directory_(kRoot + name + "/" + name + std::to_string(device) + "/") {}

bool Debugfs::present() const { return exists(directory_ + "slabs"); }

std::vector<std::vector<std::string>> Debugfs::table(const std::string& file) const {
  std::vector<std::vector<std::string>> rows;
  const auto text = read_file(directory_ + file);
  if (!text) return rows;
  for (const auto& line : split(*text, '\n')) rows.push_back(split(line, ' '));
  return rows;
}

std::vector<SlabRow> Debugfs::slabs() const {
  std::vector<SlabRow> slabs;
  for (const auto& row : table("slabs")) {
    if (row.at(0) == "slot") continue;
    slabs.push_back({.slot = std::stoi(row.at(0)),
                     .pid = std::stoi(row.at(1)),
                     .generation = number(row.at(2)),
                     .mappings = static_cast<unsigned>(number(row.at(3))),
                     .acquires = static_cast<unsigned>(number(row.at(4))),
                     .owned = row.at(5) == "owned"});
  }
  return slabs;
}

std::vector<SlabRow> Debugfs::owned() const {
  auto rows = slabs();
  std::erase_if(rows, [](const SlabRow& row) { return !row.owned; });
  return rows;
}

std::optional<SlabRow> Debugfs::slab_of(pid_t pid) const {
  for (const auto& row : slabs()) {
    if (row.owned && row.pid == pid) return row;
  }
  return std::nullopt;
}

std::vector<BooksRow> Debugfs::books() const {
  std::vector<BooksRow> books;
  for (const auto& row : table("pending")) {
    if (row.at(0) == "sink") continue;
    books.push_back({.sink = row.at(0),
                     .row = static_cast<unsigned>(number(row.at(1))),
                     .cw = static_cast<unsigned>(number(row.at(2))),
                     .name = row.at(3),
                     .incremented = number(row.at(4)),
                     .confirmed = number(row.at(5)),
                     .pending = number(row.at(6)),
                     .unknown = number(row.at(7)),
                     .implausible = number(row.at(8)),
                     .overflow = number(row.at(9)),
                     .removed = number(row.at(10))});
  }
  return books;
}

BooksRow Debugfs::books_of(unsigned cw, const std::string& sink) const {
  for (const auto& row : books()) {
    if (row.cw == cw && row.sink == sink) return row;
  }
  return {};
}

std::map<std::string, std::uint64_t> Debugfs::anomalies() const {
  std::map<std::string, std::uint64_t> values;
  for (const auto& row : table("anomalies")) {
    const bool sink = row.at(0).starts_with("sink");
    for (std::size_t i = sink ? 1 : 0; i + 1 < row.size(); i += 2) {
      values[sink ? row.at(0) + " " + row.at(i) : row.at(i)] = number(row.at(i + 1));
    }
  }
  return values;
}

std::map<std::string, LockRow> Debugfs::locks() const {
  std::map<std::string, LockRow> locks;
  for (const auto& row : table("locks")) {
    if (row.at(0) == "use") continue;
    locks[row.at(0)] = {.count = number(row.at(1)),
                        .total_ns = number(row.at(2)),
                        .mean_ns = number(row.at(3)),
                        .max_ns = number(row.at(4))};
  }
  return locks;
}

unsigned Debugfs::slabs_alive(const std::string& name) {
  const auto text = read_file(kRoot + name + "/slabs_alive");
  if (!text) throw std::runtime_error("no slabs_alive of " + name + " in debugfs");
  return static_cast<unsigned>(number(*text));
}

}  // namespace ndtel::vm
