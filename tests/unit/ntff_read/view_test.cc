// SPDX-License-Identifier: Apache-2.0
//
// What `ndtel view` prints and returns.
#include "view/view.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "container_samples.hpp"
#include "samples.hpp"

namespace ndtel::cli {
namespace {

using nlohmann::json;
using test::event;
using test::small_trace;
using test::TemporaryDirectory;

struct Outcome {
  int code = 0;
  std::string out, err;
};

Outcome run(ViewOptions options) {
  Outcome outcome;
  char* texts[2] = {};
  std::size_t sizes[2] = {};
  std::FILE* out = ::open_memstream(&texts[0], &sizes[0]);
  std::FILE* err = ::open_memstream(&texts[1], &sizes[1]);
  try {
    outcome.code = static_cast<int>(view(options, out, err));
  } catch (const Failure& failure) {
    outcome.code = static_cast<int>(failure.code());
    std::fputs(failure.what(), err);
  }
  std::fclose(out);
  std::fclose(err);
  outcome.out.assign(texts[0], sizes[0]);
  outcome.err.assign(texts[1], sizes[1]);
  ::free(texts[0]);
  ::free(texts[1]);
  return outcome;
}

Outcome run_json(const std::string& path, bool partial = false) {
  return run({.paths = {path}, .json = true, .partial = partial});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr std::uint64_t kCoreIds = std::uint64_t{1} << 63;

/// Writes the tree of a process with two parts of a trace, both series of the host and
/// trace_info.pb. What a span of the first part ends is in the second.
void write_process(const TemporaryDirectory& directory, const std::string& folder,
                   std::uint32_t pid) {
  ::ntff::ntrace_info info;
  const auto list = [&](std::uint32_t type, const std::string& name, std::uint64_t messages,
                        const std::string& bytes) {
    directory.write(folder + "/" + name, bytes);
    auto& file = *info.add_collected_profiles();
    file.set_type(type);
    file.set_name(name);
    file.set_num_messages(messages);
    file.set_size(bytes.size());
  };
  auto trace = small_trace();
  *trace.add_events() = event(2, 3, 1, 9, 1000);
  list(1, "ntrace.pb", 4, trace.SerializeAsString());
  ::ntff::ntrace_info more;
  *more.add_events() = event(2, 3, 2, 9, 3000);
  *more.add_events() = event(2, 3, 1, 10, 4000);
  list(1, "ntrace_1.pb", 2, more.SerializeAsString());
  ::ntff::host_stats host;
  host.set_num_cpus(2);
  host.set_cpu_name("a processor");
  host.set_mem_capacity(1000);
  auto cpu = host;
  for (unsigned i = 0; i < 4; ++i) {
    auto& row = *cpu.add_cpu_util();
    row.set_cpu_id(i % 2);
    row.set_util(10.0f * static_cast<float>(i));
    row.set_timestamp(test::kStartNs + i);
  }
  list(2, "cpu_util.pb", 4, cpu.SerializeAsString());
  auto memory = host;
  for (const int usage : {100, 300, 200}) {
    auto& row = *memory.add_mem_usage();
    row.set_usage(usage);
    row.set_timestamp(test::kStartNs + static_cast<unsigned>(usage));
  }
  list(3, "host_mem.pb", 3, memory.SerializeAsString());
  info.set_pid(pid);
  info.set_data_version(5);
  info.set_hostname("a host");
  info.set_start_time_ns(test::kStartNs);
  info.set_stop_time_ns(test::kStartNs + 5'000'000'000);
  info.mutable_neuron_runtime_version()->set_major(2);
  info.mutable_neuron_runtime_version()->set_minor(31);
  *info.add_interned_data() = trace.interned_data(0);
  auto& loss = *info.add_interned_data();
  loss.set_data_type("ndtel.loss");
  (*loss.mutable_id_map())[kCoreIds + 1] =
      "created=9 pushed=8 drained=3 displaced=5 in_flight=1 damaged=0";
  (*loss.mutable_id_map())[kCoreIds + 2] =
      "created=5 pushed=5 drained=3 displaced=2 in_flight=0 damaged=4";
  auto& warning = *info.add_interned_data();
  warning.set_data_type("ndtel.warning");
  (*warning.mutable_id_map())[kCoreIds] = "the clock was set";
  directory.write(folder + "/trace_info.pb", info.SerializeAsString());
}

TEST(View, SummarisesAProcess) {
  const TemporaryDirectory directory;
  write_process(directory, "i-1_pid_77", 77);
  const Outcome outcome = run_json(directory.path("i-1_pid_77"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json all = json::parse(outcome.out);
  ASSERT_EQ(all["captures"].size(), 1u);
  const json& capture = all["captures"][0];
  EXPECT_EQ(capture["complete"], true);
  EXPECT_EQ(capture["pid"], 77);
  EXPECT_EQ(capture["instance_id"], "i-1");
  EXPECT_EQ(capture["hostname"], "a host");
  EXPECT_EQ(capture["runtime_version"], "2.31.0.0");
  EXPECT_EQ(capture["events"], 6);
  EXPECT_EQ(capture["first_ns"], test::kStartNs + 100);
  EXPECT_EQ(capture["last_ns"], test::kStartNs + 4000);
  EXPECT_EQ(capture["interned_strings"], 2) << "entry 0 is no string";
  EXPECT_EQ(capture["dropped"], (json{{"displaced", 7}, {"in_flight", 1}, {"damaged", 4}}));
  EXPECT_EQ(capture["warnings"], json::array({"the clock was set"}));
  EXPECT_EQ(capture["faults"], json::array());
  ASSERT_EQ(capture["cores"].size(), 2u);
  const json& core = capture["cores"][1];
  EXPECT_EQ(core["nc"], 2);
  EXPECT_EQ(core["events"], 3);
  EXPECT_EQ(core["loss"]["displaced"], 2);
  ASSERT_EQ(core["types"].size(), 1u);
  const json& execute = core["types"][0];
  EXPECT_EQ(execute["name"], "nrt_execute");
  EXPECT_EQ(execute["starts"], 2);
  EXPECT_EQ(execute["stops"], 1);
  EXPECT_EQ(execute["spans"], 1) << "begun in one part, ended in another";
  EXPECT_EQ(execute["total_ns"], 2000);
  EXPECT_EQ(execute["unpaired_starts"], 1);
  ASSERT_EQ(capture["types"].size(), 3u);
  EXPECT_EQ(capture["types"][1]["name"], "kbl_exec_pre");
  EXPECT_EQ(capture["types"][1]["min_ns"], 200);
  EXPECT_EQ(capture["types"][2]["instants"], 1);
  const json& host = capture["host"];
  EXPECT_EQ(host["num_cpus"], 2);
  EXPECT_EQ(host["cpu_percent"]["samples"], 4);
  EXPECT_EQ(host["cpu_percent"]["mean"], 15.0);
  EXPECT_EQ(host["cpu_percent"]["max"], 30.0);
  EXPECT_EQ(host["memory_bytes"]["max"], 300.0);
  EXPECT_EQ(host["memory_bytes"]["last"], 300.0);
  EXPECT_EQ(capture["files"].size(), 5u);
  EXPECT_EQ(capture["files"][1]["name"], "ntrace.pb");
  EXPECT_EQ(capture["files"][1]["events"], 4);
}

TEST(View, ShowsPeopleTheSame) {
  const TemporaryDirectory directory;
  write_process(directory, "i-1_pid_77", 77);
  const Outcome outcome = run({.paths = {directory.path()}});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"process 77 of i-1 on a host, runtime 2.31.0.0", "6 events from 2023-11-14 22:13:20",
        "12 events dropped: 4 damaged, 7 displaced, 1 in_flight", "nrt_execute", "2 us",
        "host: 2 processors (a processor)", "mean 15.0 %, max 30.0 %", "2 interned strings",
        "ntrace_1.pb", "warning: the clock was set"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
}

TEST(View, FindsAllProcessesOfABaseDirectory) {
  const TemporaryDirectory directory;
  write_process(directory, "i-1_pid_77", 77);
  write_process(directory, "i-1_pid_78/1700000000", 78);
  directory.write("other/readme.txt", "nothing to read");
  const Outcome outcome = run_json(directory.path());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json all = json::parse(outcome.out);
  ASSERT_EQ(all["captures"].size(), 2u);
  EXPECT_EQ(all["captures"][1]["pid"], 78);
  EXPECT_EQ(all["captures"][1]["instance_id"], "i-1");
}

TEST(View, SaysThatACaptureIsIncomplete) {
  const TemporaryDirectory directory;
  directory.write("i-1_pid_5/ntrace_10.pb", small_trace().SerializeAsString());
  directory.write("i-1_pid_5/ntrace_9.pb", small_trace().SerializeAsString());
  directory.write("i-1_pid_5/ntrace.pb", small_trace().SerializeAsString());
  directory.write("i-1_pid_5/.trace_info.pb.5.part", "\x08");
  const Outcome outcome = run_json(directory.path());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json capture = json::parse(outcome.out)["captures"][0];
  EXPECT_EQ(capture["complete"], false);
  EXPECT_EQ(capture["pid"], 5);
  EXPECT_EQ(capture["events"], 9);
  EXPECT_EQ(capture["files"][1]["name"], "ntrace_9.pb") << "in the order of the parts";
  ASSERT_EQ(capture["warnings"].size(), 2u);
  EXPECT_TRUE(contains(capture["warnings"][0], "no trace_info.pb"));
  EXPECT_TRUE(contains(capture["warnings"][1], ".trace_info.pb.5.part"));
}

TEST(View, ComparesFilesWithWhatIsListed) {
  const auto faults = [](const std::function<void(const TemporaryDirectory&)>& change) {
    const TemporaryDirectory directory;
    write_process(directory, "p", 77);
    change(directory);
    const Outcome outcome = run_json(directory.path("p"), true);
    EXPECT_EQ(outcome.code, 2);
    const json list = json::parse(outcome.out)["captures"][0]["faults"];
    EXPECT_EQ(list.size(), 1u) << list;
    return list.empty() ? std::string() : list[0]["message"].get<std::string>();
  };
  EXPECT_TRUE(contains(faults([](const auto& directory) {
                         std::filesystem::remove(directory.path("p/ntrace_1.pb"));
                       }),
                       "p/ntrace_1.pb: at byte 0: expected"));
  // Cut off behind a record: only the list knows.
  EXPECT_TRUE(contains(faults([](const auto& directory) {
                         ::ntff::ntrace_info one;
                         *one.add_events() = event(2, 3, 2, 9, 3000);
                         directory.write("p/ntrace_1.pb", one.SerializeAsString());
                       }),
                       "which trace_info.pb lists, found"));
  EXPECT_TRUE(contains(faults([](const auto& directory) {
                         std::filesystem::resize_file(directory.path("p/host_mem.pb"), 20);
                       }),
                       "found the end of the file after"));
}

TEST(View, ShowsDamagedFilesOnlyWhenAsked) {
  const TemporaryDirectory directory;
  const std::string whole = small_trace().SerializeAsString();
  const std::string path = directory.write("ntrace.pb", whole.substr(0, 120));
  for (const bool json_too : {false, true}) {
    for (const bool dump_too : {false, true}) {
      if (json_too && dump_too) continue;
      const Outcome refused = run({.paths = {path}, .json = json_too, .dump = dump_too});
      EXPECT_EQ(refused.code, 2);
      EXPECT_EQ(refused.out, "");
      EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
      EXPECT_TRUE(contains(refused.err, path + ": at byte ")) << refused.err;
      const Outcome shown =
          run({.paths = {path}, .json = json_too, .dump = dump_too, .partial = true});
      EXPECT_EQ(shown.code, 2);
      EXPECT_EQ(shown.err, refused.err);
      EXPECT_TRUE(contains(shown.out, "kbl_exec_pre")) << shown.out;
    }
  }
}

TEST(View, ReturnsWhatIsWrong) {
  const TemporaryDirectory directory;
  const auto code = [](const std::string& path) { return run({.paths = {path}}).code; };
  EXPECT_EQ(code(directory.write("a/ntrace.pb", "")), 2);
  EXPECT_EQ(code(directory.write("b/ntrace.pb", "a text, no trace\n")), 2);
  EXPECT_EQ(code(directory.write("c/x.ntff", "a text, no profile\n")), 2);
  EXPECT_EQ(code(directory.write("d/x.ntff", test::container({}, "", 0, 7))), 2);
  EXPECT_EQ(code(directory.write("e/x.ntff", "")), 0);
  EXPECT_EQ(code(directory.path("nothing")), 3);
  std::filesystem::create_directory(directory.path("empty"));
  EXPECT_EQ(code(directory.path("empty")), 3);
}

TEST(View, WarnsOfNewerVersions) {
  const TemporaryDirectory directory;
  auto trace = small_trace();
  trace.set_data_version(6);
  const std::string later = trace.SerializeAsString() + "\xca\x02\x03new";
  const Outcome outcome = run_json(directory.write("ntrace.pb", later));
  EXPECT_EQ(outcome.code, 0);
  const json capture = json::parse(outcome.out)["captures"][0];
  ASSERT_EQ(capture["warnings"].size(), 2u);
  EXPECT_TRUE(contains(capture["warnings"][0], "version 6"));
  EXPECT_TRUE(contains(capture["warnings"][1], "1 field"));
}

TEST(View, DumpsARecordALine) {
  const TemporaryDirectory directory;
  write_process(directory, "p", 77);
  auto odd = event(1, 1'000'000, 9, 4, 5);
  odd.set_nrta_seq_id(0);
  ::ntff::ntrace_info other;
  *other.add_events() = odd;
  other.add_events()->set_type(7);
  directory.write("other.pb", other.SerializeAsString());
  const Outcome outcome =
      run({.paths = {directory.path("p"), directory.path("other.pb")}, .dump = true});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::map<std::string, std::vector<json>> records;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line);
    records[record["record"]].push_back(record);
  }
  ASSERT_EQ(records["ntrace_event"].size(), 8u);
  EXPECT_EQ(records["cpu_util"].size(), 4u);
  EXPECT_EQ(records["host_mem_usage"].size(), 3u);
  EXPECT_EQ(records["interned_data"].size(), 9u);
  EXPECT_EQ(records["host_stats"].size(), 2u);
  EXPECT_EQ(records["ntrace_info"].size(), 4u);
  const json& first = records["ntrace_event"][0];
  EXPECT_EQ(first["file"], directory.path("p/ntrace.pb"));
  EXPECT_EQ(first["event_type"], 17);
  EXPECT_EQ(first["event_type_name"], "kbl_exec_pre");
  EXPECT_EQ(first["phase"], 1);
  EXPECT_EQ(first["phase_name"], "start");
  EXPECT_EQ(first["attributes"], (json{{"worker_gid", "-1"}}));
  EXPECT_FALSE(first.contains("nrta_seq_id"));
  // All fields of the schema are there, by name.
  const auto* descriptor = ::ntff::ntrace_event::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i)
    EXPECT_TRUE(records["ntrace_event"][6].contains(descriptor->field(i)->name()))
        << descriptor->field(i)->name();
  EXPECT_EQ(records["ntrace_event"][6]["event_type_name"], "unknown");
  EXPECT_EQ(records["ntrace_event"][6]["nrta_seq_id"], 0);
  EXPECT_EQ(records["ntrace_event"][7]["event_type_name"], "mem_alloc");
  EXPECT_EQ(records["ntrace_info"][0]["neuron_runtime_version"]["minor"], 31);
}

TEST(View, ShowsProfiles) {
  const TemporaryDirectory directory;
  const std::string path =
      directory.write("x.ntff", test::container(test::small_info(), test::small_data(), 40));
  const Outcome summary = run_json(path);
  ASSERT_EQ(summary.code, 0) << summary.err;
  const json profile = json::parse(summary.out)["captures"][0]["profiles"][0];
  EXPECT_EQ(profile["id"], "a profile");
  EXPECT_EQ(profile["nodes"], json::array({"node"}));
  EXPECT_EQ(profile["instruction_bytes"], 40);
  ASSERT_EQ(profile["queues"].size(), 2u);
  EXPECT_EQ(profile["queues"][0]["trace_type"], "dma");
  EXPECT_EQ(profile["queues"][1]["records"], 3);
  EXPECT_TRUE(contains(run({.paths = {path}}).out, "profile x.ntff: version 6, 1 nodes"));
  const Outcome dump = run({.paths = {path}, .dump = true});
  std::map<std::string, std::vector<json>> records;
  std::istringstream lines(dump.out);
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line);
    records[record["record"]].push_back(record);
  }
  ASSERT_EQ(records["ntff_info"].size(), 1u);
  const json& graph = records["ntff_info"][0]["neff_nodes"][0]["nd_node"]["graphs"][0];
  EXPECT_EQ(graph["instruction_info"][0]["nc_engine_type_name"], "pool");
  EXPECT_EQ(records["instructions"].size(), 1u);
  ASSERT_EQ(records["notification"].size(), 4u);
  EXPECT_EQ(records["notification"][0]["notific_type_name"], "INST_START");
  EXPECT_EQ(records["notification"][3]["timestamp_ps"], 4);
}

TEST(View, ReplacesBytesThatAreNoText) {
  const TemporaryDirectory directory;
  auto trace = small_trace();
  std::string bytes = trace.SerializeAsString();
  // The value of an attribute: not checked as the generated classes would.
  const std::size_t at = bytes.find("-1");
  bytes[at] = '\xff';
  const Outcome outcome = run({.paths = {directory.write("ntrace.pb", bytes)}, .dump = true});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out,
                       "\xef\xbf\xbd"
                       "1"))
      << outcome.out.substr(0, 400);
}

TEST(View, SaysWhenItsOutputCannotBeWritten) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("ntrace.pb", small_trace().SerializeAsString());
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  for (const bool dump : {false, true}) {
    try {
      view({.paths = {path}, .dump = dump}, full, stderr);
      ADD_FAILURE() << "written to a full disk";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), Exit::kFailed);
      EXPECT_TRUE(contains(failure.what(), "No space left")) << failure.what();
    }
  }
  std::fclose(full);
}

}  // namespace
}  // namespace ndtel::cli
