// SPDX-License-Identifier: GPL-2.0-or-later
// Kept runs, baselines, plans and results of the wrong shape, or of something else: absent or refused, and named, but
// never believed and never a crash.
#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "frontend/kept/kept_json.hpp"
#include "frontend/report/labels.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using namespace program;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

const std::string brief = " --quiet --seconds 0.05 --sizes 1024 --jobs 1";

ordered_json read_json(const std::string& file) { return ordered_json::parse(read_file(file)); }
void write(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// Texts that are no file of any kind.
const std::vector<std::string>& strange_texts() {
  static const std::vector<std::string> texts{
      "", "{", "{}", "[]", "null", "1", "\"x\"", "[[[]]]", "1e999", std::string(200'000, '['), "\xFF"};
  return texts;
}

}  // namespace

TEST_CASE("a kept run of the wrong shape, of another run or changed counts as absent and is named", "[kept]") {
  const Scratch scratch;
  const auto folder = scratch.file("out"), kept = folder + "/runs/model56sx-ne2.json";
  const auto compare = "compare --machines model56sx --cards ne2 --report " + folder + brief;
  REQUIRE(run_planar(compare + " --plan").status == 0);
  REQUIRE(run_planar(compare).status == 0);
  const auto good = read_json(kept);
  const auto hash = good["result"]["state_hash"];
  const auto merged = [&] { return run_planar("compare --merge " + folder + " --json -"); };
  REQUIRE(merged().status == 0);

  const auto absent = [&](const std::string& text, const std::string& named) {
    INFO(text.substr(0, 200));
    write(kept, text);
    const auto merge = merged();
    INFO(merge.err);
    CHECK(merge.status == 1);
    CHECK_THAT(merge.err, Contains(kept) && Contains(named) && Contains("counts as absent"));
    CHECK_THAT(merge.err, Contains("1 of 1 runs are not finished"));
  };
  for (const auto& text : strange_texts()) absent(text, ": ");
  const auto changed = [&](const std::function<void(ordered_json&)>& change, const std::string& named, bool sealed) {
    auto file = good;
    change(file);
    if (sealed) planar::seal(file);
    absent(file.dump(), named);
  };
  const auto members = {"schema", "arguments", "machine_sha256", "status", "result", "program_sha256"};
  for (const char* member : members) {
    changed([&](auto& j) { j.erase(member); }, "missing", true);
    for (const ordered_json& value : {ordered_json(5), ordered_json("x"), ordered_json::array(), ordered_json()})
      if (value != good[member] && !(std::string(member) == "program_sha256" && value.is_string()) &&
          !(std::string(member) == "arguments" && value.is_array()))  // of another program, with other arguments
        changed([&](auto& j) { j[member] = value; }, member, true);
  }
  for (const auto& [member, value] : good["result"].items())
    changed([&](auto& j) { j["result"][member] = ordered_json::array({nullptr}); }, "result/" + member, true);
  changed([](auto& j) { j["result"] = ordered_json::object(); }, "result", true);
  changed([](auto& j) { j["status"] = 4; }, "status", true);
  changed([](auto& j) { j["problem"] = "two"; }, "two kinds", true);
  changed([](auto& j) { j["result"]["card"] = "3c527"; }, "result/card: is \"3c527\" instead of \"ne2\"", true);
  changed([](auto& j) { j["result"]["machine"] = "model95"; }, "result/machine", true);
  changed([](auto& j) { j["result"]["seed"] = 2; }, "result/seed", true);
  changed([](auto& j) { j["result"]["rows"] = ordered_json::array(); }, "result/rows", true);
  changed([](auto& j) { j["result"]["rows"][0]["packet_bytes"] = 2048; }, "result/rows", true);
  changed([](auto& j) { j["result"]["virtual_seconds"] = 0.01; }, "result/virtual_seconds", true);
  changed([](auto& j) { j["result"]["rows"][0]["kb_per_s"] = 9999.5; }, "digest", false);
  changed([](auto& j) { j["result"]["cycles"] = 1; }, "digest", false);
  changed([](auto& j) { j.erase("digest"); }, "digest is missing", false);

  // A report relies on nothing that the schema leaves out.
  auto partless = good;
  partless["result"]["frame_time"]["parts_us"] = ordered_json::object();
  planar::seal(partless);
  write(kept, partless.dump());
  CHECK(merged().status == 0);

  // It is run again then, and good.
  auto file = good;
  file["result"].erase("rows");
  planar::seal(file);
  write(kept, file.dump());
  const auto again = run_planar(compare + " --json -");
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK_THAT(again.err, Contains(kept) && Contains("rows is missing"));
  CHECK(again.json()[0]["state_hash"] == hash);
  CHECK(planar::seal_problem(read_json(kept)).empty());
  // Of another program, or with other arguments, it is simply not of this comparison.
  file = good;
  file["program_sha256"] = std::string(64, '0');
  write(kept, file.dump());
  const auto other = merged();
  CHECK(other.status == 1);
  CHECK(other.err.find("counts as absent") == std::string::npos);
}

TEST_CASE("a report shows results that do not name the same parts of a frame's time", "[kept]") {
  const Scratch scratch;
  const auto folder = scratch.file("out"), kept = folder + "/runs/model56sx-3c529.json";
  const auto compare = "compare --machines model56sx --cards ne2,3c529 --report " + folder + brief;
  REQUIRE(run_planar(compare + " --plan").status == 0);
  REQUIRE(run_planar(compare).status == 0);
  const auto whole = read_file(folder + "/compare.html");
  auto file = read_json(kept);
  file["result"]["frame_time"]["parts_us"].erase("cpu_copy");
  planar::seal(file);
  write(kept, file.dump());
  const auto merged = run_planar("compare --merge " + folder + " --quiet");
  INFO(merged.err);
  REQUIRE(merged.status == 0);
  const auto page = read_file(folder + "/compare.html");
  const auto count = [](const std::string& text, const std::string& of) {
    std::size_t n = 0;
    for (auto at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++n;
    return n;
  };
  const std::string copy = "<title>" + planar::frame_part_title("cpu_copy") + ": ";
  CHECK(count(whole, copy) == 2);
  CHECK(count(page, copy) == 2);
  CHECK(count(page, copy + "0.0 ") == 1);
}

TEST_CASE("finished runs of every kind of benchmark are taken again", "[kept]") {
  const Scratch scratch;
  const std::pair<const char*, const char*> kinds[] = {{"netio-receive", "1024"}, {"netperf-rr", "1"},
                                                       {"netperf-udp", "1472"},   {"flood", "1000"},
                                                       {"flood-send", "64"},      {"flood-router", "1000"}};
  for (const auto& [name, size] : kinds) {
    const auto folder = scratch.file(name);
    const auto command = fmt::format(
        "compare --do {} --machines model95 --cards ne2 --quiet --seconds 0.1 --sizes {} --results {} --json -", name,
        size, folder);
    const auto first = run_planar(command);
    INFO(command << first.err);
    REQUIRE(first.status == 0);
    const auto second = run_planar(command);
    CHECK(second.err.empty());
    CHECK(second.json() == first.json());  // the host's time, too
  }
}

TEST_CASE("a plan of the wrong shape is refused and named", "[kept]") {
  const Scratch scratch;
  const auto folder = scratch.file("out"), plan = folder + "/plan.json";
  REQUIRE(
      run_planar("compare --machines model56sx --cards ne2,3c523 --runs 2 --plan --report " + folder + brief).status ==
      0);
  const auto good = read_json(plan);
  const auto refused = [&](const std::string& text) {
    INFO(text.substr(0, 200));
    write(plan, text);
    const auto said = run_planar("compare --merge " + folder);
    CHECK(said.status == 3);
    CHECK_THAT(said.err, Contains(plan) && !Contains("emulation fault"));
  };
  for (const auto& text : strange_texts()) refused(text);
  for (const auto& [member, value] : good.items()) {
    auto changed = good;
    changed.erase(member);
    refused(changed.dump());
    for (const ordered_json& other : {ordered_json(-1.5), ordered_json::object(), ordered_json()}) {
      changed[member] = other;
      refused(changed.dump());
    }
  }
  auto mixed = good;
  mixed["cells"][1]["card"] = "3c523";
  refused(mixed.dump());
}

TEST_CASE("a baseline of the wrong shape, or changed, is refused and named", "[kept]") {
  const Scratch scratch;
  const auto file = scratch.file("baseline.json");
  const auto regress = "regress --machines model56sx --cards ne2 --baseline " + file + brief;
  REQUIRE(run_planar(regress + " --accept 'by a test'").status == 0);
  const auto good = read_json(file);
  const auto refused = [&](const std::string& text, const std::string& named) {
    INFO(text.substr(0, 200));
    for (const auto& command : {regress, "regress --history --baseline " + file, regress + " --accept again"}) {
      write(file, text);
      const auto said = run_planar(command);
      CHECK(said.status == 3);
      CHECK(read_file(file) == text);
      CHECK_THAT(said.err, Contains(file) && Contains(named) && !Contains("emulation fault"));
    }
  };
  for (const auto& text : strange_texts()) refused(text, file);
  for (const auto& [member, value] : good.items()) {
    if (member == "digest" || member == "history") continue;
    auto changed = good;
    changed.erase(member);
    planar::seal(changed);
    if (member != "placement") refused(changed.dump(), member);  // older ones have none
    for (const ordered_json& other : {ordered_json(-1.5), ordered_json::array({1}), ordered_json()}) {
      changed[member] = other;
      planar::seal(changed);
      refused(changed.dump(), member);
    }
  }
  auto changed = good;
  changed["cells"]["model56sx"] = 1;
  planar::seal(changed);
  refused(changed.dump(), "cells/model56sx");
  changed = good;
  changed["cells"]["model56sx"]["ne2"]["cycles"] = 1;
  refused(changed.dump(), "digest");
  changed = good;
  changed["history"] = {{{"date", 1}}};
  planar::seal(changed);
  refused(changed.dump(), "history/0");
  REQUIRE(std::filesystem::remove(file));
  CHECK(run_planar(regress + " --accept anew").status == 0);
  CHECK(read_json(file)["history"].size() == 1);
}

TEST_CASE("bench cpu looks at what it is to compare with before it runs", "[kept]") {
  const Scratch scratch;
  const auto file = scratch.file("before.json");
  const auto refused = [&](const std::string& text, int status) {
    INFO(text.substr(0, 200));
    write(file, text);
    // Every machine, for hours: it ends at once or not within this test's time.
    const auto command = "timeout 20 '" + std::string(PLANAR_BINARY) +
                         "' bench cpu --quiet --passes 100000000 --compare " + file + " </dev/null >/dev/null 2>" +
                         scratch.file("err");
    const int ended = std::system(command.c_str());
    CHECK(WEXITSTATUS(ended) == status);
    CHECK_THAT(read_file(scratch.file("err")), Contains("--compare") || Contains(file));
  };
  for (const auto& text : strange_texts()) refused(text, 3);
  const std::string hash = "\"" + std::string(64, 'a') + "\"";
  const auto with_row = [&](const std::string& row) {
    return "{\"schema\":\"planar.bench-cpu/1\",\"planar\":\"1\",\"host\":{},\"results\":[" + row + "]}";
  };
  refused(with_row(""), 3);
  refused(with_row("{\"machine\":\"model95\"}"), 3);
  const auto row = [&](const std::string& machine) {
    return "{\"machine\":" + machine +
           ",\"workload\":\"mix\",\"mips\":1,\"instructions\":1,\"cycles\":1,\"state_hash\":" + hash +
           ",\"image_sha256\":" + hash + ",\"host_seconds\":1}";
  };
  refused(with_row(row("5")), 3);
  refused(with_row(row("\"model96\"")), 2);
}

TEST_CASE("diff refuses what is no result", "[kept]") {
  const Scratch scratch;
  const auto good = scratch.file("good.json"), other = scratch.file("other.json");
  REQUIRE(run_planar("netio --card ne2 --quiet --seconds 0.05 --sizes 1024 --json " + good).status == 0);
  for (const auto& text : strange_texts()) {
    INFO(text.substr(0, 200));
    write(other, text);
    for (const auto& command : {"diff " + good + " " + other, "diff " + other + " " + good}) {
      const auto said = run_planar(command);
      CHECK((said.status == 3 || (text == "[]" && said.status == 1)));
      CHECK_THAT(said.err, !Contains("emulation fault"));
    }
  }
  const auto result = read_json(good);
  for (const auto& [member, value] : result.items())
    for (const ordered_json& strange : {ordered_json(), ordered_json(1), ordered_json::array({1, "x", {{"a", 1}}})}) {
      auto changed = result;
      changed[member] = strange;
      write(other, changed.dump());
      const auto said = run_planar("diff " + good + " " + other);
      INFO(member << ": " << strange.dump() << said.err);
      CHECK(said.status <= 3);
      CHECK_THAT(said.err, !Contains("emulation fault"));
    }
}
