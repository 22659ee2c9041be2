// SPDX-License-Identifier: GPL-2.0-or-later
// planar diff as seen by its user: rows, figures and what explains their differences.
#include <fstream>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using program::read_file;
using program::run_planar;
using program::Scratch;

namespace {
const std::string brief_diff = " --seconds 0.05 --sizes 2048,8192 --quiet";
}

TEST_CASE("two results of the same run are equal; a changed timing value is named", "[diff]") {
  const Scratch scratch;
  const auto a = scratch.file("a.json"), b = scratch.file("b.json"), c = scratch.file("c.json");
  const std::string netio = "netio --machine model56sx --card ne2" + brief_diff + " --json ";
  REQUIRE(run_planar(netio + a).status == 0);
  REQUIRE(run_planar(netio + b).status == 0);
  REQUIRE(run_planar(netio + c + " --set ne2.data_port.ready_delay=950ns").status == 0);
  const auto same = run_planar("diff " + a + " " + b);
  INFO(same.out << same.err);
  CHECK(same.status == 0);
  CHECK(same.out == "0 of 1 rows differ in their figures\n");

  const auto said = run_planar("diff " + a + " " + c);
  CHECK(said.status == 1);
  CHECK_THAT(said.out, Contains("because timing.ne2.data_port.ready_delay") && Contains("0 ns -> 950ns") &&
                           Contains("rows.8192.kb_per_s") && Contains("1 of 1 rows differ"));
  const auto j = run_planar("diff " + a + " " + c + " --json -").json();
  CHECK(j["schema"] == "planar.diff/1");
  CHECK(j["equal"] == false);
  CHECK(j["rows"][0]["name"] == "model56sx ne2");
  bool state = false;
  for (const auto& figure : j["rows"][0]["figures"]) state |= figure["name"] == "state_hash";
  CHECK(state);
  for (const auto& figure : j["rows"][0]["figures"]) CHECK_FALSE(figure["name"].get<std::string>().starts_with("host"));
}

TEST_CASE("the guest's operating system, card options and receive mode are causes, not figures", "[diff]") {
  const Scratch scratch;
  const auto plain = scratch.file("plain.json"), other = scratch.file("other.json");
  const std::string netio = "netio --machine model77 --card ne2 --sizes 1024 --seconds 0.05 --quiet";
  REQUIRE(run_planar(netio + " --json " + plain).status == 0);
  const auto system = run_planar(netio + " --os nt4 --json " + other);
  REQUIRE(system.status == 0);
  CHECK_THAT(system.out, Contains("netio 1.14 on model77 with ne2, network stack of nt4, net peer"));
  CHECK_THAT(run_planar("diff " + plain + " " + other).out,
             Contains("because os") && Contains("linux22 -> nt4") && !Contains("no setting or timing value"));
  REQUIRE(run_planar("netio --machine model77 --card ne2:irq=5 --sizes 1024 --seconds 0.05 --quiet --json " + other)
              .status == 0);
  CHECK_THAT(run_planar("diff " + plain + " " + other).out, Contains("because cards.0.irq") && Contains("- -> 5"));

  const std::string flood = "flood --machine model77 --card ne2 --rates 1000 --seconds 0.05 --quiet";
  REQUIRE(run_planar(flood + " --json " + plain).status == 0);
  const auto timer = run_planar(flood + " --mode timer --timer-rate 2048 --json " + other);
  REQUIRE(timer.status == 0);
  CHECK_THAT(timer.out, Contains("adapter served by timer at 2048 Hz"));
  const auto said = run_planar("diff " + plain + " " + other).out;
  CHECK_THAT(said, Contains("because mode") && Contains("interrupt -> timer"));
  CHECK(nlohmann::ordered_json::parse(read_file(other))["timer_rate"] == 2048);
}

TEST_CASE("what identifies something has no percentage", "[diff]") {
  const Scratch scratch;
  const auto a = scratch.file("a.json"), b = scratch.file("b.json");
  const std::string netio = "netio --machine model56sx" + brief_diff;
  REQUIRE(run_planar(netio + " --card 1=ne2 --json " + a).status == 0);
  REQUIRE(run_planar(netio + " --card 3=ne2 --seed 7 --json " + b).status == 0);
  const auto said = run_planar("diff " + a + " " + b).out;
  CHECK_THAT(said, Contains(" 1 -> 3\n") && Contains(" 1 -> 7\n") && Contains(" %)\n"));
}

TEST_CASE("results of different benchmarks are not compared", "[diff]") {
  const Scratch scratch;
  const auto netio = scratch.file("netio.json"), stream = scratch.file("tcp.json"),
             datagrams = scratch.file("udp.json");
  const std::string netperf = "netperf --machine model77 --card ne2 --seconds 0.1 --quiet --json ";
  REQUIRE(run_planar("netio --machine model77 --card ne2" + brief_diff + " --json " + netio).status == 0);
  REQUIRE(run_planar(netperf + stream).status == 0);
  REQUIRE(run_planar(netperf + datagrams + " --test udp_stream").status == 0);
  const auto programs = run_planar("diff " + netio + " " + stream);
  CHECK(programs.status == 2);
  CHECK_THAT(programs.err, Contains(netio + " is of netio, " + stream + " of netperf tcp_stream"));
  const auto tests = run_planar("diff " + stream + " " + datagrams);
  CHECK(tests.status == 2);
  CHECK_THAT(tests.err, Contains("netperf tcp_stream") && Contains("netperf udp_stream"));

  const auto received = scratch.file("flood.json"), sent = scratch.file("sent.json");
  const std::string flood = "flood --machine model77 --card ne2 --seconds 0.05 --quiet --json ";
  REQUIRE(run_planar(flood + received + " --rates 1000").status == 0);
  REQUIRE(run_planar(flood + sent + " --send kernel").status == 0);
  const auto ways = run_planar("diff " + received + " " + sent);
  CHECK(ways.status == 2);
  CHECK_THAT(ways.err, Contains("flood") && Contains("flood --send"));
  const auto empty = scratch.write("empty.json", "[]");
  CHECK_THAT(run_planar("diff " + empty + " " + empty).err, Contains(empty + ": holds no result"));
}

TEST_CASE("another program, another machine and missing rows are named", "[diff]") {
  const Scratch scratch;
  const auto a = scratch.file("a.json"), b = scratch.file("b.json");
  const std::string compare = "compare --machines model56sx --cards ne2,3c523" + brief_diff + " --json ";
  REQUIRE(run_planar(compare + a).status == 0);
  auto list = nlohmann::ordered_json::parse(read_file(a));
  list.erase(1);
  list[0]["planar"]["commit"] = "0123456789";
  std::ofstream(b) << list.dump();
  const auto said = run_planar("diff " + a + " " + b);
  CHECK(said.status == 1);
  CHECK_THAT(said.out, Contains("commit") && Contains("-> 0123456789") && Contains("model56sx 3c523: only in " + a) &&
                           Contains("0 of 1 rows differ"));
  const auto other = scratch.file("other.json");
  REQUIRE(run_planar("netio --machine model56sx --card 3c523" + brief_diff + " --json " + other).status == 0);
  const auto cards = run_planar("diff " + b + " " + other);
  CHECK(cards.status == 1);
  CHECK_THAT(cards.out, Contains("model56sx ne2 -> model56sx 3c523") && Contains("settings.slot.1.card"));
}

TEST_CASE("results and regress baselines are compared, other files refused", "[diff]") {
  const Scratch scratch;
  const auto base = scratch.file("base.json"), now = scratch.file("now.json"), netio = scratch.file("netio.json");
  const std::string regress =
      "regress --quiet --machines model56sx --cards ne2 --seconds 0.2 --sizes 8192 --baseline " + base;
  REQUIRE(run_planar(regress + " --accept x").status == 0);
  REQUIRE(run_planar(regress + " --set ne2.data_port.ready_delay=950ns --json " + now).status == 1);
  const auto said = run_planar("diff " + base + " " + now);
  CHECK(said.status == 1);
  CHECK_THAT(said.out, Contains("because ne2.data_port.ready_delay") && Contains("state hash"));
  CHECK(run_planar("diff " + base + " " + base).status == 0);
  REQUIRE(run_planar("netio --machine model56sx --card ne2" + brief_diff + " --json " + netio).status == 0);
  CHECK(run_planar("diff " + base + " " + netio).status == 2);
  const auto list = scratch.file("list.json");
  REQUIRE(run_planar("list cards --json " + list).status == 0);
  const auto none = run_planar("diff " + list + " " + netio);
  CHECK(none.status == 3);
  CHECK_THAT(none.err, Contains(list + ": is not a result"));
  CHECK(run_planar("diff " + scratch.write("broken.json", "{") + " " + netio).status == 3);
  CHECK(run_planar("diff " + scratch.file("absent.json") + " " + netio).status == 3);
}
