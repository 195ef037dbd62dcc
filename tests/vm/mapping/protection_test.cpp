// SPDX-License-Identifier: Apache-2.0
//
// What can be done with a mapping. Only the owner ever writes, and nobody executes.
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

#include "mapping/mapping.hpp"

namespace ndtel::vm {
namespace {

constexpr int kReadWrite = PROT_READ | PROT_WRITE;

/// Permissions of the range that begins at an address, as /proc/self/maps has them ("rw-s").
std::string permissions(const void* address) {
  std::ostringstream start;
  start << std::hex << reinterpret_cast<std::uintptr_t>(address) << '-';
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.starts_with(start.str())) return line.substr(line.find(' ') + 1, 4);
  }
  return "none";
}

class MappingProtection : public MappingTest {
 protected:
  void SetUp() override {
    MappingTest::SetUp();
    owner_.emplace([](Channel& channel) -> int {
      const Node node(0);
      nd_ioctl_ds_info info{};
      CHILD_CHECK(node.acquire(0, &info) == 0);
      const Mapping slab = Mapping::map(node.fd(), info.mmap_offset);
      CHILD_CHECK(slab.valid());
      slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 77);
      channel.send(info.mmap_offset);
      channel.receive(std::chrono::hours(1));
      // Whatever the reader tried, the slab is as it was.
      CHILD_CHECK(slab.nc(0, NDS_NC_COUNTER_INFER_COMPLETED) == 77);
      CHILD_CHECK(slab.load(0) == 0);
      return 0;
    });
    cookie_ = owner_->receive().value_or(0);
    ASSERT_NE(cookie_, 0U);
  }
  void TearDown() override {
    if (owner_) {
      owner_->send();
      EXPECT_EQ(owner_->wait(), 0);
    }
    MappingTest::TearDown();
  }

  std::optional<Child> owner_;  // of a slab on device 0
  std::uint64_t cookie_ = 0;
};

TEST_F(MappingProtection, ForeignMappingIsReadOnlyWhateverWasAsked) {
  const Node node(0);
  const Mapping view = Mapping::map(node.fd(), cookie_, kReadWrite);
  ASSERT_TRUE(view.valid());
  EXPECT_EQ(permissions(view.words()), "r--s");
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 77U);
  EXPECT_EQ(end_of([&] {
              const Node mine(0);
              const Mapping own_view = Mapping::map(mine.fd(), cookie_, kReadWrite);
              own_view.add(0, 1);
            }),
            -SIGSEGV);
}

TEST_F(MappingProtection, ForeignMappingCannotBeMadeWritable) {
  for (const int flags : {O_RDWR, O_RDONLY}) {
    const Node node(0, flags);
    const Mapping view = Mapping::map(node.fd(), cookie_, PROT_READ);
    ASSERT_TRUE(view.valid());
    for (const int protection :
         {PROT_WRITE, kReadWrite, kReadWrite | PROT_EXEC, PROT_READ | PROT_EXEC}) {
      errno = 0;
      EXPECT_EQ(::mprotect(view.words(), view.size(), protection), -1);
      EXPECT_EQ(errno, EACCES) << protection;
      EXPECT_EQ(::mprotect(view.words(), 4096, protection), -1) << "nor a part of it";
    }
    EXPECT_EQ(::mprotect(view.words(), view.size(), PROT_NONE), 0);
    EXPECT_EQ(::mprotect(view.words(), view.size(), PROT_READ), 0);
    EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 77U);
  }
}

// Debuggers write through read-only mappings; not through this one.
TEST_F(MappingProtection, ForeignMappingCannotBeWrittenThroughProc) {
  const Node node(0);
  const Mapping view = Mapping::map(node.fd(), cookie_, PROT_READ);
  ASSERT_TRUE(view.valid());
  const std::uint64_t value = 1;
  const Fd memory(::open("/proc/self/mem", O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(memory.valid());
  EXPECT_EQ(::pwrite(memory.get(), &value, sizeof value, reinterpret_cast<off_t>(view.words())),
            -1);
  const iovec from{const_cast<std::uint64_t*>(&value), sizeof value};
  const iovec to{view.words(), sizeof value};
  EXPECT_EQ(::process_vm_writev(::getpid(), &from, 1, &to, 1, 0), -1);
  EXPECT_EQ(view.load(0), 0U);
}

TEST_F(MappingProtection, SystemCallsCannotWriteThroughAForeignMapping) {
  const Node node(0);
  const Mapping view = Mapping::map(node.fd(), cookie_, PROT_READ);
  ASSERT_TRUE(view.valid());
  const Fd zero(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  errno = 0;
  EXPECT_EQ(::read(zero.get(), view.words(), 8), -1);
  EXPECT_EQ(errno, EFAULT);
}

TEST_F(MappingProtection, OwnerMapsAsItsDescriptorAllows) {
  const Node writer(0), reader(0, O_RDONLY);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(writer.acquire(0, &info), 0);
  const Mapping slab = Mapping::map(writer.fd(), info.mmap_offset, kReadWrite);
  ASSERT_TRUE(slab.valid());
  EXPECT_EQ(permissions(slab.words()), "rw-s");
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);

  EXPECT_EQ(Mapping::map(reader.fd(), info.mmap_offset, kReadWrite).error(), -EACCES);
  const Mapping view = Mapping::map(reader.fd(), info.mmap_offset, PROT_READ);
  ASSERT_TRUE(view.valid()) << view.error();
  EXPECT_EQ(permissions(view.words()), "r--s");
  EXPECT_EQ(view.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 1U);
  EXPECT_EQ(::mprotect(view.words(), view.size(), kReadWrite), -1);
  EXPECT_EQ(errno, EACCES);

  // Read-only at first is no obstacle for an owner with a writable descriptor.
  const Mapping later = Mapping::map(writer.fd(), info.mmap_offset, PROT_READ);
  ASSERT_TRUE(later.valid());
  EXPECT_EQ(::mprotect(later.words(), later.size(), kReadWrite), 0);
  later.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
  EXPECT_EQ(incremented(), 79U);
}

TEST_F(MappingProtection, NobodyExecutesASlab) {
  const Node node(0);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(node.acquire(0, &info), 0);
  const Mapping slab = Mapping::map(node.fd(), info.mmap_offset, kReadWrite | PROT_EXEC);
  ASSERT_TRUE(slab.valid());
  EXPECT_EQ(permissions(slab.words()), "rw-s");
  EXPECT_EQ(::mprotect(slab.words(), slab.size(), kReadWrite | PROT_EXEC), -1);
  EXPECT_EQ(errno, EACCES);
  const Mapping view = Mapping::map(node.fd(), cookie_, PROT_READ | PROT_EXEC);
  ASSERT_TRUE(view.valid());
  EXPECT_EQ(permissions(view.words()), "r--s");

  // Old programs ask for readable memory to be executable as well.
  ASSERT_NE(::personality(READ_IMPLIES_EXEC), -1);
  const Mapping old_style = Mapping::map(node.fd(), info.mmap_offset, kReadWrite);
  const bool still_writable = ::mprotect(slab.words(), slab.size(), kReadWrite) == 0;
  ASSERT_NE(::personality(0), -1);
  ASSERT_TRUE(old_style.valid());
  EXPECT_EQ(permissions(old_style.words()), "rw-s");
  EXPECT_TRUE(still_writable);
  EXPECT_EQ(permissions(slab.words()), "rw-s");

  EXPECT_EQ(end_of([] {
              const Node mine(0);
              const Mapping code = mine.map_slab();
              *reinterpret_cast<unsigned char*>(code.bytes()) = 0xc3;  // a return instruction
              reinterpret_cast<void (*)()>(code.bytes())();
            }),
            -SIGSEGV);
}

TEST_F(MappingProtection, ForkDoesNotCopyTheMapping) {
  const Node node(0);
  const Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  EXPECT_EQ(end_of([&] { slab.add(0, 1); }), -SIGSEGV);
  EXPECT_EQ(::madvise(slab.words(), slab.size(), MADV_DOFORK), -1) << "nor can it be asked to";
  EXPECT_EQ(::madvise(slab.words(), slab.size(), MADV_DODUMP), -1) << "nor into a core dump";
  EXPECT_EQ(mappings(), 1U);
}

}  // namespace
}  // namespace ndtel::vm
