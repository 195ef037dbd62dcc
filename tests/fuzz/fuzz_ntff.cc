// SPDX-License-Identifier: Apache-2.0
//
// The reader of .ntff containers. The input is the file, when it begins with an odd byte; else it
// is a message, for which there is a header that suits it.
#include <cstring>
#include <string>

#include "container.hpp"
#include "device_record.hpp"
#include "input.hpp"
#include "ntff.pb.h"

namespace ndtel::fuzz {
namespace {

using namespace ntff::read;

std::string file_of(Input& input) {
  if ((input.number<std::uint8_t>() & 1) != 0) return std::string(input.rest());
  const std::uint64_t version = input.number<std::uint8_t>();
  const std::uint64_t data = input.number<std::uint16_t>();
  const std::uint64_t instructions = input.number<std::uint16_t>();
  const std::string_view message = input.rest();
  const std::uint64_t words[] = {version, 128, message.size(), data, instructions};
  std::string bytes(128, '\0');
  std::memcpy(bytes.data(), words, sizeof words);
  bytes += message;
  return bytes + std::string(data, '\x05');
}

void run(Input input) {
  const std::string bytes = file_of(input);
  ByteSource source = ByteSource::over("x.ntff", bytes);
  const auto container = read_container(source);
  expect(container.ok(), "memory can be read");
  expect(container->size == bytes.size() && container->whole <= bytes.size(), "sizes");
  if (container->fault) {
    expect(container->fault->offset <= bytes.size() && !container->fault->expected.empty(),
           "what is wrong is within the file");
  } else {
    expect(container->whole == bytes.size(), "without a fault all of it is whole");
  }
  for (const auto& blob : container->instructions)
    expect(blob.offset <= bytes.size() && blob.size <= bytes.size() - blob.offset,
           "instructions are in the file");
  for (const auto& trace : container->traces) {
    std::uint64_t records = 0;
    each_record(source, trace, [&](const char* at) {
      ++records;
      const DeviceRecord record = decode_device_record(at);
      expect(record.type < 32 && record.fields().size() <= record.payload.size(), "a record");
    });
    expect(records == trace.size / kRecordBytes, "all records of a trace are in the file");
  }
}

}  // namespace
}  // namespace ndtel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ndtel::fuzz::once([] { google::protobuf::SetLogHandler(nullptr); });
  ndtel::fuzz::run(ndtel::fuzz::Input(data, size));
  return 0;
}
