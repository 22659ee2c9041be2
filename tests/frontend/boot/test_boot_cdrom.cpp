// SPDX-License-Identifier: GPL-2.0-or-later
// A PC boots from CD-ROM: programs that read it themselves, and images of a diskette and of a disk on it (El Torito).
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/frontend/boot/boot_media.hpp"

using namespace boot_media;
using Catch::Matchers::Contains;

namespace {

std::string folder(const Scratch& scratch) {
  const auto name = scratch.file("cd");
  std::filesystem::create_directories(name);
  return name;
}

program::Said run_cd(const Scratch& scratch, const std::string& image, const std::string& steps,
                     const std::string& more = "") {
  return run(scratch, "pc-p166", "--cdrom " + quoted(image) + more, steps);
}

}  // namespace

TEST_CASE("ISOLINUX starts from a CD-ROM, reads its configuration and a typed name", "[boot]") {
  Scratch scratch;
  const auto cd = folder(scratch), settings = scratch.write("cd/isolinux.cfg", syslinux_settings);
  shell("cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 " + quoted(cd));
  const auto said = run_cd(scratch, cdrom(scratch, cd, "isolinux.bin", no_emulation), syslinux_steps);
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("ISOLINUX ") && Contains("Settings were read.") && Contains("boot: No_Such-Kernel=7"));
}

TEST_CASE("GRUB starts from a CD-ROM, executes commands and starts memtest86+", "[boot]") {
  Scratch scratch;
  const auto cd = folder(scratch);
  const auto core =
      grub_core(scratch, "i386-pc-eltorito", "/boot/grub", "biosdisk iso9660 normal minicmd ls cat echo linux");
  shell("cp " + quoted(core) + " " + quoted(cd + "/eltorito.img") + " && cp " + memtest + " " +
        quoted(cd + "/memtest"));
  const auto said = run_cd(scratch, cdrom(scratch, cd, "eltorito.img", no_emulation),
                           grub_steps("cd") + "type \"linux /memtest; boot\\n\"\n" + memtest_steps);
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("166MHz"));
}

TEST_CASE("A diskette image on a CD-ROM is drive A", "[boot]") {
  Scratch scratch;
  const auto cd = folder(scratch);
  shell("cp " + quoted(syslinux_image(scratch, syslinux_settings)) + " " + quoted(cd + "/a.img"));
  const auto said = run_cd(scratch, cdrom(scratch, cd, "a.img", ""), syslinux_steps);
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("SYSLINUX ") && Contains("Settings were read.") && Contains("boot: No_Such-Kernel=7"));
}

TEST_CASE("A disk image on a CD-ROM is the first disk; the real disk is the second", "[boot]") {
  Scratch scratch;
  const auto cd = folder(scratch);
  const auto core = grub_core(scratch, "i386-pc", "(hd0)/", "biosdisk part_msdos normal minicmd ls cat echo");
  const auto image = disk(scratch, 4, 0x83, "", std::string(grub_files) + "boot.img", core);
  shell("mv " + quoted(image) + " " + quoted(cd + "/c.img"));
  const auto blank = scratch.file("blank.img");
  shell("truncate -s 30M " + quoted(blank));
  const auto said = run_cd(scratch, cdrom(scratch, cd, "c.img", "-hard-disk-boot"), grub_steps("hd1"),
                           " --disk " + quoted(blank) + ",mode=memory");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("(hd0) (hd0,msdos1) (hd1)"));
}

TEST_CASE("--boot tries the CD-ROM before a bootable disk", "[boot]") {
  Scratch scratch;
  const auto cd = folder(scratch);
  shell("cp " + quoted(syslinux_image(scratch, syslinux_settings)) + " " + quoted(cd + "/a.img"));
  const auto image = cdrom(scratch, cd, "a.img", "");
  const auto sample = scratch.write("c.img", program::read_file(PLANAR_SOURCE_DIR "/roms/images/sample-drives.img"));
  const auto start = [&](const std::string& more, const std::string& steps) {
    return run_cd(scratch, image, steps, " --disk " + quoted(sample) + ",mode=memory" + more);
  };
  const auto usual = start("", "wait screen \"sample-drives: ok\" within 30 s\n");
  INFO(usual.err);
  CHECK(usual.status == 0);
  const auto ordered = start(" --boot dca", syslinux_steps);
  INFO(ordered.err);
  CHECK(ordered.status == 0);
  CHECK_THAT(ordered.out, Contains("Settings were read.") && !Contains("drive A"));
  CHECK_THAT(start(" --boot x", "").err, Contains("--boot x") && Contains("a (diskette)"));
  CHECK_THAT(program::run_planar("run model95 --boot a").err, Contains("--boot a"));
}

TEST_CASE("A CD-ROM that is not bootable is reported with the reason", "[boot]") {
  Scratch scratch;
  const auto cd = folder(scratch);
  scratch.write("cd/file", std::string(2048, 'x'));
  const auto steps = "wait screen \"Nothing to start.\" within 60 s\n";
  SECTION("no boot record") {
    const auto image = scratch.file("cd.iso");
    shell("xorriso -as mkisofs -quiet -o " + quoted(image) + " " + quoted(cd) + " 2>/dev/null");
    CHECK_THAT(run_cd(scratch, image, steps).out, Contains("CD-ROM is not bootable: it has no El Torito boot record."));
  }
  SECTION("a boot catalog for another processor") {
    const auto image = cdrom(scratch, cd, "file", no_emulation);
    std::fstream out(image, std::ios::in | std::ios::out | std::ios::binary);
    out.seekg(17 * 2048 + 0x47);
    std::uint8_t at[4];
    out.read(reinterpret_cast<char*>(at), 4);
    out.seekp((at[0] | at[1] << 8 | at[2] << 16) * 2048 + 1);
    out.put(1);
    out.close();
    CHECK_THAT(run_cd(scratch, image, steps).out, Contains("its boot catalog names nothing that can be started."));
  }
  SECTION("an image that ends before the boot record") {
    CHECK_THAT(run_cd(scratch, scratch.write("short.iso", std::string(2048, '\0')), steps).out,
               Contains("CD-ROM is not bootable: it cannot be read."));
  }
}
