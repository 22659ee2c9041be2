// SPDX-License-Identifier: GPL-2.0-or-later
// Mistakes that newcomers make on the command line, and the answers, which name the mistake and say what to write.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

namespace {

struct Wrong {
  std::string arguments;
  int status;
  std::vector<std::string> says;  ///< on standard error
};

}  // namespace

TEST_CASE("wrong usage gets a helpful answer", "[usage]") {
  const Scratch scratch;
  const auto image = scratch.write("dos.img", std::string(163840, '\0'));
  const auto broken = scratch.write("broken.json", "{\"rows\": [1,");
  const auto text = scratch.write("text.json", "hello\n");
  const auto list = scratch.write("list.json", "[]\n");
  const auto number = scratch.write("number.json", "{\"schema\": \"planar.netio/2\", \"rows\": 5}\n");
  const auto toml = scratch.write("bad.toml", "machine = \"model95\"\nmemory = 5\n");
  const std::vector<Wrong> table{
      {"", 2, {"netio", "compare", "planar help VERB"}},
      {"nettio", 2, {"`planar` has no verb 'nettio'", "did you mean 'netio'?"}},
      {"help nettio", 2, {"has no verb 'nettio'", "did you mean 'netio'?"}},
      {"help run foo", 2, {"`planar run` has no verbs, and so no 'foo'"}},
      {"help disk create foo", 2, {"`planar disk create` has no verbs", "see `planar disk create --help`"}},
      {"help disk creat", 2, {"`planar disk` has no verb 'creat'", "did you mean 'create'?"}},
      {"netio --crad ne2", 2, {"`planar netio` has no option '--crad'", "did you mean '--card'?"}},
      {"netio --window",
       2,
       {"`planar netio` has no window", "`planar run model95 --card ne2 --guest do=netio --window`"}},
      {"netio --machine model96", 2, {"no machine and no file named 'model96'", "did you mean 'model95'?"}},
      {"netio --machine 96", 2, {"no machine and no file named '96'", "choose att3325, model56sx"}},
      {"netio --card ne22", 2, {"there is no card 'ne22'", "did you mean 'ne2'?", "planar list cards"}},
      {"netio --card 9=ne2", 2, {"--card 9=ne2", "is not a slot number", "3=ne2"}},
      {"netio --card ne2:irq", 2, {"--card ne2:irq", "is not option=value", "irq=3"}},
      {"netio --seconds ten", 2, {"--seconds ten", "0.01 to 3600", "500ms"}},
      {"netperf --seconds ten", 2, {"--seconds ten", "0.01 to 3600"}},
      {"flood --seconds ten", 2, {"--seconds ten", "0.01 to 3600"}},
      {"compare --seconds ten", 2, {"--seconds ten", "0.01 to 3600"}},
      {"compare --machines 95 --cards ne2 --seconds 10min", 2, {"--seconds 10min", "0.01 to 3600"}},
      {"netio --seconds 0.0123456", 2, {"--seconds 0.0123456", "whole milliseconds"}},
      {"netio --sizes 1024,x", 2, {"--sizes 1024,x", "separated by commas"}},
      {"netio --sizes 65536", 2, {"--sizes 65536", "from 1 to 32768 bytes"}},
      {"netperf --sizes 65536", 2, {"--sizes 65536", "from 1 to 65535 bytes"}},
      {"run model56sx --do 'wait screen \"xx\" within 10 ms' --quiet --result " + text + "/x",
       5,
       {"did not complete within 0.01 virtual seconds", "are not kept: " + text}},
      {"netperf --serve 1 --net peer", 2, {"--serve 1 and --net peer: no client would come"}},
      {"netio --runs 2 --timeline x.json", 2, {"--runs and --timeline"}},
      {"netio --set ne2.nothing=5", 2, {"nothing"}},
      {"netio --set data_port=5", 2, {"--set data_port=5", "CARD.VALUE=X", "planar show CARD"}},
      {"netio --set 3c523.ram=5", 2, {"no slot contains a '3c523'", "add --card 3c523"}},
      {"netio --machine model95 --against pc-p166",
       2,
       {"pc-p166's usual card", "'3c905b' works at 100 Mbit/s", "the card of client at 10 Mbit/s",
        "docs/two-machines.md"}},
      {"netio --runs 2 --seed 9223372036854775807", 2, {"--seed 9223372036854775807 and 2 runs", "smaller seed"}},
      {"netio --seed -1", 2, {"--seed", "-1", "0 to 9223372036854775807"}},
      {"netio --card ne2:driver=foo", 2, {"slot.1.driver", "one driver for the ne2", "docs/driver-versions.md"}},
      {"config model95 --set 'pci.clock=30 ns'", 2, {"'pci' is of a board of the kind \"pc\"", "model95 is \"ps2\""}},
      {"config model95 --memory '99999999999999999 MB'", 2, {"memory.size", "from 2 MB to 256 MB"}},
      {"config model95 --set 'peer.turnaround=99999999999 s'", 2, {"peer.turnaround", "at most 9223372 s"}},
      {"run model95 --until '99999999999 s'", 2, {"--until 99999999999 s", "at most 9223372 s"}},
      {"describe model95 --until '99999999999 s'", 2, {"--until 99999999999 s", "of at most 9223372 s"}},
      {"netio --seconds 99999999999", 2, {"--seconds 99999999999", "0.01 to 3600"}},
      {"compare --jobs 99999999999", 2, {"--jobs", "99999999999 not in range 0 to 1024"}},
      {"flood --mode timer --timer-rate 99999999999", 2, {"--timer-rate", "not in range 2 to 8192"}},
      {"netio --card scsi-a", 2, {"no network adapter", "--card", "planar list cards"}},
      {"flood --card ne2 --mode delayed", 2, {"--mode delayed", "ne2 in slot 1", "pro1000-82543"}},
      {"flood --machine pc-p3-800 --card 1=pro1000-82543 --card 2=3c905b --router --mode delayed",
       2,
       {"3c905b in slot 2", "pro1000-82542"}},
      {"config model95 --card 1=ne2:mac=00:00:d8:01:02:03 --card 2=ne2:mac=00:00:D8:01:02:03",
       2,
       {"slot.2.mac", "also the address of the card in slot 1", "its own"}},
      {"netio --insert " + image, 2, {"--insert " + image, "(--restore)", "--do 'insert diskette"}},
      {"published --chosen --json x", 2, {"--chosen and --json"}},
      {"published --chosen --machines model95", 2, {"--chosen and --machines"}},
      {"published --machines pc-p166 --sizes 1024", 2, {"--sizes", "of its own size"}},
      {"published --machines pc-p166 --converge 1", 2, {"--converge", "netio alone"}},
      {"netio --card lanstreamer --mtu 4464", 2, {"--mtu", "576 to 1500 on Ethernet", "(--rate)"}},
      {"published --machines dime --sizes 77", 2, {"--sizes 77: nothing was published", "1024,2048,4096"}},
      {"published --machines dime --sensitivity --sizes 1024,32767",
       2,
       {"--sensitivity and --sizes 1024,32767", "1024,2048,4096,8192,16384,32767", "leave --sizes out"}},
      {"published --machines dime --sensitivity --check", 2, {"--sensitivity and --check"}},
      {"published --machines dime --sensitivity --record x", 2, {"--sensitivity and --record"}},
      {"published --machines dime --sensitivity --placements 4", 2, {"--sensitivity and --placements"}},
      {"regress --history --accept x", 2, {"--history and --accept"}},
      {"run pc-p166 --seed 99999999999999999999", 2, {"99999999999999999999 not in range 0 to 9223372036854775807"}},
      {"published --machines model56sx --cards ne2 --placements 1 --set ne2.data_port.ready_delay=9x --json " +
           scratch.file("published.json"),
       2,
       {}},
      {"regress --accept ''", 2, {"--accept: is empty"}},
      {"regress --history --json x", 2, {"--history and --json"}},
      {"compare --machines 95 --cards ne2 --plan --report x --json y", 2, {"--plan and --json"}},
      {"disk create x.img --size 5M", 2, {"takes the size as an argument: planar disk create FILE SIZE"}},
      {"disk create x.img 1.3M", 2, {"1.3M: is not a disk size", "whole sectors of 512 bytes"}},
      {"disk create x.img 999999G", 2, {"999999G: is not a disk size", "less than 2048 GB"}},
      {"netio --duplex both", 2, {"--duplex both", "half", "full"}},
      {"netio --duplex full", 2, {"--duplex full", "'ne2' in slot 1", "half"}},
      {"netio --machine 9595 --card tr16-4a-1994 --duplex full", 2, {"--duplex full", "'tr16-4a-1994' in slot 1"}},
      {"netio --rate '12'", 2, {"--rate 12", "10 Mbit/s"}},
      {"netio --rate 16mbit/s", 2, {"works at 10 Mbit/s, but net.rate is \"16 Mbit/s\""}},
      {"netio --net pear", 2, {"--net pear", "peer"}},
      {"run " + image, 2, {image + ": is not a machine file", "planar run model95 --image " + image}},
      {"run none.img", 2, {"none.img: there is no such file", "planar run model95 --image none.img"}},
      {"run model95 --image " + scratch.file("none.img"), 3, {"none.img"}},
      {"run model95 --floppy " + image + ",mod=memory",
       2,
       {"--floppy " + image + ",mod=memory: 'mod' is not one of its options", "mode, overlay, format"}},
      {"run model95 --until '1 s' --until '2 s'", 2, {"--until 2 s: the run has an end already, 1 s"}},
      {"run model95 --until a.screen:x", 2, {"--until a...: there is no machine with that name", "leave it out"}},
      {"run model95 --snapshot-at '1 s' a --snapshot-at '2 s' b", 2, {"--snapshot-at needs TIME FILE, once"}},
      {"run model95 --json - --do 'describe pic'",
       2,
       {"--json - and the step 'describe pic': both write to standard output", "--json FILE"}},
      {"run model95 --type 'dir\\q'", 2, {"--type 'dir\\q': a backslash must start one of"}},
      {"run model95 --do 'key a'", 2, {"expects 'down' or 'up' here"}},
      {"run model95 --kernal x", 2, {"has no option '--kernal'", "did you mean '--kernel'?"}},
      {"run model95 --until 5", 2, {"--until 5", "\"5 s\"", "screen:TEXT"}},
      {"run model95 --do 'wiat 5 s'", 2, {"there is no step 'wiat'", "did you mean 'wait'?"}},
      {"run " + toml, 2, {toml, "memory"}},
      {"show ne22", 2, {"no card or machine 'ne22'", "did you mean 'ne2'?"}},
      {"netio --window", 2, {"planar run model95 --card ne2 --guest do=netio --window"}},
      {"run model95 --guest do", 2, {"--guest do", "NAME=VALUE"}},
      {"run model95 --record steps", 2, {"--record", "--window"}},
      {"run model95 --scale 2", 2, {"--scale", "--window"}},
      {"list card", 2, {"card", "machines"}},
      {"diff " + broken + " " + broken, 3, {broken + ": is not JSON: line 1, column 13: ", "--json has written"}},
      {"diff " + text + " " + text, 3, {text + ": is not JSON: line 1", "--json has written"}},
      {"regress --baseline " + text, 3, {text + ": is not JSON: line 1"}},
      {"diff " + number + " " + number, 3, {number}},
      {"diff " + scratch.file("none.json") + " " + list, 3, {"none.json", "there is no such result"}},
      {"timeline " + text + " --name a --name b", 2, {"--name: 2 names for 1 timeline;"}},
      {"completion ksh", 2, {"ksh", "bash"}},
      // PCs and PCI cards
      {"netio --machine pc-p168 --card 3c905b", 2, {"did you mean 'pc-p166'?"}},
      {"netio --machine pc-p166 --card ne2", 2, {"Novell NE/2 is a Micro Channel card", "planar list cards"}},
      {"compare --machines pc-p166 --cards ne2", 2, {"nothing was compared", "Novell NE/2 is a Micro Channel card"}},
      {"netio --card 3c905b", 2, {"3C905B-TX Fast EtherLink XL is a PCI card", "model95 has Micro Channel slots"}},
      {"netio --machine pc-p166 --card 3c905", 2, {"there is no card '3c905'", "did you mean '3c905b'?"}},
      {"netio --machine pc-p166 --card rtl8193", 2, {"did you mean 'rtl8139'?"}},
      {"netio --machine pc-p166 --card 3c905b:irq=9", 2, {"slot.1.irq", "the firmware gives a PCI card its"}},
      {"netio --machine pc-p166 --card 3c905b:io=300h", 2, {"slot.1.io", "the firmware gives a PCI card its"}},
      {"netio --machine pc-p166 --card eepro100 --rate '1 Gbit/s'", 2, {"1000 Mbit/s"}},
      {"netio --machine pc-p166 --cards eepro100", 2, {"did you mean '--card'?"}},
      {"run pc-p166 --card 7=eepro100 --until '1 s'", 2, {"slot.7", "slots 1 to 4"}},
      {"run pc-p166 --boot x --until '1 s'", 2, {"--boot x", "c (first disk)"}},
      {"run model95 --boot ca --until '1 s'", 2, {"--boot ca: is for a PC", "drive A first"}},
      {"run pc-p166 --disk " + image + ",id=7", 2, {"has no IDE drive 7", "use 0 to 3"}},
      {"run model77 --disk " + image + ",id=7", 2, {"has no SCSI address 7", "use 0 to 6"}},
      {"run model77 --disk " + image + ",id=6 --disk " + image + ",id=6", 2, {"SCSI address 6 already has --disk"}},
      {"run model77 --disk " + image + " --disk " + text + ",id=6", 2, {text + ",id=6: SCSI address 6", "0 to 6"}},
      {"run pc-p166 --disk " + image + ",id=0 --disk " + image + ",id=0", 2, {"IDE drive 0 already has --disk"}},
      {"run pc-p166 --cdrom empty --cdrom empty,id=2", 2, {"--cdrom empty,id=2: IDE drive 2", "another id=, 0 to 3"}},
      {"run pc-p166 --iso x.iso", 2, {"did you mean '--cdrom'?"}},
      {"run pc-p166 --cd x.iso", 2, {"did you mean '--cdrom'?"}},
      {"run pc-p166 --hda x.img", 2, {"did you mean '--disk'?"}},
      {"run pc-p166 --fdb x.img", 2, {"did you mean '--floppy-b'?"}},
      {"run pc-p166 --ram 32", 2, {"did you mean '--memory'?"}},
      {"run pc-p166 --mem '32 MB'", 2, {"did you mean '--memory'?"}},
      {"run pc-p166 --display sdl", 2, {"did you mean '--window'?"}},
      {"run pc-p166 --memory 32", 2, {"--memory 32", "16 MB"}},
      {"run pc-p3-600 --memory '4000 MB'", 2, {"2 MB to 256 MB"}},
      {"run pc-p166 " + image, 2, {image + ": say what the file is", "--cdrom"}},
      {"run pc-p166 --floppy-drive 1.2", 2, {"--floppy-drive", "1.44"}},
      {"run pc-p166 --floppy-b " + scratch.file("none.img"), 3, {"none.img", "no such diskette image"}},
      {"run pc-p166 --set pci.clok=3", 2, {"did you mean 'pci.clock'?"}},
      {"run pc-p166 --set pci.clock=33", 2, {"a time with its unit"}},
      {"run pc-p166 --do 'eject'", 2, {"--do 1:1", "diskette b, or cd"}},
      {"run pc-p166 --do 'eject cd'", 2, {"no CD-ROM drive", "--cdrom empty"}},
      {"run pc-p166 --do 'insert cd x.iso'", 2, {"must be in double quotes"}},
      {"describe pc-p3-600 --until '1 ms' slot1", 2, {"slot1: the slot is empty", "--card 1=CARD"}},
      {"show pc-p3-60", 2, {"did you mean 'pc-p3-600'?"}},
      {"bench bus", 2, {"`planar bench` has no verb 'bus'", "cpu, ", "timing"}},
      {"list", 2, {"`planar list` needs one of machines, cards"}},
      {"list machine", 2, {"did you mean 'machines'?"}},
      {"completion", 2, {"`planar completion` needs one of bash"}},
      {"-v", 2, {"did you mean '--version'?"}},
      {"compare --do netoi", 2, {"netoi", "netio"}},
      {"compare --cards ne2 --seed 99999999999999999999", 2, {"99999999999999999999 not in range"}},
      {"compare --cards scsi-a", 2, {"--cards scsi-a: IBM PS/2 SCSI Adapter/A is not a network adapter"}},
      {"compare --do flood --bond 2 --machines model77 --cards ne2", 2, {"--bond with --do flood"}},
      {"compare --merge x --cards ne2", 2, {"--merge and --cards", "leave --cards out"}},
      {"run --machine model56sx", 2, {"takes the machine as an argument: planar run MACHINE"}},
      {"netio model56sx", 2, {"model56sx: a machine is named with --machine: planar netio --machine model56sx"}},
      {"diff a b " + image, 2, {image + ": is one file more than `planar diff` takes"}},
      {"compare --set peer.turnaround=1us", 2, {"'peer' is not a card", "machine's file", "--machines"}},
      {"compare --cards ne2 --set 3c523.ram=5", 2, {"no run holds a '3c523'", "--cards"}},
      {"netio --set 'cpu.clock=10 MHz'", 2, {"'cpu' is neither a card nor one of", "peer", "planar config"}},
      {"netio --gdb 12345 --runs 2", 2, {"--runs and --gdb"}},
      {"run pc-p166 --disk " + image + " --disk " + image, 2, {"--disk " + image, "same file", image + ".overlay"}},
      {"run model95 --timeout '1 s'", 2, {"--timeout 1 s", "--until screen:TEXT", "--until \"1 s\""}},
      {"netio --net socket:127.0.0.1:99999", 2, {"socket:127.0.0.1:99999", "a port from 1 to 65535"}},
      {"netio --net socket:127.0.0.1:0", 2, {"socket:127.0.0.1:0", "a port from 1 to 65535"}},
      {"debug model95 --script /tmp", 3, {"--script /tmp: is a folder"}},
  };
  REQUIRE(table.size() >= 30);
  for (const Wrong& wrong : table) {
    const auto said = run_planar(wrong.arguments);
    INFO("planar " << wrong.arguments << "\n" << said.err);
    CHECK(said.status == wrong.status);
    for (const auto& words : wrong.says) CHECK_THAT(said.err, Contains(words));
  }
}

TEST_CASE("an empty file name, as from an unset shell variable, is refused", "[usage]") {
  const std::pair<std::string, std::string> file_options[] = {
      {"netio", "--json ''"},        {"netio", "--capture ''"},           {"netio", "--timeline ''"},
      {"netio", "--trace-file ''"},  {"netio", "--snapshot-at '1 s' ''"}, {"netio", "--restore ''"},
      {"netio", "--screen png:"},    {"netio", "--machine ''"},           {"run model95", "--serial file:"},
      {"run model95", "--audio ''"}, {"run model95", "--kernel ''"},      {"run model95", "--initrd ''"},
      {"run model95", "--image ''"}, {"run model95", "--bios ''"},        {"run model95", "--floppy ''"},
      {"run model95", "--disk ''"},  {"run model95", "--cdrom ''"},       {"run model95", "--do ''"},
      {"list cards", "--json ''"},   {"describe model95", "--json ''"},   {"compare", "--json ''"},
      {"compare", "--report ''"},    {"compare", "--merge ''"},           {"regress", "--json ''"}};
  for (const auto& [verb, option] : file_options) {
    const auto said = run_planar(verb + " " + option);
    INFO("planar " << verb << " " << option << "\n" << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(option.substr(0, option.find(' '))) && Contains("it is empty"));
  }
}

TEST_CASE("an error about a card in a machine file names the line, in config as in run", "[usage]") {
  const Scratch scratch;
  const std::pair<std::string, std::vector<std::string>> wrong_cards[] = {
      {"[slot.1]\ncard = \"ne2\"\nirq = 7\n", {":4:7: slot.1.irq", "the adapter does not offer this"}},
      {"[slot.1]\ncard = \"ne2\"\nmac = \"00:11\"\n", {":4:7: slot.1.mac", "'00:11' is not an Ethernet address"}},
      {"[slot.9]\ncard = \"ne2\"\n", {":2:", "slot.9: model95 has slots 1 to 8; move the card"}},
      {"[slot.1]\ncard = \"ne2\"\n[slot.1.set]\n\"data_port.ready_delay\" = \"5 ns\"\n",
       {":5:1: \"data_port.ready_delay\" is one key in quotes", "data_port.ready_delay = ..."}}};
  std::string many_parts;
  for (int n = 0; n < 60'000; ++n) many_parts += ".a";
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong_machines{
      {"[cache]\nways = 3\n", {":3:8: cache.ways: 3 is out of range; it must be 1, 2 or 4"}},
      {"[memory.dram]\nbanks = 3\n", {":3:9: memory.dram.banks: 3 is out of range"}},
      {"[memory.rom]\nwidth = 3\n", {":3:9: memory.rom.width: 3"}},
      {"[l2]\nline = 40\n", {":3:8: l2.line: 40"}},
      {"[l2]\nhit_mru = 63\n", {":3:11: l2.hit_mru: is 63, expects 2 to 15"}},
      {"[cpu]\nwrite_buffers = 0\n", {":3:17: cpu.write_buffers: 0 is out of range", "1 to 8 on a 486 or Pentium"}},
      {"[memory.refresh]\nperiod = \"1 us\"\nhold = 60\n",
       {":3:10: memory.refresh.period: 1 us is too short", "at least"}},
      {"[memory.refresh]\nperiod = \"2 s\"\n", {":3:10: memory.refresh.period", "500 ns to 1 s"}},
      {"[cpu]\nclock = \"133 MHz\"\n", {":3:9: cpu.clock", "multiple of cpu.bus_clock", "400/3 MHz"}},
      {"[planar]\nclock_start = \"1995-13-01 00:00:00\"\n", {":3:15: planar.clock_start", "no such month"}},
      {"title = 5\n", {":2:9: title: expects a text in quotes"}},
      {"[cpu]\nclock = \"99999 MHz\"\n", {":3:9: cpu.clock", "from 1 Hz to 10000 MHz"}},
      {"[pci]\nclock = \"30 ns\"\n", {":3:9: pci.clock: is of a board of the kind \"pc\"", "leave it out"}},
      {"[cpu]\nprefetch_request = 2\n", {":3:20: cpu.prefetch_request: is for another processor", "386SX"}},
      {"[medium.a]\nearly_release = true\n", {":3:17: medium.a.early_release: is for another", "medium"}},
      {"[channel]\narbitration = \"1 ms\"\n", {":3:15: channel.arbitration: expects at most 10 us"}},
      {"[channel]\nrefresh_hold = \"20 us\"\n", {":3:16: channel.refresh_hold", "memory.refresh.period"}},
      {"[channel]\nextended_cycle = \"190 ns\"\n", {":3:18: channel.extended_cycle", "channel.standard_cycle"}},
      {"[cpu]\nclock = \"30 MHz\"\n", {":3:9: cpu.clock", "multiple of cpu.bus_clock"}},
      {"cpu = \"pentium\"\n", {":2:7: cpu is a table; write [cpu]"}},
      {"[medium.\"a b\"]\nkind = \"ethernet\"\n", {":2:9: \"a b\" is one key in quotes", "letters, digits"}},
      {"[a" + many_parts + "]\nb = 1\n", {"is a key of too many parts"}},
      {"a" + many_parts + " = 1\n", {":2:", "is a key of too many parts"}},
      {"[slot.1]\ncard = \"ne2\"\nburst-mode = \"x\"\n", {":4:14: slot.1.burst-mode: is of other cards, such as"}},
      {"[slot.1]\ncard = \"ne2\"\n[slot.01]\ncard = \"ne2\"\n", {":2:1: slot.1", "slot 1 has a card already"}}};
  for (const auto& [text, says] : wrong_machines) {
    const auto file = scratch.write("machine.toml", "machine = \"model95\"\n" + text);
    const auto said = run_planar("config " + file);
    INFO(text.substr(0, 200) << said.err);
    CHECK(said.status == 2);
    for (const auto& words : says) CHECK_THAT(said.err, Contains(words));
  }
  const auto sx = scratch.write("sx.toml", "machine = \"model56sx\"\n[cpu]\nclock = \"40 MHz\"\n");
  CHECK_THAT(run_planar("config " + sx).err, Contains(sx + ":3:9: cpu.clock: must be cpu.bus_clock, 20 MHz"));

  for (const auto& [text, says] : wrong_cards) {
    const auto file = scratch.write("lab.toml", "machine = \"model95\"\n" + text);
    for (const std::string& verb : {"config " + file, "run " + file + " --until '1 ms'"}) {
      const auto said = run_planar(verb);
      INFO("planar " << verb << "\n" << text << said.err);
      CHECK(said.status == 2);
      for (const auto& words : says) CHECK_THAT(said.err, Contains(words));
      CHECK_THAT(said.err, Contains(file + says.front().substr(0, 3)));
    }
  }
  const auto option = run_planar("config model95 --card ne2:irq=7");
  CHECK(option.status == 2);
  CHECK_THAT(option.err, Contains("--card ne2: slot.1.irq"));
}

TEST_CASE("a name that the host cannot look up is reported like a missing file", "[usage]") {
  const Scratch scratch;
  const auto loop = scratch.file("loop.toml");
  std::filesystem::create_symlink(loop, loop);
  const std::string words(300, 'w'), name = scratch.file(words);
  CHECK(run_planar("run model95 --do 'type \"" + words + "\"' --until '100 ms'").status == 5);  // it is still typing
  for (const std::string& arguments :
       {"config " + loop, "netio --machine " + loop, "compare --machines " + loop, "run model95 --do " + loop,
        "config " + name, "netio --seconds 0.05 --sizes 1024 --json " + name}) {
    const auto said = run_planar(arguments);
    INFO("planar " << arguments << "\n" << said.err);
    CHECK(said.status == 3);
    CHECK_THAT(said.err, !Contains("emulation fault"));
  }
}

TEST_CASE("standard output takes either JSON or text, and no other file", "[usage]") {
  for (const std::string other : {"--screen text", "--serial stdio"}) {
    const auto said = run_planar("netio --seconds 0.05 --sizes 1024 --json - " + other);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("--json - and " + other) && Contains("--json FILE"));
  }
  for (const std::string option : {"--capture", "--timeline", "--trace-file"}) {
    const auto said = run_planar("netio --seconds 0.05 --sizes 1024 " + option + " -");
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(option + " -: is not written to standard output") && Contains("name a file"));
  }
}

TEST_CASE("common spellings of names and times are understood", "[usage]") {
  CHECK(run_planar("config 95").out == run_planar("config model95").out);
  CHECK(run_planar("config 'IBM PS/2 Model 56 SX'").out == run_planar("config model56sx").out);
  CHECK(run_planar("config model95 --card NE/2").out == run_planar("config model95 --card ne2").out);
  CHECK(run_planar("config 95 --card 2=3C523:irq=7").out == run_planar("config model95 --card 2=3c523:irq=7").out);
  CHECK(run_planar("show NE2").out == run_planar("show ne2").out);
  CHECK(run_planar("config p166").out == run_planar("config pc-p166").out);
  CHECK(run_planar("config P3-600").out == run_planar("config pc-p3-600").out);
  const std::string rest = " --machines 77 --cards NE2 --sizes 1024 --json - --seconds ";
  const auto unit = run_planar("compare" + rest + "100ms"), plain = run_planar("compare" + rest + "0.1");
  INFO(unit.err);
  REQUIRE(unit.status == 0);
  CHECK(unit.json()[0]["state_hash"] == plain.json()[0]["state_hash"]);
  for (const char* text : {".1", "0.100", "'0.1 s'"})
    CHECK(run_planar("compare" + rest + text).json()[0]["state_hash"] == plain.json()[0]["state_hash"]);
  CHECK(run_planar("netio --quiet --json - --sizes 1K --machine model77 --seconds 100ms").json()["state_hash"] ==
        plain.json()[0]["state_hash"]);
  const std::string flood =
      "flood --machine model77 --card ne2 --depth driver --seconds 0.02 --quiet --json - --rates ";
  CHECK(run_planar(flood + "2k").json()["state_hash"] == run_planar(flood + "2000").json()["state_hash"]);
  CHECK_THAT(run_planar("netio --sizes 99999999999999999999K").err, Contains("--sizes 99999999999999999999K"));
  CHECK_THAT(run_planar("netio --sizes 18014398509481985K").err, Contains("1 to 32768"));
  CHECK_THAT(run_planar("netio --sizes 65K").err,
             Contains("--sizes 66560: expects up to 16 sizes from 1 to 32768 bytes"));
}

TEST_CASE("options may precede the options that they depend on", "[usage]") {
  CHECK(run_planar("config --card ne2 model56sx").out == run_planar("config model56sx --card ne2").out);
  CHECK(run_planar("config --set ne2.data_port.ready_delay=1us --card ne2 77").status == 0);
  CHECK(run_planar("run --quiet --until '1 ms' model95").status == 0);
  CHECK_THAT(run_planar("describe model95 --card ne2 pic").out, Contains("pic"));
  CHECK_THAT(run_planar("config --card ne2 --card 3c529 model95").out, Contains("3c529") && Contains("ne2"));
}

TEST_CASE("help is available under the words that people try", "[usage]") {
  CHECK(run_planar("help netio").out == run_planar("netio --help").out);
  CHECK(run_planar("help disk create").out == run_planar("disk create --help").out);
  CHECK(run_planar("help").out == run_planar("--help").out);
  for (const char* display : {"DISPLAY", "WAYLAND_DISPLAY"}) unsetenv(display);
  const auto bare = run_planar("");
  CHECK(std::count(bare.err.begin(), bare.err.end(), '\n') < 50);
}

TEST_CASE("a run without a visible screen says so, and how to see it", "[usage]") {
  const auto said = run_planar("run model95 --until '100 ms' --quiet");
  CHECK_THAT(said.err, !Contains("--window"));  // --until says what ends the run
  const Scratch scratch;
  const auto steps =
      run_planar("run model95 --do 'wait 100 ms' --do 'grab screen \"now.txt\"' --result " + scratch.file("kept"));
  INFO(steps.err);
  CHECK(steps.status == 0);
  CHECK_THAT(steps.err, !Contains("the screen is not shown"));
  CHECK(std::filesystem::exists(scratch.file("kept/now.txt")));
}

TEST_CASE("a window without a display is refused, naming the variables first", "[usage]") {
  const Scratch scratch;
  const auto out = scratch.file("out");
  const int status = std::system(("env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER '" +
                                  std::string(PLANAR_BINARY) + "' run model95 --window --quiet --until '1 s' 2>" + out)
                                     .c_str());
  CHECK(WEXITSTATUS(status) == 2);
  CHECK_THAT(read_file(out), Contains("planar: --window: ") && Contains("DISPLAY"));
}
