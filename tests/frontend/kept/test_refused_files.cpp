// SPDX-License-Identifier: GPL-2.0-or-later
// Baselines, plans and results of the wrong form, or files of another kind: refused and named, but never believed, and
// never cause a crash.
#include <filesystem>

#include "tests/frontend/kept/kept_files.hpp"

using namespace program;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

TEST_CASE("a malformed plan is refused and named", "[kept]") {
  const Scratch scratch;
  const auto folder = scratch.file("out"), plan = folder + "/plan.json";
  REQUIRE(run_planar("compare --machines model56sx --cards ne2,3c523 --runs 2 --plan --report " + folder + kept_brief)
              .status == 0);
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

TEST_CASE("a malformed or changed baseline is refused and named", "[kept]") {
  const Scratch scratch;
  const auto file = scratch.file("baseline.json");
  const auto regress = "regress --machines model56sx --cards ne2 --baseline " + file + kept_brief;
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
    if (member != "placement") refused(changed.dump(), member);  // older ones do not have it
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

TEST_CASE("bench cpu checks its comparison file before it runs", "[kept]") {
  const Scratch scratch;
  const auto file = scratch.file("before.json");
  const auto refused = [&](const std::string& text, int status) {
    INFO(text.substr(0, 200));
    write(file, text);
    // Every machine, for hours: it is refused at once or takes longer than this test's limit.
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

TEST_CASE("diff refuses files that are not results", "[kept]") {
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
