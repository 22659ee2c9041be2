// SPDX-License-Identifier: GPL-2.0-or-later
// If the host's disk is full the guest is told, and the overlay opens with every write except those reported as failed.
// A limit on this process's file size stands for the full disk; a write across it is cut short, as on a full disk.
#include <sys/resource.h>

#include <csignal>
#include <map>
#include <random>

#include "core/common/crc32.hpp"
#include "tests/catch.hpp"
#include "tests/devices/storage/disk_files.hpp"

using namespace planar;
using namespace planar::storage;
using Catch::Matchers::Contains;
using planar::tests::base_content;
using planar::tests::content;
using planar::tests::DiskFiles;
using planar::tests::generation_of;
using planar::tests::refusal;
using planar::tests::sector_content;

namespace {

constexpr std::uint32_t full_disk_sectors = 400;

/// No file of this process grows beyond `bytes` during this object's lifetime.
class FullDisk {
 public:
  explicit FullDisk(std::uint64_t bytes) : action_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, action_);
  }

 private:
  rlimit before_{};
  void (*action_)(int);
};

std::uint32_t le32(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | static_cast<std::uint32_t>(bytes[at + 3]) << 24;
}

}  // namespace

TEST_CASE("after a full host disk an overlay opens with every acknowledged write") {
  // All fill levels from just the header on, at and near slot boundaries.
  for (const std::uint64_t room : {0, 100, 544, 545, 544 * 7 + 31, 544 * 20, 544 * 70 + 300, 544 * 150 + 543}) {
    INFO("room for " << room << " bytes of slots");
    DiskFiles files;
    const auto base = files.write("base.img", base_content(full_disk_sectors));
    const auto overlay = files.file("work.ovl");
    create_overlay(overlay, base);
    std::map<std::uint32_t, std::uint32_t> acknowledged;
    std::mt19937 random(room + 1);
    unsigned refused = 0;
    {
      DiskImage disk = DiskImage::open({overlay});
      const FullDisk full(4096 + room);
      for (std::uint32_t generation = 1; generation < 200; ++generation) {
        const auto count = 1 + random() % 8, first = random() % (full_disk_sectors - count);
        if (disk.write(first, content(first, count, generation))) {
          for (std::uint32_t n = 0; n < count; ++n) acknowledged[first + n] = generation;
        } else {
          ++refused;  // of a write that was refused, each sector is old or new
          for (std::uint32_t n = 0; n < count; ++n) {
            std::array<std::uint8_t, sector_bytes> bytes{};
            REQUIRE(disk.read(first + n, bytes));
            const auto found = generation_of(first + n, bytes);
            REQUIRE(found);
            REQUIRE((*found == generation || *found == acknowledged[first + n]));
            acknowledged[first + n] = *found;
          }
        }
        if (generation % 9 == 0) disk.flush();
      }
    }
    REQUIRE(refused > 0);
    std::string problem;
    for (const auto mode : {WriteMode::memory, WriteMode::overlay, WriteMode::memory}) {
      REQUIRE(refusal([&] { DiskImage::open({overlay, mode, {}}); }) == "");
      DiskImage disk = DiskImage::open({overlay, mode, {}});
      for (const auto& [sector, generation] : acknowledged) {
        std::array<std::uint8_t, sector_bytes> bytes{};
        REQUIRE(disk.read(sector, bytes));
        REQUIRE(generation_of(sector, bytes) == generation);
      }
      if (mode == WriteMode::overlay) REQUIRE(disk.write(3, content(3, 1, 900)));  // with space again, it continues
      if (mode == WriteMode::overlay) acknowledged[3] = 900;
    }
  }
}

TEST_CASE("a host disk that is repeatedly full still accepts what fits") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(full_disk_sectors));
  DiskImage disk = DiskImage::open({base});
  REQUIRE(disk.write(0, content(0, 4, 1)));
  {
    const FullDisk full(4096 + 544 * 6);
    CHECK_FALSE(disk.write(100, content(100, 5, 2)));
    CHECK_THAT(disk.failure(), Contains("check the free space"));
    CHECK(disk.write(100, content(100, 2, 3)));
    CHECK(disk.flush());
  }
  CHECK(disk.write(200, content(200, 40, 4)));
  CHECK(disk.flush());
  std::array<std::uint8_t, sector_bytes> bytes{};
  REQUIRE(disk.read(101, bytes));
  CHECK(generation_of(101, bytes) == 3u);
}

TEST_CASE("a checkpoint with an impossible number is ignored, and the file opens repeatedly") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(full_disk_sectors));
  const auto work = files.file("work.ovl");
  create_overlay(work, base);
  {
    DiskImage disk = DiskImage::open({work});
    REQUIRE(disk.write(10, content(10, 2, 1)));
  }
  auto bytes = DiskFiles::read(work);
  bytes[4096 + 40] ^= 1;    // a damaged slot: the file may hold less than the checkpoint says
  bytes[2048 + 15] = 0xD8;  // the top byte of its number
  const auto crc = crc32(std::span(bytes).subspan(2048, 24));
  for (unsigned n = 0; n < 4; ++n) bytes[2048 + 24 + n] = static_cast<std::uint8_t>(crc >> (8 * n));
  files.write("work.ovl", bytes);
  for (std::uint32_t round = 0; round < 2; ++round) {
    REQUIRE(refusal([&] { DiskImage::open({work}); }) == "");
    DiskImage disk = DiskImage::open({work});
    CHECK(disk.write(20, content(20, 1, round)));
  }
}

TEST_CASE("an overlay without its latest changes is repaired with all that it has") {
  DiskFiles files;
  const auto base = files.write("base.img", base_content(full_disk_sectors));
  const auto work = files.file("work.ovl");
  create_overlay(work, base);
  {
    DiskImage disk = DiskImage::open({work});
    REQUIRE(disk.write(10, content(10, 30, 1)));
  }
  const auto good = DiskFiles::read(work);
  CHECK_FALSE(OverlayFile::repair(work).needed());
  CHECK(DiskFiles::read(work) == good);

  SECTION("a checkpoint counts writes that the host refused (earlier versions wrote such files)") {
    // The file of a run whose full disk accepted 30 of 47 changes: the checkpoint says 47.
    auto bad = good;
    {
      DiskFiles more;
      const auto other = more.file("more.ovl");
      create_overlay(other, base);
      DiskImage disk = DiskImage::open({other});
      REQUIRE(disk.write(10, content(10, 30, 1)));
      for (std::uint32_t n = 0; n < 17; ++n) REQUIRE(disk.write(50, content(50, 1, n)));
      REQUIRE(disk.flush());
      const auto later = DiskFiles::read(other);
      const auto at = le32(later, 2048 + 8) > le32(later, 3072 + 8) ? 2048 : 3072;
      REQUIRE(le32(later, at + 8) == 47);
      std::copy_n(later.begin() + at, 28, bad.begin() + 2048);
      std::fill_n(bad.begin() + 3072, 28, 0);
      bad.insert(bad.end(), 544 * (le32(later, at + 16) - 30), 0);  // as many slots as the checkpoint counts
    }
    files.write("work.ovl", bad);
    CHECK_THAT(refusal([&] { DiskImage::open({work}); }), Contains("planar disk repair"));
    const auto found = OverlayFile::repair(work);
    CHECK(found.uncounted_changes == 17);
    CHECK(found.sectors == 30);
  }
  SECTION("truncated") {
    auto bad = good;
    bad.resize(4096 + 544 * 25 + 17);
    files.write("work.ovl", bad);
    CHECK_THAT(refusal([&] { DiskImage::open({work}); }), Contains("planar disk repair"));
    const auto found = OverlayFile::repair(work);
    CHECK(found.missing_slots == 5);
    CHECK(found.sectors == 25);
  }
  DiskImage disk = DiskImage::open({work});
  std::array<std::uint8_t, sector_bytes> bytes{};
  for (std::uint32_t s = 10; s < 35; ++s) {
    REQUIRE(disk.read(s, bytes));
    CHECK(generation_of(s, bytes) == 1u);
  }
  CHECK(disk.write(60, content(60, 1, 5)));
  CHECK(disk.flush());
}
