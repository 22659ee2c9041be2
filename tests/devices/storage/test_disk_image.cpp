// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/image/disk_image.hpp"

#include <sys/stat.h>

#include "core/state/archive.hpp"
#include "devices/board/at/diskette/floppy_image.hpp"
#include "tests/catch.hpp"
#include "tests/devices/storage/disk_files.hpp"

using namespace planar;
using namespace planar::storage;
using Catch::Matchers::Contains;
using planar::tests::base_content;
using planar::tests::DiskFiles;
using planar::tests::generation_of;
using planar::tests::refusal;
using planar::tests::sector_content;

namespace {

constexpr std::uint32_t sectors = 400;

std::optional<std::uint32_t> generation(const DiskImage& disk, std::uint32_t sector) {
  std::array<std::uint8_t, sector_bytes> bytes{};
  if (!disk.read(sector, bytes)) return std::nullopt;
  return generation_of(sector, bytes);
}

bool write(DiskImage& disk, std::uint32_t sector, std::uint32_t generation) {
  return disk.write(sector, sector_content(sector, generation));
}

}  // namespace

TEST_CASE("an overlay preserves changes between runs and never writes to its base") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(sectors));
  const auto before = DiskFiles::read(base);
  { CHECK(generation(DiskImage::open({base}), 7) == 0u); }
  CHECK_FALSE(std::filesystem::exists(base + ".overlay"));  // a run without writes leaves no file
  {
    DiskImage disk = DiskImage::open({base});
    CHECK(disk.sectors() == sectors);
    CHECK(disk.mode() == WriteMode::overlay);
    CHECK(generation(disk, 7) == 0u);
    CHECK(write(disk, 7, 1));
    CHECK(write(disk, 399, 2));
    CHECK(write(disk, 7, 3));
    CHECK(generation(disk, 7) == 3u);
    CHECK(disk.changed_sectors() == 2);
    CHECK_FALSE(disk.write(400, sector_content(400, 1)));
    std::vector<std::uint8_t> two(1024);
    CHECK_FALSE(disk.write(399, two));
    CHECK_FALSE(disk.read(399, two));
    CHECK_FALSE(disk.read(std::uint64_t{1} << 60, two));
  }
  DiskImage again = DiskImage::open({base});
  CHECK(generation(again, 7) == 3u);
  CHECK(generation(again, 399) == 2u);
  CHECK(generation(again, 8) == 0u);
  CHECK(DiskFiles::read(base) == before);
}

TEST_CASE("an overlay's file size is proportional to the changes") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(sectors));
  DiskImage disk = DiskImage::open({base});
  for (std::uint32_t round = 1; round < 100; ++round) {
    for (std::uint32_t s = 0; s < 20; ++s) REQUIRE(write(disk, s, round));
    REQUIRE(disk.flush());
  }
  CHECK(disk.changed_sectors() == 20);
  CHECK(disk.overlay()->file_bytes() <= 4096 + 41 * 544);  // the current ones and those they replace
  std::vector<std::uint8_t> many(64 * sector_bytes);
  for (std::uint32_t s = 0; s < 64; ++s) {
    const auto one = sector_content(s + 10, 200);
    std::copy(one.begin(), one.end(), many.begin() + s * sector_bytes);
  }
  REQUIRE(disk.write(10, many));
  std::vector<std::uint8_t> back(many.size());
  REQUIRE(disk.read(10, back));
  CHECK(back == many);
}

TEST_CASE("write-through writes to the base; memory and read-only modes create no file") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(sectors));
  {
    DiskImage disk = DiskImage::open({base, WriteMode::memory, {}});
    CHECK(write(disk, 5, 1));
    CHECK(generation(disk, 5) == 1u);
    std::vector<std::uint8_t> span(4 * sector_bytes);
    CHECK(disk.read(4, span));
    CHECK(generation_of(5, std::span(span).subspan(sector_bytes, sector_bytes)) == 1u);
    CHECK(generation_of(6, std::span(span).subspan(2 * sector_bytes, sector_bytes)) == 0u);
  }
  CHECK(DiskFiles::read(base) == base_content(sectors));
  {
    DiskImage disk = DiskImage::open({base, WriteMode::read_only, {}});
    CHECK(disk.write_protected());
    CHECK_FALSE(write(disk, 5, 1));
  }
  {
    DiskImage disk = DiskImage::open({base, WriteMode::write_through, {}});
    CHECK(write(disk, 5, 1));
    CHECK_THAT(refusal([&] { DiskImage::open({base}); }), Contains("in use by another planar"));
  }
  CHECK(DiskFiles::read(base) != base_content(sectors));
  DiskImage disk = DiskImage::open({base, WriteMode::read_only, {}});
  CHECK(generation(disk, 5) == 1u);
  CHECK_FALSE(std::filesystem::exists(base + ".overlay"));
}

TEST_CASE("an overlay names its base, and can be committed into it") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(sectors));
  const auto work = files.file("work.ovl");
  create_overlay(work, base);
  CHECK_THAT(refusal([&] { create_overlay(work, base); }), Contains("exists already"));
  {
    DiskImage disk = DiskImage::open({work});
    CHECK(disk.name() == base);
    CHECK(write(disk, 9, 4));
    CHECK_THAT(refusal([&] { DiskImage::open({work}); }), Contains("in use"));
    CHECK_THAT(refusal([&] { commit_overlay(work); }), Contains("in use"));
  }
  CHECK_THAT(refusal([&] { create_overlay(files.file("x.ovl"), work); }), Contains("itself an overlay"));
  CHECK_THAT(refusal([&] { DiskImage::open({work, WriteMode::write_through, {}}); }), Contains("disk commit"));
  {
    DiskImage disk = DiskImage::open({work, WriteMode::memory, {}});  // changes on top of changes, discarded
    CHECK(generation(disk, 9) == 4u);
    CHECK(write(disk, 9, 5));
    CHECK(write(disk, 10, 5));
    CHECK(disk.changed_sectors() == 2);
  }
  CHECK(commit_overlay(work) == 1);
  DiskImage raw = DiskImage::open({base, WriteMode::read_only, {}});
  CHECK(generation(raw, 9) == 4u);
  DiskImage disk = DiskImage::open({work});
  CHECK(disk.changed_sectors() == 0);
  CHECK(generation(disk, 9) == 4u);
}

TEST_CASE("images of other kinds and sizes are rejected with file, reason and remedy") {
  DiskFiles files;
  const auto open = [](const std::string& file, const ImageKind& kind = disk_kind) {
    return refusal([&] { DiskImage::open({file}, kind); });
  };
  CHECK_THAT(open(files.file("none.img")), Contains("none.img: there is no such disk image"));
  CHECK_THAT(open(files.file("")), Contains("is a directory"));
  CHECK_THAT(open("/dev/null"), Contains("no plain file"));
  CHECK_THAT(open(files.write("empty.img", "")), Contains("is empty"));
  CHECK_THAT(open(files.write("odd.img", std::string(1000, 'x'))), Contains("1000 bytes") && Contains("truncate"));
  const auto with = [](std::string start) {
    start.resize(4096, '\0');
    return start;
  };
  CHECK_THAT(open(files.write("a.qcow2", with("QFI\xFB"))), Contains("qcow2") && Contains("qemu-img convert"));
  CHECK_THAT(open(files.write("a.vmdk", with("KDMV"))), Contains("VMDK"));
  CHECK_THAT(open(files.write("a.gz", with("\x1F\x8B"))), Contains("gzip"));
  CHECK_THAT(open(files.write("fixed.vhd", std::string(4096, '\0') + with("conectix").substr(0, 512))),
             Contains("VHD"));
  CHECK_THAT(open(files.write("cd.bin", std::string(2352 * 3, '\0')), cdrom_kind), Contains("2352"));
  CHECK_THAT(open(files.write("cd.iso", std::string(1024, '\0')), cdrom_kind), Contains("2048"));
  const auto base = files.write("base.img", base_content(8));
  CHECK_THAT(refusal([&] { DiskImage::open({base, WriteMode::memory, files.file("o")}); }), Contains("overlay="));
  CHECK_THAT(refusal([&] {
               DiskImage::open({base, WriteMode::overlay, files.file("no/where")});
             }),
             Contains("cannot be made") && Contains("mode=memory"));
  CHECK_THAT(refusal([&] { DiskImage::open({base, WriteMode::overlay, base}); }), Contains("names the image itself"));
  const auto text = files.write("notes.txt", "no overlay at all");
  CHECK_THAT(refusal([&] { DiskImage::open({base, WriteMode::overlay, text}); }), Contains("no overlay of planar"));
}

TEST_CASE("an overlay with any wrong header byte is rejected") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(sectors));
  const auto work = files.file("work.ovl");
  create_overlay(work, base);
  {
    DiskImage disk = DiskImage::open({work});
    for (std::uint32_t s = 0; s < 50; ++s) REQUIRE(write(disk, s, 1));
  }
  const auto good = DiskFiles::read(work);
  for (std::size_t at = 0; at < 2048; at += at < 200 ? 1 : 37) {
    auto bad = good;
    bad[at] ^= 0x41;
    files.write("bad.ovl", bad);
    const auto said = refusal([&] { DiskImage::open({files.file("bad.ovl"), WriteMode::memory, {}}); });
    INFO(at);
    CHECK_THAT(said, Contains("bad.ovl: "));
    CHECK_FALSE(said.empty());
  }
  for (const std::size_t length : {0, 5, 16, 4095, 4096, 4096 + 544 * 49, 4096 + 544 * 50 - 1}) {
    files.write("short.ovl",
                std::vector<std::uint8_t>(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)));
    INFO(length);
    CHECK_FALSE(refusal([&] { DiskImage::open({files.file("short.ovl"), WriteMode::memory, {}}); }).empty());
  }
  // A different base, a modified base, a missing base.
  const auto other = files.write("other.img", base_content(sectors + 1));
  CHECK_THAT(refusal([&] { DiskImage::open({other, WriteMode::overlay, work}); }), Contains("401"));
  auto changed = base_content(sectors);
  changed[100] ^= 1;
  const auto same_size = files.write("changed.img", changed);
  CHECK_THAT(refusal([&] { DiskImage::open({same_size, WriteMode::overlay, work}); }), Contains("was changed since"));
  std::filesystem::remove(base);
  CHECK_THAT(refusal([&] { DiskImage::open({work}); }), Contains("base.img"));
}

TEST_CASE("a damaged slot is an unreadable sector until it is rewritten, never the old contents") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(sectors));
  const auto work = files.file("work.ovl");
  create_overlay(work, base);
  {
    DiskImage disk = DiskImage::open({work});
    for (std::uint32_t s = 0; s < 10; ++s) REQUIRE(write(disk, s, 1));
  }
  auto bytes = DiskFiles::read(work);
  bytes[4096 + 3 * 544 + 100] ^= 1;
  files.write("work.ovl", bytes);
  {
    DiskImage disk = DiskImage::open({work});
    CHECK_FALSE(generation(disk, 3));
    CHECK_THAT(disk.failure(), Contains("sector 3 is damaged"));
    CHECK(disk.overlay()->unreadable_sectors() == 1);
    CHECK(generation(disk, 2) == 1u);
  }
  CHECK_THAT(refusal([&] { commit_overlay(work); }), Contains("damaged"));
  {
    DiskImage disk = DiskImage::open({work});
    CHECK_FALSE(generation(disk, 3));  // and stays unreadable
    CHECK(write(disk, 3, 2));
    CHECK(generation(disk, 3) == 2u);
  }
  DiskImage disk = DiskImage::open({work});
  CHECK(generation(disk, 3) == 2u);
  CHECK(disk.overlay()->unreadable_sectors() == 0);
}

TEST_CASE("a snapshot of a disk contains its changes and is accepted only with its own base") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(sectors));
  DiskImage disk = DiskImage::open({base});
  CHECK(write(disk, 1, 1));
  CHECK(write(disk, 300, 2));
  Archive saved = Archive::saver();
  disk.archive(saved);
  CHECK(write(disk, 1, 3));  // the run continues

  DiskImage restored = DiskImage::open({base, WriteMode::memory, {}});
  Archive loader = Archive::loader(saved.stream());
  restored.archive(loader);
  loader.expect_end();
  CHECK(generation(restored, 1) == 1u);
  CHECK(generation(restored, 300) == 2u);
  CHECK(generation(restored, 2) == 0u);

  Archive refused = Archive::loader(saved.stream());
  CHECK_THROWS_AS(disk.archive(refused), Error);
  auto other_bytes = base_content(sectors);
  other_bytes[sectors * 256] ^= 1;
  DiskImage other = DiskImage::open({files.write("other.img", other_bytes), WriteMode::memory, {}});
  Archive foreign = Archive::loader(saved.stream());
  CHECK_THROWS_AS(other.archive(foreign), Error);
}

TEST_CASE("diskettes of every PS/2 size open with an overlay, write-through, and by the overlay's name") {
  DiskFiles files;
  for (const std::uint32_t bytes : {368'640u, 737'280u, 1'228'800u, 1'474'560u, 2'949'120u}) {
    const auto base = files.write(std::to_string(bytes) + ".img", std::vector<std::uint8_t>(bytes, 0xF6));
    std::array<std::uint8_t, 512> sector{};
    {
      FloppyImage diskette = FloppyImage::open({base});
      REQUIRE(diskette.geometry().bytes() == bytes);
      CHECK(diskette.write(diskette.geometry().cylinders - 1u, 1, diskette.geometry().sectors, sector));
    }
    CHECK(DiskFiles::read(base) == std::vector<std::uint8_t>(bytes, 0xF6));
    {
      FloppyImage diskette = FloppyImage::open({base + ".overlay"});
      sector.fill(1);
      CHECK(diskette.read(diskette.geometry().cylinders - 1u, 1, diskette.geometry().sectors, sector));
      CHECK(sector == std::array<std::uint8_t, 512>{});
    }
    FloppyImage through = FloppyImage::open({base, WriteMode::write_through, {}});
    CHECK(through.write(0, 0, 1, sector));
    CHECK(DiskFiles::read(base)[0] == 0);
  }
}

TEST_CASE("an overlay with arbitrary damage is rejected or read, with every sector intact or unreadable") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(sectors));
  const auto work = files.file("work.ovl");
  create_overlay(work, base);
  {
    DiskImage disk = DiskImage::open({work});
    for (std::uint32_t s = 0; s < 60; ++s) REQUIRE(write(disk, s * 5, 1 + s % 3));
    REQUIRE(disk.flush());
    for (std::uint32_t s = 0; s < 20; ++s) REQUIRE(write(disk, s * 7, 4));
  }
  const auto good = DiskFiles::read(work);
  std::uint32_t x = 99;
  const auto random = [&] {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
  };
  int opened = 0;
  for (int round = 0; round < 300; ++round) {
    auto bad = good;
    for (unsigned n = random() % 20 + 1; n-- > 0;) {
      const std::size_t at = 2048 + random() % (bad.size() - 2048);
      if (random() % 32 == 0)
        bad.resize(std::max<std::size_t>(at, 4096));
      else
        bad[at] = static_cast<std::uint8_t>(random());
    }
    files.write("bad.ovl", bad);
    try {
      const DiskImage disk =
          DiskImage::open({files.file("bad.ovl"), round % 2 ? WriteMode::overlay : WriteMode::memory, {}});
      ++opened;
      std::array<std::uint8_t, sector_bytes> bytes{};
      for (std::uint32_t s = 0; s < sectors; ++s)
        if (disk.read(s, bytes)) REQUIRE(generation_of(s, bytes));
    } catch (const Error& e) { REQUIRE_THAT(e.what(), Contains("bad.ovl: ")); }
  }
  CHECK(opened > 30);
}
