// SPDX-License-Identifier: GPL-2.0-or-later
// A guest never locks itself out by what it writes to its first sector: signatures of other programs' formats count
// only in a file that no overlay vouches for.
#include "tests/catch.hpp"
#include "tests/devices/storage/disk_files.hpp"

using namespace planar;
using namespace planar::storage;
using Catch::Matchers::Contains;
using planar::tests::base_content;
using planar::tests::DiskFiles;
using planar::tests::refusal;

namespace {

/// Sectors that begin like files of other programs, and like an overlay.
const std::string beginnings[] = {"\x1F\x8B\x08", "PK\x03\x04",        "BZh9", "QFI\xFB", "KDMV",
                                  "conectix",     "planar overlay\r\n"};

std::vector<std::uint8_t> sector(const std::string& beginning) {
  std::vector<std::uint8_t> bytes(sector_bytes, 0x5A);
  std::copy(beginning.begin(), beginning.end(), bytes.begin());
  return bytes;
}

std::vector<std::uint8_t> first_sector(const DiskSpec& spec) {
  std::vector<std::uint8_t> bytes(sector_bytes);
  REQUIRE(DiskImage::open(spec).read(0, bytes));
  return bytes;
}

}  // namespace

TEST_CASE("an image whose guest wrote another format's signature to sector 0 still opens, also after commits") {
  for (const std::string& beginning : beginnings) {
    const DiskFiles files;
    const auto base = files.write("base.img", base_content(4096)), overlay = base + ".overlay";
    const auto written = sector(beginning);
    INFO(beginning);
    REQUIRE(DiskImage::open({base}).write(0, written));
    CHECK(first_sector({base}) == written);
    CHECK(commit_overlay(overlay) == 1);
    for (const WriteMode mode : {WriteMode::overlay, WriteMode::memory, WriteMode::read_only})
      CHECK(first_sector({base, mode}) == written);
    CHECK(first_sector({overlay}) == written);
    REQUIRE(DiskImage::open({base}).write(1, written));
    CHECK(commit_overlay(overlay) == 1);
    // No overlay vouches for it any more; the user may still say that it is raw.
    std::filesystem::remove(overlay);
    CHECK_THAT(refusal([&] { DiskImage::open({base}); }), Contains("format=raw"));
    CHECK_FALSE(std::filesystem::exists(overlay));
    CHECK(first_sector({base, WriteMode::memory, {}, ImageFormat::raw}) == written);
    create_overlay(files.file("other.ovl"), base, ImageFormat::raw);
    CHECK(first_sector({files.file("other.ovl")}) == written);
  }
}

TEST_CASE("a written-through disk with such a signature opens again with format=raw") {
  const DiskFiles files;
  const auto base = files.write("base.img", base_content(4096));
  const auto written = sector("\x1F\x8B");
  REQUIRE(DiskImage::open({base, WriteMode::write_through}).write(0, written));
  CHECK_THAT(refusal([&] { DiskImage::open({base, WriteMode::write_through}); }), Contains("format=raw"));
  CHECK(first_sector({base, WriteMode::write_through, {}, ImageFormat::raw}) == written);
}

TEST_CASE("an overlay beside a file identifies only the contents that it was created for") {
  const DiskFiles files;
  const auto base = files.write("base.img", base_content(4096));
  create_overlay(base + ".overlay", base);
  auto packed = base_content(4096);
  packed[0] = 0x1F;
  packed[1] = 0x8B;
  files.write("base.img", packed);
  for (const WriteMode mode : {WriteMode::overlay, WriteMode::memory})
    CHECK_THAT(refusal([&] { DiskImage::open({base, mode}); }), Contains("gzip-compressed"));
}
