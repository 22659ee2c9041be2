// SPDX-License-Identifier: GPL-2.0-or-later
// Two machines on one wire: a lab file, netio between them, and that nothing depends on how the run was cut.

#include <fmt/format.h>

#include <cstring>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"
#include "tests/frontend/guest_diskette.hpp"

using program::guest_with;
using program::run_planar;
using program::Scratch;
using program::without_host_time;

namespace {

std::string seconds() { return program::short_runs() ? "0.05" : "0.15"; }
std::string brief_pair() { return " --quiet --sizes 8192 --json - --seconds " + seconds(); }

/// A client and a server, each with its own diskette.
std::string lab_file(const Scratch& scratch) {
  const auto client =
      guest_with(scratch, {{"do", "netio"}, {"seconds", seconds()}, {"sizes", "8192"}, {"wait", "4"}}, "client.img");
  const auto server =
      guest_with(scratch, {{"do", "netio-server"}, {"ip", "192.168.10.1"}, {"peer", "192.168.10.2"}}, "server.img");
  return scratch.write("lab.toml", fmt::format(R"([run]
seed = 7

[[machine]]
name = "near"
model = "model95"
image = "{}"
[machine.slot.2]
card = "3c529"

[[machine]]
name = "far"
model = "model77"
image = "{}"
serial = "file:{}"
[machine.slot.1]
card = "smc8013"
)",
                                               client, server, scratch.file("far.txt")));
}

std::string said_at(const Scratch& scratch, const std::string& toml) {
  return run_planar("run " + scratch.write("wrong.toml", toml) + " --quiet --until '1 s'").err;
}

}  // namespace

TEST_CASE("netio between two machines, in both directions, reproducibly and with both cards in the result") {
  const std::string slow = "--machine model56sx --card ne2 --against model95:3c523";
  const std::string fast = "--machine model95 --card 3c523 --against model56sx:ne2";
  for (const auto& machines : {slow, fast}) {
    INFO(machines);
    const auto run = run_planar("netio " + machines + brief_pair());
    INFO(run.err);
    REQUIRE(run.status == 0);
    const auto j = run.json();
    CHECK(j.at("machine") == (machines == slow ? "model56sx" : "model95"));
    CHECK(j.at("card") == (machines == slow ? "ne2" : "3c523"));
    CHECK(j.at("net") == "machine");
    CHECK(j.at("repeatable") == true);
    CHECK(j.at("rows").at(0).at("kb_per_s").get<double>() > 300);
    const auto& server = j.at("against");
    CHECK(server.at("machine") == (machines == slow ? "model95" : "model56sx"));
    CHECK(server.at("card") == (machines == slow ? "3c523" : "ne2"));
    CHECK(server.at("received_kb").get<int>() >= 8);
    CHECK(server.at("frames").at("received") == j.at("frames").at("sent"));
    CHECK(server.at("frames").at("sent") == j.at("frames").at("received"));
    CHECK(server.at("true_busy_percent").get<double>() > 5);
    CHECK(without_host_time(run_planar("netio " + machines + brief_pair()).json()) == without_host_time(j));
  }
}

TEST_CASE("netio between two machines in the second generation: the server sends, too") {
  const auto run = run_planar("netio --machine model95 --card ne2 --against model77:ne2 --generation 2" + brief_pair());
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.json().at("rows").at(0).at("received_kb_per_s").get<double>() > 300);
  CHECK(run.json().at("against").at("sent_kb").get<int>() >= 8);
}

TEST_CASE("two machines: cut horizons, short blocks and a snapshot do not change the result") {
  Scratch scratch;
  const auto base = "netio --machine model56sx --card ne2 --against model95:3c527" + brief_pair();
  const auto whole = run_planar(base);
  INFO(whole.err);
  REQUIRE(whole.status == 0);
  const auto expected = without_host_time(whole.json());
  // Where a loop is recognised as a copy depends on where it was interrupted: of the parts of a frame's time only the
  // sum is the same.
  const auto without_parts = [](nlohmann::ordered_json j) {
    j.at("frame_time").erase("parts_us");
    return j;
  };
  const auto cut = without_host_time(run_planar(base + " --check-cut-horizons 3 --check-flush-blocks 4").json());
  CHECK(without_parts(cut) == without_parts(expected));
  const auto file = scratch.file("lab.snap");
  const auto at =
      std::to_string(expected.at("virtual_seconds").get<double>() - (program::short_runs() ? 0.1234567 : 0.2345678));
  CHECK(without_host_time(run_planar(base + " --snapshot-at '" + at + " s' " + file).json()) == expected);
  const auto restored = run_planar("netio --restore " + file + brief_pair());
  INFO(restored.err);
  REQUIRE(restored.status == 0);
  CHECK(without_host_time(restored.json()) == expected);
}

TEST_CASE("two machines: a machine file's own network is not used in a lab") {
  Scratch scratch;
  const auto file = scratch.write("own.toml", run_planar("config model56sx --card ne2").out);
  REQUIRE(program::read_file(file).find("attach = \"peer\"") != std::string::npos);
  const auto own = run_planar("netio --machine " + file + " --against " + file + brief_pair());
  INFO(own.err);
  REQUIRE(own.status == 0);
  CHECK(
      without_host_time(own.json()) ==
      without_host_time(run_planar("netio --machine model56sx --card ne2 --against model56sx" + brief_pair()).json()));

  const std::string machine = "\"\nmodel = \"" + file + "\"\n";
  const auto lab = scratch.write("lab.toml", "[[machine]]\nname = \"a" + machine + "[[machine]]\nname = \"b" + machine);
  const auto resolved = run_planar("config " + lab).out;
  CHECK(resolved.find("attach = \"none\"") != std::string::npos);
  CHECK(resolved.find("attach = \"peer\"") == std::string::npos);
}

TEST_CASE("planar run takes a lab file: each machine has its diskette, COM1 and screen, and they share a wire") {
  Scratch scratch;
  const auto file = lab_file(scratch);
  const auto capture = scratch.file("wire.pcapng");
  const std::string until = " --until 'near.serial:@done' --timeout '30 s' --json - --quiet --capture ";
  const auto run = run_planar("run " + file + until + capture);
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto j = run.json();
  CHECK(j.at("ended") == "text seen");
  REQUIRE(j.at("machines").size() == 2);
  CHECK(j.at("machines").at(0).at("name") == "near");
  CHECK(j.at("machines").at(1).at("machine") == "model77");
  CHECK(program::read_file(scratch.file("far.txt")).find("@server port=18767") != std::string::npos);
  // Each station has its own address, in both directions.
  const auto frames = program::read_file(capture);
  CHECK(frames.find(std::string("\x00\x20\xAF\x01\x02\x02", 6)) != std::string::npos);
  CHECK(frames.find(std::string("\x00\x00\xC0\x01\x03\x01", 6)) != std::string::npos);

  // The output of `planar config` is the same lab.
  const auto resolved = run_planar("config " + file);
  REQUIRE(resolved.status == 0);
  const auto again = run_planar("run " + scratch.write("resolved.toml", resolved.out) + until + capture);
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(again.json().at("state_hash") == j.at("state_hash"));
  CHECK(run_planar("config " + scratch.file("resolved.toml")).out == resolved.out);

  // COM1 of both on one output, and both screens.
  const auto said = run_planar("run " + file + " --until far.serial:@server --serial stdio --screen text --quiet");
  CHECK(said.out.find("far: @server port=18767") != std::string::npos);
  CHECK(said.out.find("near: @card 3c529") != std::string::npos);
  CHECK(said.out.find("---- near ----") != std::string::npos);
  const auto both = scratch.file("both.txt");
  CHECK(run_planar("run " + file + " --until near.serial:@card --quiet --serial file:" + both).status == 0);
  CHECK(program::read_file(both).find("near: @card 3c529") != std::string::npos);
}

TEST_CASE("two segments with a bridge: netio crosses it, and the capture has an interface for each segment") {
  Scratch scratch;
  auto lab = program::read_file(lab_file(scratch));
  const auto insert = [&](const std::string& behind, const std::string& text) {
    const auto at = lab.find(behind);
    REQUIRE(at != std::string::npos);
    lab.insert(at + behind.size(), text);
  };
  insert("seed = 7\n", "[medium.floor]\n[medium.office]\n[bridge.between]\nmedia = [\"floor\", \"office\"]\n");
  insert("\"3c529\"\n", "medium = \"floor\"\n");
  insert("\"smc8013\"\n", "medium = \"office\"\n");
  const auto capture = scratch.file("wire.pcapng");
  const auto file = scratch.write("bridged.toml", lab);
  const std::string until = " --until 'near.serial:@done' --timeout '30 s' --json - --quiet --capture ";
  const auto run = run_planar("run " + file + until + capture);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.json().at("ended") == "text seen");
  CHECK(run_planar("run " + file + until + capture).json().at("state_hash") == run.json().at("state_hash"));

  const auto bytes = program::read_file(capture);
  std::vector<std::string> names;
  std::vector<unsigned> frames(2);
  for (std::size_t at = 0; at + 12 <= bytes.size();) {
    const auto word = [&](std::size_t offset) {
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data() + at + offset, 4);
      return value;
    };
    if (word(0) == 1) names.push_back(bytes.substr(at + 20, word(16) >> 16));
    if (word(0) == 6) ++frames.at(word(8));
    at += word(4);
  }
  CHECK(names == std::vector<std::string>{"floor", "office"});
  CHECK(frames[0] > 20);
  CHECK(frames[1] > 20);
}

TEST_CASE("errors in a lab file are reported with line and remedy") {
  Scratch scratch;
  const std::string one = "[[machine]]\nname = \"a\"\nmodel = \"model95\"\n";
  CHECK(said_at(scratch, one + one).find("wrong.toml:5:8: name: 'a' is the name of another machine") !=
        std::string::npos);
  CHECK(said_at(scratch, one + "[machine.net]\nattach = \"peer\"\n").find("net is for the whole lab") !=
        std::string::npos);
  CHECK(said_at(scratch, "[memory]\nsize = \"8 MB\"\n" + one).find("memory is not a setting of a lab") !=
        std::string::npos);
  CHECK(said_at(scratch, "[[machine]]\nname = \"a\"\nmodel = \"model96\"\n").find("did you mean 'model95'") !=
        std::string::npos);
  CHECK(said_at(scratch, one + "[[machine]]\nmodel = \"model95\"\n").find("wrong.toml:4:1: name is missing") !=
        std::string::npos);
  CHECK(said_at(scratch, one + "[[machine]]\nname = \"b\"\n").find("wrong.toml:4:1: model is missing") !=
        std::string::npos);
  CHECK(said_at(scratch, "[machine]\nname = \"a\"\n").find("wrong.toml:1:1: [machine] is one table") !=
        std::string::npos);
  // The wire's speed is that of the lab's first card, whichever machine it is in.
  CHECK(said_at(scratch, one + "[[machine]]\nname = \"b\"\nmodel = \"pc-p166\"\n[machine.slot.1]\ncard = \"3c905b\"\n")
            .find("3c905b") == std::string::npos);
  CHECK(said_at(scratch, one + "colour = 1\n").find("wrong.toml:4:10: no setting 'colour'") != std::string::npos);
  const std::string card = "[machine.slot.1]\ncard = \"ne2\"\nmac = \"00:00:d8:01:02:03\"\n";
  CHECK(said_at(scratch, one + card + "[[machine]]\nname = \"b\"\nmodel = \"model95\"\n" + card)
            .find("wrong.toml:12:7: slot.1.mac: is also the address of the card in slot 1 of a;") != std::string::npos);
  CHECK(said_at(scratch, "machine = []\n").find("wrong.toml:1:11: the lab has 0 machines") != std::string::npos);
  CHECK(said_at(scratch, "machine = [1, 2]\n").find("expects tables") != std::string::npos);
  const auto file = lab_file(scratch);
  CHECK(run_planar("run " + file + " --card ne2 --quiet").err.find("lab of several machines") != std::string::npos);
  CHECK(run_planar("run " + file + " --image x.img --quiet").err.find("below the [[machine]]") != std::string::npos);
  CHECK(run_planar("run " + file + " --lockstep --until '1 s' --quiet").err.find("several") != std::string::npos);
  CHECK(run_planar("run " + file + " --until 'other.screen:x' --quiet").err.find("near, far") != std::string::npos);
  CHECK(run_planar("netio --machine " + file + " --quiet").err.find("planar run") != std::string::npos);
  CHECK(run_planar("netio --net peer --against model95 --quiet").err.find("--against") != std::string::npos);
  CHECK(run_planar("netio --against model95 --set peer.turnaround='9 us' --quiet").err.find("no station peer") !=
        std::string::npos);
}

TEST_CASE("a PC with Fast Ethernet sends to a PS/2 with 10 Mbit/s through a switch: the documentation's lab") {
  const auto said = run_planar("run " PLANAR_SOURCE_DIR
                               "/docs/labs/pc-and-ps2.toml --quiet --serial stdio --until 'pc.serial:@netperf end'");
  REQUIRE(said.status == 0);
  const auto at = said.out.find("pc: @row bytes=65535 ");
  REQUIRE(at != std::string::npos);
  const auto number = [&](const std::string& key) {
    const auto found = said.out.find(" " + key + "=", at);
    REQUIRE(found != std::string::npos);
    return std::stod(said.out.substr(found + key.size() + 2));
  };
  const double megabits = number("received_kb") * 1024 * 8 / number("us");
  CHECK(megabits > 6);
  CHECK(megabits < 9.9);  // the slower side has 10 Mbit/s
  CHECK(said.out.find("ps2: @served tests=1") != std::string::npos);
}
