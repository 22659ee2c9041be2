// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that were not written for planar boot from diskettes and disks made here, and are recognised by their
// output.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/frontend/boot/boot_media.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace boot_media;
using Catch::Matchers::Contains;

TEST_CASE("SYSLINUX starts from a diskette on every machine, reads its configuration and a typed name", "[boot]") {
  const std::vector<std::string> all{"model56sx", "model77", "model95", "pc-p166", "pc-p2-400", "pc-p3-800"},
      few{"model56sx", "model77", "model95", "pc-p166"};
  const auto machine = GENERATE_REF(from_range(program::short_runs() ? few : all));
  CAPTURE(machine);
  Scratch scratch;
  const auto said =
      run(scratch, machine, "--image " + quoted(syslinux_image(scratch, syslinux_settings)), syslinux_steps);
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("SYSLINUX ") && Contains("Settings were read.") && Contains("boot: No_Such-Kernel=7"));
}

// GRUB asks INT 13h for the number of sectors per track, and is told the drive's maximum, as by IBM's firmware: in the
// PS/2s' 2.88 MB drives it needs a diskette of that size.
TEST_CASE("GRUB starts from a diskette on every machine and executes commands", "[boot]") {
  const std::vector<std::string> all{"model56sx", "model77", "model95", "pc-p166"}, few{"model56sx", "pc-p166"};
  const auto machine = GENERATE_REF(from_range(program::short_runs() ? few : all));
  CAPTURE(machine);
  Scratch scratch;
  const auto image = grub_diskette(scratch, machine == "pc-p166" ? 1474560 : 2949120);
  const auto said = run(scratch, machine, "--image " + quoted(image), grub_steps("fd0"));
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("GNU GRUB"));
}

// Debian's build of it needs CMOV, and therefore the P6. Its files are put on a diskette one after another, as
// described in its manual.
TEST_CASE("GRUB Legacy starts from a diskette and sees the firmware's memory map and the drive", "[boot]") {
  const bool debian_12 = program::read_file("/etc/debian_version").starts_with("12");
  if (!debian_12 && !std::filesystem::exists("/usr/lib/grub/x86_64-pc/stage1"))
    SKIP("Debian no longer has GRUB Legacy after version 12");
  Scratch scratch;
  const auto image = scratch.file("legacy.img");
  shell("cat /usr/lib/grub/x86_64-pc/stage1 /usr/lib/grub/x86_64-pc/stage2 > " + quoted(image) +
        " && truncate -s 1474560 " + quoted(image));
  const auto said = run(scratch, "pc-p3-600", "--image " + quoted(image),
                        "wait prompt \"grub>\" within 90 s\n"
                        "type \"displaymem\\n\"\n"
                        "wait screen \"Address Map BIOS Interface is present\" within 30 s\n"
                        "type \"geometry (fd0)\\n\"\n"
                        "wait screen \"C/H/S = 80/2/18\" within 30 s\n");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("Upper memory (to first chipset hole): 130048K"));
}

TEST_CASE("memtest86+ starts from a diskette on machines with a Pentium and tests their memory", "[boot]") {
  const std::string machine = GENERATE("model95", "pc-p166");
  CAPTURE(machine);
  Scratch scratch;
  const auto image = syslinux_image(scratch, "DEFAULT memtest\nLABEL memtest\nLINUX memtest\n");
  shell("mcopy -i " + quoted(image) + " " + memtest + " ::memtest");
  const auto said = run(scratch, machine, "--image " + quoted(image), memtest_steps);
  INFO(said.err);
  REQUIRE(said.status == 0);
  const bool pc = machine == "pc-p166";
  CHECK_THAT(said.out, Contains("Pentium") && Contains(pc ? "166MHz" : "90MHz") && Contains(pc ? "64MB" : "32MB"));
}

TEST_CASE("SYSLINUX starts from a FAT partition of a SCSI or IDE disk", "[boot]") {
  const std::vector<std::string> all{"model95", "pc-p166"}, one{"pc-p166"};
  const auto machine = GENERATE_REF(from_range(program::short_runs() ? one : all));
  CAPTURE(machine);
  Scratch scratch;
  const auto image =
      disk(scratch, 20, 0x06, syslinux_image(scratch, syslinux_settings, 17 * 1024), "/usr/lib/syslinux/mbr/mbr.bin");
  const auto said = run(scratch, machine, "--disk " + quoted(image) + ",mode=memory", syslinux_steps);
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("SYSLINUX ") && Contains("Settings were read.") && Contains("boot: No_Such-Kernel=7"));
}

TEST_CASE("A disk as Debian installs it boots: GRUB before an ext4 partition, a menu, a kernel", "[boot]") {
  // Above 504 MB programs see more heads than the disk has; above 8 GB only packets reach its end.
  const std::vector<std::pair<std::string, unsigned>> all{
      {"model95", 40}, {"pc-p166", 40}, {"pc-p166", 3000}, {"pc-p166", 12000}},
      one{{"pc-p166", 12000}};
  const auto [machine, megabytes] = GENERATE_REF(from_range(program::short_runs() ? one : all));
  CAPTURE(machine, megabytes);
  Scratch scratch;
  const auto root = scratch.file("root"), partition = scratch.file("partition");
  const auto menu = scratch.write("grub.cfg",
                                  "set timeout=1\nset default=0\n"
                                  "menuentry 'A kernel' {\n  linux /boot/memtest\n}\n");
  shell("mkdir -p " + quoted(root + "/boot/grub") + " && cp " + quoted(menu) + " " + quoted(root + "/boot/grub") +
        " && cp " + memtest + " " + quoted(root + "/boot/memtest") + " && mke2fs -q -t ext4 -d " + quoted(root) + " " +
        quoted(partition) + " 16M");
  const auto core =
      grub_core(scratch, "i386-pc", "(hd0,msdos1)/boot/grub", "biosdisk part_msdos ext2 normal linux echo");
  const auto image =
      disk(scratch, megabytes, 0x83, partition, std::string(grub_files) + "boot.img", core, megabytes > 504 ? 128 : 16);
  const auto said = run(scratch, machine, "--disk " + quoted(image) + ",mode=memory", memtest_steps);
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("Pentium"));
}
