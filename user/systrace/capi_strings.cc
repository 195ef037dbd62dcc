// SPDX-License-Identifier: Apache-2.0
//
// C ABI of the string database.
#include "capi_strings.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "log.hpp"

using namespace ndtel::systrace;

namespace {

// A refusal with its one line.
template <typename... Args>
NRT_STATUS refuse(ndtel::nlog::Format<std::type_identity_t<Args>...> format,
                  Args&&... args) noexcept {
  log::write(log::Level::kWarn, format, std::forward<Args>(args)...);
  return NRT_INVALID;
}

// Runs what needs memory.
template <typename Body>
NRT_STATUS with_memory(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    log::write(log::Level::kError, "no memory for interned strings");
    return NRT_RESOURCE;
  }
}

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

// An array for C, not NULL even without elements.
template <typename T>
std::unique_ptr<T[], Free> c_array(std::size_t count) {
  auto* array = static_cast<T*>(std::calloc(count == 0 ? 1 : count, sizeof(T)));
  if (array == nullptr) throw std::bad_alloc();
  return std::unique_ptr<T[], Free>(array);
}

// Releases the names of an array that is not complete yet, unless they are handed over.
class CNames {
 public:
  explicit CNames(std::size_t count) : names_(c_array<char*>(count)) {}
  ~CNames() {
    for (std::size_t i = 0; names_ != nullptr && i < filled_; ++i) std::free(names_[i]);
  }
  CNames(const CNames&) = delete;
  CNames& operator=(const CNames&) = delete;

  void append(std::uint64_t id, std::string_view name) {
    if (name.find('\0') != std::string_view::npos)
      log::fatal("interned string {} has a NUL inside: C cannot name it", id);
    auto copy = c_array<char>(name.size() + 1);
    std::memcpy(copy.get(), name.data(), name.size());
    names_[filled_++] = copy.release();
  }

  char** release() noexcept { return names_.release(); }

 private:
  std::unique_ptr<char*[], Free> names_;
  std::size_t filled_ = 0;
};

}  // namespace

uint64_t nrt_interned_string_db_get_id(const char* s) noexcept {
  const auto text = checked_text(s);
  return text ? string_id(*text) : 0;
}

NRT_STATUS nrt_interned_string_db_register_entry(const char* s, uint64_t id,
                                                 nrt_interned_string_db_shard_t* shard) noexcept {
  if (shard == nullptr || s == nullptr)
    return refuse("a string was registered {}", shard == nullptr ? "without a shard" : "as NULL");
  const auto text = c_text(s);
  if (!text) return refuse("the string for id {} is not UTF-8", id);
  if (text->empty()) return refuse("the string for id {} is empty", id);
  return with_memory([&] {
    shard->names.add(id, *text);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_interned_string_db_get_entries(const nrt_interned_string_db_shard_t* shard,
                                              uint64_t** ids, char*** names,
                                              size_t* count) noexcept {
  if (shard == nullptr || ids == nullptr || names == nullptr || count == nullptr)
    return refuse("interned strings were asked for with a NULL pointer");
  // cppcheck-suppress throwInNoexceptFunction; with_memory() catches
  return with_memory([&] {
    const auto sorted = shard->names.sorted();
    auto all_ids = c_array<uint64_t>(sorted.size());
    CNames all_names(sorted.size());
    std::size_t at = 0;
    for (const auto& [id, name] : sorted) {
      all_ids[at++] = id;
      all_names.append(id, name);
    }
    *ids = all_ids.release();
    *names = all_names.release();
    *count = sorted.size();
    return NRT_SUCCESS;
  });
}

void nrt_interned_string_db_free_entries(uint64_t* ids, char** names, size_t count) noexcept {
  if (ids == nullptr || names == nullptr) {
    refuse("interned strings were released with a NULL pointer");
    return;
  }
  for (size_t i = 0; i < count; ++i) std::free(names[i]);
  std::free(names);
  std::free(ids);
}

nrt_interned_string_db_shard_t* nrt_interned_string_db_shard_alloc(void) noexcept {
  return new (std::nothrow) nrt_interned_string_db_shard;
}

void nrt_interned_string_db_shard_free(nrt_interned_string_db_shard_t* shard) noexcept {
  delete shard;
}

NRT_STATUS nrt_interned_string_db_combine_shards(
    nrt_interned_string_db_shard_t* dst, const nrt_interned_string_db_shard_t* src) noexcept {
  if (dst == nullptr || src == nullptr)
    return refuse("shards of interned strings were combined with a NULL pointer");
  return with_memory([&] {
    dst->names.merge(src->names);
    return NRT_SUCCESS;
  });
}

NRT_STATUS nrt_sys_trace_get_all_interned_strings(
    std::unordered_map<std::uint64_t, std::string>& names) noexcept {
  return with_memory([&] {
    nrt_interned_string_db_shard shard;
    const NRT_STATUS status = nrt_sys_trace_get_combined_string_db(&shard);
    if (status != NRT_SUCCESS) return status;
    std::unordered_map<std::uint64_t, std::string> all = names;
    shard.names.for_each([&](std::uint64_t id, std::string_view name) { all.emplace(id, name); });
    names.swap(all);
    return NRT_SUCCESS;
  });
}

namespace ndtel::systrace {

std::optional<std::string_view> checked_text(const char* s) noexcept {
  const auto text = c_text(s);
  if (!text)
    log::write(log::Level::kWarn, "a string that is {} has no id",
               s == nullptr ? "NULL" : "not UTF-8");
  return text;
}

}  // namespace ndtel::systrace
