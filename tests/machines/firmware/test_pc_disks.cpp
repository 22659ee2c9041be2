// SPDX-License-Identifier: GPL-2.0-or-later
// INT 13h of a PC for IDE disks and CD-ROMs, as shown by the boot sector sample-drives, and from which drive a PC
// boots.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "machines/config/machine_files.hpp"
#include "tests/catch.hpp"
#include "tests/devices/storage/disk_files.hpp"
#include "tests/machines/firmware/post_bench.hpp"

using namespace planar;
using namespace planar::test;
using Catch::Matchers::Contains;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes drives_sector() {
  std::ifstream in(std::string(PLANAR_SOURCE_DIR) + "/roms/images/sample-drives.img", std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(bytes.size() == 512);
  return bytes;
}

void put(Bytes& bytes, std::size_t at, std::initializer_list<unsigned> values) {
  for (const unsigned v : values) bytes.at(at++) = static_cast<std::uint8_t>(v);
}

constexpr std::size_t cd_block = 2048, catalog = 18 * cd_block, image_block = 20;

/// A CD-ROM of 900 blocks whose catalog names `image`, at block 20, as `media`: 0 a program, 2 a diskette, 4 a disk.
Bytes cdrom(unsigned media, const Bytes& image) {
  Bytes cd(900 * cd_block);
  const std::string record("\0CD001\1EL TORITO SPECIFICATION", 30);
  std::copy(record.begin(), record.end(), cd.begin() + 17 * cd_block);
  put(cd, 17 * cd_block + 0x47, {18});
  put(cd, catalog, {1});
  put(cd, catalog + 0x1C, {0xAA, 0x55, 0x55, 0xAA});  // the words' sum is 0
  put(cd, catalog + 32, {0x88, media, 0, 0, 0, 0, 1, 0, image_block});
  std::copy(image.begin(), image.end(), cd.begin() + image_block * cd_block);
  return cd;
}

class Drives {
 public:
  /// A disk of this many sectors, of which only the first is written to the host's disk.
  void disk(unsigned id, std::uint64_t sectors, const Bytes& first = {}) {
    const auto name = files_.write(fmt::format("disk{}", id), first.empty() ? Bytes{0} : first);
    std::filesystem::resize_file(name, sectors * 512);
    add("disk", id, name);
  }
  void cd(unsigned id, const Bytes& bytes) { add("cdrom", id, files_.write(fmt::format("cd{}", id), bytes)); }
  void boot(const std::string& order) { config_.set_text("planar.boot", order, "the test"); }

  /// The screen of a machine with these drives after a boot sector or POST has finished.
  std::string screen() {
    PostBench bench(std::move(config_), "");
    REQUIRE(bench.post());
    bench.halt(1'000_ms);
    return bench.screen();
  }

 private:
  void add(const std::string& kind, unsigned id, const std::string& file) {
    config_.set(fmt::format("{}.{}.file", kind, id), file, "the test");
    if (kind == "disk") config_.set(fmt::format("disk.{}.mode", id), "memory", "the test");
  }

  tests::DiskFiles files_;
  Config config_ = load_machine("pc-p166");
};

}  // namespace

TEST_CASE("PC: INT 13h accesses IDE disks according to their size", "[pc-disks]") {
  struct Expected {
    std::uint64_t sectors;
    std::string parameters, size, own, table;
  };
  const auto e = GENERATE(values<Expected>({
      // 20 MB: 40 cylinders, the disk's own heads and sectors; the rest after the last cylinder is reached by packets
      {40960, "273F 0F01", "0000 A000", "001E 0002 0028 0000 0010 0000 003F 0000 A000 0000",
       "0028 0010 0000 0000 0008 0000 0028 003F"},
      // less than a cylinder
      {10, "003F 0F01", "0000 000A", "001E 0002 0001 0000 0010 0000 003F 0000 000A 0000",
       "0001 0010 0000 0000 0008 0000 0001 003F"},
      // 504 MB and one cylinder more: twice the heads, half the cylinders
      {1024 * 1008, "FFFF 0F01", "000F C000", "001E 0002 0400 0000 0010 0000 003F 0000 C000 000F",
       "0400 0010 0000 0000 0008 0000 0400 003F"},
      {1025 * 1008, "FF7F 1F01", "000F C3F0", "001E 0002 0401 0000 0010 0000 003F 0000 C3F0 000F",
       "0200 A020 003F 0000 0108 1004 0200 A13F"},
      // 3 GB: 128 heads
      {3000 * 2048, "F8BF 7F01", "005D C000", "001E 0002 17CF 0000 0010 0000 003F 0000 C000 005D",
       "02F9 A080 003F 0000 CF08 1017 02F9 6E3F"},
      // 12 GB: no more than 1024 cylinders of 255 heads; the disk's own geometry does not reach its end
      {12000 * 2048, "FFFF FE01", "0177 0000", "001E 0000 3FFF 0000 0010 0000 003F 0000 0000 0177",
       "0400 A0FF 003F 0000 FF08 103F 0400 853F"},
  }));
  CAPTURE(e.sectors);
  Drives drives;
  drives.disk(0, e.sectors, drives_sector());
  const auto screen = drives.screen();
  INFO(screen);
  CHECK_THAT(screen, Contains("sample-drives: ok"));
  CHECK_THAT(screen, Contains("P80 " + e.parameters));
  CHECK_THAT(screen, Contains("T80 0300 " + e.size));
  CHECK_THAT(screen, Contains("E80 2100 0005"));
  CHECK_THAT(screen, Contains("G80 " + e.own + " 0000 0000 0200 0280 9FC0"));
  CHECK_THAT(screen, Contains("V80 " + e.table));
  CHECK_THAT(screen, Contains("X80 0400 0400 0004"));  // sector not found, nothing transferred
}

TEST_CASE("PC: four IDE disks are four drives, each with its interface's table", "[pc-disks]") {
  Drives drives;
  for (unsigned id = 0; id < 4; ++id) drives.disk(id, 40960 * (id + 1), id == 0 ? drives_sector() : Bytes{});
  const auto screen = drives.screen();
  INFO(screen);
  CHECK_THAT(screen, Contains("I81 01F0 03F6 00F0 010E 0000 0010"));
  CHECK_THAT(screen, Contains("P82 7") && Contains("I82 0170 0376 00E0 010F 0000 0010"));
  CHECK_THAT(screen, Contains("T83 0300 0002 8000") && Contains("I83 0170 0376 00F0 010F 0000 0010"));
  CHECK_THAT(screen, Contains("V81 ") && !Contains("V82"));
  CHECK_THAT(screen, Contains("sample-drives: ok"));
}

TEST_CASE("PC: a program from a CD-ROM reads its blocks through drive E0h", "[pc-disks]") {
  Drives drives;
  drives.disk(0, 40960);
  drives.cd(3, cdrom(0, drives_sector()));
  const auto screen = drives.screen();
  INFO(screen);
  CHECK_THAT(screen, Contains("The first disk is not bootable"));
  // 19 bytes; a program on the second channel's slave, at block 20, loaded to 07C0:0, one sector of it
  CHECK_THAT(screen, Contains("SE0 0013 01E0 0014 0000 0001 0000 07C0 0001"));
  CHECK_THAT(screen, Contains("EE0 2100 0001"));
  CHECK_THAT(screen, Contains("GE0 001A 0004 0000 0000 0000 0000 0000 0000 0384 0000 0000 0000 0800"));
  CHECK_THAT(screen, Contains("P80 273F 0F01"));
  CHECK_THAT(screen, Contains("sample-drives: ok"));
}

TEST_CASE("PC: a diskette image is drive 00h, and the disks keep their numbers", "[pc-disks]") {
  Drives drives;
  drives.disk(0, 40960);
  drives.cd(2, cdrom(2, drives_sector()));
  const auto screen = drives.screen();
  INFO(screen);
  CHECK_THAT(screen, Contains("S00 0213 0100 0014 0000 0000 0000 07C0 0001 124F 0001"));
  CHECK_THAT(screen, Contains("P80 273F 0F01"));
  CHECK_THAT(screen, !Contains("P81") && Contains("sample-drives: ok"));
}

TEST_CASE("PC: a disk image is drive 80h, and the real disk 81h", "[pc-disks]") {
  auto sector = drives_sector();
  put(sector, 0x1BE, {0x80, 1, 1, 0, 6, 3, 17, 4});  // ends with head 3, sector 17, cylinder 4
  Drives drives;
  drives.disk(0, 40960);
  drives.cd(2, cdrom(4, sector));
  const auto screen = drives.screen();
  INFO(screen);
  CHECK_THAT(screen, Contains("S80 0413 0180 0014 0000 0000 0000 07C0 0001 1104 0003"));
  CHECK_THAT(screen, Contains("P80 0411 0302") && Contains("T80 0300 0000 0154") && Contains("E80 2100 0001"));
  CHECK_THAT(screen, Contains("P81 273F 0F02") && Contains("T81 0300 0000 A000") && Contains("G81 001E 0002 0028"));
  CHECK_THAT(screen, Contains("sample-drives: ok"));
}

TEST_CASE("PC: the boot order is followed", "[pc-disks]") {
  struct Order {
    std::string letters, shows, not_shown;
  };
  const auto order = GENERATE(values<Order>({{"acd", "drive A cannot be read", "SE0"},
                                             {"dac", "SE0", "drive A"},
                                             {"cd", "P80", "drive A"},
                                             {"d", "SE0", "drive A"},
                                             {"a", "Nothing to start", "P80"}}));
  CAPTURE(order.letters);
  Drives drives;
  drives.boot(order.letters);
  drives.disk(0, 40960, drives_sector());
  drives.cd(2, cdrom(0, drives_sector()));
  const auto screen = drives.screen();
  INFO(screen);
  CHECK_THAT(screen, Contains(order.shows) && !Contains(order.not_shown));
}

TEST_CASE("PC: CD-ROMs with a damaged catalog are skipped, and the next drive is tried", "[pc-disks]") {
  auto bad = cdrom(0, drives_sector());
  std::string why;
  SECTION("wrong checksum") {
    bad[catalog + 5] = 1;
    why = "its boot catalog names nothing that can be started";
  }
  SECTION("not bootable") {
    bad[catalog + 32] = 0;
    why = "its boot catalog names nothing that can be started";
  }
  SECTION("too large a boot program") {
    put(bad, catalog + 38, {0xFF, 0x04});
    why = "its boot program does not fit into memory";
  }
  SECTION("a boot program over the firmware's data") {
    put(bad, catalog + 34, {0x40, 0});
    why = "its boot program does not fit into memory";
  }
  SECTION("a boot program beyond the end of the disc") {
    put(bad, catalog + 40, {0, 0xFF});
    why = "its boot program cannot be read";
  }
  SECTION("a disk image without a partition") {
    bad[catalog + 33] = 4;
    why = "its disk image has no partition";
  }
  Drives drives;
  drives.cd(2, bad);
  drives.cd(3, cdrom(0, drives_sector()));
  const auto screen = drives.screen();
  INFO(screen);
  CHECK_THAT(screen, Contains("The CD-ROM is not bootable: " + why + "."));
  CHECK_THAT(screen, Contains("SE0 0013 01E0 0014 0000 0001") && Contains("sample-drives: ok"));
}
