// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that were not written for planar start from diskettes made here, and are known by what they say: the boot
// loaders SYSLINUX and GRUB and the memory tester memtest86+, as Debian ships them (packages syslinux, mtools,
// dosfstools, grub-pc-bin, grub-common, memtest86+).
#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using program::read_file;
using program::run_planar;
using program::Scratch;

namespace {

void shell(const std::string& command) {
  INFO(command << "\nfails; `make test-packages` installs what it needs");
  REQUIRE(std::system(("PATH=$PATH:/usr/sbin:/sbin; { " + command + "; } >/dev/null").c_str()) == 0);
}

std::string quoted(const std::string& file) { return "'" + file + "'"; }

/// A FAT diskette of 1.44 MB that SYSLINUX starts from.
std::string syslinux_diskette(const Scratch& scratch, const std::string& settings) {
  const auto image = scratch.file("syslinux.img");
  const auto config = scratch.write("syslinux.cfg", settings);
  shell("mkfs.fat -C " + quoted(image) + " 1440 && mcopy -i " + quoted(image) + " " + quoted(config) +
        " ::syslinux.cfg && syslinux --install " + quoted(image));
  return image;
}

program::Said run(const Scratch& scratch, const std::string& machine, const std::string& image,
                  const std::string& steps) {
  const auto file = scratch.write("steps.scenario", steps);
  return run_planar("run " + machine + " --quiet --screen text --image " + quoted(image) + " --result " +
                    quoted(scratch.file("result")) + " --do " + quoted(file));
}

}  // namespace

TEST_CASE("SYSLINUX starts from a diskette on every machine, reads its settings and a name that is typed", "[boot]") {
  const auto machine = GENERATE("model56sx", "model77", "model95");
  CAPTURE(machine);
  Scratch scratch;
  const auto image = syslinux_diskette(scratch, "PROMPT 1\nTIMEOUT 0\nSAY Settings were read.\nDEFAULT none\n");
  const auto said = run(scratch, machine, image,
                        "wait prompt \"boot:\" within 60 s\n"
                        "type \"No_Such-Kernel=7\\n\"\n"
                        "wait screen \"failed: No such file or directory\" within 30 s\n"
                        "wait prompt \"boot:\" within 10 s\n");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("SYSLINUX ") && Contains("Settings were read.") && Contains("boot: No_Such-Kernel=7"));
}

// GRUB asks INT 13h how many sectors a track has, and is told what the drive can do, as IBM's firmware tells it: in a
// 2.88 MB drive it needs a diskette of that size.
TEST_CASE("GRUB starts from a diskette on every machine and does commands", "[boot]") {
  const std::vector<std::string> all{"model56sx", "model77", "model95"}, one{"model56sx"};
  const auto machine = GENERATE_REF(from_range(program::short_runs() ? one : all));
  CAPTURE(machine);
  Scratch scratch;
  const auto core = scratch.file("core.img"), image = scratch.file("grub.img");
  shell("grub-mkimage -O i386-pc -p '(fd0)/' -o " + quoted(core) +
        " biosdisk normal minicmd ls cat echo && cat "
        "/usr/lib/grub/i386-pc/boot.img " +
        quoted(core) + " > " + quoted(image) + " && truncate -s 2949120 " + quoted(image));
  const auto said = run(scratch, machine, image,
                        "wait prompt \"grub>\" within 90 s\n"
                        "type \"set WORD=Planar; echo $WORD-$grub_platform\\n\"\n"
                        "wait screen \"Planar-pc\" within 30 s\n"
                        "type \"ls\\n\"\n"
                        "wait screen \"(fd0)\" within 60 s\n");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("GNU GRUB"));
}

TEST_CASE("memtest86+ starts from a diskette on the Model 95 and tests its memory", "[boot]") {
  Scratch scratch;
  const auto image = syslinux_diskette(scratch, "DEFAULT memtest\nLABEL memtest\nLINUX memtest\n");
  shell("mcopy -i " + quoted(image) + " /boot/memtest86+ia32.bin ::memtest");
  const auto said = run(scratch, "model95", image,
                        "wait screen \"Memtest86+\" within 90 s\n"
                        "press enter\n"
                        "wait screen \"Status: Testing\" within 60 s\n"
                        "wait screen \"Errors: 0\" within 10 s\n");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("Pentium") && Contains("90MHz") && Contains("32MB"));
}
