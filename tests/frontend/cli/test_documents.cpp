// SPDX-License-Identifier: GPL-2.0-or-later
// The commands and files shown in README.md and the pages in docs/ are accepted by this program.
#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {

struct Command {
  std::string place;  ///< "README.md:70"
  std::string text;   ///< without "planar"
};

std::vector<std::string> pages() {
  std::vector<std::string> list{PLANAR_SOURCE_DIR "/README.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PLANAR_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") list.push_back(entry.path().string());
  return list;
}

/// `line` without the explanation after a command (the text after three spaces outside quotes), split at ';' and '&'.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts(1);
  char quote = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote ? c == quote : c == '"' || c == '\'') quote = quote ? '\0' : c;
    if (!quote && line.compare(at, 3, "   ") == 0) break;
    if (!quote && c == '>') {  // into a file
      at = std::min(line.find("   ", at), line.find(';', at)) - 1;
      if (at >= line.size()) break;
      continue;
    }
    if (!quote && (c == ';' || c == '&'))
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// Lines of code blocks (indented by four) that begin with `planar`.
std::vector<Command> commands() {
  std::vector<Command> list;
  for (const auto& page : pages()) {
    std::istringstream in(read_file(page));
    std::string line;
    for (unsigned number = 1; std::getline(in, line); ++number) {
      if (!line.starts_with("    planar ")) continue;
      while (line.ends_with('\\')) {
        line.pop_back();
        std::string more;
        REQUIRE(std::getline(in, more));
        ++number;
        line += more.substr(more.find_first_not_of(' '));
      }
      const auto place = std::filesystem::path(page).filename().string() + ":" + std::to_string(number);
      for (auto part : split(line.substr(4))) {
        part.erase(0, part.find_first_not_of(' '));
        INFO(place << ": " << part);
        REQUIRE(part.starts_with("planar "));
        list.push_back({place, part.substr(7)});
      }
    }
  }
  return list;
}

}  // namespace

TEST_CASE("planar accepts every command in README.md and docs") {
  const auto all = commands();
  CHECK(all.size() > 25);
  for (const Command& c : all) {
    const auto said = run_planar("--only-parse " + c.text);
    INFO(c.place << ": planar " << c.text << "\n" << said.err);
    CHECK(said.status == 0);
  }
  CHECK(run_planar("--only-parse netio --nonsense").status == 2);
}

TEST_CASE("the short commands in README.md can be run") {
  const Scratch scratch;
  unsigned ran = 0;
  for (const Command& c : commands()) {
    const auto verb = c.text.substr(0, c.text.find(' '));
    if (verb != "list" && verb != "show" && verb != "config" && verb != "describe") continue;
    const auto said = run_planar(c.text);
    INFO(c.place << ": planar " << c.text << "\n" << said.err);
    CHECK(said.status == 0);
    CHECK_FALSE(said.out.empty());
    ++ran;
  }
  CHECK(ran >= 4);
}

// 217<!-- = tr16-4a-1989 microprocessor.step --> is a value of that card's profile as shown by `planar show`.
TEST_CASE("timing figures in the pages match the program's profiles") {
  const std::regex figure("([0-9.]+)<!-- = ([^ ]+) ([^ ]+) -->");
  std::map<std::string, nlohmann::ordered_json> cards;
  unsigned checked = 0;
  for (const auto& page : pages()) {
    const std::string text = read_file(page);
    for (std::sregex_iterator at(text.begin(), text.end(), figure), end; at != end; ++at, ++checked) {
      const auto& match = *at;
      const auto place = std::filesystem::path(page).filename().string() + ":" +
                         std::to_string(std::count(text.begin(), text.begin() + match.position(), '\n') + 1);
      INFO(place << ": " << match.str());
      if (!cards.contains(match[2])) {
        const auto shown = run_planar("show " + match[2].str() + " --json -");
        REQUIRE(shown.status == 0);
        cards[match[2]] = shown.json().at("timing");
      }
      std::string value = "no such value";
      for (const auto& row : cards[match[2]])
        if (row.at("name") == match[3].str()) value = row.at("value");
      CHECK(value.substr(0, value.find(' ')) == match[1].str());
    }
  }
  CHECK(checked >= 4);
}

TEST_CASE("docs/README.md links to every page, or to its folder's page") {
  for (const auto& page : pages()) {
    const auto path = std::filesystem::path(page);
    if (path.filename() == "README.md") continue;
    // The page of a folder is its README.md, or the page of the same name next to it.
    auto index = path.parent_path() / "README.md";
    if (!std::filesystem::exists(index)) index = path.parent_path().string() + ".md";
    const auto link = std::filesystem::relative(path, index.parent_path()).string();
    INFO(index << " has no link to " << link);
    const auto text = read_file(index.string());
    CHECK((text.find("(" + link + ")") != std::string::npos || text.find("`" + link + "`") != std::string::npos));
  }
}

TEST_CASE("README.md is short") {
  std::istringstream words(read_file(PLANAR_SOURCE_DIR "/README.md"));
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  CHECK(count > 300);
  CHECK(count < 900);
}

TEST_CASE("the machine files in docs/own-machines.md are valid, and its wrong ones are named") {
  const Scratch scratch;
  std::istringstream in(read_file(PLANAR_SOURCE_DIR "/docs/own-machines.md"));
  unsigned machines = 0;
  for (std::string line; std::getline(in, line);) {
    if (line != "```toml") continue;
    std::string toml;
    while (std::getline(in, line) && line != "```") toml += line + "\n";
    const auto said = run_planar("config " + scratch.write("own.toml", toml));
    INFO(toml << said.err);
    CHECK(said.status == 0);
    ++machines;
  }
  CHECK(machines == 3);
  const std::pair<const char*, const char*> wrong[] = {
      {"[cpu]\nclok = '66 MHz'\n", "wrong.toml:4:8: no setting 'cpu.clok'; did you mean 'cpu.clock'?"},
      {"[cpu]\nclock = '66'\n", "wrong.toml:4:9: cpu.clock: expects a frequency"},
      {"[cpu]\nclock = '70 MHz'\n", "wrong.toml:4:9: cpu.clock: is 7/6 of cpu.bus_clock"},
      {"[slot.2]\ncard = 'ne2'\n[slot.2.set.data_port]\nready_dela = '500 ns'\n",
       "wrong.toml:6:14: slot.2.set.data_port.ready_dela: there is no timing value"}};
  for (const auto& [table, words] : wrong) {
    const auto file = scratch.write("wrong.toml", std::string("machine = 'model95'\n\n") + table);
    const auto said = run_planar("config " + file);
    INFO(table << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(words));
  }
}

TEST_CASE("docs/published.md lists the same values chosen by published figures as the program") {
  const auto page = read_file(PLANAR_SOURCE_DIR "/docs/published.md");
  std::istringstream in(run_planar("published --chosen").out);
  std::string line;
  unsigned rows = 0;
  while (std::getline(in, line))
    if (line.starts_with("calibrated") || line.starts_with("informed-by-published")) {
      INFO(line);
      CHECK_THAT(page, Contains(line));
      ++rows;
    }
  CHECK(rows > 10);
}

TEST_CASE("the lab in docs/token-ring.md runs") {
  const Scratch scratch;
  std::istringstream in(read_file(PLANAR_SOURCE_DIR "/docs/token-ring.md"));
  std::string lab, line;
  while (std::getline(in, line) && !line.starts_with("    [medium.ring]")) {}
  for (; line.empty() || line.starts_with("    "); std::getline(in, line))
    lab += line.empty() ? "\n" : line.substr(4) + "\n";
  const auto said = run_planar("run --quiet " + scratch.write("lab.toml", lab));
  INFO(lab << said.err << said.out);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Contains("@row bytes=4096") && Contains("@done 0"));
}

TEST_CASE("the lab in docs/two-machines.md is valid, with the files that it names") {
  const Scratch scratch;
  std::istringstream in(read_file(PLANAR_SOURCE_DIR "/docs/two-machines.md"));
  std::vector<std::string> labs(1);
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with("    [") || (!labs.back().empty() && line.starts_with("    ")))
      labs.back() += line.substr(4) + "\n";
    else if (line.empty() && !labs.back().empty())
      labs.back() += "\n";
    else if (!labs.back().empty())
      labs.emplace_back();
  }
  unsigned taken = 0;
  scratch.write("client.img", read_file(PLANAR_SOURCE_DIR "/roms/images/sample-bios.img"));
  scratch.write("linux.img", std::string(1 << 20, '\0'));
  for (const auto& lab : labs) {
    if (lab.find("[[machine]]") == std::string::npos) continue;
    // planar does not come with a kernel.
    std::string text;
    std::istringstream rows(lab);
    while (std::getline(rows, line))
      if (!line.starts_with("kernel") && !line.starts_with("initrd") && !line.starts_with("append"))
        text += line + "\n";
    scratch.write("lab.toml", text);
    const auto said = run_planar("config " + scratch.file("lab.toml") + " >/dev/null && cd " + scratch.file("") +
                                 " && '" + std::string(PLANAR_BINARY) + "' run lab.toml --quiet --until '1 ms'");
    INFO(text << said.err);
    CHECK(said.status == 0);
    ++taken;
  }
  CHECK(taken == 2);
}
