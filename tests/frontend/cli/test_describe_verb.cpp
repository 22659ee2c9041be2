// SPDX-License-Identifier: GPL-2.0-or-later
// `planar describe`, and the paused and stepped session that it uses.
#include "frontend/debug/description_text.hpp"
#include "frontend/session/session.hpp"
#include "machines/config/machine_files.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/network/echo_diskette.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;
using Catch::Matchers::Contains;
using program::run_planar;
using program::Scratch;

TEST_CASE("descriptions for people and for programs") {
  Description d("chip");
  d.reg("CR", 0x2A, 8).number("count", 1000).flag("busy", true).time("due", 1'500'000_us).time("idle", Time::never());
  d.text("state", "waits").part("ring").reg("CURR", 0x4, 12);
  CHECK(to_text(d) ==
        "chip\n  CR     2Ah\n  count  1000\n  busy   yes\n  due    1.500000000000 s\n  idle   never\n  state  waits\n"
        "  ring\n    CURR  004h\n");
  CHECK(to_json(d).dump() ==
        R"({"name":"chip","fields":{"CR":42,"count":1000,"busy":true,"due":1500000000000,"idle":null,"state":"waits"},)"
        R"("parts":[{"name":"ring","fields":{"CURR":4}}]})");
}

TEST_CASE("describe runs to a given time and shows the requested devices") {
  const auto text = run_planar("describe model95 pic pit ne2 --card ne2 --until '1.2 s'");
  INFO(text.err);
  REQUIRE(text.status == 0);
  CHECK_THAT(text.out, Contains("---- model95 at 1.2000") && Contains("\npic\n  master\n") && Contains("\npit\n") &&
                           Contains("counter 0") && Contains("\nslot1.ne2\n") && !Contains("\nvga\n"));
  const auto all = run_planar("describe model95 --card ne2 --until '1.2 s' --json -").json();
  CHECK(all.at("schema") == "planar.describe/1");
  const auto& devices = all.at("machines").at(0).at("devices");
  CHECK(devices.size() > 15);
  CHECK(devices.at(0).at("name") == "cpu");
  CHECK(devices.at(0).at("fields").at("instructions").get<std::uint64_t>() > 100'000);
  const auto behind = run_planar("describe model95 cpu --card ne2 --until '1.2 s' --steps 50 --json -").json();
  const auto count = [](const auto& j) {
    return j.at("machines").at(0).at("devices").at(0).at("fields").at("instructions").template get<std::uint64_t>();
  };
  CHECK(count(behind) > count(all));
  CHECK(count(behind) <= count(all) + 50);
  CHECK(run_planar("describe model95 pik").status == 2);
  CHECK_THAT(run_planar("describe model95 pik").err, Contains("did you mean 'pic'"));
  CHECK(run_planar("describe model95 --until soon").status == 2);
}

TEST_CASE("describe names the machines of a lab, and continues from a snapshot") {
  Scratch scratch;
  const auto file = scratch.write("lab.toml",
                                  "[[machine]]\nname = \"left\"\nmodel = \"model56sx\"\n[[machine]]\nname = \"right\"\n"
                                  "model = \"model95\"\n");
  const auto one = run_planar("describe " + file + " right.pic --until '300 ms'");
  INFO(one.err);
  CHECK_THAT(one.out, Contains("---- right at ") && !Contains("left"));
  const auto both = run_planar("describe " + file + " rtc left.dma --until '300 ms' --json -").json();
  REQUIRE(both.at("machines").size() == 2);
  CHECK(both.at("machines").at(0).at("devices").size() == 2);
  CHECK(both.at("machines").at(1).at("devices").size() == 1);
  const auto snap = scratch.file("lab.snap");
  REQUIRE(run_planar("run " + file + " --quiet --until '310 ms' --snapshot-at '300 ms' " + snap).status == 0);
  CHECK(run_planar("describe --restore " + snap + " right.pic").out == one.out);
}

TEST_CASE("pausing and stepping a session through its scenario does not change its end") {
  Scratch scratch;
  const auto disk = scratch.write("echo.img", echo_diskette::image());
  const auto session = [&] {
    Config config = load_machine("model56sx");
    config.set_text("image", disk, "--image");
    OutputOptions output;
    output.quiet = true;
    auto s = std::make_unique<Session>(LabConfig(std::move(config)), std::vector<Media>{}, output, StateOptions{});
    s->begin(parse_steps("wait prompt \">\" within 60 s\ntype \"a word\\n\"\nwait 200 ms\n", "steps", 60_s));
    return s;
  };
  const auto never = [] { return false; };
  const auto what = [] { return std::string(); };
  const auto whole = session();
  REQUIRE(whole->run(Time::never(), never, what) == RunEnd::scenario);

  const auto paused = session();
  unsigned pauses = 0;
  // Keys that arrive, and any other interrupts while the steps are executed.
  paused->lab().machine().interrupts().watch([&](unsigned line, unsigned, Time) {
    if (line == 1) paused->request_stop();
  });
  RunEnd end;
  while ((end = paused->run(Time::never(), never, what)) == RunEnd::paused) {
    ++pauses;
    for (unsigned n = 0; n < 50; ++n) paused->step();
  }
  CHECK(end == RunEnd::scenario);
  CHECK(pauses > 10);
  CHECK(paused->now() == whole->now());
  CHECK(paused->scenario().done().size() == whole->scenario().done().size());
  for (std::size_t n = 0; n < whole->scenario().done().size(); ++n)
    CHECK(paused->scenario().done()[n].at == whole->scenario().done()[n].at);
  CHECK(paused->state_hash() == whole->state_hash());
}
