// SPDX-License-Identifier: Apache-2.0
#include "ledger.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace ndtel::workload {
namespace {

constexpr std::array<char, 8> kMagic = {'n', 'd', 'l', 'e', 'd', 'g', 'e', 'r'};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMaxThreads = 256;
constexpr std::size_t kCellsPerThread = std::size_t{NDS_MAX_NC} * NDS_NC_COUNTER_COUNT;

std::size_t size_for(std::uint32_t threads) {
  return sizeof(LedgerHeader) + threads * kCellsPerThread * sizeof(LedgerCell);
}

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw std::system_error(errno, std::generic_category(),
                          std::string("ledger ") + path + ": cannot " + what);
}

/// Closes a descriptor when the mapping, which outlives it, has been made.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Ledger::Ledger(Ledger&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Ledger& Ledger::operator=(Ledger&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  return *this;
}

Ledger::~Ledger() {
  if (memory_ != nullptr) munmap(memory_, size_);
}

Ledger Ledger::create(const std::string& path, std::uint32_t threads, std::string_view space,
                      std::uint32_t device) {
  if (threads == 0 || threads > kMaxThreads)
    throw std::invalid_argument("ledger: 1 to 256 threads");
  const std::size_t size = size_for(threads);
  const Descriptor fd(
      path.empty() ? -1 : ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!path.empty() && fd.get() < 0) fail(path, "create it");
  // Reserve the memory now: a full tmpfs must be an error here, not a SIGBUS in the middle of
  // counting.
  if (fd.get() >= 0 && (errno = posix_fallocate(fd.get(), 0, static_cast<off_t>(size))) != 0)
    fail(path, "reserve it");
  const int flags = path.empty() ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, fd.get(), 0);
  if (memory == MAP_FAILED) fail(path.empty() ? "(anonymous)" : path, "map it");
  auto* header = new (memory) LedgerHeader{};
  header->version = kVersion;
  header->threads = threads;
  header->device = device;
  space.substr(0, header->space.size() - 1).copy(header->space.data(), header->space.size() - 1);
  header->magic = kMagic;
  return Ledger(memory, size);
}

Ledger Ledger::open(const std::string& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat st = {};
  if (fd.get() < 0 || fstat(fd.get(), &st) != 0) fail(path, "open it");
  const auto size = static_cast<std::size_t>(st.st_size);
  if (size < sizeof(LedgerHeader))
    throw std::runtime_error("ledger " + path + ": shorter than its header");
  void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) fail(path, "map it");
  Ledger ledger(memory, size);
  const LedgerHeader& header = ledger.header();
  if (header.magic != kMagic) throw std::runtime_error("ledger " + path + ": not a ledger file");
  if (header.version != kVersion) {
    throw std::runtime_error("ledger " + path + ": version " + std::to_string(header.version) +
                             " is not known");
  }
  if (header.threads == 0 || header.threads > kMaxThreads || size != size_for(header.threads)) {
    throw std::runtime_error("ledger " + path + ": its size does not match its header");
  }
  return ledger;
}

void Ledger::claim(std::int32_t pid) { static_cast<LedgerHeader*>(memory_)->pid = pid; }

std::string Ledger::space() const {
  const auto& text = header().space;
  return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

LedgerCell& Ledger::cell(std::uint32_t thread, std::uint32_t core, std::uint32_t counter) {
  return const_cast<LedgerCell&>(std::as_const(*this).cell(thread, core, counter));
}

const LedgerCell& Ledger::cell(std::uint32_t thread, std::uint32_t core,
                               std::uint32_t counter) const {
  if (thread >= header().threads || core >= NDS_MAX_NC || counter >= NDS_NC_COUNTER_COUNT) {
    throw std::out_of_range("ledger: no such thread, core or counter");
  }
  const auto* cells =
      reinterpret_cast<const LedgerCell*>(static_cast<const char*>(memory_) + sizeof(LedgerHeader));
  return cells[thread * kCellsPerThread + std::size_t{core} * NDS_NC_COUNTER_COUNT + counter];
}

LedgerRange Ledger::sum(std::uint32_t core, std::uint32_t counter) const {
  LedgerRange total;
  for (std::uint32_t thread = 0; thread < header().threads; ++thread) {
    const LedgerCell& marks = cell(thread, core, counter);
    // In this order a living process's marks never look reversed: done is read before it can pass
    // intent.
    const std::uint64_t done = marks.done.load(std::memory_order_acquire);
    total += {done, marks.intent.load(std::memory_order_acquire)};
  }
  return total;
}

LedgerRange Ledger::sum(std::uint32_t counter) const {
  LedgerRange total;
  for (std::uint32_t core = 0; core < NDS_MAX_NC; ++core) total += sum(core, counter);
  return total;
}

std::vector<LedgerRange> Ledger::unfinished(std::uint32_t thread) const {
  std::vector<LedgerRange> open;
  for (std::uint32_t core = 0; core < NDS_MAX_NC; ++core) {
    for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_COUNT; ++counter) {
      const LedgerCell& marks = cell(thread, core, counter);
      const LedgerRange range{marks.done.load(), marks.intent.load()};
      if (range.done != range.intent) open.push_back(range);
    }
  }
  return open;
}

}  // namespace ndtel::workload
