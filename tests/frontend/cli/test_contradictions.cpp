// SPDX-License-Identifier: GPL-2.0-or-later
// A result bears the name of what was measured, and contradictory options are refused.
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

TEST_CASE("netio's result names the card that carried the traffic") {
  const std::string brief = " --quiet --seconds 0.05 --sizes 1024";
  // The guest looks for the 3C523 first, whichever slot it is in.
  const auto two = run_planar("netio --card ne2 --card 3c523 --json -" + brief);
  INFO(two.err);
  REQUIRE(two.status == 0);
  CHECK(two.json().at("card") == "3c523");
  CHECK(two.json().at("slot") == 2);
  CHECK_THAT(run_planar("netio --card ne2 --card 3c523" + brief).out, Contains("with 3c523 in slot 2"));
  const auto asked = run_planar("netio --card ne2 --card 3c523 --use 1 --json -" + brief);
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  CHECK(asked.json().at("card") == "ne2");
  CHECK(asked.json().at("slot") == 1);
  CHECK(asked.json().at("frames").at("sent").get<int>() > 20);
  CHECK_THAT(run_planar("netio --card ne2 --card 3c523 --seconds 0.05 --sizes 1024").err,
             Contains("netio uses 3c523 in slot 2; --use SLOT"));
  const auto nothing = run_planar("netio --card ne2 --use 3" + brief);
  CHECK(nothing.status == 2);
  CHECK_THAT(nothing.err, Contains("--use 3") && Contains("1 (ne2)"));
  const auto one = run_planar("netio --card 3=ne2 --json -" + brief);
  CHECK(one.json().at("card") == "ne2");
  CHECK(one.json().at("slot") == 3);
}

TEST_CASE("a card on the command line is the measured one, even beside one in the machine's file") {
  const Scratch scratch;
  const auto machine = scratch.write("machine.toml", "machine = \"pc-p166\"\n[slot.1]\ncard = \"3c905b\"\n");
  const std::string brief = " --quiet --seconds 0.05 --sizes 1024 --json -";
  const auto one = run_planar("netio --machine " + machine + " --card rtl8139" + brief);
  INFO(one.err);
  REQUIRE(one.status == 0);
  CHECK(one.json().at("card") == "rtl8139");
  CHECK(one.json().at("slot") == 2);
  const auto compared = run_planar("compare --machines " + machine + " --cards rtl8139,eepro100" + brief);
  INFO(compared.err);
  REQUIRE(compared.status == 0);
  REQUIRE(compared.json().size() == 2);
  CHECK(compared.json().at(0).at("card") == "rtl8139");
  CHECK(compared.json().at(1).at("card") == "eepro100");
  CHECK(compared.json().at(0).at("rows").at(0).at("kb_per_s") == one.json().at("rows").at(0).at("kb_per_s"));
  const auto said =
      run_planar("netio --seconds 0.05 --sizes 1024 --machine " +
                 scratch.write("steps.toml", "machine = \"pc-p166\"\n[scenario]\nsteps = [\"wait 1 s\"]\n"));
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Contains("does not use scenario.steps") && Contains("steps.toml:3:9"));
}

TEST_CASE("two cards for one slot are refused") {
  const auto said = run_planar("netio --card 1=ne2 --card 1=3c523");
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Contains("slot 1") && Contains("ne2") && Contains("3c523"));
}

TEST_CASE("--restore refuses contradicting options and accepts matching ones") {
  const Scratch scratch;
  const auto file = scratch.file("lab.snap");
  const std::string brief = " --quiet --seconds 0.05 --sizes 1024";
  REQUIRE(run_planar("netio --machine model77 --card ne2 --snapshot-at '1 s' " + file + brief).status == 0);
  for (const std::string same :
       {"", " --machine model77", " --card ne2", " --card 1=ne2", " --sizes 1024", " --net peer"})
    CHECK(run_planar("netio --quiet --restore " + file + same).status == 0);
  const std::pair<std::string, std::string> contradictions[] = {
      {" --machine model95", "model77"},
      {" --card 3c523", "ne2 in slot 1"},
      {" --card 2=ne2", "ne2 in slot 1"},
      {" --sizes 2048", "1024"},
      {" --seconds 1", "0.05"},
      {" --memory '8 MB'", "size ="},
      {" --seed 2", "seed = 1"},
      {" --net none", "attach = "},
      {" --against model95", "--against"},
      {" --set ne2.data_port.ready_delay='1 us'", "--restore"}};
  for (const auto& [option, has] : contradictions) {
    const auto said = run_planar("netio --quiet --restore " + file + option);
    INFO(option << ": " << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("--restore") && Contains(has));
  }
}

TEST_CASE("a benchmark refuses another benchmark's snapshot and says how to continue it") {
  const Scratch scratch;
  const auto netio = scratch.file("netio.snap"), netperf = scratch.file("netperf.snap"),
             receive = scratch.file("receive.snap"), flood = scratch.file("flood.snap"),
             bare = scratch.file("run.snap");
  const std::string of = " --machine model95 --card ne2 --quiet --seconds 0.05", at = " --snapshot-at '0.5 s' ";
  REQUIRE(run_planar("netio --sizes 1024" + of + at + netio).status == 0);
  REQUIRE(run_planar("netperf --sizes 4096" + of + at + netperf).status == 0);
  REQUIRE(run_planar("netperf --receive" + of + at + receive).status == 0);
  REQUIRE(run_planar("flood --rates 1000" + of + at + flood).status == 0);
  REQUIRE(run_planar("run model95 --quiet --until '10 ms' --snapshot-at '5 ms' " + bare).status == 0);
  struct Wrong {
    std::string command, file, runs, instead;
  };
  const Wrong table[] = {
      {"netperf", netio, "runs netio, not netperf", "planar netio --restore " + netio},
      {"netio", netperf, "runs netperf, not netio", "planar netperf --restore " + netperf},
      {"netperf --receive", netperf, "runs netperf, not netserver", "planar netperf --restore " + netperf},
      {"netperf", receive, "runs netserver, not netperf", "planar netperf --receive"},
      {"netio", flood, "runs flood, not netio", "planar run --restore " + flood},
      {"netio", bare, "without planar's guest", "planar run --restore " + bare},
      {"netperf", bare, "without planar's guest", "planar run --restore " + bare}};
  for (const Wrong& wrong : table) {
    const auto said = run_planar(wrong.command + " --quiet --json - --restore " + wrong.file);
    INFO(wrong.command << ": " << said.err);
    CHECK(said.status == 2);
    CHECK(said.out.empty());
    CHECK_THAT(said.err, Contains("--restore " + wrong.file) && Contains(wrong.runs) && Contains(wrong.instead));
  }
}

TEST_CASE("times before the snapshot's are refused") {
  const Scratch scratch;
  const auto file = scratch.file("lab.snap"), other = scratch.file("other.snap");
  REQUIRE(run_planar("run model95 --quiet --until '20 ms' --snapshot-at '15 ms' " + file).status == 0);
  const std::string restored = " --restore " + file;
  const auto refuses = [&](const std::string& command, const std::string& option) {
    const auto said = run_planar(command);
    INFO(command << ": " << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(option) && Contains("the snapshot was taken at 0.015"));
  };
  refuses("run --quiet --until '10 ms'" + restored, "--until");
  refuses("run --quiet --until '20 ms' --snapshot-at '10 ms' " + other + restored, "--snapshot-at 10 ms");
  refuses("run --quiet --until screen:never --timeout '10 ms'" + restored, "--timeout 10 ms");
  refuses("describe pic --until '10 ms'" + restored, "--until 10 ms");
  const std::string run = "run --quiet --until '20 ms'" + restored;
  refuses(run + " --trace irq --trace-from '10 ms'", "--trace-from 10 ms");
  refuses(run + " --trace irq --trace-to '10 ms'", "--trace-to 10 ms");
  refuses(run + " --timeline " + other + " --timeline-from '10 ms'", "--timeline-from 10 ms");
  CHECK_FALSE(std::filesystem::exists(other));
  CHECK(run_planar("run --quiet --until '20 ms' --snapshot-at '18 ms' " + other + restored).status == 0);
  CHECK(run_planar("describe pic" + restored).status == 0);
}

TEST_CASE("a benchmark without a peer is refused before the machine starts") {
  const Scratch scratch;
  const auto alone = scratch.write("alone.toml", "machine = \"model77\"\n[net]\nattach = \"none\"\n");
  const std::pair<std::string, std::string> table[] = {
      {"netio --net none", "netio needs another station"},
      {"netio --machine " + alone, alone + ":3:10: net.attach"},
      {"netperf --net none", "netperf needs another station"},
      {"netperf --serve 1 --net none", "netserver needs another station"},
      {"flood --net none", "flood needs the reference station"},
      {"flood --net slirp", "flood needs the reference station"},
      {"flood --send kernel --net none", "flood-send needs the reference station"}};
  for (const auto& [arguments, why] : table) {
    const auto said = run_planar(arguments + " --quiet --json -");
    INFO(arguments << ": " << said.err);
    CHECK(said.status == 2);
    CHECK(said.out.empty());
    CHECK_THAT(said.err, Contains(why) && Contains("net.attach") && Contains("peer"));
  }
}

TEST_CASE("options of flood and netperf that another option makes meaningless are refused") {
  const std::pair<std::string, std::string> table[] = {
      {"flood --sizes 64,1518", "--sizes 64,1518: is the length of the frames of --send"},
      {"flood --send kernel --rates 1000", "--send kernel and --rates"},
      {"flood --send kernel --burst 8", "--send kernel and --burst"},
      {"flood --send kernel --depth driver", "--send kernel and --depth"},
      {"flood --send kernel --frame 64 --sizes 128", "--frame and --sizes"},
      {"flood --timer-rate 2048", "add --mode timer"},
      {"flood --send kernel --mode delayed --timer-rate 2048", "the mode is delayed"},
      {"netperf --response 100", "--response 100: tcp_stream has no responses"},
      {"netperf --receive --test udp_stream --response 100", "udp_stream has no responses"}};
  for (const auto& [arguments, why] : table) {
    const auto said = run_planar(arguments + " --quiet --json -");
    INFO(arguments << ": " << said.err);
    CHECK(said.status == 2);
    CHECK(said.out.empty());
    CHECK_THAT(said.err, Contains(why));
  }
  const std::string brief = "flood --machine model77 --card ne2 --seconds 0.02 --quiet --json - --send kernel --";
  const auto frame = run_planar(brief + "frame 1024"), sizes = run_planar(brief + "sizes 1K");
  INFO(sizes.err);
  REQUIRE(sizes.status == 0);
  CHECK(sizes.json().at("state_hash") == frame.json().at("state_hash"));
  const auto compared = run_planar(
      "compare --do flood-driver --machines model77 --cards ne2 --sizes 500 --seconds 0.02 --quiet --json -");
  INFO(compared.err);
  REQUIRE(compared.status == 0);
  CHECK(compared.json()[0].at("rows")[0].at("rate") == 500);
}
