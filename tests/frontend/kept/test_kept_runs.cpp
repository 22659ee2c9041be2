// SPDX-License-Identifier: GPL-2.0-or-later
// Kept runs of the wrong form, or files of another kind: they count as absent and are named, but never believed, and
// never cause a crash.
#include <fmt/format.h>

#include <functional>

#include "frontend/output/labels.hpp"
#include "tests/frontend/kept/kept_files.hpp"

using namespace program;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

TEST_CASE("a kept run that is malformed, changed or of another run counts as absent and is named", "[kept]") {
  const Scratch scratch;
  const auto folder = scratch.file("out"), kept = folder + "/runs/model56sx-ne2.json";
  const auto compare = "compare --machines model56sx --cards ne2 --report " + folder + kept_brief;
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
    CHECK_THAT(merge.err, Contains(kept) && Contains(named) && Contains("it is ignored"));
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
          !(std::string(member) == "arguments" && value.is_array()))  // from another program, with other arguments
        changed([&](auto& j) { j[member] = value; }, member, true);
  }
  for (const auto& [member, value] : good["result"].items())
    changed([&name = member](auto& j) { j["result"][name] = ordered_json::array({nullptr}); }, "result/" + member,
            true);
  changed([](auto& j) { j["result"] = ordered_json::object(); }, "result", true);
  changed([](auto& j) { j["status"] = 4; }, "status", true);
  changed([](auto& j) { j["problem"] = "two"; }, "two kinds", true);
  changed([](auto& j) { j["result"]["card"] = "3c527"; }, "result/card: is \"3c527\" instead of \"ne2\"", true);
  changed([](auto& j) { j["result"]["machine"] = "model95"; }, "result/machine", true);
  changed([](auto& j) { j["result"]["seed"] = 2; }, "result/seed", true);
  changed([](auto& j) { j["result"]["cpu_load_percent"] = nullptr; }, "result/cpu_load_percent: is null", true);
  changed([](auto& j) { j["result"]["rows"] = ordered_json::array(); }, "result/rows", true);
  changed([](auto& j) { j["result"]["rows"][0]["packet_bytes"] = 2048; }, "result/rows", true);
  changed([](auto& j) { j["result"]["virtual_seconds"] = 0.01; }, "result/virtual_seconds", true);
  changed([](auto& j) { j["result"]["rows"][0]["kb_per_s"] = 9999.5; }, "digest", false);
  changed([](auto& j) { j["result"]["cycles"] = 1; }, "digest", false);
  changed([](auto& j) { j.erase("digest"); }, "digest is missing", false);

  // A report does not rely on anything that the schema leaves out.
  auto partless = good;
  partless["result"]["frame_time"]["parts_us"] = ordered_json::object();
  planar::seal(partless);
  write(kept, partless.dump());
  CHECK(merged().status == 0);

  // Then it is run again, successfully.
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
  // A run of another program, or with other arguments, is simply not part of this comparison.
  file = good;
  file["program_sha256"] = std::string(64, '0');
  write(kept, file.dump());
  const auto other = merged();
  CHECK(other.status == 1);
  CHECK(other.err.find("it is ignored") == std::string::npos);
}

TEST_CASE("a report accepts results with different parts of a frame's time", "[kept]") {
  const Scratch scratch;
  const auto folder = scratch.file("out"), kept = folder + "/runs/model56sx-3c529.json";
  const auto compare = "compare --machines model56sx --cards ne2,3c529 --report " + folder + kept_brief;
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
  const std::string copy = ", " + planar::frame_part_title("cpu_copy") + ": ";  // after the card's name
  CHECK(count(whole, copy) == 2);
  CHECK(count(page, copy) == 2);
  CHECK(count(page, copy + "0.0 ") == 1);
}

TEST_CASE("finished runs of every kind of benchmark are reused", "[kept]") {
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
    CHECK(second.json() == first.json());  // including the host's time
  }
}
