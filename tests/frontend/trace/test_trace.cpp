// SPDX-License-Identifier: GPL-2.0-or-later
// Traces as described in docs/tracing.md: every category works in its form, filters compose, nothing changes.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "tests/catch.hpp"
#include "tests/frontend/first_frames.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {

struct Line {
  double microseconds;
  std::string category, device, text;
};

/// The lines of a trace, each checked for its form: time, category, device, text.
std::vector<Line> trace_lines(const std::string& file) {
  std::vector<Line> list;
  std::istringstream in(read_file(file));
  for (std::string line; std::getline(in, line);) {
    std::istringstream columns(line);
    std::string time;
    Line l{};
    columns >> time >> l.category >> l.device >> std::ws;
    std::getline(columns, l.text);
    if (time.size() < 8 || time[time.size() - 7] != '.' || l.text.empty()) {
      FAIL_CHECK("not in the form of a trace: " << line);
      break;
    }
    l.microseconds = std::stod(time);
    list.push_back(std::move(l));
  }
  return list;
}

/// The form of a text: each word of hexadecimal digits becomes 0, consecutive ones are merged; all disassembled
/// instructions are alike.
std::string shape(const std::string& category, const std::string& text) {
  if (category == "cpu" && text.size() > 20 && text[4] == ':' && text.ends_with(" clocks")) return "instruction";
  std::istringstream words(text);
  std::string out, last;
  for (std::string word; words >> word;) {
    std::string form;
    for (std::size_t at = 0; at < word.size();) {
      std::size_t end = at;
      while (end < word.size() && (std::isalnum(static_cast<unsigned char>(word[end])) || word[end] == '_')) ++end;
      std::string part = word.substr(at, end - at);
      const auto digits = part.find_first_not_of("0123456789abcdefABCDEF");
      if (!part.empty() && (digits == std::string::npos || part.substr(digits) == "h")) part = "0";
      form += end == at ? word.substr(at, 1) : part;
      at = std::max(end, at + 1);
    }
    if (form != "0" || last != "0") out += form + " ";
    last = form;
  }
  return out;
}

struct Row {
  std::string shows, category, device, text;
};

/// The table of categories in docs/tracing.md, with the columns of its examples.
std::map<std::string, Row> documented() {
  static const std::regex row(R"(\| `(\w+)` \| (.*) \| `([0-9.]+) (\w+) (\S+) (.*)` \|)");
  std::map<std::string, Row> rows;
  std::istringstream in(read_file(PLANAR_SOURCE_DIR "/docs/tracing.md"));
  for (std::string line; std::getline(in, line);) {
    std::smatch m;
    if (std::regex_match(line, m, row)) rows[m[1]] = {m[2], m[4], m[5], m[6]};
  }
  return rows;
}

const std::string short_netio = "netio --card ne2 --quiet --seconds 0.05 --sizes 1024 ";
constexpr std::int64_t instant_ms = 4;

/// A time at which it sends.
std::int64_t instant_from() {
  static const std::int64_t from = sending_from(short_netio);
  return from;
}
std::string trace_from(std::int64_t ms) { return "--trace-from '" + std::to_string(ms) + " ms' "; }
std::string instant() {
  return trace_from(instant_from()) + "--trace-to '" + std::to_string(instant_from() + instant_ms) + " ms' ";
}

}  // namespace

TEST_CASE("every trace category is documented and has lines like its example", "[trace]") {
  const Scratch scratch;
  std::map<std::string, std::set<std::string>> seen;
  const auto run = [&](const std::string& name, const std::string& command) {
    const auto file = scratch.file(name);
    const auto said = run_planar(command + " --trace-file " + file);
    INFO(command << "\n" << said.err);
    REQUIRE(said.status == 0);
    for (const Line& line : trace_lines(file)) seen[line.category].insert(shape(line.category, line.text));
  };
  run("instant", short_netio + instant() + "--trace all");
  run("calls", short_netio + "--trace memory,syscall " + trace_from(instant_from() - 17));
  run("rare", short_netio + "--trace irq,pos,timer,diskette,keyboard,video,serial,peer,firmware");
  run("dma", short_netio + "--trace dma,arbitration --trace-from '1.8 s' --trace-to '1.81 s'");
  std::string disk("\xFA\xF4\xEB\xFD", 4);
  disk.resize(2 << 20);
  disk.replace(510, 2, "\x55\xAA");
  run("disk", "run model95 --quiet --until '9 s' --trace disk --disk " + scratch.write("disk.img", disk));

  const auto rows = documented();
  const auto said = run_planar("run model95 --trace nonsense").err;  // the message names them all
  unsigned named = 0;
  for (const auto& [category, row] : rows) {
    INFO(category << ": " << row.text);
    CHECK(row.category == category);
    CHECK_THAT(said, Contains(category));
    CHECK(seen[category].count(shape(category, row.text)) == 1);
    ++named;
  }
  CHECK(named == static_cast<unsigned>(std::count(said.begin(), said.end(), ',')) + 1);
  CHECK(seen.size() == named);
}

TEST_CASE("a triple fault is in the processor trace", "[trace]") {
  const Scratch scratch;
  std::string fault("\xFA\x31\xC0\x8E\xD8\x0F\x01\x1E\x0C\x7C\xCC\xF4", 12);  // an IDT without entries, and INT 3
  fault.resize(1474560);
  fault.replace(510, 2, "\x55\xAA");
  const auto file = scratch.file("trace.txt");
  const auto image = scratch.write("fault.img", fault);
  REQUIRE(run_planar("run model95 --quiet --until '8 s' --trace cpu --trace-address 7C00h-7C0Bh --trace-file " + file +
                     " --image " + image)
              .status == 0);
  const auto text = read_file(file);
  CHECK_THAT(text, Contains("xor ax, ax") && Contains("lidt") && Contains("triple fault: shutdown"));
  for (const Line& line : trace_lines(file))
    if (line.text.find("clocks") != std::string::npos) CHECK_THAT(line.text, Contains(":00007C0"));
}

TEST_CASE("the processor trace names interrupts, and its clocks account for all time, also that in HLT", "[trace]") {
  const Scratch scratch;
  std::string sleeper("\xFB\xF4\xEB\xFD", 4);  // STI, HLT, a jump to the HLT
  sleeper.resize(1474560);
  sleeper.replace(510, 2, "\x55\xAA");
  const auto file = scratch.file("trace.txt");
  REQUIRE(
      run_planar("run model95 --quiet --until '4 s' --trace cpu --trace-from '3 s' --trace-to '3.3 s' --trace-file " +
                 file + " --image " + scratch.write("sleeper.img", sleeper))
          .status == 0);
  const auto lines = trace_lines(file);
  constexpr double mhz = 90;
  unsigned ticks = 0, wrong = 0;
  for (std::size_t n = 1; n < lines.size(); ++n) {
    const auto& text = lines[n].text;
    INFO(text);
    static const std::regex clocks(R"( (\d+) clocks$)");
    std::smatch m;
    REQUIRE(std::regex_search(text, m, clocks));
    const double passed = (lines[n].microseconds - lines[n - 1].microseconds) * mhz;
    if (std::abs(passed - std::stod(m[1])) > 1.01 && ++wrong == 1) CHECK(passed == std::stod(m[1]));
    CHECK_THAT(text, !Contains("takes exception"));
    if (text.find("takes interrupt 08") == text.npos) continue;
    ++ticks;
    if (n < 2) continue;
    CHECK_THAT(lines[n - 1].text, Contains("0000:00007C02  was halted"));
    CHECK_THAT(lines[n - 2].text, Contains("hlt"));
  }
  CHECK(ticks >= 5);
}

TEST_CASE("tracing does not affect the run, and repeats byte for byte", "[trace]") {
  const Scratch scratch;
  const auto hash = [](const Said& said) { return said.json()["state_hash"].get<std::string>(); };
  const std::string command = short_netio + "--json - ";
  const auto plain = hash(run_planar(command));
  for (const char* name : {"a", "b"})
    CHECK(hash(run_planar(command + instant() + "--trace all --trace-file " + scratch.file(name))) == plain);
  CHECK(read_file(scratch.file("a")) == read_file(scratch.file("b")));
  CHECK_FALSE(read_file(scratch.file("a")).empty());
  // From the start, with the fast paths of repeated port accesses always refused.
  CHECK(hash(run_planar(command + "--trace nic,disk --trace-device pit --trace-file " + scratch.file("c"))) == plain);
}

TEST_CASE("filters by time, device and address can be combined", "[trace]") {
  const Scratch scratch;
  const auto traced = [&](const std::string& options) {
    const auto file = scratch.file("trace.txt");
    const auto said = run_planar(short_netio + options + " --trace-file " + file);
    INFO(options << "\n" << said.err);
    REQUIRE(said.status == 0);
    return trace_lines(file);
  };
  const auto whole = traced("--trace nic,irq " + trace_from(instant_from() - 67));
  const auto within = traced("--trace nic,irq " + instant());
  std::vector<Line> slice;
  for (const Line& line : whole)
    if (const auto ms = static_cast<std::int64_t>(line.microseconds / 1000) - instant_from();
        ms >= 0 && ms < instant_ms)
      slice.push_back(line);
  REQUIRE(within.size() == slice.size());
  for (std::size_t n = 0; n < slice.size(); ++n) {
    CHECK(within[n].microseconds == slice[n].microseconds);
    CHECK(within[n].text == slice[n].text);
  }
  unsigned of_card = 0;
  for (const Line& line : within) of_card += line.device == "slot1.ne2";
  REQUIRE(of_card > 0);
  REQUIRE(of_card < within.size());
  for (const char* name : {"slot1.ne2", "ne2", "slot1", "ne2,rtc"})
    CHECK(traced("--trace nic,irq --trace-device " + std::string(name) + " " + instant()).size() == of_card);
  const auto interrupts = traced("--trace nic,io --trace-device ne2 --trace-address io:1007h " + instant());
  unsigned accesses = 0;
  for (const Line& line : interrupts) {
    INFO(line.text);
    const bool access = line.text.starts_with("1007 ");
    accesses += access;
    CHECK((access || line.text.find("IRQ") != std::string::npos));
  }
  CHECK(accesses > 1);
  CHECK(traced("--trace io --trace-address memory:1007h " + instant()).empty());
}

TEST_CASE("a trace whose start time is never reached gives a warning", "[trace]") {
  const auto said = run_planar("run model95 --quiet --net none --until '1 ms' --trace io --trace-from '2 ms'");
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Contains("nothing was traced: the run ended at 0.001 s, before --trace-from 0.002 s"));
}

TEST_CASE("invalid filters are refused with the remedy", "[trace]") {
  const std::pair<const char*, const char*> wrong[] = {
      {"--trace-from '1 s'", "--trace-from needs --trace"},
      {"--trace-device ne2", "--trace-device needs --trace"},
      {"--trace io --trace-from 5", "--trace-from 5: is not a time"},
      {"--trace io --trace-from '2 s' --trace-to '1 s'", "--trace-to 1 s: is not after"},
      {"--trace io --trace-device nee2", "did you mean 'ne2'?"},
      {"--trace io --trace-address 20h-10h", "--trace-address 20h-10h: is not a range"},
      {"--trace io --trace-address io:12345h", "is not a range of ports"},
      {"--trace nonsense", "--trace: no category 'nonsense'"}};
  for (const auto& [options, words] : wrong) {
    const auto said = run_planar(std::string("run model95 --card ne2 --quiet --until '1 ms' ") + options);
    INFO(options);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(words));
  }
}
