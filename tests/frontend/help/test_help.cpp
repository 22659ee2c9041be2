// SPDX-License-Identifier: GPL-2.0-or-later
// The output of --help, and the messages for a command line that is not understood.
#include <set>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using program::run_planar;

namespace {

/// The verbs named by `planar --help`.
std::vector<std::string> verbs() {
  std::vector<std::string> list;
  std::istringstream in(run_planar("--help").out);
  std::string line;
  while (std::getline(in, line) && line != "Verbs:") {}
  while (std::getline(in, line) && !line.empty())
    if (line.starts_with("  ") && line[2] != ' ') list.push_back(line.substr(2, line.find(' ', 2) - 2));
  return list;
}

}  // namespace

TEST_CASE("a verb's help covers its own options: common ones by name, explained on request", "[help]") {
  const auto all = verbs();
  CHECK(all.size() >= 13);
  CHECK(std::set<std::string>(all.begin(), all.end()).count("installed-files") == 0);
  for (const auto& verb : all) {
    INFO(verb);
    const auto help = run_planar(verb + " --help"), full = run_planar(verb + " --help-all");
    CHECK(help.status == 0);
    CHECK(full.status == 0);
    CHECK_THAT(help.out, Contains("Usage: planar " + verb) && !Contains("Adapter in a slot:"));
    CHECK(help.out.size() <= full.out.size());
  }
  const auto netio = run_planar("netio --help");
  CHECK_THAT(netio.out, Contains("--seconds N") && Contains("--card CARD") && Contains("`planar netio --help-all`"));
  CHECK_THAT(run_planar("netio --help-all").out, Contains("Adapter in a slot:"));
  CHECK_THAT(run_planar("disk create --help").out, Contains("Usage: planar disk create [OPTIONS] file [size]"));
  const auto everything = run_planar("--help-all").out;
  const auto first = everything.find("Adapter in a slot:");
  CHECK(first != std::string::npos);
  CHECK(everything.find("Adapter in a slot:", first + 1) == std::string::npos);
}

TEST_CASE("help fits into 80 columns", "[help]") {
  auto all = verbs();
  all.emplace_back("");
  for (const char* verb : {"bench cpu", "bench timing", "disk create", "adf solve"}) all.emplace_back(verb);
  for (const auto& verb : all)
    for (const char* option : {" --help", " --help-all"}) {
      std::istringstream in(run_planar(verb + option).out);
      for (std::string line; std::getline(in, line);) {
        if (line.starts_with("  planar ")) continue;  // a command is on one line
        INFO(verb << option << ": " << line);
        CHECK(line.size() <= 80);
      }
    }
}

TEST_CASE("an unknown verb or option gets a suggestion", "[help]") {
  const auto check = [](const std::string& words, const std::string& expected) {
    const auto said = run_planar(words);
    INFO(words << "\n" << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(expected));
  };
  check("nettio", "`planar` has no verb 'nettio'; did you mean 'netio'?");
  check("disk craete x.img 1M", "`planar disk` has no verb 'craete'; did you mean 'create'?");
  check("netio --secnds 1", "`planar netio` has no option '--secnds'; did you mean '--seconds'?");
  check("netio --sead=5", "`planar netio` has no option '--sead'; did you mean '--seed'?");
  check("compare --machine model95", "did you mean '--machines'?");
  check("netio --kernel bzImage", "`planar netio` has no option '--kernel'; `planar run` has it");
  check("bench cpu --repeet 3", "`planar bench cpu` has no option '--repeet'; did you mean '--repeat'?");
  check("zzzzzz", "`planar` has no verb 'zzzzzz'; see `planar --help`");
  check("run model95 -hda x.img", "`planar run` has no option '-hda'; did you mean '--disk'?");
  check("run model95 -cdrom x.iso", "`planar run` has no option '-cdrom'; did you mean '--cdrom'?");
  check("compare -j 2", "`planar compare` has no option '-j'; did you mean '--jobs'?");
  check("netio -q", "`planar netio` has no option '-q'; see `planar netio --help`");
  check("netio --mtu", "--mtu");      // no value
  check("netio --mtu ten", "--mtu");  // a wrong one
  check("netio surplus", "surplus");  // a surplus argument
  check("show", "name is required");
}

TEST_CASE("a misused option gets an answer in planar's own words", "[help]") {
  const auto check = [](const std::string& words, const std::string& expected) {
    const auto said = run_planar(words);
    INFO(words << "\n" << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("planar: " + expected));
  };
  check("flood --rates 1 --rates 2",
        "--rates: takes one value but was given several; give it once; see `planar flood --help`");
  check("flood --send", "--send needs one of kernel, process, both; see");
  check("netio --against", "--against needs MACHINE[:CARD]; see");
  check("netio --snapshot-at '5 s'", "--snapshot-at needs TIME FILE; see");
  check("compare --jobs -1", "--jobs: Value -1 not in range 0 to 1024; see `planar compare --help`");
  check("disk", "`planar disk` needs a verb: create, info, commit, repair; see `planar disk --help`");
  check("completion", "`planar completion` needs one of bash, zsh, fish; see");
  check("netio --do ---", "`planar netio` has no option '--do'");
  check("netio ---", "`planar netio` has no option '---'");
}

TEST_CASE("completion scripts match the requested shell", "[help]") {
  CHECK_THAT(run_planar("completion bash").out, Contains("complete -F _planar planar") && Contains("tr16-4a-1994"));
  CHECK_THAT(run_planar("completion zsh").out, Contains("#compdef planar") && Contains("--snapshot-at"));
  CHECK_THAT(run_planar("completion fish").out, Contains("complete -c planar") && Contains("-l snapshot-at"));
  CHECK(run_planar("completion csh").status == 2);
}
