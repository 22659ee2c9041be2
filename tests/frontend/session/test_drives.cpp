// SPDX-License-Identifier: GPL-2.0-or-later
// Drive B, and inserting and removing media while a machine runs: in steps, in the debugger, in snapshots.
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"
#include "tests/machines/assembler.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::Matches;
using namespace program;
using planar::test::Assembler;

namespace {

std::string doing(const std::string& text) { return " --do '" + text + "'"; }
std::string insert_b(const std::string& file) { return doing("insert diskette b \"" + file + ",mode=memory\""); }
/// After a key, a line of the program below appears.
std::string shows(const std::string& text) { return doing("wait screen \"" + text + "\" within 30 s"); }

void put_character(Assembler& a) { a.label("put")({0xB4, 0x0E, 0xBB, 0x07, 0x00, 0xCD, 0x10, 0xC3}); }

/// A diskette whose program shows, at first and again after each key: the number of diskette drives according to INT
/// 11h and to INT 13h function 08h, the type of drive B according to the latter, and the first byte in drive B, or '!'
/// if it cannot be read.
std::string looking_diskette(const Scratch& scratch) {
  Assembler a(0x7C00);
  a({0x31, 0xC0, 0x8E, 0xC0, 0x8E, 0xD8, 0xFC});  // es = ds = 0
  a.label("look")({0xCD, 0x11, 0xC1, 0xE8, 0x06, 0x24, 0x03, 0x04, 0x31}).call("put");
  for (const unsigned drive : {0u, 1u}) {
    a({0xB4, 0x08, 0xB2, drive, 0xCD, 0x13});
    a({0x88, drive == 0 ? 0xD0u : 0xD8u, 0x04, 0x30}).call("put");  // dl, then bl
    a({0x31, 0xC0, 0x8E, 0xC0});
  }
  a({0xBD, 0x03, 0x00});  // tries
  a.label("try")({0xB8, 0x01, 0x02, 0xBB, 0x00, 0x80, 0xB9, 0x01, 0x00, 0xBA, 0x01, 0x00, 0xCD, 0x13});
  a.jump(0x73, "read")({0x4D}).jump(0x75, "try")({0xB0, '!'}).jump(0xEB, "show");
  a.label("read")({0xA0, 0x00, 0x80});
  a.label("show").call("put")({0xB0, 0x0D}).call("put")({0xB0, 0x0A}).call("put");
  a({0x31, 0xC0, 0xCD, 0x16}).jump(0xEB, "look");
  put_character(a);
  const auto image = planar::test::boot_diskette(a);
  return scratch.write("look.img", {image.begin(), image.end()});
}

/// A diskette whose program locks the tray of the ATAPI drive on the second channel and shows "locked".
std::string locking_diskette(const Scratch& scratch) {
  Assembler a(0x7C00);
  a({0xFA, 0x31, 0xC0, 0x8E, 0xD8, 0xFC});
  for (unsigned n = 0; n < 2; ++n) a.call("packet");  // the first one is told about the power-on
  for (const char c : std::string("locked")) a({0xB0, static_cast<unsigned char>(c)}).call("put");
  a({0xFB}).label("end").jump(0xEB, "end");
  a.label("packet")({0xBA, 0x76, 0x01, 0xB0, 0xA0, 0xEE, 0x42, 0xEE});  // drive 0, PACKET
  a.label("ask")({0xEC, 0xA8, 0x80}).jump(0x75, "ask")({0xA8, 0x08}).jump(0x74, "ask");
  a.pointer({0xBA, 0x70, 0x01, 0xBE}, "prevent")({0xB9, 0x06, 0x00, 0xF3, 0x6F, 0xBA, 0x77, 0x01});
  a.label("done")({0xEC, 0xA8, 0x80}).jump(0x75, "done")({0xC3});
  put_character(a);
  a.label("prevent")({0x1E, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
  const auto image = planar::test::boot_diskette(a);
  return scratch.write("lock.img", {image.begin(), image.end()});
}

}  // namespace

TEST_CASE("a machine has one diskette drive, or two with --floppy-b", "[drives]") {
  const Scratch scratch;
  const auto image = looking_diskette(scratch), b = scratch.write("b.img", std::string(1474560, 'x'));
  for (const std::string machine : {"model77", "pc-p166"}) {
    CAPTURE(machine);
    const std::string run = "run " + machine + " --quiet --memory '4 MB' --image " + image;
    const std::string type = machine == "model77" ? "5" : "4";  // 2.88 MB, 1.44 MB
    const auto one = run_planar(run + shows("110!"));
    CHECK(one.status == 0);
    const auto two = run_planar(run + " --floppy-b " + b + ",mode=memory" + shows("22" + type + "x"));
    CHECK(two.status == 0);
    CHECK_THAT(run_planar("config " + machine + " --floppy-b " + b).out, Contains("[floppy.b]"));
    CHECK_THAT(run_planar("run " + machine + " --until '1 ms' --floppy-b empty --cdrom empty").err,
               Contains("drive B: empty") && Contains("CD-ROM") && !Contains("drive A: empty"));
  }
}

TEST_CASE("steps change the diskette in drive B, and a snapshot contains it", "[drives]") {
  const Scratch scratch;
  const auto image = looking_diskette(scratch), x = scratch.write("x.img", std::string(1474560, 'x')),
             y = scratch.write("y.img", std::string(737280, 'y')), empty = scratch.file("empty.snap"),
             full = scratch.file("full.snap");
  const std::string key = doing("press enter");
  const auto run = run_planar("run model77 --quiet --memory '4 MB' --json - --image " + image + " --floppy-b empty" +
                              shows("225!") + insert_b(x) + key + shows("225x") + doing("eject diskette b") +
                              doing("snapshot \"" + empty + "\"") + key + shows("225!") + insert_b(y) + key +
                              shows("225y") + doing("snapshot \"" + full + "\"") + doing("wait 1 s"));
  INFO(run.err);
  REQUIRE(run.status == 0);
  for (const auto& snapshot : {empty, full}) {
    CAPTURE(snapshot);
    const auto rest = run_planar("run --quiet --json - --restore " + snapshot + " --insert " + y);
    INFO(rest.err);
    REQUIRE(rest.status == 0);
    CHECK(rest.json().at("state_hash") == run.json().at("state_hash"));
  }
  CHECK(run_planar("run --quiet --restore " + empty).status == 2);  // inserts y, which is not named on the command line
}

TEST_CASE("a missing drive is reported before the machine starts", "[drives]") {
  const Scratch scratch;
  const auto b = scratch.write("b.img", std::string(1474560, 'x'));
  for (const std::string& text : {"insert diskette b \"" + b + "\"", std::string("eject diskette b")}) {
    const auto said = run_planar("run pc-p166 --quiet" + doing(text));
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("no diskette drive B") && Contains("--floppy-b empty"));
  }
  CHECK_THAT(run_planar("run pc-p166" + doing("eject cd")).err,
             Contains("no CD-ROM drive") && Contains("--cdrom empty"));
  CHECK_THAT(run_planar("run pc-p166" + doing("eject it")).err, Contains("eject what?"));
  CHECK_THAT(run_planar("run pc-p166 --floppy " + b + " --floppy-b " + b).err, Contains("b.img"));
  CHECK_THAT(run_planar("run pc-p166 --floppy-b " + scratch.file("none.img")).err, Contains("no such diskette image"));
}

TEST_CASE("a CD can be inserted and ejected, unless the guest has locked the tray", "[drives]") {
  const Scratch scratch;
  const auto image = locking_diskette(scratch), disc = scratch.write("disc.iso", std::string(64 * 2048, '1')),
             snapshot = scratch.file("locked.snap");
  const std::string run = "run pc-p166 --quiet --result " + scratch.file("result") + " --image " + image + " --cdrom " +
                          disc + shows("locked");
  for (const std::string& text : {std::string("eject cd"), "insert cd \"" + disc + "\""}) {
    const auto refused = run_planar(run + doing(text));
    CHECK(refused.status == 1);
    CHECK_THAT(refused.err, Contains("'" + text + "'") && Contains("locked the tray") && Contains("by force"));
  }
  const auto forced =
      run_planar(run + " --json -" + doing("snapshot \"" + snapshot + "\"") + doing("eject cd by force") +
                 doing("insert cd \"" + disc + "\"") + doing("wait 10 ms"));
  INFO(forced.err);
  REQUIRE(forced.status == 0);
  const auto rest = run_planar("run --quiet --json - --restore " + snapshot + " --insert " + disc);
  INFO(rest.err);
  REQUIRE(rest.status == 0);
  CHECK(rest.json().at("state_hash") == forced.json().at("state_hash"));
  const auto open = run_planar(run + doing("eject cd by force") + doing("describe ide"));
  CHECK(open.status == 0);
  CHECK_THAT(open.out, Matches("[^]*tray open +yes[^]*tray locked +yes[^]*"));
}

TEST_CASE("an empty CD-ROM drive is not bootable", "[drives]") {
  const auto run =
      run_planar("run pc-p166 --quiet --cdrom empty --boot d" + doing("wait screen \"bootable\" within 60 s"));
  INFO(run.err);
  CHECK(run.status == 0);
}

TEST_CASE("the debugger's user can change the media in the drives", "[drives]") {
  const Scratch scratch;
  const auto b = scratch.write("b.img", std::string(1474560, 'x')),
             disc = scratch.write("d.iso", std::string(8192, '1'));
  const auto debug = [&](const std::string& options, const std::string& commands) {
    return run_planar("debug " + options + " --quiet --script " + scratch.write("script", commands));
  };
  const auto said = debug("pc-p166 --floppy-b empty --cdrom empty",
                          "until 10 ms\ninsert diskette b \"" + b + ",mode=memory\"\ninsert cd \"" + disc +
                              "\"\ndescribe diskette ide\neject diskette b\neject cd\ndescribe diskette ide\n");
  INFO(said.err);
  CHECK(said.status == 0);
  const auto times = [&](const std::string& file) {
    std::size_t count = 0;
    for (auto at = said.out.find(file); at != std::string::npos; at = said.out.find(file, at + 1)) ++count;
    return count;
  };
  for (const auto& file : {b, disc}) CHECK(times(file) == 2);  // the command, and one of the two descriptions
  CHECK_THAT(debug("model77", "eject diskette b\n").err, Contains("script:1") && Contains("--floppy-b"));
  CHECK_THAT(debug("model77", "insert station peer\n").err, Contains("write diskette, diskette b or cd"));
  CHECK_THAT(debug("model77", "insert it\n").err, Contains("insert what?"));
}
