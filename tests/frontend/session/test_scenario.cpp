// SPDX-License-Identifier: GPL-2.0-or-later
// Steps at a machine: typed keys arrive, awaited output is seen, failures leave evidence, and a resumed run is the same
// run.
#include <filesystem>

#include "core/common/error.hpp"
#include "frontend/scenario/keys.hpp"
#include "frontend/scenario/scenario_steps.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/network/echo_diskette.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;
using Catch::Matchers::Contains;
using program::read_file;
using program::run_planar;
using program::Scratch;

namespace {

std::string step(const std::string& text) { return " --do '" + text + "'"; }

struct Bench {
  Scratch scratch;
  std::string image = scratch.write("echo.img", echo_diskette::image());
  std::string result = scratch.file("result");
  std::string run(const std::string& machine = "model95") const {
    return "run " + machine + " --quiet --image " + image + " --result " + result;
  }
};

void check_refused(const std::string& steps, const std::string& place, const std::string& why) {
  CAPTURE(steps);
  try {
    parse_steps(steps, "demo.scenario", 60_s);
    FAIL("not refused");
  } catch (const Error& e) {
    CHECK_THAT(e.what(), Contains("demo.scenario:" + place + ": ") && Contains(why));
    CHECK(e.code() == ExitCode::bad_configuration);
  }
}

}  // namespace

TEST_CASE("steps are parsed with their times, texts and keys", "[scenario]") {
  const auto steps = parse_steps(
      "# a comment\n"
      "wait screen \"A:\\\\>\" within 90 s\n"
      "  type \"dir \\\"x\\\"\\n\"   # and another\n\n"
      "press ctrl-alt-del\npress F10 for 2 s\nwait 500 ms\nwait still\nwait still 250ms within 5s\n",
      "demo", 60_s);
  REQUIRE(steps.size() == 7);
  CHECK(steps[0].kind == StepKind::wait_screen);
  CHECK(steps[0].text == "A:\\>");
  CHECK(steps[0].limit == 90_s);
  CHECK(steps[1].text == "dir \"x\"\n");
  CHECK(steps[1].limit == 60_s);
  CHECK(steps[1].origin == "demo:3");
  CHECK(steps[1].source == "type \"dir \\\"x\\\"\\n\"");
  CHECK(steps[2].keys == std::vector<std::uint16_t>{0x1D, 0x38, 0xE053});
  CHECK(steps[3].keys == std::vector<std::uint16_t>{0x44});
  CHECK(steps[3].time == 2_s);
  CHECK(steps[4].time == 500_ms);
  CHECK(steps[5].time == 3_s);
  CHECK(steps[6].time == 250_ms);
  CHECK(steps[6].limit == 5_s);
}

TEST_CASE("steps for stations, and repeated steps, are parsed", "[scenario]") {
  const auto steps = unroll_steps(
      parse_steps("wait 1 s\nrepeat 3 times\npull cable client.slot1\nwait 20 ms # a moment\nplug cable peer\nend "
                  "repeat\nremove station north\ninsert station north\n",
                  "demo", 60_s));
  REQUIRE(steps.size() == 12);
  for (const std::size_t at : {1u, 4u, 7u}) {
    CHECK(steps[at].kind == StepKind::pull_cable);
    CHECK(steps[at].text == "client.slot1");
    CHECK(steps[at].origin == "demo:3");
    CHECK(steps[at + 1].time == 20_ms);
    CHECK(steps[at + 2].kind == StepKind::plug_cable);
  }
  CHECK(steps[10].kind == StepKind::remove_station);
  CHECK(steps[11].kind == StepKind::insert_station);
  CHECK(steps[11].source == "insert station north");
  const auto refused = [](const std::string& text) {
    try {
      unroll_steps(parse_steps(text, "demo", 60_s));
      return std::string();
    } catch (const Error& e) { return std::string(e.what()); }
  };
  CHECK_THAT(refused("wait 1 s\nend repeat"), Contains("demo:2") && Contains("there is no repeat before it"));
  CHECK_THAT(refused("wait 1 s\nrepeat 2 times\nwait 1 s"), Contains("demo:2") && Contains("has no end"));
  CHECK_THAT(refused("repeat 2 times\nrepeat 2 times\n"), Contains("demo:2") && Contains("demo:1"));
  CHECK_THAT(refused("repeat 900000 times\nwait 1 s\nwait 1 s\nend repeat"), Contains("more than 1000000 steps"));
}

TEST_CASE("steps of a recorded session are parsed: exact times, single keys, mouse, media, reset", "[scenario]") {
  const auto steps = parse_steps(
      "wait until 12345678.901234 µs\nkey shift down\nkey \\ up\nkey down down\nmouse move -12 7\nmouse buttons left "
      "middle\nmouse buttons none\neject diskette\ninsert cd \"a.iso\"\nreset\n",
      "demo", 60_s);
  REQUIRE(steps.size() == 10);
  CHECK(steps[0].kind == StepKind::wait_until);
  CHECK(steps[0].time == Time{12'345'678'901'234});
  CHECK(steps[1].keys == std::vector<std::uint16_t>{0x2A});
  CHECK(steps[1].down);
  CHECK(steps[2].keys == std::vector<std::uint16_t>{0x2B});
  CHECK_FALSE(steps[2].down);
  CHECK(steps[3].keys == std::vector<std::uint16_t>{0xE050});
  CHECK(steps[4].x == -12);
  CHECK(steps[4].y == 7);
  CHECK(steps[5].buttons == 5);
  CHECK(steps[6].buttons == 0);
  CHECK(steps[7].kind == StepKind::eject_diskette);
  CHECK(steps[8].text == "a.iso");
  CHECK(steps[9].kind == StepKind::reset);
  for (std::uint32_t code = 1; code < 0x10000; ++code)
    if (const auto name = key_name(static_cast<std::uint16_t>(code)); !name.empty())
      CHECK(parse_chord(name) == std::vector{static_cast<std::uint16_t>(code)});
}

TEST_CASE("an unknown step is refused with line, column and remedy", "[scenario]") {
  check_refused("tpye \"x\"", "1:1", "did you mean 'type'?");
  check_refused("power off\n  dance", "2:3", "steps are wait, type");
  check_refused("wait screen \"x", "1:13", "closing quote");
  check_refused("wait screen x", "1:13", "double quotes");
  check_refused("wait screen \"\"", "1:13", "empty");
  check_refused("wait screen", "1:12", "missing");
  check_refused("wait foo", "1:6", "wait for what?");
  check_refused("wait screen \"x\" within soon", "1:24", "90 s");
  check_refused("wait screen \"x\" within 0 s", "1:24", "is not a time");
  check_refused("wait 5 s within 9 s", "1:10", "'within' is not expected");
  check_refused("wait 9223372 s", "1:6", "at most 1000000 s");
  check_refused("type \"a\\q\"", "1:8", "backslash");
  check_refused("type \"\xC3\xA4\"", "1:6", "C3h");
  check_refused("press ctrl-alt-dele", "1:7", "'dele'; did you mean 'del");
  check_refused("press ctrl--a", "1:7", "'minus'");
  check_refused("press f13", "1:7", "'f13'");
  check_refused("grab screan", "1:6", "'screen'");
  check_refused("power off now", "1:11", "'now'");
  check_refused("pull plug", "1:6", "'cable'");
  check_refused("remove cable peer", "1:8", "'station'");
  check_refused("insert peer", "1:8", "insert what?");
  check_refused("pull cable", "1:11", "a station is missing");
  check_refused("key a-b down", "1:5", "one key");
  check_refused("key a", "1:6", "'up'");
  check_refused("mouse move 1", "1:13", "a number is missing");
  check_refused("mouse move 1 -10001", "1:14", "how far");
  check_refused("mouse buttons", "1:14", "left, right, middle or none");
  check_refused("mouse wheel", "1:7", "'buttons'");
  check_refused("wait until noon", "1:12", "is not a time");
  check_refused("repeat 0 times", "1:8", "how often");
  check_refused("repeat 3", "1:9", "'times'");
}

TEST_CASE("every character of the keyboard arrives as typed, even on the slowest machine", "[scenario]") {
  Bench b;
  const std::string all =
      "The quick brown fox jumps over the lazy dog 0123456789 `-=[]\\;,./ ~!@#$%^&*()_+{}|:<>? THE END";
  const auto file = b.scratch.write("all.scenario", "wait prompt \">\" within 60 s\ntype \"" +
                                                        std::string(all).replace(all.find('\\'), 1, "\\\\") +
                                                        "\\n\"\nwait serial \"END\"\n");
  const auto com1 = b.scratch.file("com1");
  const auto run = run_planar(b.run("model56sx") + " --serial file:" + com1 + " --do " + file);
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK_THAT(read_file(com1), Contains(">" + all));
}

TEST_CASE("typing waits for a guest that does not read, and considers caps lock", "[scenario]") {
  Bench b;
  b.image = b.scratch.write("deaf.img", echo_diskette::image('>', true));
  const auto com1 = b.scratch.file("com1");
  const auto run = run_planar(b.run() + " --serial file:" + com1 + step("wait still 500 ms") + step("press capslock") +
                              step("type \"abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 1!\\n\"") +
                              step("wait serial \"\\r\\n>\" within 5 s"));
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK_THAT(read_file(com1), Contains(">abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 1!"));
}

TEST_CASE("wait still compares the picture in graphics modes", "[scenario]") {
  const Scratch scratch;
  // Mode 13h; a pixel every 55 ms for a second, then none. Interrupts stay enabled.
  std::string sector(
      "\xB8\x13\x00\xCD\x10\xB8\x00\xA0\x8E\xC0\x31\xFF\xB9\x12\x00"  // INT 10h, ES:DI = A000:0, CX = 18
      "\xFB\xF4\xB0\x0F\xAA\xE2\xF9"                                  // STI; HLT, STOSB, LOOP
      "\xF4\xEB\xFD",
      25);
  sector.resize(510);
  sector += "\x55\xAA";
  sector.resize(1474560);
  const auto image = scratch.write("graphics.img", sector);
  const auto run =
      run_planar("run model95 --quiet --image " + image + " --json - --do 'wait still 700 ms within 20 s'");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const double still = run.json().at("virtual_seconds");
  // Before that there are POST, 18 ticks and the 700 ms; the diskette's motor runs for another two seconds.
  CHECK(still > 1.7);
}

TEST_CASE("--type waits for a still screen, in order with the other steps", "[scenario]") {
  Bench b;
  const auto run = run_planar(b.run() + " --type 'one\\n'" + step("wait screen \">one\" within 5 s") +
                              " --type 'two \"2\"\\n'" + step("wait screen \">two \\\"2\\\"\" within 5 s") +
                              step("grab screen") + step("power off") + " --json -");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.json().at("ended") == "power off");
  CHECK(run.json().at("steps").size() == 8);
  CHECK_THAT(read_file(b.result + "/screen-1.txt"), Contains(">one\n>two \"2\"\n>"));
  CHECK_THAT(read_file(b.result + "/screen-1.png"), Catch::Matchers::StartsWith("\x89PNG"));
}

TEST_CASE("a prompt must be before the cursor; COM1 is searched from the previous match on", "[scenario]") {
  Bench b;
  const auto base =
      b.run() + step("wait prompt \">\" within 60 s") + step("type \"x\\n\"") + step("wait serial \">x\"");
  const auto again = run_planar(base + step("wait serial \">x\" within 2 s"));
  CHECK(again.status == 5);
  CHECK(run_planar(base + step("wait serial \">\" within 2 s")).status == 0);
  const auto behind = run_planar(base + step("type \"y\"") + step("wait prompt \">\" within 2 s"));
  CHECK(behind.status == 5);
}

TEST_CASE("a failed wait saves screen, COM1, trace, capture and a snapshot to continue from", "[scenario]") {
  Bench b;
  std::filesystem::create_directory(b.result);
  b.scratch.write("result/capture.pcapng", "of an earlier run");
  const auto failed = run_planar(b.run() + step("wait prompt \">\"") + step("type \"hello\\n\"") +
                                 step("wait screen \"never\" within 2 s") + step("type \"more\""));
  CHECK(failed.status == 5);
  CHECK_THAT(failed.err, Contains("--do 3:1: step 'wait screen \"never\" within 2 s'") && Contains(b.result));
  CHECK_FALSE(std::filesystem::exists(b.result + "/capture.pcapng"));  // no card, no frames
  CHECK_THAT(read_file(b.result + "/screen.txt"), Contains(">hello"));
  CHECK_THAT(read_file(b.result + "/screen.png"), Catch::Matchers::StartsWith("\x89PNG"));
  CHECK_THAT(read_file(b.result + "/serial.txt"), Contains(">hello"));
  CHECK_THAT(read_file(b.result + "/trace.txt"), Contains("diskette"));
  CHECK_THAT(read_file(b.result + "/scenario.txt"), Contains("type \"hello") && Contains("not done"));
  CHECK_THAT(read_file(b.result + "/devices.txt"), Contains("\npic\n") && Contains("IMR") && Contains("\nvga\n"));
  const auto devices = nlohmann::ordered_json::parse(read_file(b.result + "/devices.json"));
  CHECK(devices.at("machines").at(0).at("devices").size() > 10);
  const auto on = run_planar("run --quiet --screen text --restore " + b.result + "/lab.snap" + step("type \"on\\n\"") +
                             step("wait screen \">on\" within 5 s"));
  INFO(on.err);
  CHECK(on.status == 0);
  CHECK_THAT(on.out, Contains(">hello\n>on"));
}

TEST_CASE("a processor that has halted for good ends a wait at once with exit code 1", "[scenario]") {
  Bench b;
  b.image = b.scratch.write("halt.img", echo_diskette::halting());
  const auto run = run_planar(b.run() + step("wait screen \"never\" within 500 s") + " --json -");
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Contains("halted for good"));
  CHECK(run.json().at("virtual_seconds") < 60);
  const auto keys = run_planar(b.run() + step("wait 20 s") + step("press ctrl-alt-del"));
  CHECK(keys.status == 1);
  CHECK_THAT(keys.err, Contains("step 'press ctrl-alt-del' cannot complete: the processor has halted for good"));
}

TEST_CASE("a run continued in the middle of typing a word ends with the same state", "[scenario]") {
  Bench b;
  const auto base = b.run("model56sx") + " --json -" + step("wait prompt \">\"") + step("type \"The Whole Word\\n\"") +
                    step("wait still 700 ms") + step("press ctrl-alt-del") + step("wait 900 ms") +
                    step("wait prompt \">\"");
  const auto whole = run_planar(base);
  INFO(whole.err);
  REQUIRE(whole.status == 0);
  const double typed = whole.json().at("steps").at(0).at("virtual_seconds").get<double>();
  for (const double behind : {-1.0, 0.0333333, 0.51, 1.7777}) {
    CAPTURE(behind);
    const auto snap = b.scratch.file("lab.snap");
    const auto saving = run_planar(base + " --snapshot-at '" + std::to_string(typed + behind) + " s' " + snap);
    REQUIRE(saving.status == 0);
    const auto rest = run_planar("run --quiet --json - --restore " + snap);
    INFO(rest.err);
    REQUIRE(rest.status == 0);
    for (const char* key : {"ended", "virtual_seconds", "instructions", "steps", "screen", "state_hash"}) {
      CAPTURE(key);
      CHECK(saving.json().at(key) == whole.json().at(key));
      CHECK(rest.json().at(key) == whole.json().at(key));
    }
  }
}

TEST_CASE("steps in a machine file, a diskette changed during the run, and a snapshot by a step", "[scenario]") {
  Bench b;
  const auto second = b.scratch.write("second.img", echo_diskette::image('#'));
  const auto snap = b.scratch.file("lab.snap");
  const auto toml = b.scratch.write("lab.toml", run_planar("config model77").out +
                                                    "\n[scenario]\nsteps = ['wait prompt \">\"',\n"
                                                    "  'insert diskette \"" +
                                                    second +
                                                    ",mode=memory\"', 'press ctrl-alt-del', 'wait prompt \"#\"',\n"
                                                    "  'snapshot \"" +
                                                    snap + "\"', 'type \"go\"', 'wait screen \"#go\"']\n");
  const auto run = run_planar("run " + toml + " --quiet --json - --floppy " + b.image + ",mode=memory");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.json().at("steps").size() == 7);
  std::filesystem::remove(b.image);  // the snapshot needs only the second one
  const auto rest = run_planar("run --quiet --json - --restore " + snap);
  INFO(rest.err);
  REQUIRE(rest.status == 0);
  CHECK(rest.json().at("state_hash") == run.json().at("state_hash"));
  CHECK_THAT(run_planar("config " + toml).out, Contains("wait screen"));

  const auto wrong =
      b.scratch.write("wrong.toml", run_planar("config model77").out + "\n[scenario]\nsteps = [\n  'wiat 5 s']\n");
  const auto refused = run_planar("run " + wrong);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("wrong.toml:") && Contains("scenario.steps[0]") && Contains("did you mean 'wait'"));
}

TEST_CASE("a snapshot after a change of diskette contains the new one, however the old one was given", "[scenario]") {
  Bench b;
  const auto second = b.scratch.write("second.img", echo_diskette::image('#'));
  const auto snap = b.scratch.file("lab.snap");
  const auto run = run_planar(b.run() + " --json -" + step("insert diskette \"" + second + ",mode=memory\"") +
                              step("snapshot \"" + snap + "\"") + step("wait prompt \"#\" within 60 s"));
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto rest = run_planar("run --quiet --json - --restore " + snap);
  INFO(rest.err);
  REQUIRE(rest.status == 0);
  CHECK(rest.json().at("state_hash") == run.json().at("state_hash"));
}

TEST_CASE("a step describes a device without affecting the run", "[scenario]") {
  Bench b;
  const auto base = b.run() + step("wait prompt \">\"");
  const auto run = run_planar(base + step("describe pic") + step("wait 1 s"));
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Contains("---- model95 at ") && Contains("pic\n  master\n") && !Contains("vga"));
  const auto with = run_planar(base + step("describe") + step("wait 1 s") + " --json " + b.scratch.file("with"));
  const auto without = run_planar(base + step("wait 1 s") + " --json " + b.scratch.file("without"));
  CHECK_THAT(with.out, Contains("\nvga\n"));
  const auto hash = [&](const char* name) {
    return nlohmann::ordered_json::parse(read_file(b.scratch.file(name))).at("instructions");
  };
  CHECK(hash("with") == hash("without"));
  const auto refused = run_planar(base + step("describe pik"));
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("--do 2:1") && Contains("did you mean 'pic'"));
}

TEST_CASE("an impossible step is reported before the machine starts", "[scenario]") {
  Bench b;
  const auto at_station = [&](const std::string& options, const std::string& text) {
    const auto said = run_planar(b.run() + options + step(text));
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK_THAT(at_station(" --card ne2", "pull cable ne3"),
             Contains("--do 1:1: pull cable ne3: there is no station 'ne3'; the lab has slot1.ne2.port, peer.port"));
  CHECK_THAT(at_station(" --card ne2", "plug cable port"), Contains("matches the stations slot1.ne2.port, peer.port"));
  CHECK_THAT(at_station(" --card ne2", "remove station peer"), Contains("is not on a ring; write pull cable"));
  CHECK_THAT(at_station(" --card madge-mc", "insert station madge-mc"), Contains("when its driver opens it"));
  const auto missing = run_planar(b.run() + step("insert diskette \"" + b.scratch.file("none.img") + "\""));
  CHECK(missing.status == 3);
  CHECK_THAT(missing.err, Contains("none.img"));
  CHECK(run_planar(b.run() + " --do " + b.scratch.file("none.scenario")).status == 3);
  CHECK(run_planar(b.run() + step("wait 1 s") + " --until screen:x").status == 2);
  const auto late = run_planar(b.run() + step("wait 5 s") + " --until '1 s'");
  CHECK(late.status == 5);
  CHECK_THAT(late.err, Contains("wait 5 s"));
}
