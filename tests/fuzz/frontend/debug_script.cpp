// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for scripts of `planar debug`: commands with any arguments, and arbitrary lines, for a machine before its
// first instruction.
//
// A finding: a crash or sanitizer report, an error that is not planar's own, and an inspection command that changes the
// machine.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "core/common/error.hpp"
#include "frontend/debug/commands.hpp"
#include "tests/fuzz/frontend/debugged_lab.hpp"

namespace {

using namespace planar;
using fuzz::expect;
using fuzz::Input;

constexpr std::size_t longest = 2048;
constexpr unsigned most_lines = 60;

constexpr std::string_view looking[] = {"regs",     "dis",  "mem", "phys", "translate", "port",
                                        "describe", "time", "why", "list", "help",      "machine"};
constexpr std::string_view acting[] = {
    "write",     "writephys",   "break",      "break io",     "break int",       "break pos",
    "break nic", "break frame", "break time", "watch",        "delete",          "step",
    "continue",  "frame",       "until",      "reverse-step", "reverse-continue"};
constexpr std::string_view words[] = {
    "0",     "1",     "20",    "cs:eip", "esp+8", "F000:FFF0", "C0100000", "FFFFFFFF", "ne2",    "slot1",
    "peer",  "zz",    "all",   "read",   "write", "access",    "phys",     "1 ms",     "100 us", "3F8-3FF",
    "21-20", "0x400", "1000h", "-1",     "65536", "es",        "cr3",      "pic",      "10"};

/// A step of thousands of instructions is valid, but takes the host too long here.
bool long_work(const std::string& line) {
  constexpr std::size_t most_digits = 2;
  const auto digits = std::count_if(line.begin(), line.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  const auto word = line.find_first_not_of(" \t\r\v\f");
  return word != std::string::npos && (line[word] == 's' || line[word] == 'r') &&
         static_cast<std::size_t>(digits) > most_digits;
}

std::string next_line(Input& input, bool& looks) {
  const unsigned first = input.u8();
  looks = false;
  std::string line;
  if ((first & 7) == 7) {
    const auto bytes = input.take(first >> 3);
    line.assign(bytes.begin(), bytes.end());
    std::erase(line, '\n');
    return line;
  }
  looks = (first & 1) != 0;
  line = looks ? looking[(first >> 1) % std::size(looking)] : acting[(first >> 1) % std::size(acting)];
  for (unsigned left = input.u8() & 3; left > 0; --left) {
    line += " ";
    const unsigned word = input.u8();
    if (word < 0xE0)
      line += words[word % std::size(words)];
    else
      for (unsigned letters = word & 15; letters > 0; --letters) line += static_cast<char>(0x20 + input.u8() % 0x5F);
  }
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::DebuggedLab lab;
  Input input(std::span(data, std::min(size, longest)));
  DebugCommands commands(true);
  unsigned count = 0;
  const auto serve = [&](Debugger& debugger, const Stop& stop) {
    static_cast<void>(DebugCommands::describe_stop(debugger, stop));
    while (input.left() && ++count < most_lines) {
      bool looks = false;
      const std::string line = next_line(input, looks);
      if (long_work(line)) continue;
      const auto clocks = debugger.machine().cpu().clocks();
      try {
        const auto result = commands.execute(debugger, line);
        expect(!looks || (result.then == DebugCommands::Then::stay && debugger.machine().cpu().clocks() == clocks),
               "a look that lets time pass");
        if (result.then != DebugCommands::Then::stay) return result.then == DebugCommands::Then::resume;
      } catch (const Error&) {}
    }
    return false;
  };
  lab.run(serve, 50_us);
  return 0;
}
