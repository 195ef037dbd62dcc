// SPDX-License-Identifier: Apache-2.0
//
// The string database through its C functions, against a plain map; UTF-8 against a decoder that
// computes code points.
#include <map>
#include <optional>

#include "capi_strings.hpp"
#include "input.hpp"
#include "log.hpp"

namespace ndtel::fuzz {
namespace {

// Length of the shortest form of a code point, 0 when it is no character.
int shortest(std::uint32_t point) {
  if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return 0;
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

// Decodes first and asks afterwards.
bool decodes(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const int length = lead < 0x80       ? 1
                       : lead >> 5 == 6  ? 2
                       : lead >> 4 == 14 ? 3
                       : lead >> 3 == 30 ? 4
                                         : 0;
    if (length == 0 || text.size() - at < static_cast<std::size_t>(length)) return false;
    std::uint32_t point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (int i = 1; i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
      if (next >> 6 != 2) return false;
      point = point << 6 | (next & 0x3F);
    }
    if (shortest(point) != length) return false;
    at += static_cast<std::size_t>(length);
  }
  return true;
}

using Model = std::map<std::uint64_t, std::string>;

void compare(const nrt_interned_string_db_shard_t* shard, const Model& model) {
  std::uint64_t* ids = nullptr;
  char** names = nullptr;
  std::size_t count = 0;
  expect(nrt_interned_string_db_get_entries(shard, &ids, &names, &count) == NRT_SUCCESS, "export");
  expect(ids != nullptr && names != nullptr, "arrays are never NULL");
  expect(count == model.size(), "as many names as the model has");
  std::size_t at = 0;
  for (const auto& [id, name] : model) {
    expect(ids[at] == id && names[at] == name, "the same names in the same order");
    ++at;
  }
  nrt_interned_string_db_free_entries(ids, names, count);
}

void add(nrt_interned_string_db_shard_t* shard, Model& model, const std::string& bytes,
         std::uint64_t id) {
  const std::string name = bytes.c_str();
  const NRT_STATUS status = nrt_interned_string_db_register_entry(bytes.c_str(), id, shard);
  const bool good = !name.empty() && decodes(name);
  expect(status == (good ? NRT_SUCCESS : NRT_INVALID), "what a name is");
  if (good) model.emplace(id, name);
}

void ids_and_names(const std::string& bytes) {
  const bool good = decodes(bytes);
  expect(systrace::is_utf8(bytes) == good, "what UTF-8 is");
  const std::string name = bytes.c_str();
  const std::uint64_t id = nrt_interned_string_db_get_id(bytes.c_str());
  expect(id == (decodes(name) ? systrace::string_id(name) : 0), "the id of a name");
  expect(id <= std::uint64_t{1} << 50, "ids have fifty bits and one more");
}

void run(Input input) {
  nrt_interned_string_db_shard_t* shards[2] = {nrt_interned_string_db_shard_alloc(),
                                               nrt_interned_string_db_shard_alloc()};
  Model models[2];
  while (!input.empty()) {
    const auto what = input.number<std::uint8_t>();
    const std::size_t one = what & 1, other = one ^ 1;
    switch (what >> 1 & 3) {
      case 0:  // few ids, so that they meet
        add(shards[one], models[one], input.text(), input.number<std::uint8_t>());
        break;
      case 1: {
        const std::string bytes = input.text();
        add(shards[one], models[one], bytes, nrt_interned_string_db_get_id(bytes.c_str()));
        break;
      }
      case 2:
        expect(nrt_interned_string_db_combine_shards(shards[one], shards[other]) == NRT_SUCCESS,
               "combining");
        models[one].insert(models[other].begin(), models[other].end());
        break;
      default:
        ids_and_names(input.text());
    }
  }
  for (const int i : {0, 1}) {
    compare(shards[i], models[i]);
    nrt_interned_string_db_shard_free(shards[i]);
  }
}

}  // namespace
}  // namespace ndtel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Lines are made, and go nowhere.
  ndtel::fuzz::once([] {
    ndtel::systrace::log::set_sink({[](void*, int, const char*) {}, nullptr});
  });
  ndtel::fuzz::run(ndtel::fuzz::Input(data, size));
  return 0;
}
