// SPDX-License-Identifier: GPL-2.0-or-later
// The distribution's gdb connected to a run: the session shown in docs/debugging.md, word for word.
#include <sstream>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {

constexpr const char* guest_elf = PLANAR_SOURCE_DIR "/roms/build/guest/kernel-0.elf";

/// Why gdb or the guest's symbols are not available here; empty if they are.
std::string missing() {
  if (std::system("gdb --version >/dev/null 2>&1") != 0) return "gdb is not installed";
  if (!std::filesystem::exists(guest_elf)) return "there is no roms/build/guest/kernel-0.elf; make -C roms builds it";
  const std::string built = PLANAR_SOURCE_DIR "/roms/build/guest/planar-guest.img";
  if (read_file(built) != read_file(PLANAR_SOURCE_DIR "/roms/images/planar-guest.img"))
    return "roms/build/guest/kernel-0.elf is not of the committed image";
  return {};
}

struct PageSession {
  std::vector<std::string> commands;
  std::vector<std::string> lines;  ///< gdb's output; commands after "+"
};

/// The block of docs/debugging.md whose lines begin with "(gdb) ", with gdb's answers.
PageSession session_of_the_page() {
  std::istringstream in(read_file(PLANAR_SOURCE_DIR "/docs/debugging.md"));
  PageSession session;
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with("    ")) {
      if (!session.commands.empty() && !line.empty()) break;
      continue;
    }
    const auto text = line.substr(4);
    if (text.starts_with("(gdb) ")) session.commands.push_back(text.substr(6));
    if (session.commands.empty()) continue;
    session.lines.push_back(text.starts_with("(gdb) ") ? "+" + text.substr(6) : text);
  }
  return session;
}

struct Run {
  std::string gdb;
  nlohmann::ordered_json result;
  int status = 0;
};

/// Runs planar with `arguments`, and gdb with `commands` connected to its port.
Run with_gdb(const std::string& arguments, const std::vector<std::string>& commands) {
  const Scratch scratch;
  std::string script = "set pagination off\nset confirm off\nset width 0\nset trace-commands on\n";
  for (const auto& command : commands) script += command + "\n";
  scratch.write("script", script);
  // The port is chosen by the system; planar reports it.
  scratch.write("both.sh", "cd '" + scratch.file("") + "'\n('" + PLANAR_BINARY + "' " + arguments +
                               " --json result.json </dev/null >out 2>err; echo $? >status) &\n"
                               "for n in $(seq 600); do\n"
                               "  port=$(sed -n 's/.*target remote 127.0.0.1:\\([0-9]*\\).*/\\1/p' err 2>/dev/null)\n"
                               "  [ -n \"$port\" ] && break\n  sleep 0.1\ndone\n"
                               "sed -i \"s/:PORT/:$port/\" script\n"
                               "timeout 300 gdb -nx -batch -x script '" +
                               guest_elf + "' >gdb 2>&1\nwait\n");
  CHECK(std::system(("bash " + scratch.file("both.sh")).c_str()) == 0);
  Run run;
  run.gdb = read_file(scratch.file("gdb"));
  INFO(run.gdb << read_file(scratch.file("err")));
  run.status = std::atoi(read_file(scratch.file("status")).c_str());
  if (std::filesystem::exists(scratch.file("result.json")))
    run.result = nlohmann::ordered_json::parse(read_file(scratch.file("result.json")));
  return run;
}

constexpr const char* guest_run = "netio --card etherstreamer --seconds 0.05 --sizes 1024 --quiet";

}  // namespace

TEST_CASE("gdb breaks in the guest's driver by symbol, watches a descriptor, reverses, continues and detaches") {
  if (const auto reason = missing(); !reason.empty()) SKIP(reason);
  PageSession session = session_of_the_page();
  REQUIRE(session.commands.size() > 8);
  for (auto* list : {&session.commands, &session.lines})
    for (auto& line : *list)
      if (const auto at = line.find(":1234"); at != std::string::npos) line.replace(at, 5, ":PORT");
  const Run run = with_gdb(std::string(guest_run) + " --gdb wait:0", session.commands);
  INFO(run.gdb);
  std::size_t at = 0;
  for (const auto& line : session.lines) {
    if (line.find("PORT") != std::string::npos || line.empty()) continue;
    INFO("docs/debugging.md: " << line);
    const auto found = run.gdb.find(line + "\n", at);
    REQUIRE(found != std::string::npos);
    at = found + line.size();
  }
  CHECK(run.status == 0);
  const auto alone = run_planar(std::string(guest_run) + " --json -").json();
  REQUIRE(run.result.contains("state_hash"));
  CHECK(run.result.at("state_hash") == alone.at("state_hash"));
  CHECK(run.result.at("rows") == alone.at("rows"));
  CHECK(run.result.at("cycles") == alone.at("cycles"));
}

TEST_CASE("gdb reads registers, memory and monitor output, and kills a run") {
  if (const auto reason = missing(); !reason.empty()) SKIP(reason);
  const Run run = with_gdb("run model95 --quiet --gdb wait:0",
                           {"target remote :PORT", "info registers eip cr0 cs", "x/1i $pc", "stepi",
                            "info registers st0 fctrl", "monitor regs", "monitor phys FFFF0 16", "info threads",
                            "set var *(int*)0x1000 = 0x12345678", "print/x *(int*)0x1000", "kill"});
  INFO(run.gdb);
  CHECK_THAT(run.gdb, Contains("0xfffffff0") && Contains("fctrl          0x37f") && Contains("EIP ") &&
                          Contains("000FFFF0 ") && Contains("model95") && Contains("= 0x12345678"));
  CHECK(run.status == 6);
}

TEST_CASE("--gdb refuses an invalid port and one in use") {
  for (const char* wrong : {"--gdb wait", "--gdb 70000", "--gdb x:y", "--gdb :1"}) {
    const auto said = run_planar(std::string("run model95 --until '1 ms' ") + wrong);
    INFO(wrong << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("--gdb"));
  }
  const auto alone = run_planar("run model95 --quiet --until '300 ms' --json - --gdb 0");
  CHECK(alone.status == 0);
  CHECK(alone.json().at("state_hash") ==
        run_planar("run model95 --quiet --until '300 ms' --json -").json().at("state_hash"));
}
