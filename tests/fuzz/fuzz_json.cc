// SPDX-License-Identifier: Apache-2.0
//
// Any 112 bytes are a record: what is written from them is one JSON document, with an object for
// each, whatever names are in it.
#include <nlohmann/json.hpp>
#include <vector>

#include "input.hpp"
#include "json.hpp"
#include "log.hpp"
#include "strings.hpp"
#include "utf8.hpp"

namespace ndtel::fuzz {
namespace {

void run(Input input) {
  systrace::StringShard names;
  const auto count = input.number<std::uint8_t>() % 8;
  for (int i = 0; i < count; ++i) {
    // Few ids, so that records have them; shards hold valid names only.
    const auto id = input.number<std::uint8_t>();
    if (const std::string name = input.text(); systrace::is_utf8(name)) names.add(id, name);
  }
  const std::int32_t gids[] = {input.number<std::int32_t>(), input.number<std::int32_t>()};
  const systrace::JsonContext context{
      .worker_gids = gids, .names = &names, .include_default_algorithm = (count & 1) != 0};

  std::vector<nrt_sys_trace_event_t> records;
  while (!input.empty()) records.push_back(input.number<nrt_sys_trace_event_t>());

  systrace::JsonWriter writer(context);
  for (const auto& record : records) expect(writer.event(record), "there is memory");
  const systrace::JsonBuffer text = writer.finish();
  expect(text.text != nullptr, "there is a document");
  expect(std::strlen(text.text.get()) == text.size, "its length is that of the text");

  const auto document = nlohmann::json::parse(text.text.get(), nullptr, false);
  expect(!document.is_discarded(), "it is JSON");
  const auto& events = document["events"];
  expect(events.size() == records.size(), "an object for each record");
  for (std::size_t i = 0; i < records.size(); ++i) {
    expect(events[i]["id"] == records[i].id, "the id of the record");
    expect(events[i]["tracking_id"] == records[i].tracking_id, "its tracking id");
    expect(events[i]["nc_idx"] == records[i].nc_idx, "its core");
    expect(events[i]["data"].is_object(), "its payload");
    expect(events[i].contains("nrta_seq_id") == (records[i].has_nrta_seq_id != 0), "its sequence");
    const auto& data = events[i]["data"];
    const auto name = data.contains("model_id") ? names.find(data["model_id"]) : std::nullopt;
    expect(data.contains("model_name") == name.has_value(), "models that have a name show it");
    if (name) expect(data["model_name"] == *name, "the name of the model");
  }
}

}  // namespace
}  // namespace ndtel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Lines are made, and go nowhere.
  static const bool quiet = [] {
    ndtel::systrace::log::set_sink({[](void*, int, const char*) {}, nullptr});
    return true;
  }();
  static_cast<void>(quiet);
  ndtel::fuzz::run(ndtel::fuzz::Input(data, size));
  return 0;
}
