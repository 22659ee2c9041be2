// SPDX-License-Identifier: GPL-2.0-or-later
// `planar disk`, and drives whose changes are kept, as seen by a user.
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using namespace program;

TEST_CASE("planar disk creates, describes and commits images") {
  const Scratch scratch;
  const auto raw = scratch.file("c.img"), work = scratch.file("work.ovl");
  CHECK(run_planar("disk create " + raw + " 20M").status == 0);
  CHECK(std::filesystem::file_size(raw) == 20u << 20);
  CHECK(run_planar("disk create " + scratch.file("a.img") + " 1.44M").status == 0);
  CHECK(std::filesystem::file_size(scratch.file("a.img")) == 1'474'560);
  CHECK(run_planar("disk create " + scratch.file("b.img") + " '2 GB'").status == 0);
  CHECK(std::filesystem::file_size(scratch.file("b.img")) == std::uint64_t{2} << 30);
  const auto twice = run_planar("disk create " + raw + " 20M");
  CHECK(twice.status == 3);
  CHECK_THAT(twice.err, Contains("exists already"));
  CHECK(run_planar("disk create " + scratch.file("x.img")).status == 2);
  CHECK(run_planar("disk create " + scratch.file("x.img") + " 3 apples").status == 2);
  CHECK(run_planar("disk create " + scratch.file("x.img") + " 1000bytes").status == 2);

  CHECK(run_planar("disk create --base " + raw + " " + work).status == 0);
  const auto info = run_planar("disk info --json - " + work);
  REQUIRE(info.status == 0);
  CHECK(info.json()["format"] == "planar overlay");
  CHECK(info.json()["base"] == raw);
  CHECK(info.json()["changed_sectors"] == 0);
  CHECK_THAT(run_planar("disk info " + raw).out, Contains("raw image, 20971520 bytes, 40960 sectors"));
  CHECK_THAT(run_planar("disk commit " + work).out, Contains("0 sectors"));
  const auto wrong = run_planar("disk commit " + raw);
  CHECK(wrong.status == 3);
  CHECK_THAT(wrong.err, Contains("no overlay of planar"));
  CHECK(run_planar("disk info " + scratch.file("absent")).status == 3);

  const auto moved = scratch.file("moved.img");
  std::filesystem::rename(raw, moved);
  for (const std::string& command : {"disk info " + work, "disk commit " + work, "run model77 --disk " + work}) {
    const auto without = run_planar(command);
    CHECK(without.status == 3);
    CHECK_THAT(without.err, Contains(work + ": its base, " + raw + ", is not there") && Contains("--base"));
  }
  CHECK(run_planar("disk commit " + work + " --base " + moved).status == 0);
}

TEST_CASE("guest writes to --floppy go to an overlay, or where mode says") {
  const Scratch scratch;
  const auto original = read_file(PLANAR_SOURCE_DIR "/roms/images/sample-bios.img");
  const auto image = scratch.write("boot.img", original);
  const std::string until = " --quiet --until 'serial:sample-bios: ok'";
  const auto run = [&](const std::string& floppy) { return run_planar("run model95 --floppy " + floppy + until); };
  REQUIRE(run(image + ",mode=memory").status == 0);
  CHECK_FALSE(std::filesystem::exists(image + ".overlay"));
  REQUIRE(run(image).status == 0);
  CHECK(read_file(image) == original);
  const auto info = run_planar("disk info --json - " + image + ".overlay");
  REQUIRE(info.status == 0);
  CHECK(info.json()["changed_sectors"].get<int>() > 0);
  REQUIRE(run(image + ",overlay=" + scratch.file("other.ovl")).status == 0);
  CHECK(std::filesystem::exists(scratch.file("other.ovl")));
  CHECK(run_planar("disk commit " + image + ".overlay").status == 0);
  const auto direct = scratch.write("direct.img", original);
  REQUIRE(run(direct + ",mode=write-through").status == 0);
  CHECK(read_file(direct) == read_file(image));  // the program restores what it overwrote
  CHECK(read_file(direct) == original);

  CHECK_THAT(run(image + ",mode=sideways").err, Contains("sideways"));
  CHECK(run(scratch.file("absent.img")).status == 3);
  CHECK_THAT(run(scratch.write("odd.img", std::string(1024, 'x'))).err, Contains("1024 bytes is not a diskette size"));
}

TEST_CASE("a hard disk boots through INT 13h in every machine and keeps its changes in an overlay") {
  constexpr std::uint32_t sectors = 40960;
  const Scratch scratch;
  std::string disk(std::size_t{sectors} * 512, '\0');
  for (std::uint32_t s = 1; s < sectors; ++s)
    for (unsigned k = 0; k < 4; ++k) disk[std::size_t{s} * 512 + k] = static_cast<char>(s >> (8 * k));
  disk.replace(0, 512, read_file(PLANAR_SOURCE_DIR "/roms/images/sample-disk.img"));
  const auto image = scratch.write("c.img", disk);
  for (const char* machine : {"model56sx", "model77", "model95", "pc-p166"}) {
    INFO(machine);
    const auto run = run_planar(std::string("run ") + machine + " --quiet --screen text --disk " + image +
                                ",overlay=" + scratch.file(machine) + " --until screen:sample-disk: --timeout '60 s'");
    CHECK(run.status == 0);
    CHECK_THAT(run.out, Contains("sample-disk: ok"));
    CHECK_THAT(run_planar(std::string("disk info ") + scratch.file(machine)).out, Contains("changed   1 sectors"));
  }
  CHECK(read_file(image) == disk);
}

TEST_CASE("invalid drives are refused with the reason: address, image, no slot") {
  const Scratch scratch;
  const auto disk = scratch.file("c.img");
  REQUIRE(run_planar("disk create " + disk + " 1M").status == 0);
  CHECK_THAT(run_planar("run model95 --disk " + disk + ",id=7").err, Contains("0 to 6"));
  CHECK_THAT(run_planar("run model95 --disk " + disk + ",id=3 --cdrom " + disk + ",id=3").err,
             Contains("SCSI address"));
  CHECK(run_planar("run model95 --disk " + scratch.file("absent.img")).status == 3);
  CHECK_THAT(run_planar("run model95 --cdrom " + scratch.write("raw.bin", std::string(2352, 'x'))).err,
             Contains("2352"));
  const auto large = scratch.write("large.img", "x");
  std::filesystem::resize_file(large, std::uint64_t{129} << 30);
  CHECK_THAT(run_planar("run pc-p166 --disk " + large).err, Contains("large.img") && Contains("128 GB"));
  CHECK_THAT(run_planar("run model56sx --card ne2 --card 3c523 --card smc8013 --disk " + disk).err,
             Contains("no slot is free"));
  const auto config = run_planar("config model77 --disk " + disk + " --cdrom " + disk);
  CHECK_THAT(config.out, Contains("scsi-cache") && Contains("[disk.6]") && Contains("[cdrom.3]"));
  CHECK(run_planar("show scsi-a").status == 0);
  CHECK_THAT(run_planar("list storage").out, Contains("scsi-a") && Contains("8EFF"));
}

TEST_CASE("a snapshot of a machine with a disk does not affect the run or the files") {
  const Scratch scratch;
  const auto image = scratch.file("c.img"), snap = scratch.file("lab.snap");
  REQUIRE(run_planar("disk create " + image + " 4M").status == 0);
  const auto whole =
      run_planar("run model95 --disk " + image + " --quiet --json - --until '3 s' --snapshot-at '2 s' " + snap);
  REQUIRE(whole.status == 0);
  const auto rest = run_planar("run --restore " + snap + " --quiet --json - --until '3 s'");
  REQUIRE(rest.status == 0);
  CHECK(rest.json()["state_hash"] == whole.json()["state_hash"]);
  const auto through = run_planar("run model95 --disk " + image +
                                  ",mode=write-through --quiet --until '1 s' --snapshot-at '0.5 s' " + snap);
  CHECK(through.status != 0);
  CHECK_THAT(through.err, Contains("write-through"));
}

TEST_CASE("a full host disk is reported to the guest and to the user") {
  const Scratch scratch;
  const auto image = scratch.write("boot.img", read_file(PLANAR_SOURCE_DIR "/roms/images/sample-bios.img"));
  // Room for the overlay's header only: the guest's own test of INT 13h writes fails.
  const auto command = "ulimit -f 8; '" + std::string(PLANAR_BINARY) +
                       "' run model95 --quiet --serial stdio --floppy " + image + " --until '20 s' </dev/null >" +
                       scratch.file("out") + " 2>" + scratch.file("err");
  const int status = std::system(command.c_str());
  INFO(read_file(scratch.file("out")));
  CHECK(WEXITSTATUS(status) == 3);
  CHECK_THAT(read_file(scratch.file("err")), Contains("drive A") && Contains("check the free space"));
  CHECK_THAT(read_file(scratch.file("out")), Contains("write, format write-protected"));
  CHECK_FALSE(std::filesystem::exists(image + ".overlay"));  // there has been no change yet
}

TEST_CASE("an overlay of a version that counted refused writes can be repaired") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.file("d"));
  const auto raw = scratch.file("d/c.img"), work = scratch.file("d/w.ovl");
  REQUIRE(run_planar("disk create " + raw + " 1M").status == 0);
  REQUIRE(run_planar("disk create " + work + " --base " + raw).status == 0);
  const auto good = run_planar("disk repair " + work);
  CHECK(good.status == 0);
  CHECK_THAT(good.out, Contains("needs no repair"));
  CHECK(run_planar("disk repair " + raw).status == 3);
}

TEST_CASE("the diskette drive's type comes from the machine or the command line") {
  const auto rtc = [](const std::string& option) { return run_planar("describe model77 --until '6 s' rtc" + option); };
  CHECK_THAT(rtc("").out, Contains("10  60h"));  // drive A in CMOS register 10h: 2.88 MB
  CHECK_THAT(rtc(" --floppy-drive 1.44").out, Contains("10  40h"));
  CHECK(rtc(" --floppy-drive 5.25").status == 2);
}
