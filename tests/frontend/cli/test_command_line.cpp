// SPDX-License-Identifier: GPL-2.0-or-later
#include <set>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using program::read_file;
using program::run_planar;
using program::Scratch;

TEST_CASE("help explains, and usage errors end with 2") {
  const auto help = run_planar("--help");
  CHECK(help.status == 0);
  for (const char* verb : {"netio", "run", "list", "show", "config", "adf", "bench"})
    CHECK_THAT(help.out, Contains(verb));
  CHECK_THAT(help.out, Contains("Exit codes"));
  for (const char* display : {"DISPLAY", "WAYLAND_DISPLAY"}) unsetenv(display);  // or the start page would open
  CHECK(run_planar("").status == 2);
  CHECK(run_planar("nettio").status == 2);
  CHECK(run_planar("netio --no-such-option").status == 2);
  CHECK(run_planar("netio --machine model96").status == 2);
  CHECK_THAT(run_planar("netio --machine model96").err, Contains("did you mean 'model95'"));
  CHECK_THAT(run_planar("netio --card ne22").err, Contains("ne2"));
  CHECK(run_planar("netio --card ne22").status == 2);
  CHECK(run_planar("netio --seconds -1").status == 2);
  CHECK(run_planar("netio --sizes 1024,x").status == 2);
  CHECK_THAT(run_planar("netio --set ne2.nothing=5").err, Contains("nothing"));
  CHECK(run_planar("netio --set ne2.nothing=5").status == 2);
}

TEST_CASE("the lists have the members on which programs rely") {
  const auto machines = run_planar("list machines --json -").json();
  REQUIRE(machines.size() >= 3);
  std::set<std::string> names;
  for (const auto& m : machines) {
    names.insert(m.at("name").get<std::string>());
    CHECK(m.at("clock_hz").get<double>() > 1e6);
    CHECK(m.at("slots").get<int>() >= 3);
    CHECK(!m.at("cpu").get<std::string>().empty());
    CHECK(!m.at("title").get<std::string>().empty());
  }
  for (const char* name : {"model56sx", "model77", "model95", "model9595", "att3325", "dime", "thaler", "lira"})
    CHECK(names.count(name) == 1);
  for (const auto& card : run_planar("list cards --json -").json()) {
    CHECK(card.at("adapter_id").get<std::string>().size() == 4);
    for (const char* key : {"name", "title", "medium", "data_path"}) CHECK(!card.at(key).get<std::string>().empty());
    CHECK(card.at("bus_width").get<int>() >= 8);
  }
  const auto list = run_planar("list cards").out;
  CHECK_THAT(list, Contains("ne2") && Contains("7154"));
  // Cards whose programming interface is not known say so; no others do.
  std::set<std::string> cards, hypothetical;
  for (const auto& card : run_planar("list cards --json -").json()) {
    cards.insert(card.at("name").get<std::string>());
    if (card.at("hypothetical").get<bool>()) hypothetical.insert(card.at("name").get<std::string>());
  }
  for (const char* name : {"3c523-old",   "3c523",           "3c527",    "3c529",        "ne2",          "de320",
                           "smc8013",     "ethernet-a",      "sknet",    "lan-a",        "etherexpress", "de210",
                           "oc2335",      "etherstreamer",   "tr4-a",    "tr16-4a-1989", "tr16-4a-1990", "tr16-4a-1994",
                           "lanstreamer", "autolanstreamer", "madge-mc", "madge-mc32"})
    CHECK(cards.count(name) == 1);
  CHECK(hypothetical ==
        std::set<std::string>{"autolanstreamer", "etherstreamer", "lanstreamer", "madge-mc32", "oc2335"});
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK((line.find("hypothetical interface") != std::string::npos) ==
          (hypothetical.count(line.substr(0, line.find(' '))) == 1));
  }
  for (const auto& name : hypothetical) {
    const auto text = run_planar("show " + name);
    CHECK_THAT(text.out, Contains("HYPOTHETICAL INTERFACE: nothing about programming this card is public") &&
                             Contains("(hypothetical interface)"));
    CHECK(run_planar("show " + name + " --json -").json().at("hypothetical") == true);
  }
}

TEST_CASE("show prints every timing value with source and confidence, and the limits") {
  const auto text = run_planar("show ne2");
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains("Not modelled") && Contains("Timing"));
  const auto shown = run_planar("show ne2 --json -").json();
  REQUIRE(!shown.at("timing").empty());
  for (const auto& v : shown.at("timing")) {
    CHECK(!v.at("source").get<std::string>().empty());
    CHECK_THAT(v.at("confidence").get<std::string>(),
               Catch::Matchers::Matches("datasheet|measured|inferred|calibrated|informed-by-published"));
  }
  CHECK(run_planar("show ne3").status == 2);
}

TEST_CASE("the resolved configuration resolves to itself") {
  Scratch scratch;
  for (const char* machine : {"model56sx", "model77", "model95", "model9595", "att3325", "thaler"}) {
    const auto first = run_planar(std::string("config ") + machine + " --card 2=ne2:irq=4 --memory '8 MB' --seed 7");
    REQUIRE(first.status == 0);
    const auto again = run_planar("config " + scratch.write("lab.toml", first.out));
    CHECK(again.status == 0);
    CHECK(again.out == first.out);
  }
  CHECK_THAT(run_planar("config model95 --memory '8 MB' --explain").out,
             Contains("memory.size = \"8 MB\"  # --memory"));
}

TEST_CASE("two adapters of a kind get different resources; one too many is refused with the colliding claims") {
  const auto two = run_planar("adf solve model95 --card ne2 --card ne2 --json -").json().at("slots");
  CHECK(two[0].at("adapter_id") == "7154");
  CHECK(two[0].at("pos") != two[1].at("pos"));
  CHECK(two[0].at("claims") != two[1].at("claims"));
  std::string eight = "adf solve model95";
  for (int n = 0; n < 8; ++n) eight += " --card ne2";
  const auto refused = run_planar(eight);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("slot 8") && Contains("I/O"));
  CHECK(run_planar("adf solve model56sx --card 1=ne2:io=1000h --card 2=ne2:io=1000h").status == 2);
  CHECK_THAT(run_planar("adf solve model95 --card ne2:irq=5").out, Contains("IRQ 5"));
  const auto with_file = run_planar("adf mine.adf solve model95");
  CHECK(with_file.status == 2);
  CHECK_THAT(with_file.err, Contains("takes no file") && Contains("adf solve"));
}

TEST_CASE("a guest's failure gives its driver's message, and the remedy for a ring of another speed") {
  const auto taken = run_planar("netio --machine model77 --card ne2:irq=4 --seconds 0.05 --sizes 1024 --quiet");
  CHECK(taken.status == 1);
  CHECK_THAT(taken.err, Contains("no network adapter that a driver knows") && Contains("(ne2: interrupt 4 is taken)"));
  const auto ring = run_planar("netio --card tr16-4a-1994 --rate '4 Mbit/s' --seconds 0.05 --sizes 1024 --quiet");
  CHECK(ring.status == 1);
  CHECK_THAT(ring.err, Contains("another speed") && Contains("--rate"));
}

TEST_CASE("damaged input ends with 2 or 3 and gives file, line and remedy") {
  Scratch scratch;
  const auto adf = read_file(std::string(PLANAR_SOURCE_DIR) + "/adf/files/@7154.ADF");
  REQUIRE(!adf.empty());
  // clang-format off
  struct Case { std::string name, content, verb; int status; };
  const std::string contradictory =
      "AdapterId 7155h\nAdapterName \"x\"\nNumBytes 1\nFixedResources pos[0]=XXXXXX1Xb\n"
      "NamedItem Prompt \"a\"\nChoice \"one\" pos[0]=XXXXXX0Xb io 300h-30Fh\n";
  for (const Case& c : {Case{"@7154.ADF", adf.substr(0, adf.size() / 2), "adf", 2},
                        Case{"binary.adf", std::string("\x7f" "ELF\0\1\2\3\0\xff", 11), "adf", 2},
                        Case{"@7155.ADF", contradictory, "adf", 2},
                        Case{"half.toml", "machine = \"model95\"\n[cpu\n", "run", 2},
                        Case{"unknown.toml", "machine = \"model95\"\n\nmemroy = 5\n", "run", 2},
                        Case{"zero.toml", std::string("\0\0\0", 3), "run", 2}}) {
    // clang-format on
    INFO(c.name);
    const auto file = scratch.write(c.name, c.content);
    const auto said = run_planar(c.verb + " " + file);
    CHECK(said.status == c.status);
    CHECK_THAT(said.err, Contains(file + ":"));
  }
  CHECK(run_planar("adf " + scratch.file("absent.adf")).status == 3);
  CHECK(run_planar("run " + scratch.file("absent.toml")).status == 3);
  CHECK(run_planar("run model95 --image " + scratch.file("absent.img")).status == 3);
  const auto odd = run_planar("run model95 --image " + scratch.write("odd.img", std::string(1000, 'x')));
  CHECK(odd.status == 3);
  CHECK_THAT(odd.err, Contains("odd.img") && Contains("1000"));
  CHECK(run_planar("run model95 --kernel " + scratch.file("absent")).status == 3);
  const auto kernel = run_planar("run model95 --kernel " + scratch.write("zImage", std::string(70000, 'k')));
  CHECK(kernel.status == 3);
  CHECK_THAT(kernel.err, Contains("zImage"));
  CHECK(run_planar("run model95 --append quiet").status == 2);
  const auto snapshot = run_planar("netio --restore " + scratch.write("lab.snap", "PLANARSN and then nothing of use"));
  CHECK(snapshot.status == 3);
  CHECK_THAT(snapshot.err, Contains("lab.snap"));
}

TEST_CASE("a file named like a built-in machine does not replace it") {
  Scratch scratch;
  scratch.write("model95", "no machine file");
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(scratch.file("model95")).parent_path());
  const auto run = run_planar("config model95"), file = run_planar("config ./model95");
  std::filesystem::current_path(here);
  CHECK(run.status == 0);
  CHECK(file.status == 2);
  CHECK_THAT(file.err, Contains("./model95:1"));
}
