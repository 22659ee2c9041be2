// SPDX-License-Identifier: GPL-2.0-or-later
// `planar debug` with scripts: the output of its commands, and how it ends.
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {

Said debug(const std::string& arguments, const std::string& script) {
  const Scratch scratch;
  return run_planar("debug " + arguments + " --quiet --script " + scratch.write("script", script));
}

}  // namespace

TEST_CASE("a script inspects a machine and moves it in both directions") {
  const auto said =
      debug("model95 --card ne2 --guest do=netio --guest seconds=0.02 --guest sizes=1024",
            "regs   # after RESET\n\nstep 3\nregs\nreverse-step 3\nregs\ndis cs:eip 2\nmem F000:FFF0 16\n"
            "break int 0-FF\ncontinue\nlist\ntranslate C0100000\ndelete all\nframe\nwhy\ntime\ndescribe ne2\n"
            "describe\nreverse-continue\nframe\nport 21\n");
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Contains("(planar) regs") && Contains("EIP 0000FFF0") && Contains("CR0 ") &&
                           Contains("FFFFFFF0  ") && Contains("jmp") && Contains("is delivered") &&
                           Contains("breakpoint 1:") && Contains("interrupt 00h-FFh") && Contains("1 hit"));
  CHECK_THAT(said.out, Contains("has sent") && Contains("the processor ") && Contains("instructions\n") &&
                           Contains("slot1.ne2\n") && Contains("the history begins here") && Contains("0021h: "));
}

TEST_CASE("the end of a script ends the run, and an invalid command is reported with its line") {
  const auto wrong = debug("model95", "regs\nnonsense\nregs\n");
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("script:2: there is no command 'nonsense'"));
  CHECK(run_planar("debug model95 --script /nowhere/at/all").status == 3);
  CHECK(run_planar("debug model95 --guest netio").status == 2);
  const auto quit = debug("model95", "until 10 ms\nquit\nnonsense\n");
  CHECK(quit.status == 0);
  const auto empty = run_planar("debug model95 --quiet");  // standard input is empty
  CHECK(empty.status == 0);
  CHECK_THAT(empty.out, Contains("FFFFFFF0"));
}

TEST_CASE("a machine that has halted for good can be inspected, and its run ends on continue") {
  const Scratch scratch;
  std::string boot(163840, '\0');
  boot.replace(0, 2, "\xFA\xF4");  // CLI, HLT
  boot.replace(510, 2, "\x55\xAA");
  const auto said = debug("model95 --image " + scratch.write("halt.img", boot),
                          "continue\nstep\nreverse-step 2\ncontinue\nregs\ncontinue\nregs\n");
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  const std::string halted = "the processor has halted for good";
  CHECK_THAT(said.out, Contains("(planar) continue\n" + halted) && Contains("(planar) step\n" + halted) &&
                           Contains("00007C01  F4                hlt\n(planar) continue\n" + halted) &&
                           Contains("(planar) continue\nthe run is over\n1 more line of the script is not executed"));
}

TEST_CASE("a failed guest ends `planar debug` as it ends `planar run`") {
  const auto said = debug("model95 --guest do=netio", "continue\nregs\n");
  CHECK(said.status == 1);
  CHECK_THAT(said.err, Contains("the guest failed: no network adapter"));
  CHECK_THAT(said.out, Contains("1 more line of the script is not executed"));
}

TEST_CASE("addresses are offsets from the base of a segment register, and registers have the values of `regs`") {
  // After RESET the base of CS is FFFF0000h, which is not F000h times 16.
  const auto reset =
      debug("model95", "dis cs:eip 1\ndis cs:ip 1\ndis\nmem ss:sp+cs:eip 1\nmem eip 1\nmem F000:FFF0 1\n");
  INFO(reset.out << reset.err);
  CHECK(reset.status == 0);
  CHECK_THAT(reset.out, Contains("(planar) dis cs:eip 1\nFFFFFFF0  ") && Contains("(planar) dis cs:ip 1\nFFFFFFF0  ") &&
                            Contains("(planar) dis\nFFFFFFF0  ") && Contains("(planar) mem eip 1\n0000FFF0  ") &&
                            Contains("(planar) mem F000:FFF0 1\n000FFFF0  "));
  const auto later = debug("model95", "until 1 s\nregs\ndis cs:eip 1\n");
  const auto at = [&](const std::string& command) {
    const auto line = later.out.find("(planar) " + command + "\n");
    REQUIRE(line != std::string::npos);
    return later.out.substr(line + command.size() + 10, 8);
  };
  INFO(later.out << later.err);
  CHECK(later.out.find("s  " + at("dis cs:eip 1") + "  ") != std::string::npos);  // where it stopped
}

TEST_CASE("in a lab a device is that of the selected machine, unless its name begins with another's") {
  const Scratch scratch;
  const auto lab = scratch.write("lab.toml",
                                 "[[machine]]\nname = \"one\"\nmodel = \"model56sx\"\n"
                                 "[[machine]]\nname = \"two\"\nmodel = \"model56sx\"\n");
  const auto said = debug(lab, "describe rtc\nmachine two\ndescribe RTC\ndescribe one.rtc pic\n");
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Contains("(planar) describe rtc\n---- one at ") && Contains("(planar) machine two\n") &&
                           Contains("(planar) describe RTC\n---- two at "));
  const auto first = said.out.find("describe rtc"), second = said.out.find("machine two"),
             third = said.out.find("describe one.rtc pic");
  CHECK(said.out.substr(first, second - first).find("---- two") == std::string::npos);
  CHECK(said.out.substr(second, third - second).find("---- one") == std::string::npos);
  CHECK_THAT(said.out.substr(third), Contains("---- one") && Contains("---- two"));
  const auto events = debug(lab, "until 1 s\ntime\n");
  CHECK_THAT(events.out, Contains(" s  one.i8254.out0\n") && Contains(" s  two.i8254.out0\n"));
  const auto wrong = debug(lab, "machine two\ndescribe one.rtx\n");
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("there is no device 'one.rtx'; did you mean 'rtc'?"));
}

TEST_CASE("in a lab breakpoints belong to the current machine") {
  const Scratch scratch;
  const auto lab = scratch.write("lab.toml",
                                 "[[machine]]\nname = \"one\"\nmodel = \"model56sx\"\n"
                                 "[[machine]]\nname = \"two\"\nmodel = \"model56sx\"\n");
  const auto said = debug(lab, "machine two\nbreak int 8\nuntil 3 s\nlist\n");
  INFO(said.out << said.err);
  CHECK_THAT(said.out, Contains("breakpoint 1: two: interrupt 08h") && Contains("interrupt 08h is delivered\ntwo  ") &&
                           Contains("1 hit") && !Contains("until   "));  // nor the temporary breakpoint of `until`
}

TEST_CASE("a frame of an unknown sender is refused at once, with a list of the senders") {
  for (const std::string command : {"frame zz", "break frame zz"}) {
    const auto said = debug("model95 --card ne2", command + "\n");
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("'zz' sends no frames; the senders are slot1.ne2.port, peer.port"));
  }
  CHECK_THAT(debug("model95 --net none", "frame\n").err, Contains("no adapter of this lab is on a medium"));
  CHECK_THAT(debug("model95 --card ne2", "break frame ne2\n").out, Contains("a frame of ne2"));
}

TEST_CASE("extra arguments of a command are refused, with its syntax") {
  const std::pair<std::string, std::string> table[] = {
      {"break 0:7c00 junk", "unexpected argument 'junk'; write break ADDRESS"},
      {"break io 3f8 read junk", "unexpected argument 'junk'; write break io PORT[-PORT] [read|write]"},
      {"continue 5", "unexpected argument '5'; write continue"},
      {"step 1 2", "unexpected argument '2'; write step [N]"}};
  for (const auto& [command, says] : table) {
    const auto said = debug("model95 --net none", command + "\n");
    INFO(command << "\n" << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(command + ": " + says));
  }
  CHECK(debug("model95 --net none", "break time 1 s\nwatch 1000 4 write phys\nuntil 1 ms\nquit\n").status == 0);
}

TEST_CASE("a snapshot after the last step can be debugged, and the user ends the run") {
  const Scratch scratch;
  const auto snap = scratch.file("lab.snap");
  // Either the last step is done, or the last one will be done soon.
  for (const std::string& steps :
       {" --do 'wait 3 ms' --do 'snapshot \"" + snap + "\"'", " --do 'snapshot \"" + snap + "\"' --do 'wait 3 ms'"}) {
    REQUIRE(run_planar("run model95 --card ne2 --quiet" + steps).status == 0);
    const auto said = debug("--restore " + snap, "regs\nuntil 20 ms\ntime\n");
    INFO(steps << said.out << said.err);
    CHECK(said.status == 0);
    CHECK_THAT(said.out, Contains("EIP ") && Contains("the time is reached"));
  }
}

TEST_CASE("the guest's work runs to its end under the prompt") {
  const auto said = debug("model95 --card ne2 --guest do=netio --guest seconds=0.02 --guest sizes=1024 --serial stdio",
                          "break nic ne2\ncontinue\ncontinue\ndelete all\nreverse-step\ncontinue\nregs\n");
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Contains("@row bytes=1024") && Contains("@done 0") && Contains("the run is over"));
  // Output on COM1 from before the step back is not repeated.
  const auto first = said.out.find("@done 0");
  CHECK(said.out.find("@done 0", first + 1) == std::string::npos);
}
