// SPDX-License-Identifier: GPL-2.0-or-later
// Diskettes, disks and CD-ROMs with programs that were not written for planar, as Debian ships them: the boot loaders
// SYSLINUX, ISOLINUX, GRUB and GRUB Legacy and the memory tester memtest86+ (packages syslinux, syslinux-common,
// isolinux, grub-common, grub-pc-bin, grub-legacy, memtest86+; mtools, dosfstools, e2fsprogs and xorriso make the
// media).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

namespace boot_media {

using program::Scratch;

constexpr const char* grub_files = "/usr/lib/grub/i386-pc/";
constexpr const char* memtest = "/boot/memtest86+ia32.bin";

inline void shell(const std::string& command) {
  INFO(command << "\nfails; `make test-packages` installs what it needs");
  REQUIRE(std::system(("PATH=$PATH:/usr/sbin:/sbin; { " + command + "; } >/dev/null").c_str()) == 0);
}

inline std::string quoted(const std::string& file) { return "'" + file + "'"; }

/// planar's output for a machine with `media` that is driven through `steps`.
inline program::Said run(const Scratch& scratch, const std::string& machine, const std::string& media,
                         const std::string& steps) {
  const auto file = scratch.write("steps.scenario", steps);
  return program::run_planar("run " + machine + " --quiet --screen text " + media + " --result " +
                             quoted(scratch.file("result")) + " --do " + quoted(file));
}

/// A prompt for a typed name, once settings have been read: common to SYSLINUX and ISOLINUX.
constexpr const char* syslinux_settings = "PROMPT 1\nTIMEOUT 0\nSAY Settings were read.\nDEFAULT none\n";
constexpr const char* syslinux_steps =
    "wait prompt \"boot:\" within 60 s\n"
    "type \"No_Such-Kernel=7\\n\"\n"
    "wait screen \"failed: No such file or directory\" within 30 s\n"
    "wait prompt \"boot:\" within 10 s\n";

/// From GRUB's prompt: a variable, and the names of the drives.
inline std::string grub_steps(const std::string& drive) {
  return "wait prompt \"grub>\" within 90 s\n"
         "type \"set WORD=Planar; echo $WORD-$grub_platform\\n\"\n"
         "wait screen \"Planar-pc\" within 30 s\n"
         "type \"ls\\n\"\n"
         "wait screen \"(" +
         drive + ")\" within 60 s\n";
}

constexpr const char* memtest_steps =
    "wait screen \"Memtest86+\" within 90 s\n"
    "press enter\n"
    "wait screen \"Status: Testing\" within 60 s\n"
    "wait screen \"Errors: 0\" within 10 s\n";

/// A FAT file system of `kilobytes` that SYSLINUX starts from: a diskette, or a disk's partition.
inline std::string syslinux_image(const Scratch& scratch, const std::string& settings, unsigned kilobytes = 1440) {
  const auto image = scratch.file("syslinux.img");
  const auto config = scratch.write("syslinux.cfg", settings);
  shell("mkfs.fat -C " + quoted(image) + " " + std::to_string(kilobytes) + " && mcopy -i " + quoted(image) + " " +
        quoted(config) + " ::syslinux.cfg && syslinux --install " + quoted(image));
  return image;
}

/// GRUB with these modules, as stored after its boot sector.
inline std::string grub_core(const Scratch& scratch, const std::string& format, const std::string& prefix,
                             const std::string& modules) {
  const auto core = scratch.file("core.img");
  shell("grub-mkimage -O " + format + " -p '" + prefix + "' -o " + quoted(core) + " " + modules);
  return core;
}

/// A diskette of `bytes` with GRUB.
inline std::string grub_diskette(const Scratch& scratch, unsigned bytes) {
  const auto core = grub_core(scratch, "i386-pc", "(fd0)/", "biosdisk normal minicmd ls cat echo");
  const auto image = scratch.file("grub.img");
  shell(std::string("cat ") + grub_files + "boot.img " + quoted(core) + " > " + quoted(image) + " && truncate -s " +
        std::to_string(bytes) + " " + quoted(image));
  return image;
}

constexpr std::uint32_t partition_start = 2048;

/// A disk of `megabytes` with one active partition of this type, made from the file system in `content`, which begins
/// at sector 2048. The first sector is `loader`, followed by `core`. The disk ends with its last cylinder of 63 sectors
/// and `heads` heads.
inline std::string disk(const Scratch& scratch, unsigned megabytes, unsigned type, const std::string& content,
                        const std::string& loader, const std::string& core = "", unsigned heads = 16) {
  const auto image = scratch.file("disk.img");
  shell("truncate -s " + std::to_string(megabytes) + "M " + quoted(image));
  std::fstream out(image, std::ios::in | std::ios::out | std::ios::binary);
  auto first = program::read_file(loader).substr(0, 440);
  first.resize(512, '\0');
  const std::uint32_t cylinders = megabytes * 2048 / (heads * 63), sectors = cylinders * heads * 63 - partition_start;
  const auto put = [&](unsigned at, unsigned value) { first[446 + at] = static_cast<char>(value); };
  const auto place = [&](unsigned at, std::uint32_t sector) {
    const std::uint32_t cylinder = sector / (heads * 63);
    put(at, sector / 63 % heads);
    put(at + 1, (sector % 63 + 1) | (cylinder >> 2 & 0xC0));
    put(at + 2, cylinder);
  };
  put(0, 0x80);
  place(1, partition_start);
  put(4, type);
  place(5, partition_start + sectors - 1);
  for (unsigned n = 0; n < 4; ++n) {
    put(8 + n, partition_start >> (8 * n));
    put(12 + n, sectors >> (8 * n));
  }
  first.replace(510, 2, "\x55\xAA");
  out << first;
  if (!core.empty()) out << program::read_file(core);
  out.seekp(partition_start * 512);
  if (!content.empty()) out << program::read_file(content);
  REQUIRE(out.good());
  return image;
}

/// A CD-ROM with the files of a folder, which boots from the file `boot` in it; `how` are xorriso's options for that.
inline std::string cdrom(const Scratch& scratch, const std::string& folder, const std::string& boot,
                         const std::string& how) {
  const auto image = scratch.file("cd.iso");
  shell("xorriso -report_about WARNING -as mkisofs -quiet -R -o " + quoted(image) + " -b " + boot + " -c boot.cat " +
        how + " " + quoted(folder) + " 2>/dev/null");
  return image;
}
constexpr const char* no_emulation = "-no-emul-boot -boot-load-size 4 -boot-info-table";

}  // namespace boot_media
