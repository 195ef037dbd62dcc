// SPDX-License-Identifier: Apache-2.0
//
// Any 112 bytes are a record: what is written from them is one JSON document, with an object for
// each, whatever names are in it.
#include <simdjson.h>

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
    // Few ids, so that records have them. Names may have a NUL here, which the log must not see: a
    // second name for an id would be logged.
    const auto id = input.number<std::uint8_t>();
    const std::string name = input.text();
    if (systrace::is_utf8(name) && !names.find(id)) names.add(id, name);
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

  simdjson::dom::parser parser;
  simdjson::dom::array events;
  expect(parser.parse(text.text.get(), text.size)["events"].get(events) == simdjson::SUCCESS,
         "it is JSON");
  auto record = records.begin();
  for (const simdjson::dom::element event : events) {
    expect(record != records.end(), "an object for each record");
    expect(std::uint64_t{event["id"]} == record->id, "the id of the record");
    expect(std::uint64_t{event["tracking_id"]} == record->tracking_id, "its tracking id");
    expect(std::uint64_t{event["nc_idx"]} == record->nc_idx, "its core");
    expect((event["nrta_seq_id"].error() == simdjson::SUCCESS) == (record->has_nrta_seq_id != 0),
           "its sequence");
    const simdjson::dom::object data = event["data"];
    std::uint64_t model = 0;
    const bool has_model = data["model_id"].get(model) == simdjson::SUCCESS;
    const auto name = has_model ? names.find(model) : std::nullopt;
    std::string_view shown;
    const bool has_name = data["model_name"].get(shown) == simdjson::SUCCESS;
    expect(has_name == name.has_value(), "models that have a name show it");
    expect(!has_name || shown == *name, "the name of the model");
    ++record;
  }
  expect(record == records.end(), "an object for each record");
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
